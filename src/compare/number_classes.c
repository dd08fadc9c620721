/* number_classes.c — see number_classes.h. */
#include "compare/number_classes.h"

#include "base/text.h"

static const struct {
    const char *name, *phrase;
} headlines[HEADLINES] = {
    {"time.total_ns", "The total time"},
    {"time.mutator_ns", "The mutator time"},
    {"time.gc_ns", "The GC time"},
    {"gc.pause.max_ns", "The longest pause"},
    {"gc.pause.p99_ns", "The 99th percentile of pauses"},
    {"memory.allocated_bytes", "Allocation"},
    {"memory.residency_max_bytes", "The maximum residency"},
    {"memory.heap_max_bytes", "The largest heap"},
};

const char *number_headline(const char *name)
{
    for (size_t i = 0; i < HEADLINES; i++)
        if (strcmp(headlines[i].name, name) == 0) return headlines[i].phrase;
    return NULL;
}

const char *number_headline_name(size_t place)
{
    return headlines[place].name;
}

static bool is_left_out(const char *name)
{
    static const char *const words[] = {"caps[",
                                        "gaps.",
                                        "warnings.",
                                        "time.gc_main_ns",
                                        "time.gc_caps_ns",
                                        "gc.pause.total_ns",
                                        "gc.time_to_safepoint.count",
                                        "memory.residency_samples",
                                        "time.allocated_bytes_per_mutator_second"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_begins(name, words[i])) return true;
    return text_ends(name, "].pause.count");
}

bool number_is_of_collections(const char *name)
{
    return strcmp(name, "gc.pause.count") == 0 || text_ends(name, "].collections");
}

static bool is_steady(const char *name)
{
    return strcmp(name, "memory.allocated_bytes") == 0 || number_is_of_collections(name) ||
           strcmp(name, "threads.count") == 0 || text_ends(name, "\").count") ||
           strcmp(name, "sparks.sparks") == 0 || text_begins(name, "ticky(");
}

enum number_class number_class(const char *name, hectic_column_kind kind)
{
    if (kind == HECTIC_COLUMN_ID || kind == HECTIC_COLUMN_TIME || kind == HECTIC_COLUMN_FLAG ||
        is_left_out(name))
        return NUMBER_LEFT_OUT;
    return is_steady(name) ? NUMBER_STEADY : NUMBER_NOISY;
}

bool number_is_sum(const char *name, hectic_column_kind kind)
{
    static const char *const ends_of_others[] = {".mean_ns", ".p50_ns", ".p90_ns", ".p99_ns",
                                                 ".max_ns",  ".mean",   ".max",    "_max"};
    if (kind == HECTIC_COLUMN_BYTES)
        return text_ends(name, "allocated_bytes") || text_ends(name, "copied_bytes") ||
               text_ends(name, "allocs_bytes") || text_ends(name, ".total_bytes");
    if (kind != HECTIC_COLUMN_NS && kind != HECTIC_COLUMN_COUNT) return false;
    for (size_t i = 0; i < sizeof ends_of_others / sizeof *ends_of_others; i++)
        if (text_ends(name, ends_of_others[i])) return false;
    return !text_begins(name, "tasks.") && !text_begins(name, "finding(");
}

bool number_only_grows(const char *name, hectic_column_kind kind)
{
    return number_is_sum(name, kind) || text_ends(name, ".max_ns") ||
           text_ends(name, "_max_bytes") || text_ends(name, ".max_bytes");
}

bool number_is_extreme(const char *name)
{
    return text_ends(name, ".max_ns") || text_ends(name, ".p99_ns");
}

double number_noise(const char *name)
{
    /* Measured: docs/compare.md. */
    if (strcmp(name, "time.total_ns") == 0 || strcmp(name, "time.mutator_ns") == 0) return 1;
    return text_ends(name, "_ns") ? 4 : 0.5;
}
