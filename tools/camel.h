/* camel.h — names of the catalogues as names of Haskell. */
#ifndef HECTIC_TOOLS_CAMEL_H
#define HECTIC_TOOLS_CAMEL_H

#include <stdbool.h>
#include <stdio.h>

/* GC_START as GcStart, or time.mutator_ns as timeMutatorNs; `is_upper`: how it begins. */
static inline void print_camel(const char *name, bool is_upper)
{
    for (; *name; name++) {
        const bool is_letter = *name >= 'A' && *name <= 'Z';
        const bool is_small = *name >= 'a' && *name <= 'z';
        if (*name == '_' || *name == '.') {
            is_upper = true;
            continue;
        }
        putchar(is_letter && !is_upper ? *name + 'a' - 'A'
                : is_small && is_upper ? *name + 'A' - 'a'
                                       : *name);
        is_upper = false;
    }
}

#endif
