/* Unique names: a second "main" becomes "main-2". */
#ifndef HECTIC_SRC_NAMES_H
#define HECTIC_SRC_NAMES_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

enum { NAMES_SIZE = 64 }; /* of a name, including NUL */

/* Initialize with zeros. */
typedef struct names {
    map taken;   /* names in use, with their owners */
    map numbers; /* by name: where to search for a free number */
} names;

/* Takes that name or, if it is taken, the name with the lowest free number from 2 on as a suffix;
 * writes it to `name`. A name that is too long for the suffix is truncated. Returns the number of
 * names tried; 0: no memory. */
unsigned names_take(names *n, const char *wanted, char name[NAMES_SIZE], void *owner);

void names_release(names *n, const char *name);      /* a taken name */
void *names_owner(const names *n, const char *name); /* or NULL */
void names_clear(names *n);

#endif
