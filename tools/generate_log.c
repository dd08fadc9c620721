/* generate_log.c — generate-log: a synthetic log of any size and shape, to test and measure with.
 *
 * It is the log of a simulated program: threads that run, block, wake, migrate and finish on
 * several caps, collections with their statistics, sparks, messages, markers, and heap and time
 * profiles. The log is sound and valid. The same options give the same bytes on every machine.
 * Memory does not depend on its size. */
#include "generator.h"

#include <hectic/server.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS_PER_CAP = 48, CAPS_MAX = 1024, THREADS_MAX = 100000000 };
enum { BANDS = 10, STACKS = 1000, PROFILE_MAX = 10000000 };
enum { UNUSABLE = 2, USAGE = 64 };

static const char help[] =
    "Usage: generate-log [OPTION]... [-o FILE]\n"
    "Writes a synthetic log, to stdout if there is no FILE. It ends at the first of --size,\n"
    "--events and --duration.\n"
    "\n"
    "  --size SIZE      end after about SIZE bytes, such as 400M (default 10M)\n"
    "  --events N       end after N events, or a few more\n"
    "  --duration TIME  end after TIME by the clock of the log, such as 10s\n"
    "  --caps N         number of caps (default 4)\n"
    "  --threads N      number of live threads (default 48 for each cap)\n"
    "  --mix KIND=N,... shares of kinds of events: threads, gc, sparks, messages, heap-profile "
    "and\n"
    "                   time-profile (default threads=78,gc=12,sparks=7,messages=3)\n"
    "  --bands N        bands of each sample of a heap profile (default 10)\n"
    "  --stacks N       different stacks of a time profile (default 1000)\n"
    "  --buffer SIZE    buffer of each cap, the maximum of a block (default 2Mi, as in GHC)\n"
    "  --alternate      all caps log at the same time: the slowest log to order. Otherwise one "
    "cap\n"
    "                   logs some 20 events before another does, as in most programs\n"
    "  --seed N         seed of the random numbers (default 0)\n"
    "  -o FILE          gets its name when it is complete\n"
    "  --force          replace FILE if it exists\n"
    "\n"
    "Numbers may end in k, M or G (powers of 1000), or Ki, Mi or Gi (powers of 1024).\n";

struct settings {
    uint64_t size, events, duration; /* 0: no limit */
    uint64_t caps, threads, bands, stacks, seed, buffer;
    uint64_t weight[GENERATOR_KINDS];
    bool alternate, force;
    const char *path; /* NULL: stdout */
};

static _Noreturn void end(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("generate-log: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(code);
}

/* --- The command line ------------------------------------------------------------------------- */

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
static bool set_mix(uint64_t *weight, char *words)
{
    uint64_t sum = 0;
    memset(weight, 0, GENERATOR_KINDS * sizeof *weight);
    for (char *word; (word = strsep(&words, ","));) {
        const size_t length = strcspn(word, "=");
        if (word[length] != '=' || !set_weight(weight, word, length, word + length + 1))
            return false;
    }
    for (int kind = 0; kind < GENERATOR_KINDS; kind++)
        sum += weight[kind];
    return sum > 0;
}

static bool set_duration(uint64_t *ns, const char *text)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    char *unit;
    errno = 0;
    const unsigned long long number = strtoull(text, &unit, 10);
    if (errno || unit == text || *text == '-' || number == 0) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0 && number <= UINT64_MAX / units[i].ns)
            return *ns = number * units[i].ns, true;
    return false;
}

static bool set_amount(uint64_t *amount, const char *text)
{
    return hectic_size_parse(text, amount) && *amount > 0;
}

enum option_kind { FLAG, AMOUNT, NUMBER, DURATION, MIX, PATH, HELP };

static const struct {
    const char *name;
    enum option_kind kind;
    size_t field;
} options[] = {
    {"size", AMOUNT, offsetof(struct settings, size)},
    {"events", AMOUNT, offsetof(struct settings, events)},
    {"duration", DURATION, offsetof(struct settings, duration)},
    {"caps", AMOUNT, offsetof(struct settings, caps)},
    {"threads", AMOUNT, offsetof(struct settings, threads)},
    {"mix", MIX, offsetof(struct settings, weight)},
    {"bands", AMOUNT, offsetof(struct settings, bands)},
    {"stacks", AMOUNT, offsetof(struct settings, stacks)},
    {"buffer", AMOUNT, offsetof(struct settings, buffer)},
    {"seed", NUMBER, offsetof(struct settings, seed)},
    {"alternate", FLAG, offsetof(struct settings, alternate)},
    {"force", FLAG, offsetof(struct settings, force)},
    {"output", PATH, offsetof(struct settings, path)},
    {"help", HELP, 0},
};
enum { OPTIONS = sizeof options / sizeof *options };

static bool set_option(struct settings *s, size_t index, char *argument)
{
    void *field = (char *)s + options[index].field;
    switch (options[index].kind) {
    case FLAG: return *(bool *)field = true;
    case AMOUNT: return set_amount(field, argument);
    case NUMBER: return hectic_size_parse(argument, field);
    case DURATION: return set_duration(field, argument);
    case MIX: return set_mix(field, argument);
    case PATH: s->path = strcmp(argument, "-") == 0 ? NULL : argument; return true;
    case HELP: fputs(help, stdout); exit(0);
    }
    return false;
}

static void read_options(struct settings *s, int argc, char **argv)
{
    struct option known[OPTIONS + 1] = {{0}};
    size_t index = 0;
    for (int i = 0; i < OPTIONS; i++)
        known[i] = (struct option){.name = options[i].name,
                                   .has_arg = options[i].kind == FLAG || options[i].kind == HELP
                                                  ? no_argument
                                                  : required_argument,
                                   .val = 256 + i};
    for (int found; (found = getopt_long(argc, argv, "o:", known, NULL)) != -1;) {
        if (found == '?') exit(USAGE);
        index = (size_t)(found == 'o' ? OPTIONS - 2 : found - 256);
        if (!set_option(s, index, optarg))
            end(USAGE, "--%s cannot be \"%s\"; see --help", options[index].name, optarg);
    }
    if (optind < argc) end(USAGE, "unexpected argument \"%s\"; see --help", argv[optind]);
}

static void set_defaults(struct settings *s)
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
    if (s->caps > CAPS_MAX || s->threads > THREADS_MAX)
        end(USAGE, "at most %d caps and %d threads are possible", CAPS_MAX, THREADS_MAX);
    if (s->bands > PROFILE_MAX || s->stacks > PROFILE_MAX)
        end(USAGE, "at most %d bands and stacks are possible", PROFILE_MAX);
}

/* --- The output ------------------------------------------------------------------------------- */

struct output {
    FILE *file;
    const char *path; /* its name at the end; NULL: it has one */
    char *temporary;  /* until then */
    int error;        /* the first, of errno; 0: none */
};

static _Noreturn void fail(const struct output *out, const struct settings *s, int error)
{
    if (out->temporary) unlink(out->temporary);
    end(UNUSABLE, "%s: %s", s->path ? s->path : "standard output", strerror(error));
}

static void output_open(struct output *out, const struct settings *s)
{
    struct stat status;
    *out = (struct output){.file = stdout};
    if (!s->path && isatty(STDOUT_FILENO)) end(UNUSABLE, "not writing a log to a terminal");
    if (!s->path) return;
    const bool exists = stat(s->path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        out->file = fopen(s->path, "wb");
        if (!out->file) fail(out, s, errno);
        return;
    }
    if (exists && status.st_size > 0 && !s->force)
        end(UNUSABLE, "%s already exists: use --force to replace it", s->path);
    const size_t length = strlen(s->path);
    char *temporary = malloc(length + 8);
    if (!temporary) fail(out, s, ENOMEM);
    memcpy(temporary, s->path, length);
    memcpy(temporary + length, ".XXXXXX", 8);
    const int fd = mkstemp(temporary);
    if (fd < 0) fail(out, s, errno);
    out->path = s->path;
    out->temporary = temporary;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    out->file = fdopen(fd, "wb");
    if (!out->file) fail(out, s, errno);
}

static bool output_write(void *user, const void *bytes, size_t length)
{
    struct output *out = user;
    if (!out->error && fwrite(bytes, 1, length, out->file) < length) out->error = errno;
    return !out->error;
}

static void output_close(struct output *out, const struct settings *s)
{
    if (fclose(out->file) != 0 && !out->error) out->error = errno;
    if (!out->error && out->temporary && rename(out->temporary, out->path) != 0) out->error = errno;
    if (out->error) fail(out, s, out->error);
    free(out->temporary);
}

/* --- The log ---------------------------------------------------------------------------------- */

static bool is_reached(uint64_t limit, uint64_t number)
{
    return limit > 0 && number >= limit;
}

/* Stops at the first dropped event: buffers could not be allocated, and the emitter would wait at
 * each further event. */
static void make_events(const struct settings *s, struct generator *g, hectic_emitter *emitter,
                        const struct output *out)
{
    enum { FEW_STEPS = 64 };
    for (uint64_t steps = 1; !out->error; steps++) {
        const struct generator_progress p = generator_get_progress(g);
        if (is_reached(s->size, p.bytes) || is_reached(s->events, p.events) ||
            is_reached(s->duration, p.time))
            break;
        generator_step(g);
        if (steps % FEW_STEPS == 0 && hectic_emitter_get_state(emitter).events_dropped > 0) break;
    }
}

/* False: out of memory. */
static bool make_log(const struct settings *s, struct generator *g, struct output *out)
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
    static const hectic_emit_writer writer = {.write = output_write};
    const hectic_destination to_output = {
        .kind = HECTIC_TO_WRITER, .wait_ms = 1, .writer = &writer, .user = out};
    const bool begun = emitter != NULL &&
                       hectic_emitter_start(emitter, &to_output) == HECTIC_EMIT_OK &&
                       generator_begin(g, emitter);
    if (begun) make_events(s, g, emitter, out);
    if (begun) generator_end(g);
    /* output_close reports write errors. */
    const bool ended = begun && (hectic_emitter_stop(emitter) == HECTIC_EMIT_OK || out->error);
    hectic_emitter_free(emitter);
    return ended;
}

int main(int argc, char **argv)
{
    struct settings s = {0};
    struct output out;
    read_options(&s, argc, argv);
    set_defaults(&s);
    struct generator_settings program = {.caps = (uint32_t)s.caps,
                                         .threads = (uint32_t)s.threads,
                                         .bands = (uint32_t)s.bands,
                                         .stacks = (uint32_t)s.stacks,
                                         .seed = s.seed,
                                         .alternate = s.alternate};
    memcpy(program.weight, s.weight, sizeof program.weight);
    struct generator *g = generator_new(&program);
    output_open(&out, &s);
    if (!g || !make_log(&s, g, &out)) fail(&out, &s, ENOMEM);
    generator_free(g);
    output_close(&out, &s);
    return 0;
}
