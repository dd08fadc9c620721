/* Names that are given once each: a second "main" is called "main-2". */
#ifndef HECTIC_SRC_NAMES_H
#define HECTIC_SRC_NAMES_H

#include "state/map.h"

#include <stdbool.h>
#include <stddef.h>

enum { NAMES_SIZE = 64 }; /* of a name, with its NUL */

/* Begins as all zeros. */
typedef struct names {
    map taken;   /* each, with its owner */
    map numbers; /* by name: where to look for a free number */
} names;

/* Takes that name or, where somebody has it, the name with the least number behind it that is free,
 * from 2 on; writes it to `name`. Of one that is too long for a number, the end is left off.
 * Returns how many names were tried; 0: no memory. */
unsigned names_take(names *n, const char *wanted, char name[NAMES_SIZE], void *owner);

void names_release(names *n, const char *name);      /* of one that is taken */
void *names_owner(const names *n, const char *name); /* or NULL */
void names_clear(names *n);

#endif
