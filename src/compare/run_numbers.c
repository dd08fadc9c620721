/* run_numbers.c — see run_numbers.h. */
#include "compare/run_numbers.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>

static bool is_run(const struct run *run, uint64_t section, bool has_process, uint64_t process)
{
    return run->section == section && run->has_process == has_process && run->process == process;
}

struct run *runs_add(struct runs *runs, const char *log, uint64_t section, bool has_process,
                     uint64_t process)
{
    for (size_t i = runs->count; i-- > runs->first;)
        if (is_run(&runs->run[i], section, has_process, process)) return &runs->run[i];
    char *copy = strdup(log);
    if (!copy || !array_reserve(runs->run, runs->capacity, runs->count + 1)) {
        free(copy);
        return NULL;
    }
    struct run *run = &runs->run[runs->count++];
    *run = (struct run){.log = copy,
                        .section = section,
                        .has_process = has_process,
                        .process = process,
                        .numbers = {.entry_size = sizeof(struct run_number)},
                        .sketches = {.entry_size = sizeof(struct run_sketch)}};
    return run;
}

static void clear_run(struct run *run)
{
    for (struct run_number *n = NULL; (n = map_next(&run->numbers, n));)
        free(n->name);
    map_clear(&run->numbers);
    for (struct run_sketch *s = NULL; (s = map_next(&run->sketches, s)); free(s->name))
        sketch_clear(&s->sketch);
    map_clear(&run->sketches);
    free(run->log);
}

void runs_clear(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        clear_run(&runs->run[i]);
    free(runs->run);
    *runs = (struct runs){0};
}

size_t runs_keep_whole(struct runs *runs)
{
    bool has_whole = false;
    size_t kept = 0;
    for (size_t i = 0; i < runs->count; i++)
        has_whole |= runs->run[i].numbers.count > 0 && !runs->run[i].is_cut;
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->run[i];
        if (run->numbers.count == 0 || (run->is_cut && has_whole))
            clear_run(run);
        else
            runs->run[kept++] = *run;
    }
    const size_t removed = runs->count - kept;
    runs->count = kept;
    return removed;
}

struct run_number *run_fold(struct run *run, const char *name, hectic_column_kind kind,
                            enum number_fold fold, double value)
{
    struct run_number *number = map_add_bytes(&run->numbers, 0, name, strlen(name));
    if (!number) return NULL;
    if (!number->name) {
        number->name = strdup(name);
        number->kind = kind;
        if (!number->name) return map_remove(&run->numbers, number), NULL;
    }
    number->values++;
    switch (fold) {
    case FOLD_SUM: number->value += value; break;
    case FOLD_MEAN: number->value += (value - number->value) / (double)number->values; break;
    case FOLD_MAX:
        if (number->values == 1 || value > number->value) number->value = value;
        break;
    }
    return number;
}

struct sketch *run_add_sketch(struct run *run, const char *name, bool *is_full)
{
    map *sketches = &run->sketches;
    struct run_sketch *sketch = map_find_bytes(sketches, 0, name, strlen(name));
    *is_full = !sketch && sketches->count == RUN_SKETCHES_MAX;
    if (sketch || *is_full) return sketch ? &sketch->sketch : NULL;
    sketch = map_add_bytes(sketches, 0, name, strlen(name));
    if (!sketch) return NULL;
    sketch->name = strdup(name);
    if (!sketch->name) return map_remove(sketches, sketch), NULL;
    return &sketch->sketch;
}

const struct sketch *run_find_sketch(const struct run *run, const char *name)
{
    const struct run_sketch *sketch = map_find_bytes(&run->sketches, 0, name, strlen(name));
    return sketch ? &sketch->sketch : NULL;
}

const struct run *runs_divide(struct runs *runs, const char *by,
                              bool (*is_sum)(const char *name, hectic_column_kind kind))
{
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->run[i];
        const struct run_number *divisor = run_find(run, by);
        if (!divisor || divisor->value == 0) return run;
        const double units = divisor->value;
        for (struct run_number *n = NULL; (n = map_next(&run->numbers, n));) {
            if (!is_sum(n->name, n->kind)) continue;
            n->value /= units;
            if (n->kind == HECTIC_COLUMN_COUNT) n->kind = HECTIC_COLUMN_REAL;
        }
    }
    runs->is_divided = true;
    return NULL;
}

const struct run_number *run_find(const struct run *run, const char *name)
{
    return map_find_bytes(&run->numbers, 0, name, strlen(name));
}

bool run_has_beginning(const struct run *run, const char *beginning)
{
    for (const struct run_number *n = NULL; (n = map_next(&run->numbers, n));)
        if (text_begins(n->name, beginning)) return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct run_number *)a)->name, ((const struct run_number *)b)->name);
}

const struct run_number *const *run_sorted(const struct run *run)
{
    return (const struct run_number *const *)map_sorted(&run->numbers, by_name);
}
