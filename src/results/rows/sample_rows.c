/* sample_rows.c — the rows of heap_samples and time_samples: the samples of profiles, one by one.
 */
#include "profiles/heap_samples.h"
#include "profiles/time_samples.h"
#include "results/rows.h"
#include "tables/tables.h"

/* What is kept for a process. The analyses come first: see READER_EVENTS. */
struct kept {
    union {
        hectic_heap_samples *heap;
        hectic_time_samples *time;
    };
    const struct reading *reading;
};

/* A stack, cut as in other rows. */
struct stack_text {
    char whole[REPEATED_ROOM + 1], room[REPEATED_ROOM];
};

static struct cell stack_cell(struct stack_text *text, const hectic_stacks *stacks,
                              const hectic_symbols *symbols, uint32_t node)
{
    hectic_band_text(stacks, symbols, node, text->whole, sizeof text->whole);
    return cell_text(repeated_text(text->whole, text->room));
}

static bool put_sample(const struct reading *reading, uint64_t time, struct cell *cells)
{
    const struct interval *interval = &reading->interval;
    const struct row_taker *rows = reading->user;
    reading_cells(reading, cells);
    return time < interval->from || time >= interval->to || rows->take(rows->user, cells);
}

static bool end(const struct reading *reading, uint64_t now)
{
    (void)reading;
    (void)now;
    return true;
}

/* --- Heap profiles --------------------------------------------------------------------------- */

static bool take_heap_sample(void *user, const hectic_heap_sample *sample)
{
    const struct kept *kept = user;
    const hectic_stacks *stacks = hectic_heap_samples_stacks(kept->heap);
    const hectic_symbols *symbols = hectic_heap_samples_symbols(kept->heap);
    struct stack_text text;
    bool go_on = true;
    union heap_samples_row row = {
        .profile = cell_number(sample->profile),
        .breakdown = cell_text(hectic_breakdown_text(sample->kind->breakdown)),
        .sample = cell_number(sample->index),
        .time_ns = cell_if(sample->kind->has_times, sample->time),
    };
    for (size_t i = 0; i < sample->bands && go_on; i++) {
        const hectic_heap_band *band = &sample->band[i];
        if (band->bytes == 0) continue;
        row.band = cell_number(band->node);
        row.label = stack_cell(&text, stacks, symbols, band->node);
        row.bytes = cell_number(band->bytes);
        go_on = put_sample(kept->reading, sample->time, row.cells);
    }
    return go_on;
}

static bool begin_heap(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    kept->reading = reading;
    kept->heap = hectic_heap_samples_new(NULL, take_heap_sample, kept);
    return kept->heap;
}

READER_EVENTS_AS(heap_events, hectic_heap_samples)
READER_FINISH_AS(finish_heap, hectic_heap_samples)

static bool end_heap(const struct reading *reading, uint64_t now)
{
    finish_heap(reading);
    return end(reading, now);
}

static const struct reader heap_sample_reader = {.size = sizeof(struct kept),
                                                 .begin = begin_heap,
                                                 .events = heap_events,
                                                 .end = end_heap,
                                                 .finish = finish_heap};

const struct row_maker heap_sample_maker = {.reader = &heap_sample_reader};

/* --- Time profiles --------------------------------------------------------------------------- */

static bool take_time_sample(void *user, const hectic_time_sample *sample)
{
    static const char *const sources[HECTIC_TIME_SOURCES] = {"cost_centres", "call_stacks"};
    static const char *const kinds[HECTIC_TIME_KINDS] = {"own",    "gc",       "idle",
                                                         "system", "overhead", "dont_care"};
    const struct kept *kept = user;
    const bool is_tick = sample->source == HECTIC_TIME_COST_CENTRES;
    const hectic_stacks *stacks = hectic_time_samples_stacks(kept->time, sample->source);
    const hectic_symbols *symbols = hectic_time_samples_symbols(kept->time);
    const uint32_t frame = hectic_stacks_nodes(stacks)[sample->node].symbol;
    const hectic_symbol symbol = hectic_symbols_get(symbols, frame);
    struct stack_text text;
    union time_samples_row row = {
        .source = cell_text(sources[sample->source]),
        .time_ns = cell_number(sample->time),
        .tick = cell_if(is_tick, sample->tick),
        .cap = cell_number(sample->cap),
        .thread = cell_if(!is_tick, sample->thread),
        .kind = cell_text(kinds[is_tick ? hectic_time_kind_of(&symbol) : HECTIC_TIME_OWN]),
        .stack = cell_number(sample->node),
        .label = stack_cell(&text, stacks, symbols, sample->node),
        .since_ns = cell_number(sample->since),
    };
    return put_sample(kept->reading, sample->time, row.cells);
}

static bool begin_time(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    kept->reading = reading;
    kept->time = hectic_time_samples_new(1, 0, 0, take_time_sample, kept);
    return kept->time;
}

READER_EVENTS_AS(time_events, hectic_time_samples)
READER_FINISH_AS(finish_time, hectic_time_samples)

static bool end_time(const struct reading *reading, uint64_t now)
{
    finish_time(reading);
    return end(reading, now);
}

static const struct reader time_sample_reader = {.size = sizeof(struct kept),
                                                 .begin = begin_time,
                                                 .events = time_events,
                                                 .end = end_time,
                                                 .finish = finish_time};

const struct row_maker time_sample_maker = {.reader = &time_sample_reader};
