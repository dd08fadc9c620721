#!/usr/bin/env python3
"""Writes src/render/printable.c: which characters Haskell's isPrint calls printable.

    tools/printable.py > src/render/printable.c

They are those outside the general categories below, by the Unicode version of this Python.
"""
import sys
import unicodedata

UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

turns = []
printable = False
for code in range(sys.maxunicode + 1):
    if (unicodedata.category(chr(code)) not in UNPRINTABLE) != printable:
        turns.append(code)
        printable = not printable

print(f"""/* Which characters are printable, by Unicode {unicodedata.unidata_version}.
 * Made by tools/printable.py: change that, not this. */
#include "render/printable.h"

/* The characters at which unprintable ones give way to printable ones, or the other way round,
 * in turns; the first gives way to printable ones. */
// clang-format off
static const uint32_t turns[] = {{""")
for i in range(0, len(turns), 12):
    print("    " + " ".join(f"{turn}," for turn in turns[i:i + 12]))
print("""};
// clang-format on

bool is_printable(uint32_t character)
{
    size_t low = 0, high = sizeof turns / sizeof *turns;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (turns[middle] <= character)
            low = middle + 1;
        else
            high = middle;
    }
    return low % 2 == 1;
}""")
