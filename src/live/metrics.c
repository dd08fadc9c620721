#define _GNU_SOURCE /* strcasestr */
#include "live/metrics.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program, and all that is told of it. */
struct subject {
    const struct metrics_program *program;
    hectic_vitals_program about;
    hectic_vitals_told told;
    uint64_t latest_event; /* ns since the Unix epoch; known where about.has_wall is */
    uint64_t begun;        /* likewise: when the counters began */
    uint64_t caps, gcs, gc_elapsed, damaged, late, behind, readers, missed;
    bool has_caps, always; /* always: what is known in any case; false: no log has begun */
    char labels[512];
};

enum kind { COUNTER, GAUGE, HISTOGRAM, INFO };

static const struct {
    const char *name, *suffix;
    const char *classic; /* what it is there; its name has the suffix then */
} kinds[] = {
    [COUNTER] = {"counter", "_total", "counter"},
    [GAUGE] = {"gauge", "", "gauge"},
    [HISTOGRAM] = {"histogram", "", "histogram"},
    [INFO] = {"info", "_info", "gauge"},
};

typedef struct family family;

typedef struct page {
    FILE *out;
    enum metrics_format format;
    const struct subject *subject;
    size_t count;
} page;

struct family {
    const char *name, *unit, *help;
    enum kind kind;
    /* Writes what is known of a subject; NULL: one number, which is a uint64_t … */
    void (*write)(const page *p, const family *f, const struct subject *s);
    size_t value; /* … here in the subject, or in a part of it */
    size_t known; /* a bool in the subject */
};

/* --- Numbers and samples ------------------------------------------------------------------------
 */

enum { NS_DIGITS = 9, NS_PER_SECOND = 1000000000 };

/* Exactly: a double does not hold them all. */
static void write_seconds(FILE *out, uint64_t ns)
{
    char digits[NS_DIGITS + 1];
    snprintf(digits, sizeof digits, "%09" PRIu64, ns % NS_PER_SECOND);
    size_t length = NS_DIGITS;
    while (length > 1 && digits[length - 1] == '0')
        length--;
    fprintf(out, "%" PRIu64 ".%.*s", ns / NS_PER_SECOND, (int)length, digits);
}

static void write_value(FILE *out, const family *f, uint64_t value)
{
    if (f->unit && strcmp(f->unit, "seconds") == 0)
        write_seconds(out, value);
    else
        fprintf(out, "%" PRIu64, value);
}

static void write_name(const page *p, const family *f, const struct subject *s, const char *suffix,
                       const char *more)
{
    fprintf(p->out, "%s%s{%s%s} ", f->name, suffix, s->labels, more);
}

static void write_created(const page *p, const family *f, const struct subject *s, const char *more)
{
    if (p->format != METRICS_OPEN || !s->about.has_wall) return;
    write_name(p, f, s, "_created", more);
    write_seconds(p->out, s->begun);
    fputc('\n', p->out);
}

/* `more`: further labels, ",cap=\"3\"". */
static void write_sample(const page *p, const family *f, const struct subject *s, const char *more,
                         uint64_t value)
{
    write_name(p, f, s, kinds[f->kind].suffix, more);
    write_value(p->out, f, value);
    fputc('\n', p->out);
    if (f->kind == COUNTER) write_created(p, f, s, more);
}

static uint64_t number_at(const void *base, size_t offset)
{
    uint64_t number;
    memcpy(&number, (const char *)base + offset, sizeof number);
    return number;
}

static bool is_known(const struct subject *s, size_t offset)
{
    bool known;
    memcpy(&known, (const char *)s + offset, sizeof known);
    return known;
}

/* --- What has more than one number -------------------------------------------------------------
 */

enum { LABEL_SIZE = 64 };

static void write_caps(const page *p, const family *f, const struct subject *s)
{
    const hectic_stat_result *sums = &s->told.sums;
    char more[LABEL_SIZE];
    for (uint32_t i = 0; i < sums->caps; i++) {
        snprintf(more, sizeof more, ",cap=\"%u\"", sums->cap[i].cap);
        write_sample(p, f, s, more, number_at(&sums->cap[i], f->value));
    }
}

static void write_cap_times(const page *p, const family *f, const struct subject *s)
{
    static const struct {
        const char *name;
        size_t value, needs; /* 0: nothing */
    } time[] = {
        {"running", offsetof(hectic_stat_cap, running_ns),
         offsetof(struct subject, told.sums.has_threads)},
        {"gc", offsetof(hectic_stat_cap, gc_ns), offsetof(struct subject, told.sums.has_gc)},
        {"gc_wait", offsetof(hectic_stat_cap, gc_wait_ns), 0},
    };
    char more[LABEL_SIZE];
    for (uint32_t i = 0; i < s->told.sums.caps; i++) {
        const hectic_stat_cap *cap = &s->told.sums.cap[i];
        for (size_t k = 0; k < sizeof time / sizeof *time; k++) {
            if (time[k].needs ? !is_known(s, time[k].needs) : !cap->has_wait) continue;
            snprintf(more, sizeof more, ",cap=\"%u\",activity=\"%s\"", cap->cap, time[k].name);
            write_sample(p, f, s, more, number_at(cap, time[k].value));
        }
    }
}

static void write_generations(const page *p, const family *f, const struct subject *s)
{
    char more[LABEL_SIZE];
    for (uint32_t i = 0; i < s->told.sums.generations; i++) {
        snprintf(more, sizeof more, ",generation=\"%u\"", i);
        write_sample(p, f, s, more, number_at(&s->told.sums.generation[i], f->value));
    }
}

static void write_thread_states(const page *p, const family *f, const struct subject *s)
{
    char more[LABEL_SIZE];
    for (unsigned i = 0; i < HECTIC_THREAD_STATES; i++) {
        snprintf(more, sizeof more, ",state=\"%s\"",
                 hectic_thread_state_name((hectic_thread_state)i));
        write_sample(p, f, s, more, s->told.in_state[i]);
    }
}

static void write_sparks(const page *p, const family *f, const struct subject *s)
{
    const hectic_stat_sparks *sparks = &s->told.sums.sparks;
    const struct {
        const char *name;
        uint64_t value;
    } became[] = {
        {"created", sparks->created},     {"dud", sparks->dud}, {"overflowed", sparks->overflowed},
        {"converted", sparks->converted}, {"gcd", sparks->gcd}, {"fizzled", sparks->fizzled},
    };
    char more[LABEL_SIZE];
    for (size_t i = 0; i < sizeof became / sizeof *became; i++) {
        snprintf(more, sizeof more, ",became=\"%s\"", became[i].name);
        write_sample(p, f, s, more, became[i].value);
    }
}

static void write_count(const page *p, const family *f, const struct subject *s, const char *suffix,
                        const char *more, uint64_t count)
{
    write_name(p, f, s, suffix, more);
    fprintf(p->out, "%" PRIu64 "\n", count);
}

static void write_histogram(const page *p, const family *f, const struct subject *s,
                            const char *more, const hectic_histogram *histogram)
{
    /* As OpenMetrics wants them written. */
    static const struct {
        const char *le;
        uint64_t ns;
    } limit[] = {
        {"1e-05", 10000},    {"2.5e-05", 25000},  {"5e-05", 50000},      {"0.0001", 100000},
        {"0.00025", 250000}, {"0.0005", 500000},  {"0.001", 1000000},    {"0.0025", 2500000},
        {"0.005", 5000000},  {"0.01", 10000000},  {"0.025", 25000000},   {"0.05", 50000000},
        {"0.1", 100000000},  {"0.25", 250000000}, {"0.5", 500000000},    {"1.0", 1000000000},
        {"2.5", 2500000000}, {"5.0", 5000000000}, {"10.0", 10000000000},
    };
    char labels[2 * LABEL_SIZE];
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
        snprintf(labels, sizeof labels, "%s,le=\"%s\"", more, limit[i].le);
        write_count(p, f, s, "_bucket", labels, hectic_histogram_within(histogram, limit[i].ns));
    }
    snprintf(labels, sizeof labels, "%s,le=\"+Inf\"", more);
    write_count(p, f, s, "_bucket", labels, histogram->count);
    write_count(p, f, s, "_count", more, histogram->count);
    write_name(p, f, s, "_sum", more);
    write_seconds(p->out, histogram->sum);
    fputc('\n', p->out);
    write_created(p, f, s, more);
}

static void write_pauses(const page *p, const family *f, const struct subject *s)
{
    char more[LABEL_SIZE];
    for (uint16_t i = 0; i < HECTIC_STAT_GENERATIONS; i++) {
        const hectic_histogram *pauses = hectic_vitals_pauses(s->program->vitals, i);
        if (!pauses || pauses->count == 0) continue;
        snprintf(more, sizeof more, ",generation=\"%u\"", i);
        write_histogram(p, f, s, more, pauses);
    }
}

/* A text of a log's may be anything; a label must be UTF-8. */
static void plain_label(char *out, size_t size, const char *text)
{
    size_t length = 0;
    for (; text[length] && length + 1 < size; length++)
        out[length] = text[length] >= ' ' && text[length] <= '~' && !strchr("\"\\", text[length])
                          ? text[length]
                          : '?';
    out[length] = 0;
}

static void write_info(const page *p, const family *f, const struct subject *s)
{
    char rts[LABEL_SIZE], more[2 * LABEL_SIZE];
    if (!s->about.rts) return;
    plain_label(rts, sizeof rts, s->about.rts);
    snprintf(more, sizeof more, ",rts=\"%s\"", rts);
    write_sample(p, f, s, more, 1);
}

/* --- All of them -------------------------------------------------------------------------------
 */

/* Name, unit, help, kind; the number and what tells that it is known. */
#define ONE(name, unit, kind, where, if_known, help)                                               \
    {                                                                                              \
        name, unit, help, kind, NULL, offsetof(struct subject, where),                             \
            offsetof(struct subject, if_known)                                                     \
    }
#define OF_CAPS(name, unit, where, if_known, help)                                                 \
    {                                                                                              \
        name, unit, help, COUNTER, write_caps, offsetof(hectic_stat_cap, where),                   \
            offsetof(struct subject, if_known)                                                     \
    }
#define OF_GENERATIONS(name, where, help)                                                          \
    {                                                                                              \
        name, NULL, help, COUNTER, write_generations, offsetof(hectic_stat_generation, where),     \
            offsetof(struct subject, told.sums.has_gc_stats)                                       \
    }
#define MANY(name, unit, kind, write, if_known, help)                                              \
    {                                                                                              \
        name, unit, help, kind, write, 0, offsetof(struct subject, if_known)                       \
    }

static const family families[] = {
    MANY("hectic_program", NULL, INFO, write_info, always, "A program that is carried."),

    ONE("ghc_allocated_bytes", "bytes", COUNTER, told.sums.allocated, told.sums.has_allocated,
        "Bytes allocated."),
    ONE("ghc_gcs", NULL, COUNTER, gcs, told.sums.has_gc_stats, "Garbage collections."),
    ONE("ghc_major_gcs", NULL, COUNTER, told.sums.residency_samples, told.has_live,
        "Collections of the oldest generation that told what is live."),
    ONE("ghc_gc_elapsed_seconds", "seconds", COUNTER, gc_elapsed, told.sums.has_gc_stats,
        "Time in garbage collection: the sum of its pauses."),
    ONE("ghc_copied_bytes", "bytes", COUNTER, told.sums.copied, told.sums.has_gc_stats,
        "Bytes copied by garbage collection."),
    ONE("ghc_gcdetails_live_bytes", "bytes", GAUGE, told.live, told.has_live,
        "Live data, as the latest major collection found it."),
    ONE("ghc_max_live_bytes", "bytes", GAUGE, told.sums.residency_max, told.has_live,
        "The most live data that a major collection found."),
    ONE("ghc_gcdetails_mem_in_use_bytes", "bytes", GAUGE, told.heap_size, told.has_heap_size,
        "Memory that the runtime has from the operating system."),
    ONE("ghc_max_mem_in_use_bytes", "bytes", GAUGE, told.sums.heap_max, told.sums.has_heap_size,
        "The most memory from the operating system at the end of a collection."),
    ONE("hectic_heap_blocks_bytes", "bytes", GAUGE, told.blocks_size, told.has_blocks_size,
        "Memory in blocks that are in use."),
    ONE("hectic_memory_returned_bytes", "bytes", COUNTER, told.sums.returned,
        told.sums.has_returned, "Bytes given back to the operating system."),
    OF_GENERATIONS("hectic_generation_gcs", collections, "Collections of each generation."),
    OF_GENERATIONS("hectic_generation_parallel_gcs", parallel,
                   "Collections of each generation by more than one thread."),
    MANY("hectic_gc_pause_seconds", "seconds", HISTOGRAM, write_pauses, told.sums.has_gc,
         "Pauses for garbage collection."),
    ONE("hectic_nonmoving_syncs", NULL, COUNTER, told.sums.conc_syncs, told.sums.has_nonmoving,
        "Synchronisations of the non-moving collector."),
    ONE("hectic_nonmoving_sync_seconds", "seconds", COUNTER, told.sums.conc_sync_ns,
        told.sums.has_nonmoving, "Time in synchronisations of the non-moving collector."),
    ONE("hectic_nonmoving_mark_seconds", "seconds", COUNTER, told.sums.conc_mark_ns,
        told.sums.has_nonmoving, "Time in which the non-moving collector marked."),
    ONE("hectic_nonmoving_sweep_seconds", "seconds", COUNTER, told.sums.conc_sweep_ns,
        told.sums.has_nonmoving, "Time in which the non-moving collector swept."),

    ONE("ghc_capabilities", NULL, GAUGE, caps, has_caps,
        "Capabilities that are there and not disabled."),
    MANY("hectic_cap_seconds", "seconds", COUNTER, write_cap_times, always,
         "What capabilities did with their time, where they were not idle."),
    OF_CAPS("hectic_cap_allocated_bytes", "bytes", allocated, told.sums.has_allocated,
            "Bytes allocated by each capability."),
    OF_CAPS("hectic_cap_thread_runs", NULL, runs, told.sums.has_threads,
            "Times that a capability ran a Haskell thread."),
    OF_CAPS("hectic_cap_thread_switches", NULL, switches, told.sums.has_threads,
            "Times that a capability ran another Haskell thread than before."),

    MANY("hectic_threads", NULL, GAUGE, write_thread_states, told.sums.has_threads,
         "Haskell threads alive."),
    ONE("hectic_threads_created", NULL, COUNTER, told.created, told.sums.has_threads,
        "Haskell threads created."),
    ONE("hectic_threads_ended", NULL, COUNTER, told.ended, told.sums.has_threads,
        "Haskell threads ended."),
    MANY("hectic_sparks", NULL, COUNTER, write_sparks, told.sums.has_sparks,
         "Sparks, by what became of them."),
    ONE("hectic_spark_pool", NULL, GAUGE, told.pool, told.has_pool,
        "Sparks that wait in the pools of all capabilities."),

    ONE("hectic_events", NULL, COUNTER, told.events, always, "Events taken from the log."),
    ONE("hectic_messages", NULL, COUNTER, told.messages, always,
        "Messages and markers that the program has put in its log."),
    ONE("hectic_events_dropped", NULL, COUNTER, told.dropped, always,
        "Events that the program says it had to drop."),
    ONE("hectic_damaged_places", NULL, COUNTER, damaged, always,
        "Places in the log that could not be read."),
    ONE("hectic_events_late", NULL, COUNTER, late, always,
        "Events that came after later ones had been counted."),
    ONE("hectic_log_behind_seconds", "seconds", GAUGE, behind, always,
        "Between the latest event that came and the latest that is counted."),
    ONE("hectic_latest_event_timestamp_seconds", "seconds", GAUGE, latest_event, about.has_wall,
        "When the latest event was, by the program's clock."),
    ONE("hectic_readers", NULL, GAUGE, readers, always, "Readers of the log."),
    ONE("hectic_reader_missed_events", NULL, COUNTER, missed, always,
        "Events that some reader missed because it was slow, or nobody was there for."),
};

static void write_about(const page *p, const family *f)
{
    const bool open = p->format == METRICS_OPEN;
    const char *suffix = open ? "" : kinds[f->kind].suffix;
    fprintf(p->out, "# TYPE %s%s %s\n", f->name, suffix,
            open ? kinds[f->kind].name : kinds[f->kind].classic);
    if (open && f->unit) fprintf(p->out, "# UNIT %s %s\n", f->name, f->unit);
    fprintf(p->out, "# HELP %s%s %s\n", f->name, suffix, f->help);
}

static void write_family(const page *p, const family *f)
{
    bool about = false;
    for (size_t i = 0; i < p->count; i++) {
        const struct subject *s = &p->subject[i];
        if (!s->always || !is_known(s, f->known)) continue;
        if (!about) write_about(p, f);
        about = true;
        if (f->write)
            f->write(p, f, s);
        else
            write_sample(p, f, s, "", number_at(s, f->value));
    }
}

static void write_relay(const page *p)
{
    static const family build = {
        .name = "hectic_build", .help = "The version of hectic.", .kind = INFO};
    static const family programs = {
        .name = "hectic_programs", .help = "Programs that are carried.", .kind = GAUGE};
    const struct subject version = {.labels = "version=\"" HECTIC_VERSION "\""};
    write_about(p, &build);
    write_sample(p, &build, &version, "", 1);
    write_about(p, &programs);
    fprintf(p->out, "%s %zu\n", programs.name, p->count);
}

/* --- A page -------------------------------------------------------------------------------------
 */

/* Sums that never go back: which cap leads a collection may become known later. */
static void add_collections(struct subject *s)
{
    for (uint32_t i = 0; i < s->told.sums.generations; i++) {
        s->gcs += s->told.sums.generation[i].collections;
        s->gc_elapsed += s->told.sums.generation[i].pause.sum;
    }
}

static bool ask(struct subject *s, const struct metrics_program *program)
{
    s->program = program;
    if (!program->vitals) return true;
    if (!hectic_vitals_tell(program->vitals, HECTIC_VITALS_NOW, &s->told)) return false;
    s->about = hectic_vitals_get_program(program->vitals);
    s->always = true;
    s->caps = s->about.caps;
    s->has_caps = s->caps > 0;
    add_collections(s);
    s->damaged = program->damaged;
    s->late = program->stream.late;
    s->behind = program->stream.behind;
    s->readers = program->server.readers;
    s->missed = program->server.events_dropped;
    s->latest_event = (uint64_t)s->about.wall + s->told.time;
    s->begun = (uint64_t)s->about.wall + s->told.sums.from;
    char name[256];
    plain_label(name, sizeof name, program->name);
    const int length = snprintf(s->labels, sizeof s->labels, "program=\"%s\"", name);
    if (program->pid)
        snprintf(s->labels + length, sizeof s->labels - (size_t)length, ",pid=\"%" PRIu32 "\"",
                 program->pid);
    return true;
}

static void write_page(const page *p)
{
    write_relay(p);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        write_family(p, &families[i]);
    if (p->format == METRICS_OPEN) fputs("# EOF\n", p->out);
}

char *metrics_text(enum metrics_format format, const struct metrics_program *program, size_t count,
                   size_t *length)
{
    char *text = NULL;
    struct subject *subject = calloc(count + 1, sizeof *subject);
    const page p = {open_memstream(&text, length), format, subject, count};
    bool whole = subject && p.out;
    for (size_t i = 0; i < count && whole; i++)
        whole = ask(&subject[i], &program[i]);
    if (whole) write_page(&p);
    for (size_t i = 0; i < count && subject; i++)
        hectic_vitals_told_clear(&subject[i].told);
    free(subject);
    if (p.out && fclose(p.out) != 0) whole = false;
    if (whole) return text;
    free(text);
    return NULL;
}

enum metrics_format metrics_format_for(const char *accept)
{
    return accept && strcasestr(accept, "application/openmetrics-text") ? METRICS_OPEN
                                                                        : METRICS_CLASSIC;
}

const char *metrics_content_type(enum metrics_format format)
{
    return format == METRICS_OPEN ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                  : "text/plain; version=0.0.4; charset=utf-8";
}
