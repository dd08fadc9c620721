/* cells.c — see cells.h. */
#include "tool/output/cells.h"

#include "render/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- Packed ---------------------------------------------------------------------------------- */

enum { UNKNOWN, KNOWN, KNOWN_NUMBER /* of CELL_ANY */ };

static size_t put_varint(unsigned char *out, uint64_t number)
{
    size_t i = 0;
    for (; number >= 0x80; number >>= 7)
        out[i++] = (unsigned char)(number | 0x80);
    out[i++] = (unsigned char)number;
    return i;
}

static size_t get_varint(const unsigned char *bytes, uint64_t *number)
{
    size_t i = 0;
    unsigned shift = 0;
    *number = 0;
    do {
        *number |= (uint64_t)(bytes[i] & 0x7f) << shift;
        shift += 7;
    } while (bytes[i++] & 0x80);
    return i;
}

static bool is_real(enum cell_kind kind)
{
    return kind == CELL_SHARE || kind == CELL_BAR || kind == CELL_GROWTH;
}

/* Doubles that are not negative are ordered like their bits, negative ones in reverse. */
uint64_t cell_key(enum cell_kind kind, const struct cell *cell)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t key = cell->number;
    if (is_real(kind)) memcpy(&key, &cell->share, sizeof key);
    if (kind == CELL_GROWTH) key = key & sign ? ~key : key | sign;
    return key;
}

size_t cell_pack(enum cell_kind kind, const struct cell *cell, unsigned char *out)
{
    const bool is_number = kind == CELL_ANY && cell->number;
    out[0] = !cell->known ? UNKNOWN : is_number ? KNOWN_NUMBER : KNOWN;
    if (!cell->known) return 1;
    if (!kind_is_text(kind) && !is_real(kind)) return 1 + put_varint(out + 1, cell->number);
    const size_t size = is_real(kind) ? sizeof cell->share : strlen(cell->text) + 1;
    memcpy(out + 1, is_real(kind) ? (const void *)&cell->share : cell->text, size);
    return 1 + size;
}

size_t cell_unpack(enum cell_kind kind, const unsigned char *bytes, struct cell *cell)
{
    *cell = (struct cell){.known = bytes[0] != UNKNOWN, .number = bytes[0] == KNOWN_NUMBER};
    if (!cell->known) return 1;
    if (kind_is_text(kind)) {
        cell->text = (const char *)bytes + 1;
        return 2 + strlen(cell->text);
    }
    if (!is_real(kind)) return 1 + get_varint(bytes + 1, &cell->number);
    memcpy(&cell->share, bytes + 1, sizeof cell->share);
    return 1 + sizeof cell->share;
}

/* --- As text --------------------------------------------------------------------------------- */

static int put_size(char *out, double bytes)
{
    return units_put(out, bytes, UNITS_BYTES, UNITS_THREE, false);
}

static int put_growth(char *out, double bytes)
{
    const double size = bytes < 0 ? -bytes : bytes;
    *out = bytes < 0 ? '-' : '+';
    if (size < 0.5) return snprintf(out, CELL_ROOM, "0B");
    return 1 + put_size(out + 1, size < 0x1p63 ? floor(size + 0.5) : 0x1p63);
}

/* A bar in eighths of a column, padded to CELL_BAR_WIDTH. */
static int put_bar(char *out, double share)
{
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    int rest = (int)((share < 1 ? share : 1) * CELL_BAR_WIDTH * 8 + 0.5);
    char *end = out;
    for (int i = 0; i < CELL_BAR_WIDTH; i++) {
        const int eighth = rest < 8 ? rest : 8;
        const size_t size = strlen(eighths[eighth]);
        memcpy(end, eighths[eighth], size);
        end += size;
        rest -= eighth;
    }
    return (int)(end - out);
}

int cell_print(char *out, enum cell_kind kind, const struct cell *cell)
{
    switch (kind) {
    case CELL_COUNT: return group_number(out, cell->number);
    case CELL_NS: return units_put(out, (double)cell->number, UNITS_NS, UNITS_THREE, false);
    case CELL_TIME:
        return snprintf(out, CELL_ROOM, "%" PRIu64 ".%06" PRIu64 "s", cell->number / 1000000000,
                        cell->number % 1000000000 / 1000);
    case CELL_BYTES: return put_size(out, (double)cell->number);
    case CELL_SHARE: return snprintf(out, CELL_ROOM, "%.1f%%", 100 * cell->share);
    case CELL_GROWTH: return put_growth(out, cell->share);
    case CELL_FLAG: return snprintf(out, CELL_ROOM, cell->number ? "yes" : "no");
    case CELL_BAR: return put_bar(out, cell->share);
    case CELL_ID:
    case CELL_SECTION:
    case CELL_PROCESS:
    case CELL_TEXT:
    case CELL_NAME:
    case CELL_REAL:
    case CELL_RECORD:
    case CELL_ROWS:
    case CELL_ANY: break;
    }
    return snprintf(out, CELL_ROOM, "%" PRIu64, cell->number);
}

struct printed printed(enum cell_kind kind, uint64_t number)
{
    struct printed printed;
    const struct cell cell = cell_number(number);
    cell_print(printed.text, kind, &cell);
    return printed;
}

struct printed printed_if(bool known, enum cell_kind kind, uint64_t number)
{
    return known ? printed(kind, number) : (struct printed){"N/A"};
}

struct printed printed_part(uint64_t part, uint64_t whole)
{
    struct printed printed;
    const struct cell cell = cell_part(part, whole);
    cell_print(printed.text, CELL_SHARE, &cell);
    return printed;
}

struct printed quantity(uint64_t number, const char *noun)
{
    struct printed printed;
    units_quantity(printed.text, sizeof printed.text, number, noun);
    return printed;
}

struct printed printed_exact(double number)
{
    struct printed printed;
    units_exact(printed.text, number);
    return printed;
}
