/* siphash.h — SipHash (Aumasson and Bernstein, 2012): a hash that nobody without its key can
 * predict. Feed words, then ask for results. */
#ifndef HECTIC_SRC_BASE_SIPHASH_H
#define HECTIC_SRC_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct siphash {
    uint64_t v[4];
};

static inline uint64_t siphash_rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void siphash_rounds(struct siphash *hash, int rounds)
{
    uint64_t *v = hash->v;
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1], v[1] = siphash_rotate(v[1], 13) ^ v[0], v[0] = siphash_rotate(v[0], 32);
        v[2] += v[3], v[3] = siphash_rotate(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = siphash_rotate(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = siphash_rotate(v[1], 17) ^ v[2], v[2] = siphash_rotate(v[2], 32);
    }
}

static inline struct siphash siphash_begin(const uint64_t key[2])
{
    return (struct siphash){
        {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f83),
         key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)}};
}

static inline void siphash_word(struct siphash *hash, uint64_t word, int rounds)
{
    hash->v[3] ^= word;
    siphash_rounds(hash, rounds);
    hash->v[0] ^= word;
}

/* The bytes; then append their number, in a word of its own. */
static inline void siphash_bytes(struct siphash *hash, const uint8_t *at, size_t size, int rounds)
{
    uint64_t word;
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        siphash_word(hash, word, rounds);
    }
    word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)at[i] << 8 * i;
    siphash_word(hash, word, rounds);
}

/* 64 bits; further ones after another mark. */
static inline uint64_t siphash_end(struct siphash *hash, size_t of, uint64_t mark, int rounds)
{
    hash->v[of] ^= mark;
    siphash_rounds(hash, rounds);
    return hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3];
}

#endif
