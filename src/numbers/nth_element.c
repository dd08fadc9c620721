/* nth_element.c — see nth_element.h. */
#include "numbers/nth_element.h"

/* Byte by byte, from the most significant on. */
uint64_t value_at_rank(const uint64_t *value, size_t count, size_t rank)
{
    enum { BYTE = 8, BYTES = 1 << BYTE };
    uint64_t known = 0, mask = 0;
    for (unsigned shift = 64; shift > 0;) {
        size_t number[BYTES] = {0};
        unsigned byte = BYTES - 1;
        shift -= BYTE;
        for (size_t i = 0; i < count; i++)
            if ((value[i] & mask) == known) number[value[i] >> shift & (BYTES - 1)]++;
        for (; rank >= number[byte]; byte--)
            rank -= number[byte];
        known |= (uint64_t)byte << shift;
        mask |= (uint64_t)(BYTES - 1) << shift;
    }
    return known;
}
