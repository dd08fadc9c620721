#include "base/map.h"

#include <sys/auxv.h>

/* The kernel gives each program 16 random bytes: this is no system call. */
uint64_t map_seed(void)
{
    const void *random = (const void *)getauxval(AT_RANDOM); // NOLINT(performance-no-int-to-ptr)
    uint64_t half[2] = {0};
    if (random) memcpy(half, random, sizeof half);
    return half[0] ^ half[1] * UINT64_C(0x9e3779b97f4a7c15);
}
