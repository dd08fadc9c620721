/* sparkline.c — see sparkline.h. */
#include "tool/output/sparkline.h"

#include "tool/output/terminal_text.h"

#include <string.h>

enum { HEIGHTS = 8 };

static unsigned height_of(uint64_t value, uint64_t largest)
{
    const double share = largest ? (double)value / (double)largest : 0;
    const unsigned height = (unsigned)(share * HEIGHTS + 0.5);
    return height < 1 ? 0 : height > HEIGHTS ? HEIGHTS - 1 : height - 1;
}

void sparkline(char out[SPARKLINE_ROOM], const uint64_t *value, uint32_t count)
{
    static const char *const blocks[HEIGHTS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[HEIGHTS] = {"_", ".", "-", "=", "+", "*", "%", "#"};
    const char *const *shown = terminal_is_utf8() ? blocks : plain;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (value[i] != SPARKLINE_NONE && value[i] > largest) largest = value[i];
    for (uint32_t i = 0; i < count; i++) {
        const char *block = value[i] == SPARKLINE_NONE ? " " : shown[height_of(value[i], largest)];
        const size_t size = strlen(block);
        memcpy(out, block, size);
        out += size;
    }
    *out = 0;
}
