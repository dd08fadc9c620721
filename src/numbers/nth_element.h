/* nth_element.h — finds the largest values without sorting all of them. */
#ifndef HECTIC_SRC_NTH_ELEMENT_H
#define HECTIC_SRC_NTH_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

/* The value at a place in descending order: rank < count. Time is linear in `count`. */
uint64_t value_at_rank(const uint64_t *value, size_t count, size_t rank);

#endif
