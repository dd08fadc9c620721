#include "facts/sparks.h"
#include "metrics/metrics_output.h"
#include "numbers/saturating.h"
#include "render/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BAND_SIZE = 200 }; /* the maximum length of a band's label, in bytes of the log */

/* The sum of bands without a series of their own. hectic_live_stats has a band of this name, too.
 */
static const char others_name[] = "(others)";

/* A program with its numbers. */
struct subject {
    const struct metrics_program *program;
    hectic_live_stats_program about;
    hectic_live_stats_report report;
    uint64_t latest_event; /* ns since the Unix epoch; valid if about.has_wall */
    uint64_t started;      /* likewise: begin of the counters */
    uint64_t caps, gcs, gc_elapsed, damaged, late, behind, readers, missed, state, left_out;
    record_counts record;
    uint64_t sampled; /* the heap profile's latest sample: ns since the Unix epoch */
    bool has_caps, has_record, has_sample, has_sampled;
    bool has_log;   /* a log has started, so these are known */
    bool is_live;   /* likewise, and it is not just read */
    char name[256]; /* label */
    char pid[16];   /* label; may be empty */
};

typedef struct family family;

typedef struct page {
    const struct metrics_writer *writer;
    struct metrics_output *output;
    const struct metrics_relay *relay;
    const struct subject *subject;
    size_t count;
} page;

struct family {
    struct metrics_family about;
    void (*write)(const page *p, const family *f, const struct subject *s);
    size_t value; /* offset of a uint64_t in the subject or a part of it */
    size_t known; /* offset of a bool in the subject */
};

/* --- Samples ---------------------------------------------------------------------------------- */

static void add_label(struct metrics_sample *sample, const char *name, const char *value)
{
    sample->label[sample->labels++] = (struct metrics_label){name, value};
}

static struct metrics_sample sample_of(const struct subject *s)
{
    struct metrics_sample sample = {
        .has_created = s->about.has_wall, .created = s->started, .time = s->latest_event};
    add_label(&sample, "program", s->name);
    if (s->pid[0]) add_label(&sample, "pid", s->pid);
    return sample;
}

static void write_sample(const page *p, const family *f, const struct metrics_sample *sample,
                         uint64_t number)
{
    p->writer->number(p->output, &f->about, sample, number);
}

/* For a part of the subject, identified by another label. */
static void write_part(const page *p, const family *f, const struct subject *s, const char *label,
                       const char *value, uint64_t number)
{
    struct metrics_sample sample = sample_of(s);
    add_label(&sample, label, value);
    write_sample(p, f, &sample, number);
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

static void write_one(const page *p, const family *f, const struct subject *s)
{
    const struct metrics_sample sample = sample_of(s);
    write_sample(p, f, &sample, number_at(s, f->value));
}

/* --- Families with several samples ------------------------------------------------------------ */

struct digits {
    char text[16];
};

static struct digits digits_of(uint32_t number)
{
    struct digits digits;
    snprintf(digits.text, sizeof digits.text, "%" PRIu32, number);
    return digits;
}

static void write_caps(const page *p, const family *f, const struct subject *s)
{
    const hectic_stat_result *sums = &s->report.sums;
    for (uint32_t i = 0; i < sums->caps; i++)
        write_part(p, f, s, "cap", digits_of(sums->cap[i].cap).text,
                   number_at(&sums->cap[i], f->value));
}

static void write_cap_times(const page *p, const family *f, const struct subject *s)
{
    enum needs { THREADS, GC, GC_THREADS };
    static const struct {
        const char *name;
        size_t value;
        enum needs needs;
    } time[] = {
        {"running", offsetof(hectic_stat_cap, running_ns), THREADS},
        {"gc_work", offsetof(hectic_stat_cap, gc_work_ns), GC_THREADS},
        {"gc_idle", offsetof(hectic_stat_cap, gc_idle_ns), GC_THREADS},
        {"gc_wait_begin", offsetof(hectic_stat_cap, wait_begin_ns), GC},
        {"gc_wait_end", offsetof(hectic_stat_cap, wait_end_ns), GC},
        {"gc_wait_out", offsetof(hectic_stat_cap, wait_out_ns), GC},
    };
    const hectic_stat_result *sums = &s->report.sums;
    for (uint32_t i = 0; i < sums->caps; i++) {
        const hectic_stat_cap *cap = &sums->cap[i];
        const bool known[] = {[THREADS] = sums->has_threads,
                              [GC] = cap->has_gc,
                              [GC_THREADS] = cap->has_gc && sums->has_gc_threads};
        const struct digits number = digits_of(cap->cap);
        for (size_t k = 0; k < sizeof time / sizeof *time; k++) {
            if (!known[time[k].needs]) continue;
            struct metrics_sample sample = sample_of(s);
            add_label(&sample, "cap", number.text);
            add_label(&sample, "activity", time[k].name);
            write_sample(p, f, &sample, number_at(cap, time[k].value));
        }
    }
}

static void write_generations(const page *p, const family *f, const struct subject *s)
{
    for (uint32_t i = 0; i < s->report.sums.generations; i++)
        write_part(p, f, s, "generation", digits_of(i).text,
                   number_at(&s->report.sums.generation[i], f->value));
}

static void write_safepoints(const page *p, const family *f, const struct subject *s)
{
    const struct metrics_histogram times = {
        hectic_live_stats_safepoints(s->program->live_stats),
        hectic_live_stats_exponential_safepoints(s->program->live_stats)};
    const struct metrics_sample sample = sample_of(s);
    p->writer->histogram(p->output, &f->about, &sample, &times);
}

static void write_thread_states(const page *p, const family *f, const struct subject *s)
{
    for (unsigned i = 0; i < HECTIC_THREAD_STATES; i++)
        write_part(p, f, s, "state", hectic_thread_state_name((hectic_thread_state)i),
                   s->report.in_state[i]);
}

static void write_sparks(const page *p, const family *f, const struct subject *s)
{
    const hectic_stat_sparks *sparks = &s->report.sums.sparks;
    const struct {
        const char *name;
        uint64_t value;
    } became[] = {
        {"created", sparks->created},     {"dud", sparks->dud}, {"overflowed", sparks->overflowed},
        {"converted", sparks->converted}, {"gcd", sparks->gcd}, {"fizzled", sparks->fizzled},
    };
    for (size_t i = 0; i < sizeof became / sizeof *became; i++)
        write_part(p, f, s, "became", became[i].name, became[i].value);
}

static void write_pauses(const page *p, const family *f, const struct subject *s)
{
    const hectic_live_stats *v = s->program->live_stats;
    for (uint16_t i = 0; i < HECTIC_STAT_GENERATIONS; i++) {
        const struct metrics_histogram pauses = {hectic_live_stats_pauses(v, i),
                                                 hectic_live_stats_exponential_pauses(v, i)};
        if (!pauses.all || !pauses.exponential) continue;
        const struct digits number = digits_of(i);
        struct metrics_sample sample = sample_of(s);
        add_label(&sample, "generation", number.text);
        p->writer->histogram(p->output, &f->about, &sample, &pauses);
    }
}

/* Bands with the same text, for example when it was shortened, are one series. */
struct bands {
    uint32_t count;
    struct band {
        char text[4 * BAND_SIZE + 4];
        uint64_t bytes;
    } band[METRICS_BANDS];
    uint64_t others;
};

/* Any bytes as UTF-8 without control characters; "…" at the end of a shortened text. */
static void set_band_text(char text[4 * BAND_SIZE + 4], const char *name)
{
    const size_t length = strlen(name), cut = text_cut(name, length, BAND_SIZE - 1);
    size_t end = hectic_render_visible(name, cut, text);
    if (cut < length) end += (size_t)sprintf(text + end, "…");
    text[end] = 0;
}

static void add_band(struct bands *bands, const char *name, uint64_t bytes)
{
    if (bytes == 0) return;
    if (bands->count == METRICS_BANDS || strcmp(name, others_name) == 0) {
        saturating_add(&bands->others, bytes);
        return;
    }
    struct band *next = &bands->band[bands->count];
    set_band_text(next->text, name);
    next->bytes = bytes;
    for (uint32_t i = 0; i < bands->count; i++) {
        if (strcmp(bands->band[i].text, next->text) != 0) continue;
        saturating_add(&bands->band[i].bytes, bytes);
        return;
    }
    bands->count++;
}

/* The largest bands of the latest sample of a heap profile, and the sum of the others. */
static void write_bands(const page *p, const family *f, const struct subject *s)
{
    hectic_live_stats_sample sample;
    struct bands bands = {.count = 0};
    if (!hectic_live_stats_get_sample(s->program->live_stats, &sample)) return;
    for (uint32_t i = 0; i < sample.bands; i++)
        add_band(&bands, sample.band[i].name, sample.band[i].bytes);
    for (uint32_t i = 0; i < bands.count; i++)
        write_part(p, f, s, "band", bands.band[i].text, bands.band[i].bytes);
    if (bands.others > 0) write_part(p, f, s, "band", others_name, bands.others);
}

/* Text from a log may be any bytes; a label must be UTF-8. */
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
    char rts[64];
    if (!s->about.rts) return;
    plain_label(rts, sizeof rts, s->about.rts);
    write_part(p, f, s, "rts", rts, 1);
}

/* --- All families ----------------------------------------------------------------------------- */

/* Name, unit, help, kind; the number, and the flag that it is known. */
#define ONE(name, unit, kind, where, if_known, help)                                               \
    {                                                                                              \
        {name, unit, help, METRICS_##kind}, write_one, offsetof(struct subject, where),            \
            offsetof(struct subject, if_known)                                                     \
    }
#define OF_CAPS(name, unit, where, if_known, help)                                                 \
    {                                                                                              \
        {name, unit, help, METRICS_COUNTER}, write_caps, offsetof(hectic_stat_cap, where),         \
            offsetof(struct subject, if_known)                                                     \
    }
#define OF_GENERATIONS(name, where, help)                                                          \
    {                                                                                              \
        {name, NULL, help, METRICS_COUNTER}, write_generations,                                    \
            offsetof(hectic_stat_generation, where),                                               \
            offsetof(struct subject, report.sums.has_gc_stats)                                     \
    }
#define MANY(name, unit, kind, write, if_known, help)                                              \
    {                                                                                              \
        {name, unit, help, METRICS_##kind}, write, 0, offsetof(struct subject, if_known)           \
    }

static const family families[] = {
    MANY("hectic_program", NULL, INFO, write_info, has_log, "A relayed program."),

    ONE("ghc_allocated_bytes", "bytes", COUNTER, report.sums.allocated, report.sums.has_allocated,
        "Bytes allocated."),
    ONE("ghc_gcs", NULL, COUNTER, gcs, report.sums.has_gc_stats, "Garbage collections."),
    ONE("ghc_major_gcs", NULL, COUNTER, report.sums.residency_samples, report.has_live,
        "Collections of the oldest generation that reported live data."),
    ONE("ghc_gc_elapsed_seconds", "seconds", COUNTER, gc_elapsed, report.sums.has_gc_stats,
        "Time in garbage collection: the sum of its pauses."),
    ONE("ghc_copied_bytes", "bytes", COUNTER, report.sums.copied, report.sums.has_gc_stats,
        "Bytes copied by garbage collection."),
    ONE("ghc_gcdetails_live_bytes", "bytes", GAUGE, report.live, report.has_live,
        "Live data after the latest major collection."),
    ONE("ghc_max_live_bytes", "bytes", GAUGE, report.sums.residency_max, report.has_live,
        "Maximum of live data after major collections."),
    ONE("ghc_gcdetails_mem_in_use_bytes", "bytes", GAUGE, report.heap_size, report.has_heap_size,
        "Memory obtained from the operating system."),
    ONE("ghc_max_mem_in_use_bytes", "bytes", GAUGE, report.sums.heap_max, report.sums.has_heap_size,
        "Maximum of memory obtained from the operating system, at the ends of collections."),
    ONE("hectic_heap_blocks_bytes", "bytes", GAUGE, report.blocks_size, report.has_blocks_size,
        "Memory in blocks in use."),
    MANY("hectic_heap_band_bytes", "bytes", GAUGE, write_bands, has_sample,
         "The latest sample of the heap profile: its largest bands, and the sum of the others."),
    ONE("hectic_heap_sample_timestamp_seconds", "seconds", GAUGE, sampled, has_sampled,
        "Time of the latest sample of the heap profile by the program's clock."),
    ONE("hectic_memory_returned_bytes", "bytes", COUNTER, report.sums.returned,
        report.sums.has_returned, "Bytes returned to the operating system."),
    OF_GENERATIONS("hectic_generation_gcs", collections, "Collections of each generation."),
    OF_GENERATIONS("hectic_generation_parallel_gcs", parallel,
                   "Collections of each generation by more than one thread."),
    MANY("hectic_gc_pause_seconds", "seconds", HISTOGRAM, write_pauses, report.sums.has_gc,
         "Pauses for garbage collection."),
    MANY("hectic_gc_time_to_safepoint_seconds", "seconds", HISTOGRAM, write_safepoints,
         report.sums.has_safepoint,
         "Time from the request for a collection until all capabilities have stopped."),
    ONE("hectic_nonmoving_syncs", NULL, COUNTER, report.sums.conc_syncs, report.sums.has_nonmoving,
        "Synchronizations of the non-moving collector."),
    ONE("hectic_nonmoving_sync_seconds", "seconds", COUNTER, report.sums.conc_sync_ns,
        report.sums.has_nonmoving, "Time in synchronizations of the non-moving collector."),
    ONE("hectic_nonmoving_mark_seconds", "seconds", COUNTER, report.sums.conc_mark_ns,
        report.sums.has_nonmoving, "Time the non-moving collector spent marking."),
    ONE("hectic_nonmoving_sweep_seconds", "seconds", COUNTER, report.sums.conc_sweep_ns,
        report.sums.has_nonmoving, "Time the non-moving collector spent sweeping."),

    ONE("ghc_capabilities", NULL, GAUGE, caps, has_caps, "Enabled capabilities."),
    MANY("hectic_cap_seconds", "seconds", COUNTER, write_cap_times, has_log,
         "Time of capabilities by activity, without idle time."),
    OF_CAPS("hectic_cap_allocated_bytes", "bytes", allocated, report.sums.has_allocated,
            "Bytes allocated by each capability."),
    OF_CAPS("hectic_cap_thread_runs", NULL, runs, report.sums.has_threads,
            "Number of times a capability ran a Haskell thread."),
    OF_CAPS("hectic_cap_thread_switches", NULL, switches, report.sums.has_threads,
            "Number of times a capability switched to another Haskell thread."),

    MANY("hectic_threads", NULL, GAUGE, write_thread_states, report.sums.has_threads,
         "Haskell threads alive."),
    ONE("hectic_threads_created", NULL, COUNTER, report.created, report.sums.has_threads,
        "Haskell threads created."),
    ONE("hectic_threads_ended", NULL, COUNTER, report.ended, report.sums.has_threads,
        "Haskell threads ended."),
    MANY("hectic_sparks", NULL, COUNTER, write_sparks, report.sums.has_sparks,
         "Sparks by outcome."),
    ONE("hectic_spark_pool", NULL, GAUGE, report.pool, report.has_pool,
        "Sparks waiting in the pools of all capabilities."),

    ONE("hectic_events", NULL, COUNTER, report.events, has_log, "Events read from the log."),
    ONE("hectic_messages", NULL, COUNTER, report.messages, has_log,
        "Messages and markers written by the program."),
    ONE("hectic_events_dropped", NULL, COUNTER, report.dropped, has_log,
        "Events that the program reported as dropped."),
    ONE("hectic_damaged_places", NULL, COUNTER, damaged, is_live, "Damaged places in the log."),
    ONE("hectic_events_late", NULL, COUNTER, late, is_live,
        "Events that arrived after later events had been counted."),
    ONE("hectic_log_behind_seconds", "seconds", GAUGE, behind, is_live,
        "Time between the latest received event and the latest counted event."),
    ONE("hectic_latest_event_timestamp_seconds", "seconds", GAUGE, latest_event, about.has_wall,
        "Time of the latest event by the program's clock."),
    ONE("hectic_readers", NULL, GAUGE, readers, is_live, "Connected readers of the log."),
    ONE("hectic_reader_missed_events", NULL, COUNTER, missed, is_live,
        "Events that connected readers missed because they were slow."),
    ONE("hectic_state_bytes", "bytes", GAUGE, state, is_live,
        "Memory for the live state that new readers receive."),
    ONE("hectic_state_events_left_out", NULL, COUNTER, left_out, is_live,
        "Events of the live state left out because of its memory limit."),

    ONE("hectic_record_failing", NULL, GAUGE, record.failing, has_record,
        "1 while recording of the log fails, else 0."),
    ONE("hectic_record_bytes", "bytes", COUNTER, record.bytes, has_record,
        "Bytes written to recorded files."),
    ONE("hectic_record_missed_events", NULL, COUNTER, record.missed, has_record,
        "Events missing from recorded files."),
    ONE("hectic_record_removed_files", NULL, COUNTER, record.removed_files, has_record,
        "Recorded files removed to make room."),
    ONE("hectic_record_removed_events", NULL, COUNTER, record.removed_events, has_record,
        "Events in recorded files removed to make room."),
};

static void write_family(const page *p, const family *f)
{
    bool started = false;
    for (size_t i = 0; i < p->count; i++) {
        const struct subject *s = &p->subject[i];
        if (!s->has_log || !is_known(s, f->known)) continue;
        if (!started) p->writer->begin(p->output, &f->about);
        started = true;
        f->write(p, f, s);
    }
    if (started && p->writer->end) p->writer->end(p->output);
}

/* For samples without a program. */
static void write_single(const page *p, const struct metrics_family *f,
                         const struct metrics_sample *sample, uint64_t number)
{
    p->writer->begin(p->output, f);
    p->writer->number(p->output, f, sample, number);
    if (p->writer->end) p->writer->end(p->output);
}

/* For all programs, including ended ones. */
struct relay_value {
    struct metrics_family family;
    uint64_t value;
};

static void write_values(const page *p, const struct relay_value *value, size_t count)
{
    static const struct metrics_sample all = {.labels = 0};
    for (size_t i = 0; i < count; i++)
        write_single(p, &value[i].family, &all, value[i].value);
}

static void write_recorded(const page *p)
{
    const record_counts *recorded = p->relay->recorded;
    const struct relay_value values[] = {
        {{"hectic_relay_record_failing", NULL, "Programs whose recording currently fails.",
          METRICS_GAUGE},
         recorded->failing},
        {{"hectic_relay_record_failures", NULL, "Number of times recording started to fail.",
          METRICS_COUNTER},
         recorded->failures},
        {{"hectic_relay_record_bytes", "bytes", "Bytes written to recorded files of all programs.",
          METRICS_COUNTER},
         recorded->bytes},
        {{"hectic_relay_record_missed_events", NULL, "Events missing from recorded files.",
          METRICS_COUNTER},
         recorded->missed},
        {{"hectic_relay_record_removed_files", NULL, "Recorded files removed to make room.",
          METRICS_COUNTER},
         recorded->removed_files},
        {{"hectic_relay_record_removed_events", NULL,
          "Events in recorded files removed to make room.", METRICS_COUNTER},
         recorded->removed_events},
    };
    write_values(p, values, sizeof values / sizeof *values);
}

static void write_stored(const page *p)
{
    const struct delivery_counts *stored = p->relay->stored;
    const struct relay_value values[] = {
        {{"hectic_relay_clickhouse_failing", NULL,
          "Servers of ClickHouse that currently take no rows.", METRICS_GAUGE},
         stored->failing},
        {{"hectic_relay_clickhouse_rows", NULL, "Rows stored in ClickHouse.", METRICS_COUNTER},
         stored->sent},
        {{"hectic_relay_clickhouse_waiting_rows", NULL,
          "Rows that wait for ClickHouse, in memory and in the spool.", METRICS_GAUGE},
         stored->waiting},
        {{"hectic_relay_clickhouse_spool_bytes", "bytes", "Size of the spool on disk.",
          METRICS_GAUGE},
         stored->spooled_bytes},
        {{"hectic_relay_clickhouse_lost_rows", NULL, "Rows dropped because the spool was full.",
          METRICS_COUNTER},
         stored->lost},
        {{"hectic_relay_clickhouse_lost_blocks", NULL, "Blocks of rows dropped, likewise.",
          METRICS_COUNTER},
         stored->lost_blocks},
    };
    write_values(p, values, sizeof values / sizeof *values);
}

static void write_sent(const page *p)
{
    const struct delivery_counts *sent = p->relay->otlp;
    const struct relay_value values[] = {
        {{"hectic_relay_otlp_failing", NULL,
          "1 while the receiver of OTLP takes nothing, otherwise 0.", METRICS_GAUGE},
         sent->failing},
        {{"hectic_relay_otlp_items", NULL,
          "Spans, messages and metrics that the receiver of OTLP has taken.", METRICS_COUNTER},
         sent->sent},
        {{"hectic_relay_otlp_waiting_items", NULL,
          "Items that wait for the receiver of OTLP, in memory and in the spool.", METRICS_GAUGE},
         sent->waiting},
        {{"hectic_relay_otlp_spool_bytes", "bytes", "Size of the spool for OTLP on disk.",
          METRICS_GAUGE},
         sent->spooled_bytes},
        {{"hectic_relay_otlp_lost_items", NULL,
          "Items that the receiver of OTLP refused, or that were dropped because the spool was "
          "full.",
          METRICS_COUNTER},
         sent->lost},
    };
    write_values(p, values, sizeof values / sizeof *values);
}

static void write_relay(const page *p)
{
    static const struct metrics_family build = {"hectic_build", NULL, "The version of hectic.",
                                                METRICS_INFO},
                                       programs = {"hectic_programs", NULL, "Relayed programs.",
                                                   METRICS_GAUGE};
    const struct metrics_sample version = {.label = {{"version", HECTIC_VERSION}}, .labels = 1};
    const struct metrics_sample all = {.labels = 0};
    write_single(p, &build, &version, 1);
    write_single(p, &programs, &all, p->count);
    if (p->relay->recorded) write_recorded(p);
    if (p->relay->stored) write_stored(p);
    if (p->relay->otlp) write_sent(p);
}

/* --- A page ----------------------------------------------------------------------------------- */

/* Monotonic sums: the GC leader of a collection may become known later. */
static void add_collections(struct subject *s)
{
    for (uint32_t i = 0; i < s->report.sums.generations; i++) {
        s->gcs += s->report.sums.generation[i].collections;
        s->gc_elapsed += s->report.sums.generation[i].pause.sum;
    }
}

static void add_sample(struct subject *s)
{
    hectic_live_stats_sample sample;
    s->has_sample = hectic_live_stats_get_sample(s->program->live_stats, &sample);
    s->has_sampled = s->has_sample && s->about.has_wall && sample.time > 0;
    s->sampled = (uint64_t)s->about.wall + sample.time;
}

static bool fill_subject(struct subject *s, const struct metrics_program *program)
{
    s->program = program;
    if (!program->live_stats) return true;
    if (!hectic_live_stats_snapshot(program->live_stats, HECTIC_LIVE_STATS_NOW, &s->report))
        return false;
    s->about = hectic_live_stats_get_program(program->live_stats);
    s->has_log = true;
    s->is_live = !program->is_log;
    s->caps = s->about.caps;
    s->has_caps = s->caps > 0;
    add_collections(s);
    add_sample(s);
    s->damaged = program->damaged;
    s->late = program->stream.late;
    s->behind = program->stream.behind;
    s->readers = program->server.readers;
    s->missed = program->server.events_dropped;
    s->state = program->server.state_bytes;
    s->left_out = program->server.state_left_out;
    s->has_record = program->record != NULL;
    if (program->record) s->record = *program->record;
    s->latest_event = (uint64_t)s->about.wall + s->report.time;
    s->started = (uint64_t)s->about.wall + s->report.sums.from;
    plain_label(s->name, sizeof s->name, program->name);
    if (program->pid) snprintf(s->pid, sizeof s->pid, "%" PRIu32, program->pid);
    return true;
}

static void write_page(const page *p)
{
    if (p->relay) write_relay(p);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        write_family(p, &families[i]);
    if (p->writer->finish) p->writer->finish(p->output);
}

char *metrics_page(enum metrics_format format, const struct metrics_relay *relay,
                   const struct metrics_program *program, size_t count, size_t *length)
{
    static const struct metrics_writer *const writer[] = {
        [METRICS_CLASSIC] = &metrics_classic,
        [METRICS_OPEN] = &metrics_open,
        [METRICS_PROTOBUF] = &metrics_protobuf,
        [METRICS_OTLP] = &metrics_otlp,
    };
    char *bytes = NULL;
    struct subject *subject = calloc(count + 1, sizeof *subject);
    struct metrics_output output = {.out = open_memstream(&bytes, length)};
    const page p = {writer[format], &output, relay, subject, count};
    output.failed = !subject || !output.out;
    for (size_t i = 0; i < count && !output.failed; i++)
        output.failed = !fill_subject(&subject[i], &program[i]);
    if (!output.failed) write_page(&p);
    for (size_t i = 0; i < count && subject; i++)
        hectic_live_stats_report_clear(&subject[i].report);
    free(subject);
    if (output.out && fclose(output.out) != 0) output.failed = true;
    if (!output.failed) return bytes;
    free(bytes);
    return NULL;
}
