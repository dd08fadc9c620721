/* gap_rows.c — the rows of gaps_each: where the log lacks events, and what it lacks. */
#include "format/gap_message.h"
#include "results/rows.h"
#include "tables/tables.h"

#include <hectic/catalogue.h>

enum { SWITCHES = 64 };

/* What is kept for a process. */
struct kept {
    uint64_t first; /* ns: of its first event */
    bool has_first;
    uint64_t off, switched; /* as in gap_message: what is off, and what was switched before */
    uint64_t since[SWITCHES];
};

static bool put_gap(const struct reading *reading, union gaps_each_row *row, uint64_t from,
                    uint64_t to)
{
    const struct interval *interval = &reading->interval;
    const struct row_taker *rows = reading->user;
    reading_cells(reading, row->cells);
    return to < interval->from || from >= interval->to || rows->take(rows->user, row->cells);
}

static const char *switch_name(unsigned number)
{
    const uint64_t bit = UINT64_C(1) << number;
    return bit == GAP_LOGGING ? "all"
           : bit == GAP_UNKNOWN || number >= HECTIC_CLASS_COUNT
               ? "unknown"
               : hectic_class_name((hectic_class)number);
}

static bool put_off(const struct reading *reading, unsigned number, uint64_t to, bool has_end)
{
    const struct kept *kept = reading->kept;
    const uint64_t from = kept->since[number];
    union gaps_each_row row = {.kind = cell_text("off"),
                               .class = cell_text(switch_name(number)),
                               .start_ns = cell_number(from),
                               .end_ns = cell_if(has_end, to)};
    return put_gap(reading, &row, from, to);
}

/* Switches some of them on or off. What is switched on, and was not switched before, was off from
 * the beginning on. */
static bool take_switches(const struct reading *reading, uint64_t bits, bool is_off, uint64_t time)
{
    struct kept *kept = reading->kept;
    bool go_on = true;
    for (unsigned i = 0; i < SWITCHES && go_on; i++) {
        const uint64_t bit = bits & UINT64_C(1) << i;
        if (!bit) continue;
        if (is_off && !(kept->off & bit)) kept->since[i] = time;
        if (!is_off && !(kept->switched & bit)) kept->since[i] = kept->first;
        if (!is_off && (kept->off & bit || !(kept->switched & bit)))
            go_on = put_off(reading, i, time, true);
    }
    kept->off = is_off ? kept->off | bits : kept->off & ~bits;
    kept->switched |= bits;
    return go_on;
}

static bool begin(const struct reading *reading)
{
    *(struct kept *)reading->kept = (struct kept){0};
    return true;
}

static bool take_message(const struct reading *reading, const hectic_event *event)
{
    uint64_t number;
    const enum gap_kind kind = gap_message(event->payload, event->size, &number);
    if (kind == GAP_NONE || kind == GAP_MISSING) return true;
    if (kind == GAP_OFF || kind == GAP_ON)
        return take_switches(reading, number, kind == GAP_OFF, event->time);
    union gaps_each_row row = {.kind = cell_text(kind == GAP_LOST ? "lost" : "dropped"),
                               .end_ns = cell_number(event->time),
                               .events = cell_if(kind == GAP_DROPPED, number),
                               .bytes = cell_if(kind == GAP_LOST, number)};
    return put_gap(reading, &row, event->time, event->time);
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct kept *kept = reading->kept;
    bool go_on = true;
    if (!kept->has_first && count > 0) kept->first = event->time;
    kept->has_first = kept->has_first || count > 0;
    for (size_t i = 0; i < count && go_on; i++)
        if (event[i].type == HECTIC_EVENT_LOG_MSG) go_on = take_message(reading, &event[i]);
    return go_on;
}

static bool end(const struct reading *reading, uint64_t now)
{
    const struct kept *kept = reading->kept;
    const hectic_section *section = reading_section(reading);
    union gaps_each_row row = {.kind = cell_text("cut"),
                               .start_ns = cell_number(section->covered_to)};
    bool go_on = true;
    for (unsigned i = 0; i < SWITCHES && go_on; i++)
        if (kept->off >> i & 1) go_on = put_off(reading, i, now, false);
    return go_on && (section->complete || put_gap(reading, &row, section->covered_to, UINT64_MAX));
}

static const struct reader gap_reader = {
    .size = sizeof(struct kept), .begin = begin, .events = events, .end = end};

const struct row_maker gap_maker = {.reader = &gap_reader};
