/* Functions of the runtime that depend on the version of GHC, or on static linking. */
#ifndef HECTIC_OPTIONAL_H
#define HECTIC_OPTIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* NULL: done; else why not. */
const char *optional_start_heap_profile(void);
const char *optional_stop_heap_profile(void);
const char *optional_heap_census(void);

/* The runtime's classes of events, in the order of its trace flags. */
enum {
    CLASS_SCHEDULER,
    CLASS_GC,
    CLASS_NONMOVING_GC,
    CLASS_SPARKS_SAMPLED,
    CLASS_SPARKS_FULL,
    CLASS_USER,
    CLASS_CAP,
    CLASS_INFO_TABLES,
    CLASSES
};

/* NULL: it can be switched in a running program; else why not. */
const char *optional_class_fixed(unsigned class_);
/* 1: on, 0: off, -1: unknown. */
int optional_class_is_on(unsigned class_);
void optional_set_class(unsigned class_, bool on); /* if it can be switched */

/* From the runtime, until GHC 9.4; NULL: none. */
const char *optional_thread_label(uint64_t id);

/* Flushes all buffers, since GHC 9.2. False: not exported by the runtime. */
bool optional_can_flush_at_rest(void);
bool optional_flush_at_rest(void);

/* Lock the buffer of events without a capability, which GHC before 9.2 does not do when event
 * logging ends. */
void optional_lock_global_events(void);
void optional_unlock_global_events(void);

#endif
