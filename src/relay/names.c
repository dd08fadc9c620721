#include "relay/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 }; /* "-" and a number, at most */

typedef struct taken {
    map_key key;
    void *owner;
    char name[NAMES_SIZE];
    unsigned number; /* 0: none */
} taken;

typedef struct numbers {
    map_key key;
    unsigned count; /* of taken numbers */
    unsigned least; /* all lower numbers are taken */
} numbers;

static void *find(const map *m, const char *name)
{
    return map_find_bytes(m, 0, name, strlen(name));
}

static void *add(map *m, const char *name)
{
    return map_add_bytes(m, 0, name, strlen(name));
}

static bool take(names *n, const char *name, unsigned number, void *owner)
{
    n->taken.entry_size = sizeof(taken);
    n->taken.unsorted = true;
    taken *t = add(&n->taken, name);
    if (!t) return false;
    snprintf(t->name, sizeof t->name, "%s", name);
    t->owner = owner;
    t->number = number;
    return true;
}

static void put_number(char name[NAMES_SIZE], const char *wanted, unsigned number)
{
    snprintf(name, NAMES_SIZE, "%.*s-%u", NAMES_SIZE - DIGITS, wanted, number);
}

/* The numbers of a name with a suffix; NULL: no suffix, or no numbers in use. */
static numbers *numbers_of(const names *n, const char *name)
{
    char before[NAMES_SIZE];
    const char *dash = strrchr(name, '-');
    if (!dash) return NULL;
    snprintf(before, sizeof before, "%.*s", (int)(dash - name), name);
    return find(&n->numbers, before);
}

unsigned names_take(names *n, const char *wanted, char name[NAMES_SIZE], void *owner)
{
    unsigned tried = 1;
    snprintf(name, NAMES_SIZE, "%s", wanted);
    if (!find(&n->taken, name)) return take(n, name, 0, owner) ? tried : 0;

    name[NAMES_SIZE - DIGITS] = 0; /* leaves space for the number */
    n->numbers.entry_size = sizeof(numbers);
    n->numbers.unsorted = true;
    numbers *of = add(&n->numbers, name);
    if (!of) return 0;
    if (of->count == 0) of->least = 2;
    for (;; of->least++) {
        put_number(name, wanted, of->least);
        tried++;
        if (!find(&n->taken, name)) break;
    }
    const bool done = take(n, name, of->least, owner);
    of->count += done;
    of->least += done;
    if (of->count == 0) map_remove(&n->numbers, of);
    return done ? tried : 0;
}

void names_release(names *n, const char *name)
{
    taken *t = find(&n->taken, name);
    if (!t) return;
    numbers *of = numbers_of(n, name);
    if (of && t->number > 0) of->count--;
    const unsigned number = of ? (unsigned)strtoul(strrchr(name, '-') + 1, NULL, 10) : 0;
    if (number >= 2 && number < of->least) of->least = number;
    if (of && of->count == 0) map_remove(&n->numbers, of);
    map_remove(&n->taken, t);
    map_shrink(&n->taken);
    map_shrink(&n->numbers);
}

void *names_owner(const names *n, const char *name)
{
    const taken *t = find(&n->taken, name);
    return t ? t->owner : NULL;
}

void names_clear(names *n)
{
    map_clear(&n->taken);
    map_clear(&n->numbers);
}
