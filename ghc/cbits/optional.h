/* What some GHCs offer and others do not, or only where their runtime is linked statically. */
#ifndef HECTIC_OPTIONAL_H
#define HECTIC_OPTIONAL_H

#include <stdbool.h>

/* NULL: done, or why it cannot be. */
const char *optional_start_heap_profile(void);
const char *optional_stop_heap_profile(void);
const char *optional_heap_census(void);
const char *optional_set_class(unsigned flag, bool on);

#endif
