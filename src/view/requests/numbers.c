/* numbers.c — see numbers.h; and the request comparison, of the numbers of two logs. */
#include "view/requests/numbers.h"

#include "compare/baseline.h"
#include "compare/compared.h"
#include "report/stat_report.h"
#include "report/verdict_json.h"
#include "results/live/live_tables.h"
#include "tables/columns.h"

#include <stdlib.h>
#include <string.h>

/* The tables of number_sources whose rows are made from events. */
static const struct {
    const char *name;
    struct made_table rows;
} pushed[] = {
    {"gc", {&gc_maker, GC_ITSELF}},
    {"spans", {&span_maker, 0}},
    {"spans_each", {&each_span_maker, 0}},
    {"span_states", {&thread_maker, THREADS_SPANS}},
    {"threads", {&thread_maker, THREADS_THEMSELVES}},
    {"heap_bands", {&heap_band_maker, 0}},
    {"prof", {&prof_maker, 0}},
    {"ticky", {&ticky_maker, 0}},
    {"messages", {&message_maker, 0}},
    {"utilization", {&gc_maker, GC_WINDOWS}},
};
enum { PUSHED = sizeof pushed / sizeof *pushed };

struct numbers {
    const struct section *section;
    hectic_section found;
    struct interval interval;
    struct runs runs;
    struct number_taker taker[NUMBER_SOURCES];
    size_t takers;
    live_tables *tables;
};

void numbers_free(struct numbers *n)
{
    if (!n) return;
    live_tables_free(n->tables);
    runs_clear(&n->runs);
    free(n);
}

static struct made_table rows_of(const char *table)
{
    for (size_t i = 0; i < PUSHED; i++)
        if (strcmp(pushed[i].name, table) == 0) return pushed[i].rows;
    return (struct made_table){0};
}

static bool begin_tables(struct numbers *n)
{
    struct live_table table[NUMBER_SOURCES];
    size_t tables = 0;
    const struct reading given = {
        .interval = n->interval,
        .section = n->section->number,
        .found = &n->found,
        .duration = interval_overlap(&n->interval, n->found.first_time, n->found.covered_to)};
    for (const struct number_source *source = number_sources; source->table; source++) {
        struct number_taker *taker =
            number_takers_add(n->taker, &n->takers, source, &n->runs, "log");
        const struct made_table rows = rows_of(source->table);
        if (taker && rows.maker)
            table[tables++] =
                (struct live_table){hectic_table_find(source->table), rows, number_take, taker};
    }
    n->tables = live_tables_new(table, tables, &given);
    if (n->tables) live_tables_begin(n->tables, n->section->header);
    return n->tables;
}

struct numbers *numbers_new(const struct section *section, uint64_t from, uint64_t to)
{
    const hectic_timeline *t = section->timeline;
    struct numbers *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->section = section;
    n->interval = (struct interval){from, to};
    n->found = (hectic_section){.events = 1, /* at least */
                                .first_time = t->stat->first,
                                .last_time = t->left_out_to > 0 ? t->left_out_to : t->stat->last,
                                .complete = !t->chunks.is_cut,
                                .covered_to = t->stat->last,
                                .lacks_caps = stat_lacks_caps(t->stat)};
    if (begin_tables(n)) return n;
    numbers_free(n);
    return NULL;
}

bool numbers_event(struct numbers *n, const hectic_event *event)
{
    return live_tables_event(n->tables, event);
}

bool numbers_are_settled(struct numbers *n)
{
    return live_tables_are_settled(n->tables);
}

/* --- The numbers of a log -------------------------------------------------------------------- */

/* Gives a row of a table that is not made from events to its takers. */
static bool take(struct numbers *n, const char *table, const struct cell *cells)
{
    struct number_taker *taker = n->taker;
    while (strcmp(taker->source->table, table) != 0)
        taker++;
    hectic_row row = {.take = number_take, .user = taker};
    row_begin(&row, hectic_table_find(table));
    return row_take(&row, cells);
}

static bool take_stat(struct numbers *n, const hectic_stat_result *stat)
{
    const struct report report = {
        .result = stat, .section = n->section->number, .is_whole = n->interval.to == UINT64_MAX};
    const uint32_t generations = stat->has_gc_stats ? stat->generations : 0;
    union stat_row row;
    struct cell cell[READING_CELLS + RECORD_CELLS_MAX] = {cell_number(n->section->number)};
    report_stat_cells(&report, &row);
    bool done = take(n, "stat", row.cells);
    for (uint32_t i = 0; i < stat->caps && done; i++) {
        report_cap_cells(&report, i, cell + READING_CELLS);
        done = take(n, "stat_cap", cell);
    }
    for (uint32_t i = 0; i < generations && done; i++) {
        report_generation_cells(&report, i, cell + READING_CELLS);
        done = take(n, "stat_generation", cell);
    }
    return done;
}

static bool take_rules(struct numbers *n, const hectic_verdict *verdict)
{
    size_t count;
    hectic_rules(&count);
    bool done = true;
    for (size_t i = 0; verdict && i < count && done; i++) {
        union rules_row row = {.section = cell_number(n->section->number)};
        verdict_set_rule(&row, verdict, i);
        done = take(n, "rules", row.cells);
    }
    return done;
}

/* Labels may be any bytes: each is a character. */
static void put_text(struct json *json, const struct buffer *text)
{
    struct buffer wide = {0};
    for (size_t i = 0; i < text->size; i++) {
        const uint8_t byte = text->bytes[i];
        if (byte >= 0x80) buffer_add_byte(&wide, (uint8_t)(0xc0 | byte >> 6));
        buffer_add_byte(&wide, byte < 0x80 ? byte : (byte & 0x3f) | 0x80);
    }
    json_bytes(json, "numbers", wide.failed ? "" : (const char *)wide.bytes,
               wide.failed ? 0 : wide.size);
    buffer_free(&wide);
}

bool numbers_put(struct numbers *n, const hectic_stat_result *stat, const hectic_verdict *verdict,
                 struct json *json)
{
    struct buffer text = {0};
    bool done = take_stat(n, stat) && take_rules(n, verdict) && live_tables_end(n->tables);
    for (size_t i = 0; i < n->runs.count; i++)
        n->runs.run[i].is_cut = !n->found.complete && n->found.covered_to < n->interval.to;
    done = done && baseline_write(&n->runs, "", true, &text);
    if (done) put_text(json, &text);
    buffer_free(&text);
    return done;
}

/* --- The numbers of two logs ----------------------------------------------------------------- */

/* Reads a side from a copy of its text, as put_text writes it. */
static bool read_side(hectic_view *v, struct runs *runs, const char *text, size_t size)
{
    size_t line, length = 0;
    char *options = NULL, *copy = malloc(size + 1);
    if (!copy) return view_fail(v, "out of memory");
    for (size_t i = 0; i < size; i++)
        if ((text[i] & 0xe0) == 0xc0 && i + 1 < size)
            copy[length++] = (char)((text[i] & 3) << 6 | (text[i + 1] & 0x3f)), i++;
        else
            copy[length++] = text[i];
    copy[length] = 0;
    const enum baseline_result result = baseline_parse(runs, copy, length, &options, &line);
    free(options);
    free(copy);
    if (result == BASELINE_FAILED) return view_fail(v, "out of memory");
    return (result == BASELINE_READ && runs->count > 0) ||
           view_refuse(v, VIEW_MALFORMED, "these are not the numbers of two logs");
}

bool answer_comparison(hectic_view *v, struct json *json)
{
    const size_t old = strcspn(v->body, "\f");
    struct compared compared = {.per = ""};
    if (!v->body[old])
        return view_refuse(v, VIEW_MALFORMED, "these are not the numbers of two logs");
    const char *new = v->body + old + 1;
    bool done = read_side(v, &compared.old, v->body, old) &&
                read_side(v, &compared.new, new, strlen(new)) &&
                (compared_make(&compared) || view_fail(v, "out of memory"));
    if (done) {
        json_open(json, NULL, '{');
        compared_put(json, &compared);
        json_close(json, '}');
    }
    compared_clear(&compared);
    return done;
}
