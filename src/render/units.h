/* units.h — numbers with their units, for people. */
#ifndef HECTIC_SRC_UNITS_H
#define HECTIC_SRC_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unit_kind {
    UNITS_NS,     /* ns … s */
    UNITS_TIME,   /* ns … y, of ns */
    UNITS_BYTES,  /* B, KiB … EiB */
    UNITS_SIZE,   /* bytes, KiB … EiB */
    UNITS_COUNT,  /* k, M … E: powers of 1000 */
    UNITS_BINARY, /* K, M … E: powers of 1024 */
};

/* How many digits a number has. All but UNITS_EXACT round before they choose the unit. */
enum unit_digits {
    UNITS_THREE, /* 1.23 12.3 123 */
    UNITS_TWO,   /* 1.2 12 123 */
    UNITS_TENTH, /* 1.2 12.3 123 */
    UNITS_WHOLE, /* 1.2 12.3 123.4, and 4 instead of 4.0 */
    UNITS_EXACT, /* 1.234 12.345 123.456 */
};

enum { UNITS_ROOM = 24 };

/* Writes a number below 2^64 that is not negative in the unit that suits it: 1.23ms, or 1.23 ms
 * with a space. `out` has UNITS_ROOM bytes. Returns the length. */
int units_put(char *out, double number, enum unit_kind kind, enum unit_digits digits,
              bool with_space);

/* Writes digits with thousands separators: 1,234,567. Returns the length. */
int group_digits(char *out, const char *digits);

/* The same of a number. */
int group_number(char out[32], uint64_t number);

/* "1 event", "1,234 events", "2 entries": at most `size` bytes. */
void units_quantity(char *out, size_t size, uint64_t number, const char *noun);

/* All digits of a number, without a unit. Returns the length. */
enum { UNITS_EXACT_ROOM = 32 };
int units_exact(char out[UNITS_EXACT_ROOM], double number);

/* Is it the name of a unit of time or size, or "%"? */
bool units_is_name(const char *text, size_t length);

/* A number in decimal; returns its length (at most 20). */
size_t hectic_render_u64(uint64_t value, char *out);

#endif
