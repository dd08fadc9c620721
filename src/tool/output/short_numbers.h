/* short_numbers.h — numbers for people. */
#ifndef HECTIC_SHORT_NUMBERS_H
#define HECTIC_SHORT_NUMBERS_H

#include <stdint.h>

/* A number in at most five characters: 999, 1.2k, 12k, 123k. `base` is 1000, or 1024 for bytes. */
void short_number(char out[16], double number, double base);

/* A time: 94us, 1.2ms, 999s, 17m, 17h, 42d, 14y. */
void short_time(char out[16], double ns);

/* Writes digits with thousands separators: 1,234,567. Returns the length. */
int group_digits(char *out, const char *digits);

/* The same of a number. */
int group_number(char out[32], uint64_t number);

#endif
