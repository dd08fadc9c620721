/* threads.c — the tables of threads: those of an interval, as hectic threads lists them, and all of
 * a section. */
#include "view/requests/threads.h"

#include "base/array.h"
#include "base/texts.h"
#include "report/threads_report.h"
#include "timeline/thread_index.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = INDEXED_THREADS, STEP_BYTES = 1 << 21, TEXT_BYTES = 1 << 23 };

enum index_state view_index(hectic_view *v, const struct section *section, uint64_t time,
                            struct json *json)
{
    hectic_timeline *t = section->timeline;
    if (t->is_saved)
        return view_refuse(v, VIEW_NOT_HELD, "the events of this log are not here"), INDEX_FAILED;
    switch (thread_index_reach(t, section->header, &v->timeline_source, time, STEP_BYTES)) {
    case RANGE_END: return INDEX_READY;
    case RANGE_MORE: break;
    default: view_fail(v, "out of memory, or the log cannot be read"); return INDEX_FAILED;
    }
    view_put_part(v, json, thread_index_progress(t));
    return INDEX_NOT_READY;
}

bool thread_list_add(struct thread_list *list, uint32_t thread)
{
    if (map_value_of(&list->places, thread)) return true;
    if (!map_set_value(&list->places, thread, list->count + 1)) return false;
    list->thread[list->count++] = thread;
    return true;
}

static bool take_list(struct thread_list *list, const char *text)
{
    while (text && *text) {
        uint64_t number = 0;
        size_t digits = 0;
        for (; *text >= '0' && *text <= '9' && digits < 10; text++, digits++)
            number = number * 10 + (uint64_t)(*text - '0');
        if (digits == 0 || number > UINT32_MAX || list->count == THREAD_LIST_MAX) return false;
        if (*text && *text++ != ',') return false;
        if (!thread_list_add(list, (uint32_t)number)) return false;
    }
    return list->count > 0;
}

bool thread_list_take(hectic_view *v, struct thread_list *list)
{
    return take_list(list, request_text(&v->request, "threads")) ||
           view_refuse(v, VIEW_MALFORMED, "threads: not a list of numbers, or too many of them");
}

/* Without limits it is that of hectic threads without options. */
static void widen_interval(const hectic_view *v, uint64_t *from, uint64_t *to)
{
    if (!request_text(&v->request, "from")) *from = 0;
    if (!request_text(&v->request, "to")) *to = UINT64_MAX;
}

bool view_thread_interval(hectic_view *v, const struct section **section, uint64_t *from,
                          uint64_t *to)
{
    *section = view_section(v);
    if (!*section || !view_interval(v, *section, from, to)) return false;
    widen_interval(v, from, to);
    const hectic_stat *stat = (*section)->timeline->stat;
    if (!stat->has_first || stat->first >= *to || stat->last < *from)
        return view_refuse(v, VIEW_NO_EVENTS, "the section has no events in the interval");
    return true;
}

/* --- Rows, those that ran longest first ------------------------------------------------------- */

struct row {
    hectic_thread thread; /* without its label */
    uint32_t label;       /* in `texts` */
    uint64_t order;       /* in which they ended */
};

struct rows {
    struct texts texts;
    struct row *row;
    size_t count, capacity;
    uint64_t added;
};

static int longest_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const uint64_t p = x->thread.ns[HECTIC_THREAD_RUNNING];
    const uint64_t q = y->thread.ns[HECTIC_THREAD_RUNNING];
    if (p != q) return p > q ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Keeps the first `most`. */
static void sort_rows(struct rows *rows, size_t most)
{
    if (rows->count > 0) qsort(rows->row, rows->count, sizeof *rows->row, longest_first);
    if (rows->count > most) rows->count = most;
}

static bool add_row(struct rows *rows, const hectic_thread *thread, const char *label)
{
    if (rows->count == 2 * ROWS_MAX) sort_rows(rows, ROWS_MAX);
    if (!array_reserve(rows->row, rows->capacity, rows->count + 1)) return false;
    struct row *row = &rows->row[rows->count++];
    rows->texts.limit = TEXT_BYTES;
    *row = (struct row){*thread, TEXTS_NONE, rows->added++};
    row->thread.label = NULL;
    if (label) row->label = texts_add(&rows->texts, label, strlen(label));
    return !rows->texts.no_memory;
}

static void clear_rows(struct rows *rows)
{
    texts_clear(&rows->texts);
    free(rows->row);
    *rows = (struct rows){0};
}

static void set_label(const struct rows *rows, struct row *row)
{
    row->thread.label = texts_get(&rows->texts, row->label);
}

/* Other caps than those in the log may have woken or run them. */
static void forget_waits(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        threads_forget_waits(rows->row[i].thread.ns);
}

/* --- The table of an interval ---------------------------------------------------------------- */

struct table {
    size_t section;
    uint64_t from, to, end; /* of the interval; and of the events in it */
    hectic_threads *threads;
    hectic_gaps gaps;
    hectic_thread_sums sums; /* of the program's threads */
    struct rows rows;
    size_t most; /* of these in the answer */
    bool lacks_caps, has_failed;
};

static void put_totals(struct json *json, const char *key, const struct table *table,
                       const uint64_t ns[HECTIC_THREAD_STATES])
{
    struct cell cell[THREADS_TOTAL_COLUMNS];
    hectic_thread_totals totals = {0};
    memcpy(totals.ns, ns, sizeof totals.ns);
    if (table->lacks_caps) threads_forget_waits(totals.ns);
    json_open(json, key, '[');
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++) {
        threads_put_total(cell, &totals, threads_states[i]);
        cells_put(json, threads_total_columns, cell, false);
    }
    json_close(json, ']');
}

static void put_table(struct json *json, struct table *table, const hectic_thread_totals *totals)
{
    struct cell cell[THREADS_COLUMNS] = {cell_number(table->section)};
    sort_rows(&table->rows, table->most);
    if (table->lacks_caps) forget_waits(&table->rows);
    json_open(json, "threads", '[');
    for (size_t i = 0; i < table->rows.count; i++) {
        set_label(&table->rows, &table->rows.row[i]);
        threads_put_cells(cell, &table->rows.row[i].thread, table->from, 0);
        cells_put(json, threads_columns, cell, false);
    }
    json_close(json, ']');
    json_number(json, "left_out", true, table->rows.added - table->rows.count);
    put_totals(json, "totals", table, totals->ns);
    put_totals(json, "program_totals", table, table->sums.ns);
    threads_put_sums(json, totals, true, &table->gaps);
}

static bool take_row(void *user, const hectic_thread *thread)
{
    struct table *table = user;
    hectic_thread_sums_add(&table->sums, thread);
    table->has_failed = !add_row(&table->rows, thread, thread->label);
    return !table->has_failed;
}

static void free_table(void *state)
{
    struct table *table = state;
    hectic_threads_free(table->threads);
    clear_rows(&table->rows);
    free(table);
}

static void *begin_table(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    const hectic_timeline *t = section->timeline;
    struct table *table = calloc(1, sizeof *table);
    if (!table) return view_fail(v, "out of memory"), NULL;
    widen_interval(v, &plan->from, &plan->to);
    table->section = section->number;
    table->lacks_caps = stat_lacks_caps(t->stat);
    table->most = (size_t)view_value(v, "most");
    table->from = plan->from;
    table->to = plan->to;
    table->end = t->stat->last < plan->to ? t->stat->last : plan->to;
    table->threads = thread_index_begin(t, section->header, plan->from, plan->from, plan->to,
                                        take_row, table, &plan->from, &table->gaps);
    plan->has_types = thread_types(section->timeline, &plan->types);
    if (table->threads) return table;
    free_table(table);
    return view_fail(v, "out of memory"), NULL;
}

static bool take_event(void *state, const hectic_event *event)
{
    struct table *table = state;
    hectic_gaps_event(&table->gaps, event);
    table->has_failed = table->has_failed || !hectic_threads_event(table->threads, event);
    return !table->has_failed;
}

static bool finish_table(void *state, hectic_view *v, struct json *json)
{
    struct table *table = state;
    hectic_thread_totals totals;
    if (table->has_failed || !hectic_threads_end(table->threads, table->end))
        return view_fail(v, "out of memory");
    hectic_threads_totals(table->threads, 0, &totals);
    hectic_gaps_end(&table->gaps, table->end);
    put_table(json, table, &totals);
    return true;
}

/* The table of a whole section is in the index. */
static bool put_indexed(hectic_view *v, const struct section *section, uint64_t from,
                        struct json *json)
{
    const struct thread_index *index = section->timeline->threads;
    struct table table = {.section = section->number,
                          .lacks_caps = stat_lacks_caps(section->timeline->stat),
                          .from = from,
                          .gaps = index->gaps,
                          .sums = index->sums,
                          .most = (size_t)view_value(v, "most")};
    bool done = true;
    for (size_t i = 0; i < index->count && done; i++)
        done = add_row(&table.rows, &index->thread[i].row,
                       texts_get(&index->texts, index->thread[i].label));
    table.rows.added = index->ended;
    json_open(json, NULL, '{');
    json_flag(json, "complete", true, true);
    json_real(json, "progress", true, 1);
    put_table(json, &table, &index->totals);
    json_close(json, '}');
    clear_rows(&table.rows);
    return done || view_fail(v, "out of memory");
}

bool answer_threads(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {begin_table, take_event, NULL, finish_table, free_table};
    const struct section *section;
    uint64_t from, to;
    if (!view_thread_interval(v, &section, &from, &to)) return false;
    const hectic_stat *stat = section->timeline->stat;
    const bool is_whole = from <= stat->first && to > stat->last;
    switch (view_index(v, section, is_whole ? UINT64_MAX : from, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: break;
    }
    if (is_whole && thread_index_is_current(section->timeline))
        return put_indexed(v, section, from, json);
    return answer_job(v, json, &kind);
}

/* --- All threads of a section ---------------------------------------------------------------- */

static void put_thread(struct json *json, const struct row *row)
{
    const hectic_thread *thread = &row->thread;
    json_open(json, NULL, '{');
    json_number(json, "thread", true, thread->id);
    json_text(json, "label", thread->label);
    json_text(json, "kind", threads_kind_name(threads_kind_of(thread->label)));
    json_number(json, "cap", thread->cap != HECTIC_CAP_NONE, thread->cap);
    json_number(json, "from_ns", true, thread->born);
    json_number(json, "born_ns", thread->has_born, thread->born);
    json_number(json, "ended_ns", thread->has_ended, thread->ended);
    json_number(json, "running_ns", true, thread->ns[HECTIC_THREAD_RUNNING]);
    json_number(json, "runnable_ns", true, thread->ns[HECTIC_THREAD_RUNNABLE]);
    json_number(json, "runs", true, thread->runs);
    json_number(json, "migrations", true, thread->migrations);
    json_flag(json, "spark_thread", true, thread->is_spark);
    json_close(json, '}');
}

/* False: out of memory. */
static bool take_longest(struct rows *rows, const struct section *section, size_t most)
{
    const struct thread_index *index = section->timeline->threads;
    bool done = true;
    for (size_t i = 0; i < index->count && done; i++)
        done =
            add_row(rows, &index->thread[i].row, texts_get(&index->texts, index->thread[i].label));
    sort_rows(rows, most);
    return done;
}

bool view_longest_threads(const struct section *section, size_t most, uint32_t *thread,
                          size_t *count)
{
    struct rows rows = {0};
    const bool done = take_longest(&rows, section, most);
    for (*count = 0; *count < rows.count; ++*count)
        thread[*count] = rows.row[*count].thread.id;
    clear_rows(&rows);
    return done;
}

bool answer_thread_list(hectic_view *v, struct json *json)
{
    const struct section *section = view_section(v);
    if (!section) return false;
    switch (view_index(v, section, UINT64_MAX, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: break;
    }
    struct rows rows = {0};
    const bool done = take_longest(&rows, section, (size_t)view_value(v, "most"));
    if (stat_lacks_caps(section->timeline->stat)) forget_waits(&rows);
    json_open(json, NULL, '{');
    json_flag(json, "complete", true, true);
    json_real(json, "progress", true, 1);
    json_open(json, "threads", '[');
    for (size_t i = 0; i < rows.count; i++) {
        set_label(&rows, &rows.row[i]);
        put_thread(json, &rows.row[i]);
    }
    json_close(json, ']');
    json_number(json, "left_out", true, section->timeline->threads->ended - rows.count);
    json_close(json, '}');
    clear_rows(&rows);
    return done || view_fail(v, "out of memory");
}
