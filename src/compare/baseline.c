/* baseline.c — see baseline.h. The first line has the version of the form, the second one the
 * options that chose the numbers. Then each run has a line with its section, process and log, a
 * line for each number: kind, value, name, and for each sketch: name, blocks. The last line has the
 * number of those before it, so that a file that was cut is noticed. The parts of a line are
 * separated by tabs. */
#define _GNU_SOURCE /* strsep */
#include "compare/baseline.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "hectic-baseline 1\n";

static const struct {
    const char *word;
    hectic_column_kind kind;
} kinds[] = {
    {"count", HECTIC_COLUMN_COUNT},   {"ns", HECTIC_COLUMN_NS},
    {"bytes", HECTIC_COLUMN_BYTES},   {"share", HECTIC_COLUMN_SHARE},
    {"growth", HECTIC_COLUMN_GROWTH}, {"real", HECTIC_COLUMN_REAL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- Writing --------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void add(struct buffer *to, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    char *room = (char *)buffer_room(to, size);
    if (room) to->size += (size_t)vsnprintf(room, size, format, arguments);
    va_end(again);
    va_end(arguments);
}

/* The groups of which only the larger numbers are kept; GROUPS: another number. */
static const char *const groups[] = {"heap(",    "cost_centre(", "marker(",
                                     "message(", "span(",        "ticky("};
enum { GROUPS = sizeof groups / sizeof *groups, GROUP_SMALL = 300, GROUP_MOST = 1000 };

static size_t group_of(const char *name)
{
    size_t i = 0;
    while (i < GROUPS && strncmp(name, groups[i], strlen(groups[i])) != 0)
        i++;
    return i;
}

static const char *word_of(hectic_column_kind kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].kind == kind) return kinds[i].word;
    return NULL; /* it is not compared */
}

/* The numbers of a group. */
struct group {
    size_t count, kept;
    double largest[2]; /* of those that are not counts, and of counts */
};

static void find_groups(const struct run *run, struct group group[GROUPS + 1])
{
    for (const struct run_number *n = NULL; (n = map_next(&run->numbers, n));) {
        struct group *of = &group[group_of(n->name)];
        double *most = &of->largest[n->kind == HECTIC_COLUMN_COUNT];
        if (n->value > *most) *most = n->value;
        of->count++;
    }
}

/* The length of a name up to the end of its label. */
static size_t key_length(const char *name)
{
    const char *end = strrchr(name, '"');
    return end ? (size_t)(end - name) : strlen(name);
}

/* The numbers of a run in order. */
struct ordered {
    const struct run_number *const *number;
    size_t count;
};

/* How many numbers from the one with that place have its key. */
static size_t same_key(const struct ordered *all, size_t place)
{
    const char *name = all->number[place]->name;
    const size_t length = key_length(name);
    size_t count = 1;
    while (group_of(name) < GROUPS && place + count < all->count &&
           key_length(all->number[place + count]->name) == length &&
           memcmp(all->number[place + count]->name, name, length) == 0)
        count++;
    return count;
}

/* Are the numbers of a key kept? In a large group, those are with one that matters. */
static bool is_kept(struct group *group, const struct run_number *const *number, size_t count)
{
    bool is_large = group->count <= GROUP_SMALL;
    for (size_t i = 0; i < count; i++)
        is_large |=
            number[i]->value >= group->largest[number[i]->kind == HECTIC_COLUMN_COUNT] / 1000;
    return is_large && (group->kept += count) <= GROUP_MOST;
}

/* Sums of numbers of 64 bits. */
static bool is_possible(hectic_column_kind kind, double number)
{
    const bool has_sign = kind == HECTIC_COLUMN_GROWTH || kind == HECTIC_COLUMN_REAL;
    return fabs(number) <= 1e22 && (has_sign || number >= 0);
}

static void write_number(struct buffer *to, const struct run_number *n)
{
    const char *word = word_of(n->kind);
    if (word && is_possible(n->kind, n->value)) add(to, "%s\t%.17g\t%s\n", word, n->value, n->name);
}

static bool write_numbers(struct buffer *to, const struct run *run, bool has_all)
{
    const struct ordered all = {run_sorted(run), run->numbers.count};
    struct group groups_of[GROUPS + 1] = {0};
    if (!all.number) return all.count == 0;
    find_groups(run, groups_of);
    for (size_t i = 0, count; i < all.count; i += count) {
        const size_t group = group_of(all.number[i]->name);
        count = same_key(&all, i);
        if (!has_all && group < GROUPS && !is_kept(&groups_of[group], all.number + i, count))
            continue;
        for (size_t j = i; j < i + count; j++)
            write_number(to, all.number[j]);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct run_sketch *)a)->name, ((const struct run_sketch *)b)->name);
}

/* sketch, the name, and a part for each block: "PLACE:COUNT PLACE:COUNT" */
static void write_sketch(struct buffer *to, const struct run_sketch *s)
{
    add(to, "sketch\t%s", s->name);
    for (size_t i = 0; i < s->sketch.blocks; i++)
        for (uint32_t j = 0; j < s->sketch.block[i].buckets; j++)
            add(to, "%c%u:%" PRIu32, j == 0 ? '\t' : ' ', s->sketch.block[i].bucket[j].place,
                s->sketch.block[i].bucket[j].count);
    add(to, "\n");
}

static bool write_sketches(struct buffer *to, const struct run *run)
{
    void *const *sketch = map_sorted(&run->sketches, by_name);
    for (size_t i = 0; sketch && i < run->sketches.count; i++)
        write_sketch(to, sketch[i]);
    return sketch || run->sketches.count == 0;
}

static bool write_run(struct buffer *to, const struct run *run, bool has_all)
{
    const char *slash = strrchr(run->log, '/'), *name = slash ? slash + 1 : run->log;
    const size_t length = strcspn(name, "\t\r\n");
    char process[32] = "-";
    if (run->has_process) snprintf(process, sizeof process, "%" PRIu64, run->process);
    add(to, "%s\t%" PRIu64 "\t%s\t%.*s\n", run->is_cut ? "cut" : "run", run->section, process,
        length > 0 ? (int)length : 1, length > 0 ? name : "-");
    return write_numbers(to, run, has_all) && write_sketches(to, run);
}

bool baseline_write(const struct runs *runs, const char *options, bool has_all, struct buffer *to)
{
    bool done = true;
    size_t lines = 0, from = to->size;
    add(to, "%s", first_line);
    add(to, "options\t%.*s\n", (int)strcspn(options, "\n"), options);
    for (size_t i = 0; i < runs->count && done; i++)
        done = write_run(to, &runs->run[i], has_all);
    for (; from < to->size; from++)
        lines += to->bytes[from] == '\n';
    add(to, "end\t%zu\n", lines);
    return done && !to->failed;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* The part of a line up to a tab; *rest is what follows. NULL: there is no tab. */
static const char *next_part(char **rest)
{
    char *part = *rest, *tab = strchr(part, '\t');
    if (!tab) return NULL;
    *tab = 0;
    *rest = tab + 1;
    return part;
}

static bool read_whole(const char *text, uint64_t *number)
{
    enum { DIGITS_MAX = 19 };
    char *end;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0 && end - text <= DIGITS_MAX;
}

/* Sets *wrong unless it is out of memory. NULL in both cases. */
static struct run *read_run(struct runs *runs, char *rest, bool *wrong)
{
    uint64_t section, process = 0;
    const char *first = next_part(&rest), *second = first ? next_part(&rest) : NULL;
    const bool has_process = second && strcmp(second, "-") != 0;
    *wrong = !second || !read_whole(first, &section) ||
             (has_process && !read_whole(second, &process)) || !*rest;
    runs->first = runs->count;
    return *wrong ? NULL : runs_add(runs, rest, section, has_process, process);
}

static bool read_number(struct run *run, const char *word, char *rest, bool *wrong)
{
    const char *value = next_part(&rest);
    char *end;
    size_t kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].word, word) != 0)
        kind++;
    const double number = value ? strtod(value, &end) : 0;
    *wrong = !run || kind == KINDS || !value || !*value || *end ||
             !is_possible(kinds[kind].kind, number) || !*rest || run_find(run, rest);
    return !*wrong && run_add(run, rest, kinds[kind].kind, number);
}

/* One block: "PLACE:COUNT PLACE:COUNT". */
static bool read_block(struct sketch *sketch, const char *text, bool *wrong)
{
    *wrong = !*text || !sketch_begin_block(sketch);
    while (*text && !*wrong) {
        char *end;
        const unsigned long place = strtoul(text, &end, 10);
        *wrong = *text < '0' || *text > '9' || *end != ':' || place >= SKETCH_BUCKETS;
        if (*wrong) break;
        text = end + 1;
        const unsigned long count = strtoul(text, &end, 10);
        *wrong = *text < '0' || *text > '9' || (*end && *end != ' ') || count > UINT32_MAX;
        if (!*wrong && !sketch_add_bucket(sketch, (uint16_t)place, (uint32_t)count)) return false;
        text = end + (*end == ' ');
    }
    return !*wrong;
}

static bool read_sketch(struct run *run, char *rest, bool *wrong)
{
    bool is_full = false;
    const char *name = run ? next_part(&rest) : NULL;
    *wrong = !name || run_find_sketch(run, name);
    if (*wrong) return false;
    struct sketch *sketch = run_add_sketch(run, name, &is_full);
    *wrong = is_full;
    for (char *block; sketch && !*wrong && (block = strsep(&rest, "\t"));)
        if (!read_block(sketch, block, wrong)) return false;
    return sketch && !*wrong;
}

/* A baseline that is being read. */
struct baseline {
    struct runs *runs;
    struct run *run; /* the current one; NULL: none yet */
    char *options;
    bool has_end;
};

static bool read_end(struct baseline *b, const char *rest, size_t number)
{
    uint64_t lines;
    return b->has_end = read_whole(rest, &lines) && lines == number - 1;
}

/* False: out of memory, or the line is wrong. */
static bool read_line(struct baseline *b, char *line, size_t number, bool *wrong)
{
    char *rest = line;
    if (number == 1)
        return !(*wrong = strncmp(line, first_line, sizeof first_line - 2) != 0 ||
                          strlen(line) != sizeof first_line - 2);
    const char *word = next_part(&rest);
    *wrong = !word || (number == 2) != (strcmp(word, "options") == 0) || b->has_end;
    if (*wrong) return false;
    if (number == 2) return (b->options = strdup(rest)) != NULL;
    if (strcmp(word, "end") == 0) return !(*wrong = !read_end(b, rest, number));
    const bool is_cut = strcmp(word, "cut") == 0;
    if (is_cut || strcmp(word, "run") == 0) {
        b->run = read_run(b->runs, rest, wrong);
        if (b->run) b->run->is_cut = is_cut;
        return b->run;
    }
    if (strcmp(word, "sketch") == 0) return read_sketch(b->run, rest, wrong);
    return read_number(b->run, word, rest, wrong);
}

enum baseline_result baseline_parse(struct runs *runs, char *text, size_t size, char **options,
                                    size_t *number)
{
    struct baseline b = {.runs = runs};
    bool done = true, wrong = false, is_whole = true;
    const char *const end = text + size;
    for (*number = 0; done && text < end;) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        is_whole = newline;
        if (newline) *newline = 0;
        done = read_line(&b, text, ++*number, &wrong);
        text = newline ? newline + 1 : (char *)end;
    }
    *options = b.options;
    if (wrong) return is_whole ? BASELINE_WRONG : BASELINE_CUT;
    if (!done) return BASELINE_FAILED;
    return b.has_end ? BASELINE_READ : BASELINE_CUT;
}
