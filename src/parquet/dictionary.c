/* dictionary.c — see dictionary.h. */
#include "parquet/dictionary.h"

enum {
    COUNT_MAX = 1 << 14,
    BYTES_MAX = 1 << 18,
    TRIAL = 512, /* so many are always taken; then more than every second must be known */
};

struct text_entry {
    map_key key;
    struct dictionary_memo text;
};

static bool has_room(const struct dictionary *dictionary, size_t size)
{
    return dictionary->count < COUNT_MAX && dictionary->values.size + size <= BYTES_MAX &&
           (dictionary->count < TRIAL || dictionary->count < dictionary->asked / 2);
}

static struct dictionary_memo *memo_of(struct dictionary *dictionary, uint64_t first)
{
    return &dictionary->memo[first * UINT64_C(0x9e3779b97f4a7c15) >> 56];
}

uint32_t dictionary_number(struct dictionary *dictionary, uint64_t number, bool *is_new)
{
    struct dictionary_memo *memo = memo_of(dictionary, number);
    *is_new = false;
    dictionary->asked++;
    if (memo->place > 0 && memo->first == number) return memo->place - 1;
    uint64_t place = map_value_of(&dictionary->found, number); /* from 1 */
    if (place == 0) {
        dictionary->found.unsorted = true;
        place = dictionary->count + 1;
        if (!has_room(dictionary, sizeof number) ||
            !map_set_value(&dictionary->found, number, place))
            return DICTIONARY_FULL;
        buffer_add_u64s(&dictionary->values, &number, 1);
        dictionary->count++;
        *is_new = true;
    }
    *memo = (struct dictionary_memo){.first = number, .place = (uint32_t)place};
    return memo->place - 1;
}

/* The first eight bytes of a text; of a shorter one, all, so that texts of its size differ. */
static uint64_t first_of(const uint8_t *bytes, size_t size)
{
    uint64_t first = 0;
    uint32_t begin, end;
    if (size >= sizeof first) return memcpy(&first, bytes, sizeof first), first;
    if (size >= sizeof begin) {
        memcpy(&begin, bytes, sizeof begin);
        memcpy(&end, bytes + size - sizeof end, sizeof end);
        return (uint64_t)begin << 32 | end;
    }
    for (size_t i = 0; i < size; i++)
        first = first << 8 | bytes[i];
    return first;
}

static bool is_there(const struct dictionary *dictionary, const struct dictionary_memo *memo,
                     const void *bytes, size_t size, uint64_t first)
{
    return memo->place > 0 && memo->first == first && memo->size == size &&
           (size <= sizeof first ||
            memcmp(dictionary->values.bytes + memo->begin, bytes, size) == 0);
}

/* NULL: there is no room. */
static const struct dictionary_memo *find_text(struct dictionary *dictionary, const void *bytes,
                                               size_t size, bool *is_new)
{
    struct text_entry *entry = map_find_bytes(&dictionary->found, 0, bytes, size);
    if (entry) return &entry->text;
    dictionary->found.entry_size = sizeof *entry;
    dictionary->found.unsorted = true;
    if (has_room(dictionary, size + sizeof(uint32_t)))
        entry = map_add_bytes(&dictionary->found, 0, bytes, size);
    if (!entry) return NULL;
    buffer_add_u32(&dictionary->values, (uint32_t)size);
    entry->text = (struct dictionary_memo){first_of(bytes, size), dictionary->values.size, size,
                                           ++dictionary->count};
    buffer_add(&dictionary->values, bytes, size);
    *is_new = true;
    return &entry->text;
}

uint32_t dictionary_text(struct dictionary *dictionary, const void *bytes, size_t size,
                         bool *is_new)
{
    const uint64_t first = first_of(bytes, size);
    struct dictionary_memo *memo = memo_of(dictionary, first + size);
    *is_new = false;
    dictionary->asked++;
    if (is_there(dictionary, memo, bytes, size, first)) return memo->place - 1;
    const struct dictionary_memo *found = find_text(dictionary, bytes, size, is_new);
    if (!found || dictionary->values.failed) return DICTIONARY_FULL;
    *memo = *found;
    return memo->place - 1;
}

void dictionary_reset(struct dictionary *dictionary)
{
    map_clear(&dictionary->found);
    memset(dictionary->memo, 0, sizeof dictionary->memo);
    dictionary->values.size = 0;
    dictionary->count = 0;
    dictionary->asked = 0;
}

void dictionary_free(struct dictionary *dictionary)
{
    map_clear(&dictionary->found);
    buffer_free(&dictionary->values);
}
