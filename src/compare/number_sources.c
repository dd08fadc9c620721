/* number_sources.c — see number_sources.h. */
#include "compare/number_sources.h"

#include "base/pseudonym.h"
#include "facts/threads.h"
#include "numbers/mmu.h"
#include "tables/cells.h"
#include "verdict/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *rule_name(size_t i)
{
    size_t count;
    const hectic_rule *rules = hectic_rules(&count);
    return i < count ? rules[i].name : NULL;
}

static const char *window_name(size_t i)
{
    return i < HECTIC_MMU_ROWS ? hectic_mmu_rows[i].name : NULL;
}

/* The states in span_states; "gc" lies within the others. */
static const char *span_state(size_t i)
{
    if (i < HECTIC_THREAD_STATES) return hectic_thread_state_name((hectic_thread_state)i);
    return i == HECTIC_THREAD_STATES ? "gc" : NULL;
}

#define SPAN_COLUMNS "count total_ns mean_ns p50_ns p90_ns p99_ns max_ns"

const struct number_source number_sources[NUMBER_SOURCES + 1] = {
    {.table = "stat", .first = ""},
    {.table = "stat_generation", .first = "gc.generations", .by = BY_INDEX, .key = "generation"},
    {.table = "gc",
     .first = "gc.generations",
     .by = BY_INDEX,
     .key = "generation",
     .columns = "copied_bytes"},
    {.table = "gc", .first = "gc.pause", .columns = "", .sketched = "pause_ns"},
    {.table = "spans_each",
     .first = "span",
     .by = BY_TEXT,
     .key = "label",
     .columns = "",
     .sketched = "duration_ns",
     .event = {HECTIC_EVENT_USER_MSG}},
    {.table = "stat_cap", .first = "caps", .by = BY_INDEX, .key = "cap"},
    {.table = "spans",
     .first = "span",
     .by = BY_TEXT,
     .key = "label",
     .kind = "kind",
     .columns = SPAN_COLUMNS},
    {.table = "spans",
     .first = "marker",
     .by = BY_TEXT,
     .key = "label",
     .kind = "kind",
     .columns = SPAN_COLUMNS},
    {.table = "span_states",
     .first = "span",
     .by = BY_TEXT,
     .key = "label",
     .state = "state",
     .states = span_state,
     .event = {HECTIC_EVENT_USER_MSG},
     .columns = "total_ns"},
    {.table = "threads",
     .first = "threads",
     .count = "count",
     .columns = "running_ns runnable_ns mvar_ns mvar_read_ns stm_ns black_hole_ns delay_ns io_ns "
                "foreign_call_ns throw_to_ns other_ns unknown_ns runs migrations"},
    {.table = "rules",
     .first = "finding",
     .by = BY_TEXT,
     .key = "id",
     .keys = rule_name,
     .columns = "count",
     .is_whole = true},
    {.table = "heap_bands",
     .first = "heap",
     .by = BY_TEXT,
     .key = "label",
     .more = "module",
     .columns = "mean_bytes max_bytes end_bytes",
     .event = {HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN}},
    {.table = "prof",
     .first = "cost_centre",
     .by = BY_TEXT,
     .key = "label",
     .more = "module",
     .columns = "own_ticks own_ns",
     .event = {HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE, HECTIC_EVENT_USER_BINARY_MSG}},
    {.table = "ticky",
     .first = "ticky",
     .by = BY_TEXT,
     .key = "label",
     .columns = "allocs_bytes entries",
     .event = {HECTIC_EVENT_TICKY_COUNTER_SAMPLE, HECTIC_EVENT_TICKY_COUNTER_DEF}},
    {.table = "messages",
     .first = "message",
     .by = BY_TEXT,
     .key = "text",
     .kind = "kind",
     .count = "count",
     .columns = "",
     .groups_digits = true,
     .event = {HECTIC_EVENT_USER_MSG}},
    {.table = "utilization",
     .first = "utilization",
     .by = BY_TEXT,
     .key = "window",
     .keys = window_name,
     .columns = "minimum"},
    {0},
};

/* --- Columns --------------------------------------------------------------------------------- */

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    while (*words) {
        const size_t size = strcspn(words, " ");
        if (size == length && strncmp(words, word, size) == 0) return true;
        words += size + (words[size] == ' ');
    }
    return false;
}

static bool is_number(hectic_column_kind kind)
{
    return kind != HECTIC_COLUMN_TEXT && kind != HECTIC_COLUMN_NAME;
}

static bool is_taken(const struct number_source *source, const hectic_column *column)
{
    if (!is_number(column->kind)) return false;
    if (source->is_spread &&
        (column->kind == HECTIC_COLUMN_ID || column->kind == HECTIC_COLUMN_TIME ||
         column->kind == HECTIC_COLUMN_FLAG))
        return false;
    return source->columns ? has_word(source->columns, column->name)
                           : !source->key || strcmp(column->name, source->key) != 0;
}

bool number_source_column(const struct number_source *source, size_t number, hectic_column *column)
{
    const hectic_table *table = hectic_table_find(source->table);
    column->size = sizeof *column;
    for (size_t i = 0; hectic_table_column(table, i, column); i++)
        if (is_taken(source, column) && number-- == 0) return true;
    return false;
}

/* --- Names ----------------------------------------------------------------------------------- */

struct name {
    char *end, *limit;
};

static void put(struct name *name, char c)
{
    if (name->end < name->limit) *name->end++ = c;
    *name->end = 0;
}

static void put_text(struct name *name, const char *text)
{
    while (*text)
        put(name, *text++);
}

static void put_quoted(struct name *name, const char *text)
{
    put_text(name, "(\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') put(name, '\\');
        put(name, (unsigned char)*text < ' ' ? ' ' : *text); /* a name is one line */
    }
    put_text(name, "\")");
}

void number_name(char out[NUMBER_NAME_MAX], const struct number_source *source, const char *key,
                 const char *last)
{
    struct name name = {out, out + NUMBER_NAME_MAX - 1};
    char *const limit = name.limit;
    *out = 0;
    put_text(&name, source->first);
    name.limit = limit - strlen(last) - sizeof "\").states._ns"; /* which are never cut */
    if (source->by == BY_TEXT) {
        put_quoted(&name, key);
    } else if (source->by == BY_INDEX) {
        put(&name, '[');
        put_text(&name, key);
        put(&name, ']');
    }
    name.limit = limit;
    if (*out) put(&name, '.');
    if (source->state) put_text(&name, "states.");
    put_text(&name, last);
    if (source->state) put_text(&name, "_ns");
}

/* --- Rows ------------------------------------------------------------------------------------ */

static size_t place_of(const struct number_source *source, const char *name)
{
    return name ? hectic_table_column_find(hectic_table_find(source->table), name) : SIZE_MAX;
}

#define ROW_ITSELF SIZE_MAX /* the place of a column that counts rows */

static void add_column(struct number_taker *taker, const char *name, size_t place,
                       hectic_column_kind kind)
{
    if (taker->columns == NUMBER_COLUMNS_MAX) return;
    struct number_column *column = &taker->column[taker->columns++];
    snprintf(column->name, sizeof column->name, "%s", name);
    column->place = place;
    column->kind = kind;
}

static void init_taker(struct number_taker *taker, const struct number_source *source,
                       struct runs *runs, const char *log)
{
    const hectic_table *table = hectic_table_find(source->table);
    hectic_column column = {.size = sizeof column};
    size_t number = 0;
    while (number < NUMBER_SOURCES && source != &number_sources[number])
        number++;
    *taker = (struct number_taker){.source = source,
                                   .number = number,
                                   .runs = runs,
                                   .log = log,
                                   .key = place_of(source, source->key),
                                   .more = place_of(source, source->more),
                                   .kind = place_of(source, source->kind),
                                   .state = place_of(source, source->state),
                                   .section = place_of(source, "section"),
                                   .process = place_of(source, "process"),
                                   .sketched = place_of(source, source->sketched),
                                   .last_run = SIZE_MAX};
    for (size_t i = 0; hectic_table_column(table, i, &column); i++)
        if (is_taken(source, &column)) add_column(taker, column.name, i, column.kind);
    if (source->count) add_column(taker, source->count, ROW_ITSELF, HECTIC_COLUMN_COUNT);
}

struct number_taker *number_takers_add(struct number_taker *all, size_t *count,
                                       const struct number_source *source, struct runs *runs,
                                       const char *log)
{
    struct number_taker *taker = &all[(*count)++], *same = all;
    init_taker(taker, source, runs, log);
    while (strcmp(same->source->table, source->table) != 0)
        same++;
    if (same == taker) return taker;
    taker->next = same->next;
    same->next = taker;
    return NULL;
}

static bool value_of(const hectic_row *row, size_t place, double *value)
{
    uint64_t whole;
    if (place == ROW_ITSELF) return *value = 1, true;
    if (hectic_row_real(row, place, value)) return true;
    if (!hectic_row_number(row, place, &whole)) return false;
    *value = (double)whole;
    return true;
}

/* Runs of digits become #; but not in pseudonyms, which are names. */
static void group_digits(char *text)
{
    char *end = text;
    for (; *text; text++)
        if (pseudonym_is((const uint8_t *)text, strnlen(text, PSEUDONYM_SIZE))) {
            memmove(end, text, PSEUDONYM_SIZE);
            end += PSEUDONYM_SIZE;
            text += PSEUDONYM_SIZE - 1;
        } else if (*text < '0' || *text > '9')
            *end++ = *text;
        else if (end == text || end[-1] != '#')
            *end++ = '#';
    *end = 0;
}

/* The key of a row. False: the row is of another source. */
static bool find_key(const struct number_taker *taker, const hectic_row *row,
                     char key[NUMBER_NAME_MAX])
{
    const char *text = hectic_row_text(row, taker->key), *more = hectic_row_text(row, taker->more);
    const char *kind = hectic_row_text(row, taker->kind);
    uint64_t number;
    *key = 0;
    if (taker->source->by == BY_TEXT)
        snprintf(key, NUMBER_NAME_MAX, "%s%s%s", more ? more : "", more && *more ? "." : "",
                 text ? text : "");
    else if (hectic_row_number(row, taker->key, &number))
        snprintf(key, NUMBER_NAME_MAX, "%" PRIu64, number);
    if (taker->source->groups_digits) {
        if (strncmp(key, "START ", 6) == 0 || strncmp(key, "STOP ", 5) == 0)
            return false; /* spans */
        group_digits(key);
    }
    return !taker->source->kind || (kind && strcmp(kind, taker->source->first) == 0);
}

static struct run *run_of(const struct number_taker *taker, const hectic_row *row)
{
    uint64_t section = 1, process = 0;
    hectic_row_number(row, taker->section, &section);
    const bool has_process = hectic_row_number(row, taker->process, &process);
    return runs_add(taker->runs, taker->log, section, has_process, process);
}

/* The total, the mean and the maximum of pause_ns are pause.total_ns, and so on. */
static bool take_spread(struct run *run, const char *name, hectic_column_kind kind, double value)
{
    static const char *const words[] = {
        [FOLD_SUM] = "total", [FOLD_MEAN] = "mean", [FOLD_MAX] = "max"};
    const bool is_part = kind == HECTIC_COLUMN_SHARE || kind == HECTIC_COLUMN_REAL;
    const int length = (int)column_bare_length(name);
    for (enum number_fold fold = is_part ? FOLD_MEAN : FOLD_SUM; fold <= FOLD_MAX; fold++) {
        char whole[NUMBER_NAME_MAX + 8];
        snprintf(whole, sizeof whole, "%.*s.%s%s", length, name, words[fold], name + length);
        if (!run_fold(run, whole, kind, fold, value)) return false;
    }
    return true;
}

/* *known: where the number is, which rows without a key have in common. */
static bool fold_value(const struct number_taker *taker, struct run *run, const char *name,
                       const char *last, hectic_column_kind kind, double value, map_key *known)
{
    if (taker->source->is_spread && strcmp(last, taker->source->count) != 0)
        return take_spread(run, name, kind, value);
    const struct run_number *number = run_add(run, name, kind, value);
    if (number && taker->source->by == BY_NONE) *known = number->key;
    return number;
}

static bool take_value(const struct number_taker *taker, struct run *run, const char *key,
                       const char *last, hectic_column_kind kind, double value, map_key *known)
{
    char name[NUMBER_NAME_MAX];
    number_name(name, taker->source, key, last);
    const size_t before = run->numbers.count;
    const bool done = fold_value(taker, run, name, last, kind, value, known);
    run->added[taker->number] += run->numbers.count - before;
    return done;
}

/* Rows without a key add to the same numbers, and there may be millions of them. */
static bool add_again(const struct run *run, map_key known, double value)
{
    struct run_number *number = known.b ? map_find(&run->numbers, known) : NULL;
    if (number) number->value += value;
    return number;
}

static void turn_to_run(struct number_taker *taker, size_t place)
{
    for (size_t i = 0; i < taker->columns && place != taker->last_run; i++)
        taker->column[i].known = (map_key){0};
    taker->last_run = place;
}

/* May the run have the numbers of a row? It may, if it has one of them. */
static bool has_room(const struct number_taker *taker, const struct run *run, const char *key,
                     const char *state)
{
    char name[NUMBER_NAME_MAX];
    const struct number_source *source = taker->source;
    if (source->by != BY_TEXT || run->added[taker->number] < SOURCE_NUMBERS_MAX) return true;
    number_name(name, source, key,
                source->state   ? state
                : source->count ? source->count
                                : taker->column[0].name);
    return run_find(run, name);
}

/* A span has rows only of the states in which its threads were: no time was spent in the others, if
 * any state is known. */
static bool add_states(const struct number_taker *taker, struct run *run, const char *key,
                       const char *state)
{
    char name[NUMBER_NAME_MAX];
    const struct number_source *source = taker->source;
    map_key known;
    if (strcmp(state, "unknown") == 0 || strcmp(state, "gc") == 0) return true;
    number_name(name, source, key, state);
    bool done = true;
    for (size_t i = 0; !run_find(run, name) && source->states(i) && done; i++)
        done = strcmp(source->states(i), state) == 0 ||
               take_value(taker, run, key, source->states(i), HECTIC_COLUMN_NS, 0, &known);
    return done;
}

static bool take_row(struct number_taker *taker, struct run *run, const char *key,
                     const hectic_row *row)
{
    const char *state = hectic_row_text(row, taker->state);
    turn_to_run(taker, (size_t)(run - taker->runs->run));
    if (!has_room(taker, run, key, state)) key = "(others)";
    if (state && !add_states(taker, run, key, state)) return false;
    for (size_t i = 0; i < taker->columns; i++) {
        double value;
        struct number_column *column = &taker->column[i];
        const char *last = taker->source->state ? state : column->name;
        if (value_of(row, column->place, &value) && !add_again(run, column->known, value) &&
            !take_value(taker, run, key, last, column->kind, value, &column->known))
            return false;
    }
    return true;
}

static bool take_sketched(const struct number_taker *taker, struct run *run, const char *key,
                          const hectic_row *row)
{
    char name[NUMBER_NAME_MAX];
    uint64_t value;
    bool is_full;
    if (!hectic_row_number(row, taker->sketched, &value)) return true;
    number_name(name, taker->source, key, "");
    name[strlen(name) - 1] = 0; /* the dot */
    struct sketch *sketch = run_add_sketch(run, name, &is_full);
    return is_full || (sketch && sketch_add(sketch, value));
}

static bool take_one(struct number_taker *taker, const hectic_row *row)
{
    char key[NUMBER_NAME_MAX];
    if (!find_key(taker, row, key)) return true;
    struct run *run = run_of(taker, row);
    return run && (taker->source->sketched ? take_sketched(taker, run, key, row)
                                           : take_row(taker, run, key, row));
}

bool number_take(void *user, const hectic_row *row)
{
    for (struct number_taker *taker = user; taker; taker = taker->next)
        if (!take_one(taker, row)) return false;
    return true;
}
