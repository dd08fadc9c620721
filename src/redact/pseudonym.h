/* pseudonym.h — pseudonyms of texts: the same for equal texts and one key, and otherwise random.
 *
 * A pseudonym is an "x" and 13 characters of a-z and 2-7: 50 bits of a keyed hash of the text, and
 * 15 of a hash of these, by which pseudonyms of the same key are recognized, and left as they are.
 * Two of a million texts have the same pseudonym with a probability of 0.05 %. */
#ifndef HECTIC_SRC_REDACT_PSEUDONYM_H
#define HECTIC_SRC_REDACT_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PSEUDONYM_SIZE = 14 };

void pseudonym_make(const uint64_t key[2], const uint8_t *text, size_t size, uint8_t *pseudonym);

/* Has the text the form of a pseudonym? With a key: is it one of that key? */
bool pseudonym_is(const uint64_t *key, const uint8_t *text, size_t size);

#endif
