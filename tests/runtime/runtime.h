/* Actions of a program in the fake runtime. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include <Rts.h>

StgTSO *runtime_create(uint32_t cap, const char *label); /* runnable */
void runtime_block(StgTSO *tso, uint16_t why);
void runtime_wake(StgTSO *tso);
void runtime_finish(StgTSO *tso);
void runtime_say(uint32_t cap, const char *text);
void runtime_mark(int collections); /* threads are in the lists of the collector for that many */
extern int runtime_collections;     /* number of collections */
extern int runtime_unflushed;       /* buffers without a writer */

#endif
