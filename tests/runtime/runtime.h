/* Actions of a program in the fake runtime. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include <Rts.h>

StgTSO *runtime_create(uint32_t cap, const char *label); /* runnable */
void runtime_block(StgTSO *tso, uint16_t why);
void runtime_wake(StgTSO *tso);
void runtime_finish(StgTSO *tso);
void runtime_migrate(StgTSO *tso, uint32_t cap);
void runtime_say(uint32_t cap, const char *text);
void runtime_mark(int collections); /* threads are in the lists of the collector for that many */
void runtime_fill(uint32_t cap);    /* its buffer is full, and so is written */
extern void (*runtime_after_rest)(void); /* called once after the caps were stopped */
extern int runtime_collections;          /* number of collections */
extern int runtime_unflushed;            /* buffers without a writer */

#endif
