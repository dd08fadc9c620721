/* gen.c — hectic gen: generate a synthetic log of any size and shape. */
#include "tool/cli/tool.h"
#include "tool/verbs/gen/generator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_PER_CAP = 48, CAPS_MAX = 1024, THREADS_MAX = 100000000 };
enum { BANDS = 10, STACKS = 1000, PROFILE_MAX = 10000000 };

struct gen_settings {
    uint64_t size, events, duration; /* 0: no limit */
    uint64_t caps, threads, bands, stacks, seed, buffer;
    uint64_t weight[GENERATOR_KINDS];
    bool alternate;
    struct output_settings output;
};

/* --- The command line ------------------------------------------------------------------------- */

static bool set_seed(void *field, const char *argument)
{
    if (hectic_size_parse(argument, field)) return true;
    return tool_invalid("number", argument, NULL, "such as 7");
}

static bool set_weight(uint64_t *weight, const char *name, size_t length, const char *number)
{
    for (int kind = 0; kind < GENERATOR_KINDS; kind++) {
        if (strlen(generator_kinds[kind]) != length || strncmp(generator_kinds[kind], name, length))
            continue;
        return hectic_size_parse(number, &weight[kind]) && weight[kind] <= GENERATOR_WEIGHT_MAX;
    }
    return false;
}

/* "threads=80,gc=20": kinds that are not named have weight 0. */
static bool set_mix(void *field, const char *argument)
{
    uint64_t *weight = field, sum = 0;
    memset(weight, 0, GENERATOR_KINDS * sizeof *weight);
    char *words = strdup(argument), *rest = words, *word;
    bool good = true;
    if (!words) tool_out_of_memory();
    while (good && (word = strsep(&rest, ",")) != NULL) {
        const size_t length = strcspn(word, "=");
        good = word[length] == '=' && set_weight(weight, word, length, word + length + 1);
    }
    free(words);
    for (int kind = 0; kind < GENERATOR_KINDS; kind++)
        sum += weight[kind];
    if (good && sum > 0) return true;
    return tool_invalid("value", argument, NULL,
                        "KIND=N,..., where KIND is threads, gc, sparks, messages, heap-profile or "
                        "time-profile, and N is at most 1000");
}

static void set_defaults(struct gen_settings *s)
{
    static const uint64_t weight[GENERATOR_KINDS] = {[GENERATOR_THREADS] = 78,
                                                     [GENERATOR_GC] = 12,
                                                     [GENERATOR_SPARKS] = 7,
                                                     [GENERATOR_MESSAGES] = 3};
    uint64_t sum = 0;
    for (int kind = 0; kind < GENERATOR_KINDS; kind++)
        sum += s->weight[kind];
    if (sum == 0) memcpy(s->weight, weight, sizeof weight);
    if (s->caps == 0) s->caps = 4;
    if (s->threads == 0) s->threads = s->caps * THREADS_PER_CAP;
    if (s->bands == 0) s->bands = BANDS;
    if (s->stacks == 0) s->stacks = STACKS;
    if (s->buffer == 0) s->buffer = 2 << 20; /* EVENT_LOG_SIZE of GHC's runtime */
    if (s->size + s->events + s->duration == 0) s->size = 10000000;
}

/* --- The log ---------------------------------------------------------------------------------- */

static bool write_to_sink(void *user, const void *bytes, size_t length)
{
    sink_text(user, bytes, length);
    return !sink_failed(user);
}

static double part(uint64_t done, uint64_t wanted)
{
    return wanted > 0 ? (double)done / (double)wanted : 0;
}

/* The progress, from 0 to 1. */
static double done(const struct gen_settings *s, struct generator_progress p)
{
    const double parts[] = {part(p.bytes, s->size), part(p.events, s->events),
                            part(p.time, s->duration)};
    double most = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] > most) most = parts[i];
    return most;
}

/* Ends early if events are dropped: then there is no memory for buffers, and the emitter waits for
 * each event. */
static void make_events(const struct gen_settings *s, struct generator *g, hectic_emitter *emitter,
                        struct sink *sink)
{
    enum { STEPS = 16384, FEW_STEPS = 64 };
    struct progress progress = progress_start(&s->output);
    for (uint64_t steps = 1; !sink_failed(sink); steps++) {
        const struct generator_progress p = generator_get_progress(g);
        if ((s->size > 0 && p.bytes >= s->size) || (s->events > 0 && p.events >= s->events) ||
            (s->duration > 0 && p.time >= s->duration))
            break;
        generator_step(g);
        if (steps % FEW_STEPS == 0 && hectic_emitter_get_state(emitter).events_dropped > 0) break;
        if (steps % STEPS == 0) progress_update(&progress, done(s, p));
    }
    progress_end(&progress);
}

/* False: out of memory. */
static bool make_log(const struct gen_settings *s, struct generator *g, struct sink *sink)
{
    hectic_emitter *emitter = hectic_emitter_new(&(hectic_emitter_options){
        .caps = (uint32_t)s->caps,
        .buffer_size = s->buffer,
        .clock = HECTIC_CLOCK_CALLER,
        .now = generator_now,
        .no_process = true,
        .no_thread = true,
        .user = g,
    });
    static const hectic_emit_writer writer = {.write = write_to_sink};
    const hectic_destination to_sink = {
        .kind = HECTIC_TO_WRITER, .wait_ms = 1, .writer = &writer, .user = sink};
    const bool begun = emitter != NULL &&
                       hectic_emitter_start(emitter, &to_sink) == HECTIC_EMIT_OK &&
                       generator_begin(g, emitter);
    if (begun) make_events(s, g, emitter, sink);
    if (begun) generator_end(g);
    /* sink_close reports write errors. */
    const bool ended =
        begun && (hectic_emitter_stop(emitter) == HECTIC_EMIT_OK || sink_failed(sink));
    hectic_emitter_free(emitter);
    return ended;
}

static int run(void *settings, int argc, char **argv)
{
    (void)argc, (void)argv;
    struct gen_settings *s = settings;
    set_defaults(s);
    if (s->caps > CAPS_MAX || s->threads > THREADS_MAX) {
        tool_usage_error("at most %d caps and %d threads are possible", CAPS_MAX, THREADS_MAX);
        return TOOL_USAGE;
    }
    if (s->bands > PROFILE_MAX || s->stacks > PROFILE_MAX) {
        tool_usage_error("at most %d bands and stacks are possible", PROFILE_MAX);
        return TOOL_USAGE;
    }
    struct generator_settings program = {.caps = (uint32_t)s->caps,
                                         .threads = (uint32_t)s->threads,
                                         .bands = (uint32_t)s->bands,
                                         .stacks = (uint32_t)s->stacks,
                                         .seed = s->seed,
                                         .alternate = s->alternate};
    memcpy(program.weight, s->weight, sizeof program.weight);
    struct generator *g = generator_new(&program);
    struct sink *sink = g ? sink_open_for_log(&s->output) : NULL;
    int code = TOOL_OK;
    if (g == NULL) tool_message("out of memory");
    if (sink == NULL) code = TOOL_UNUSABLE;
    if (sink && !make_log(s, g, sink)) {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    }
    generator_free(g);
    return sink ? sink_close(sink, code) : code;
}

static const struct tool_option length_options[] = {
    {"size", 0, "SIZE", "end after about SIZE bytes, such as 400M (default 10M)", NULL,
     offsetof(struct gen_settings, size), tool_set_amount},
    {"events", 0, "N", "end after N events, or a few more", NULL,
     offsetof(struct gen_settings, events), tool_set_amount},
    {"duration", 0, "TIME", "end after TIME by the clock of the log, such as 10s", NULL,
     offsetof(struct gen_settings, duration), tool_set_duration},
    {0},
};

static const struct tool_option shape_options[] = {
    {"caps", 0, "N", "number of caps (default 4)", NULL, offsetof(struct gen_settings, caps),
     tool_set_amount},
    {"threads", 0, "N", "number of live threads (default 48 for each cap)", NULL,
     offsetof(struct gen_settings, threads), tool_set_amount},
    {"mix", 0, "KIND=N,...", "shares of kinds of events, such as threads=3,gc=1", NULL,
     offsetof(struct gen_settings, weight), set_mix},
    {"bands", 0, "N", "bands of each sample of a heap profile (default 10)", NULL,
     offsetof(struct gen_settings, bands), tool_set_amount},
    {"stacks", 0, "N", "different stacks of a time profile (default 1000)", NULL,
     offsetof(struct gen_settings, stacks), tool_set_amount},
    {"buffer", 0, "SIZE", "buffer of each cap, the maximum of a block (default 2Mi)", NULL,
     offsetof(struct gen_settings, buffer), tool_set_amount},
    {"alternate", 0, NULL, "all caps log at the same time: the slowest log to order", NULL,
     offsetof(struct gen_settings, alternate), tool_set_flag},
    {"seed", 0, "N", "seed of the random numbers (default 0)", NULL,
     offsetof(struct gen_settings, seed), set_seed},
    {0},
};

const struct verb verb_gen = {
    .name = "gen",
    .group = NULL,
    .summary = "Generate a synthetic log of any size and shape",
    .usage = (const char *const[]){"[OPTION]...", NULL},
    .description =
        (const char *const[]){
            "Writes the log of a simulated program: threads that run, block, wake, migrate and "
            "finish on several caps, collections with their statistics, sparks, messages, markers "
            "and heap and time profiles. The log is sound and valid (hectic check --deep), to test "
            "readers "
            "with.",
            "The same options give the same bytes on every machine. The log ends at the first of "
            "--size, --events and --duration. Memory does not depend on its size.",
            "As in the logs of most programs, one cap logs some 20 events before another does. "
            "With "
            "--alternate, consecutive events are of different caps: no program is known to log so, "
            "and it is the worst case for analyses in order of time.",
            "Each cap collects its events in a buffer and writes a block when the buffer is full, "
            "so the blocks of different caps overlap in time. Events without a cap have a buffer, "
            "too: without a profile they are one block, which spans the run.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Length", length_options, 0,
             "Sizes and numbers may end in k, M or G (powers of 1000), or Ki, Mi or Gi (powers of "
             "1024)."},
            {"Shape", shape_options, 0,
             "--mix sets the share of each kind of events: threads, gc, sparks, messages, "
             "heap-profile and time-profile. Kinds that are not named do not occur. The default is "
             "threads=78,gc=12,sparks=7,messages=3."},
            {"Output", output_options, offsetof(struct gen_settings, output), NULL},
            {0}},
    .examples =
        (const struct example[]){{"hectic gen --size 400M -o big.eventlog", "a busy program"},
                                 {"hectic gen --events 1000 | hectic show -", "a thousand events"},
                                 {"hectic gen --mix messages=1 --duration 1s | hectic check -",
                                  "one second of messages only"},
                                 {NULL, NULL}},
    .exits = {"The log was written.", NULL, "The output cannot be written, or out of memory."},
    .least = 0,
    .most = 0,
    .settings_size = sizeof(struct gen_settings),
    .run = run,
};
