/* What some GHCs offer and others do not, or only where their runtime is linked statically. */
#ifndef HECTIC_OPTIONAL_H
#define HECTIC_OPTIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* NULL: done, or why it cannot be. */
const char *optional_start_heap_profile(void);
const char *optional_stop_heap_profile(void);
const char *optional_heap_census(void);

/* The runtime's classes of events, in the order of its own trace flags. */
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

/* NULL: it can be switched while the program runs, or why not. */
const char *optional_class_fixed(unsigned class_);
/* Is it on? -1: that cannot be seen. */
int optional_class_is_on(unsigned class_);
void optional_set_class(unsigned class_, bool on); /* if it can be */

/* What the runtime knows, until GHC 9.4; NULL: none. */
const char *optional_thread_label(uint64_t id);

/* Brings out all buffers, since GHC 9.2. False: the runtime hides that. */
bool optional_can_flush_at_rest(void);
bool optional_flush_at_rest(void);

/* Keeps the runtime's other threads from the buffer of events that are no capability's, before GHC
 * 9.2, where the end of event logging does not. */
void optional_lock_global_events(void);
void optional_unlock_global_events(void);

#endif
