/* Haskell's Data.Char.isPrint. */
#ifndef HECTIC_SRC_PRINTABLE_H
#define HECTIC_SRC_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool is_printable(uint32_t character);

#endif
