/* Writes numbers and short literals: each put_ function writes at `out` and returns the end of its
 * output. It may write up to PUT_SLACK bytes more (which avoids a branch on the length); the 4,096
 * bytes in hectic_render_bound allow for that. */
#ifndef HECTIC_SRC_PUT_H
#define HECTIC_SRC_PUT_H

#include <stdint.h>
#include <string.h>

enum { PUT_SLACK = 32 };

static inline char *put_bytes(char *out, const void *bytes, size_t length)
{
    memcpy(out, bytes, length);
    return out + length;
}

/* A string literal. */
#define put_literal(out, literal) put_bytes((out), (literal), sizeof(literal) - 1)

static inline char *put_string(char *out, const char *text)
{
    return put_bytes(out, text, strlen(text));
}

/* The eight decimal digits of a number below 10^8, one per byte, the first in the lowest. Halves,
 * quarters and eighths are divided in parallel in one word, by multiplication with reciprocals. */
static inline uint64_t digits8(uint32_t value)
{
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
    const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;
    return tens | (twos - tens * 10) << 8;
}

static inline void store_digits(char *out, uint64_t digits)
{
    digits |= 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    digits = __builtin_bswap64(digits);
#endif
    memcpy(out, &digits, sizeof digits);
}

/* A number below 10^8 without leading zeros. Caps, generations and many counts are small. */
static inline char *put_below_1e8(char *out, uint32_t value)
{
    if (value < 10) {
        *out = (char)('0' + value);
        return out + 1;
    }
    const uint64_t digits = digits8(value);
    const unsigned zeros = (unsigned)__builtin_ctzll(digits) / 8;
    store_digits(out, digits >> zeros * 8);
    return out + 8 - zeros;
}

/* The last eight digits of a longer number. */
static inline char *put_eight(char *out, uint32_t value)
{
    store_digits(out, digits8(value));
    return out + 8;
}

static inline char *put_decimal(char *out, uint64_t value)
{
    const uint32_t e8 = 100000000;
    if (value < e8) return put_below_1e8(out, (uint32_t)value);
    const uint64_t high = value / e8;
    if (high < e8)
        out = put_below_1e8(out, (uint32_t)high);
    else
        out = put_eight(put_below_1e8(out, (uint32_t)(high / e8)), (uint32_t)(high % e8));
    return put_eight(out, (uint32_t)(value % e8));
}

/* Lower case, without leading zeros. */
static inline char *put_hexadecimal(char *out, uint64_t value)
{
    const int digits = (67 - __builtin_clzll(value | 1)) / 4;
    for (int i = digits; i-- > 0; value >>= 4)
        out[i] = "0123456789abcdef"[value & 15];
    return out + digits;
}

#endif
