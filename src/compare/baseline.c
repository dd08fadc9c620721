/* baseline.c — see baseline.h. The first line has the version of the form, the second one the
 * options that chose the numbers. Then each run has a line with its section, process and log, a
 * line for each number: kind, value, name, and for each sketch: name, blocks. The last line has the
 * number of those before it, so that a file that was cut is noticed. The parts of a line are
 * separated by tabs. */
#define _GNU_SOURCE /* strsep, vasprintf */
#include "compare/baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "hectic-baseline 1\n";
static const char begin[] = "hectic-baseline ";

static const struct {
    const char *word;
    hectic_column_kind kind;
} kinds[] = {
    {"count", HECTIC_COLUMN_COUNT},   {"ns", HECTIC_COLUMN_NS},
    {"bytes", HECTIC_COLUMN_BYTES},   {"share", HECTIC_COLUMN_SHARE},
    {"growth", HECTIC_COLUMN_GROWTH}, {"real", HECTIC_COLUMN_REAL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool baseline_is(const char *path)
{
    char bytes[sizeof begin - 1];
    FILE *file = fopen(path, "re");
    const bool is = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
                    memcmp(bytes, begin, sizeof bytes) == 0;
    if (file) fclose(file);
    return is;
}

/* --- Writing --------------------------------------------------------------------------------- */

struct writer {
    void (*put)(void *user, const char *line);
    void *user;
    size_t lines;
};

/* False: out of memory. */
__attribute__((format(printf, 2, 3))) static bool put_line(struct writer *writer,
                                                           const char *format, ...)
{
    char *line;
    va_list arguments;
    va_start(arguments, format);
    const bool done = vasprintf(&line, format, arguments) >= 0;
    va_end(arguments);
    if (!done) return false;
    writer->put(writer->user, line);
    writer->lines++;
    free(line);
    return true;
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

static bool write_number(struct writer *writer, const struct run_number *n)
{
    const char *word = word_of(n->kind);
    return !word || !is_possible(n->kind, n->value) ||
           put_line(writer, "%s\t%.17g\t%s\n", word, n->value, n->name);
}

static bool write_numbers(struct writer *writer, const struct run *run)
{
    const struct ordered all = {run_sorted(run), run->numbers.count};
    struct group groups_of[GROUPS + 1] = {0};
    bool done = true;
    if (!all.number) return all.count == 0;
    find_groups(run, groups_of);
    for (size_t i = 0, count; i < all.count && done; i += count) {
        const size_t group = group_of(all.number[i]->name);
        count = same_key(&all, i);
        if (group < GROUPS && !is_kept(&groups_of[group], all.number + i, count)) continue;
        for (size_t j = i; j < i + count && done; j++)
            done = write_number(writer, all.number[j]);
    }
    return done;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct run_sketch *)a)->name, ((const struct run_sketch *)b)->name);
}

/* sketch, the name, and a part for each block: "PLACE:COUNT PLACE:COUNT" */
static bool write_sketch(struct writer *writer, const struct run_sketch *s)
{
    char *line = NULL;
    size_t size;
    FILE *text = open_memstream(&line, &size);
    if (!text) return false;
    fprintf(text, "sketch\t%s", s->name);
    for (size_t i = 0; i < s->sketch.blocks; i++)
        for (uint32_t j = 0; j < s->sketch.block[i].buckets; j++)
            fprintf(text, "%c%u:%" PRIu32, j == 0 ? '\t' : ' ', s->sketch.block[i].bucket[j].place,
                    s->sketch.block[i].bucket[j].count);
    const bool done = fclose(text) == 0 && put_line(writer, "%s\n", line);
    free(line);
    return done;
}

static bool write_sketches(struct writer *writer, const struct run *run)
{
    void *const *sketch = map_sorted(&run->sketches, by_name);
    bool done = sketch || run->sketches.count == 0;
    for (size_t i = 0; i < run->sketches.count && done; i++)
        done = write_sketch(writer, sketch[i]);
    return done;
}

static bool write_run(struct writer *writer, const struct run *run)
{
    const char *slash = strrchr(run->log, '/'), *name = slash ? slash + 1 : run->log;
    const size_t length = strcspn(name, "\t\r\n");
    char process[32] = "-";
    if (run->has_process) snprintf(process, sizeof process, "%" PRIu64, run->process);
    return put_line(writer, "%s\t%" PRIu64 "\t%s\t%.*s\n", run->is_cut ? "cut" : "run",
                    run->section, process, length > 0 ? (int)length : 1, length > 0 ? name : "-") &&
           write_numbers(writer, run) && write_sketches(writer, run);
}

bool baseline_write(const struct runs *runs, const char *options,
                    void (*put)(void *user, const char *line), void *user)
{
    struct writer writer = {put, user, 0};
    bool done = put_line(&writer, "%s", first_line) &&
                put_line(&writer, "options\t%.*s\n", (int)strcspn(options, "\r\n"), options);
    for (size_t i = 0; i < runs->count && done; i++)
        done = write_run(&writer, &runs->run[i]);
    return done && put_line(&writer, "end\t%zu\n", writer.lines);
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
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
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

static enum baseline_result read_lines(struct baseline *b, FILE *file, size_t *number)
{
    char *line = NULL;
    size_t room = 0;
    bool done = true, wrong = false, is_whole = true;
    for (*number = 0; done && getline(&line, &room, file) >= 0;) {
        const size_t length = strcspn(line, "\n");
        is_whole = line[length];
        line[length] = 0;
        done = read_line(b, line, ++*number, &wrong);
    }
    free(line);
    if (done ? !feof(file) : !wrong) return BASELINE_FAILED;
    if (wrong) return is_whole ? BASELINE_WRONG : BASELINE_CUT;
    return b->has_end ? BASELINE_READ : BASELINE_CUT;
}

enum baseline_result baseline_read(struct runs *runs, const char *path, char **options,
                                   size_t *line)
{
    FILE *file = fopen(path, "re");
    struct baseline baseline = {.runs = runs};
    *options = NULL;
    if (!file) return BASELINE_FAILED;
    errno = 0;
    const enum baseline_result result = read_lines(&baseline, file, line);
    if (result == BASELINE_FAILED && errno == 0) errno = ENOMEM;
    fclose(file);
    *options = baseline.options;
    return result;
}
