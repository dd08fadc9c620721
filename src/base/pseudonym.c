/* pseudonym.c — see pseudonym.h. */
#include "base/pseudonym.h"

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

/* The number of these digits. False: a byte is none. */
static bool read_digits(const uint8_t *text, size_t count, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit) return false;
        *number |= (uint64_t)(digit - digits) << DIGIT_BITS * i;
    }
    return true;
}

/* What the last digits are, by which a pseudonym of any key is recognized. */
static uint64_t check_of(uint64_t number)
{
    const uint64_t golden_ratio = UINT64_C(0x9e3779b97f4a7c15);
    return number * golden_ratio >> (64 - DIGIT_BITS * CHECK_DIGITS);
}

void pseudonym_make(const uint64_t key[2], const uint8_t *text, size_t size, uint8_t *pseudonym)
{
    const uint64_t hash = hash_of(key, text, size) >> (64 - DIGIT_BITS * HASH_DIGITS);
    pseudonym[0] = 'x';
    put_digits(hash, pseudonym + 1, HASH_DIGITS);
    put_digits(check_of(hash), pseudonym + 1 + HASH_DIGITS, CHECK_DIGITS);
}

bool pseudonym_is(const uint8_t *text, size_t size)
{
    uint64_t hash, check;
    return size == PSEUDONYM_SIZE && text[0] == 'x' && read_digits(text + 1, HASH_DIGITS, &hash) &&
           read_digits(text + 1 + HASH_DIGITS, CHECK_DIGITS, &check) && check == check_of(hash);
}
