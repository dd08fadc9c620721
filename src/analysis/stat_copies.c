/* stat_copies.c — see stat_copies.h. */
#include "analysis/stat_copies.h"

#include <stdlib.h>
#include <string.h>

enum {
    IN_GROUP = 32,
    WORDS = sizeof(struct stat_cap) / sizeof(uint64_t),
    NUMBER_MAX = 10,                   /* bytes of a number */
    BYTES_MAX = 2 * NUMBER_MAX * WORDS /* of a copy */
};
_Static_assert(sizeof(struct stat_cap) % sizeof(uint64_t) == 0, "a state consists of words");

struct copy_group {
    uint64_t base[WORDS]; /* the first one that is present */
    uint8_t *bytes;       /* of each other: the distance of each word that differs from the last
                             one, and the difference */
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

/* --- Numbers --------------------------------------------------------------------------------- */

/* Seven bits in each byte, the lowest first. */
static uint8_t *put_number(uint8_t *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (uint8_t)(number | 0x80);
    *to++ = (uint8_t)number;
    return to;
}

static uint64_t get_number(const uint8_t *bytes, size_t *at)
{
    uint64_t number = 0;
    unsigned shift = 0;
    for (; bytes[*at] & 0x80; shift += 7)
        number |= (uint64_t)(bytes[(*at)++] & 0x7f) << shift;
    return number | (uint64_t)bytes[(*at)++] << shift;
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
    uint8_t *bytes = realloc(group->bytes, size);
    if (!bytes) return false;
    group->bytes = bytes;
    group->capacity = (uint32_t)size;
    return true;
}

static bool append(struct copy_group *group, size_t place, const uint8_t *bytes, size_t size)
{
    const size_t used = place > 0 ? group->end[place - 1] : 0, length = used + size;
    if (length > group->capacity && !resize(group, 2 * length)) return false;
    if (size > 0) memcpy(group->bytes + used, bytes, size);
    group->end[place] = (uint32_t)length;
    return place + 1 < IN_GROUP || length == 0 || resize(group, length);
}

bool stat_copies_add(struct stat_copies *c, const struct stat_cap *cap)
{
    const size_t place = c->count % IN_GROUP;
    struct copy_group *group = group_for(c, c->count / IN_GROUP);
    uint64_t word[WORDS];
    uint8_t bytes[BYTES_MAX], *end = bytes;
    size_t last = 0;
    if (!group) return false;
    memcpy(word, cap, sizeof word);
    if (place == 0 || c->count == c->first) memcpy(group->base, word, sizeof word);
    for (size_t i = 0; i < WORDS; i++)
        if (word[i] != group->base[i]) {
            end = put_number(end, i - last);
            end = put_number(end, fold_sign(word[i] - group->base[i]));
            last = i;
        }
    if (!append(group, place, bytes, (size_t)(end - bytes))) return false;
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
    for (size_t i = 0, at = place > 0 ? group->end[place - 1] : 0; at < group->end[place];) {
        i += (size_t)get_number(group->bytes, &at);
        word[i] += unfold_sign(get_number(group->bytes, &at));
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
