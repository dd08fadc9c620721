/* uint256.h — exact sums and products of numbers up to 2^64-1, in integers of 256 bits. */
#ifndef HECTIC_SRC_UINT256_H
#define HECTIC_SRC_UINT256_H

#include <stdbool.h>
#include <stdint.h>

typedef struct uint128 {
    uint64_t low, high; /* 128 bits */
} uint128;

/* wasm32 has 128 bits only through functions of the compiler's library. */
static inline uint128 uint128_product(uint64_t a, uint64_t b)
{
#if defined __SIZEOF_INT128__ && !defined __wasm__
    __extension__ typedef unsigned __int128 native;
    const native product = (native)a * b;
    return (uint128){(uint64_t)product, (uint64_t)(product >> 64)};
#else
    const uint64_t mask = UINT32_MAX;
    const uint64_t al = a & mask, ah = a >> 32, bl = b & mask, bh = b >> 32;
    const uint64_t low = al * bl, middle = ah * bl + (low >> 32);
    const uint64_t second = al * bh + (middle & mask);
    return (uint128){second << 32 | (low & mask), ah * bh + (middle >> 32) + (second >> 32)};
#endif
}

/* True: the sum has a carry. */
static inline bool uint128_add(uint128 *sum, uint128 more)
{
    const bool carry = __builtin_add_overflow(sum->low, more.low, &sum->low);
    const bool first = __builtin_add_overflow(sum->high, more.high, &sum->high);
    const bool second = __builtin_add_overflow(sum->high, (uint64_t)carry, &sum->high);
    return first || second;
}

static inline void uint128_add_saturated(uint128 *sum, uint128 more)
{
    if (uint128_add(sum, more)) *sum = (uint128){UINT64_MAX, UINT64_MAX};
}

/* A sum of up to 2^64 products of two numbers, which never overflows. */
typedef struct uint128_sum {
    uint128 low;
    uint64_t top;
} uint128_sum;

static inline void uint128_sum_add(uint128_sum *sum, uint128 more)
{
    sum->top += uint128_add(&sum->low, more);
}

typedef struct uint256 {
    uint64_t word[4]; /* the lowest first */
} uint256;

static inline void uint256_add(uint256 *sum, unsigned from, uint128 more)
{
    const uint64_t words[] = {more.low, more.high};
    bool carry = false;
    for (unsigned i = from; i < 4; i++) {
        const uint64_t word = i - from < 2 ? words[i - from] : 0;
        const bool first = __builtin_add_overflow(sum->word[i], word, &sum->word[i]);
        const bool second = __builtin_add_overflow(sum->word[i], (uint64_t)carry, &sum->word[i]);
        carry = first || second;
    }
}

/* a * b */
static inline uint256 uint256_product(uint128 a, uint128 b)
{
    uint256 product = {{0}};
    uint256_add(&product, 0, uint128_product(a.low, b.low));
    uint256_add(&product, 1, uint128_product(a.low, b.high));
    uint256_add(&product, 1, uint128_product(a.high, b.low));
    uint256_add(&product, 2, uint128_product(a.high, b.high));
    return product;
}

/* a * b */
static inline uint256 uint256_scaled(uint128_sum a, uint64_t b)
{
    uint256 product = {{0}};
    uint256_add(&product, 0, uint128_product(a.low.low, b));
    uint256_add(&product, 1, uint128_product(a.low.high, b));
    uint256_add(&product, 2, uint128_product(a.top, b));
    return product;
}

/* a - b, rounded */
static inline double uint256_difference(const uint256 *a, const uint256 *b)
{
    unsigned i = 4;
    while (i > 1 && a->word[i - 1] == b->word[i - 1])
        i--;
    const bool is_negative = a->word[i - 1] < b->word[i - 1];
    const uint256 *more = is_negative ? b : a, *less = is_negative ? a : b;
    uint64_t word[4];
    bool borrow = false;
    for (i = 0; i < 4; i++) {
        const bool first = __builtin_sub_overflow(more->word[i], less->word[i], &word[i]);
        const bool second = __builtin_sub_overflow(word[i], (uint64_t)borrow, &word[i]);
        borrow = first || second;
    }
    double difference = 0;
    for (i = 4; i-- > 0;)
        difference = difference * 0x1p64 + (double)word[i];
    return is_negative ? -difference : difference;
}

static inline double uint128_to_double(uint128 a)
{
    return (double)a.high * 0x1p64 + (double)a.low;
}

#endif
