/* pseudonym.h — pseudonyms of texts: the same for equal texts and one key, and otherwise random.
 *
 * A pseudonym is an "x" and 13 characters of a-z and 2-7: 50 bits of a keyed hash of the text, and
 * 15 that follow from these, by which pseudonyms are recognized, and left as they are.
 * Two of a million texts have the same pseudonym with a probability of 0.05 %. */
#ifndef HECTIC_SRC_PSEUDONYM_H
#define HECTIC_SRC_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PSEUDONYM_SIZE = 14 };

void pseudonym_make(const uint64_t key[2], const uint8_t *text, size_t size, uint8_t *pseudonym);

/* Of any key. Another text of the same form is taken for one with a probability of 2^-15. */
bool pseudonym_is(const uint8_t *text, size_t size);

#endif
