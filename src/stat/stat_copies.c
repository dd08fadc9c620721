/* stat_copies.c — see stat_copies.h. */
#include "stat/stat_copies.h"

#include "format/fields.h"

#include <stdlib.h>
#include <string.h>

enum {
    IN_GROUP = 32,
    WORDS = sizeof(struct stat_cap) / sizeof(uint64_t),
    HEAD = 2, /* bytes: the index of a word, and the size of its difference */
    WORD = sizeof(uint64_t),
};
_Static_assert(sizeof(struct stat_cap) % sizeof(uint64_t) == 0, "a state consists of words");
_Static_assert(WORDS <= UINT8_MAX, "the index of a word is a byte");

struct copy_group {
    uint64_t base[WORDS]; /* the first one that is present */
    uint8_t *bytes;       /* of each other: the words that differ from it; and room for a word */
    uint32_t capacity;
    uint32_t end[IN_GROUP];
};

void stat_copies_free(struct stat_copies *c)
{
    for (size_t i = 0; i < c->groups; i++) {
        if (!c->group[i]) continue;
        free(c->group[i]->bytes);
        free(c->group[i]);
    }
    free(c->group);
    *c = (struct stat_copies){0};
}

struct stat_copies stat_copies_after(size_t count)
{
    return (struct stat_copies){.count = count, .first = count};
}

/* Small numbers for small differences of both signs. */
static uint64_t fold_sign(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unfold_sign(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* Of a number above 0. */
static unsigned bytes_of(uint64_t number)
{
    return (unsigned)(71 - __builtin_clzll(number)) / 8;
}

static unsigned unused_bits(unsigned bytes)
{
    return 64 - 8 * bytes;
}

/* --- Copies ---------------------------------------------------------------------------------- */

static struct copy_group *group_for(struct stat_copies *c, size_t number)
{
    if (number >= c->groups) {
        struct copy_group **group = realloc(c->group, (number + 1) * sizeof(struct copy_group *));
        if (!group) return NULL;
        for (size_t i = c->groups; i <= number; i++)
            group[i] = NULL;
        c->group = group;
        c->groups = number + 1;
    }
    if (!c->group[number]) c->group[number] = calloc(1, sizeof **c->group);
    return c->group[number];
}

static bool resize(struct copy_group *group, size_t size)
{
    uint8_t *bytes = realloc(group->bytes, size + WORD);
    if (!bytes) return false;
    group->bytes = bytes;
    group->capacity = (uint32_t)size;
    return true;
}

/* Appends the differences of a copy to its group's. Returns their end. */
static size_t put_differences(struct copy_group *group, size_t at, const uint64_t word[WORDS])
{
    uint8_t *to = group->bytes + at;
    for (size_t i = 0; i < WORDS; i++)
        if (word[i] != group->base[i]) {
            const uint64_t number = fold_sign(word[i] - group->base[i]);
            const unsigned size = bytes_of(number);
            to[0] = (uint8_t)i;
            to[1] = (uint8_t)size;
            field_store(to + HEAD, 8,
                        number << unused_bits(size)); /* the next one overwrites the rest */
            to += HEAD + size;
        }
    return (size_t)(to - group->bytes);
}

bool stat_copies_add(struct stat_copies *c, const struct stat_cap *cap)
{
    const size_t place = c->count % IN_GROUP;
    struct copy_group *group = group_for(c, c->count / IN_GROUP);
    if (!group) return false;
    const size_t used = place > 0 ? group->end[place - 1] : 0;
    const bool is_base = place == 0 || c->count == c->first;
    const size_t most = used + WORDS * (HEAD + WORD);
    if (!is_base && most > group->capacity && !resize(group, 2 * most)) return false;
    uint64_t word[WORDS];
    memcpy(word, cap, sizeof word);
    if (is_base) memcpy(group->base, word, sizeof word);
    const size_t end = is_base ? used : put_differences(group, used, word);
    group->end[place] = (uint32_t)end;
    if (place == IN_GROUP - 1 && !resize(group, end)) return false;
    c->count++;
    return true;
}

struct stat_cap stat_copies_get(const struct stat_copies *c, size_t index)
{
    struct stat_cap cap = {0};
    if (index < c->first || index >= c->count) return cap;
    const struct copy_group *group = c->group[index / IN_GROUP];
    const size_t place = index % IN_GROUP;
    uint64_t word[WORDS];
    memcpy(word, group->base, sizeof word);
    for (size_t at = place > 0 ? group->end[place - 1] : 0; at < group->end[place];) {
        const uint8_t *p = group->bytes + at;
        word[p[0]] += unfold_sign(field_load(p + HEAD, 8) >> unused_bits(p[1]));
        at += HEAD + p[1];
    }
    memcpy(&cap, word, sizeof cap);
    return cap;
}

bool stat_copies_halve(struct stat_copies *c)
{
    struct stat_copies half = stat_copies_after((c->first + 1) / 2);
    for (size_t i = 2 * half.first; i < c->count; i += 2) {
        const struct stat_cap cap = stat_copies_get(c, i);
        if (!stat_copies_add(&half, &cap)) {
            stat_copies_free(&half);
            return false;
        }
    }
    stat_copies_free(c);
    *c = half;
    return true;
}
