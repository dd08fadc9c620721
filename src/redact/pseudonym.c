/* pseudonym.c — see pseudonym.h. */
#include "redact/pseudonym.h"

#include "base/siphash.h"

enum { HASH_DIGITS = 10, CHECK_DIGITS = PSEUDONYM_SIZE - 1 - HASH_DIGITS, DIGIT_BITS = 5 };

static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";

static uint64_t hash_of(const uint64_t key[2], const uint8_t *text, size_t size)
{
    struct siphash hash = siphash_begin(key);
    siphash_bytes(&hash, text, size, 2);
    siphash_word(&hash, size, 2);
    return siphash_end(&hash, 2, 0xff, 4);
}

static void put_digits(uint64_t number, uint8_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)digits[number >> DIGIT_BITS * i & ((1u << DIGIT_BITS) - 1)];
}

/* The last digits, by which a pseudonym of any key is recognized. */
static void put_check_digits(const uint8_t *pseudonym, uint8_t *out)
{
    static const uint64_t no_key[2] = {0};
    put_digits(hash_of(no_key, pseudonym, 1 + HASH_DIGITS), out, CHECK_DIGITS);
}

void pseudonym_make(const uint64_t key[2], const uint8_t *text, size_t size, uint8_t *pseudonym)
{
    pseudonym[0] = 'x';
    put_digits(hash_of(key, text, size), pseudonym + 1, HASH_DIGITS);
    put_check_digits(pseudonym, pseudonym + 1 + HASH_DIGITS);
}

bool pseudonym_is(const uint8_t *text, size_t size)
{
    if (size != PSEUDONYM_SIZE || text[0] != 'x') return false;
    for (size_t i = 1; i < PSEUDONYM_SIZE; i++)
        if (text[i] == 0 || !strchr(digits, text[i])) return false;
    uint8_t own[CHECK_DIGITS];
    put_check_digits(text, own);
    return memcmp(own, text + 1 + HASH_DIGITS, sizeof own) == 0;
}
