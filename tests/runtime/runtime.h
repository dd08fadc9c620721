/* What a program does in the fake runtime. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include <Rts.h>

StgTSO *runtime_create(uint32_t cap, const char *label); /* it may run */
void runtime_block(StgTSO *tso, uint16_t why);
void runtime_wake(StgTSO *tso);
void runtime_finish(StgTSO *tso);
void runtime_say(uint32_t cap, const char *text);
void runtime_mark(int collections); /* the threads are with the collector for so many */
extern int runtime_collections;     /* that were done */
extern int runtime_unflushed;       /* buffers that the runtime found nobody to write */

#endif
