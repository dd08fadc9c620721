/* kill -9, now of a program, now of the relay, now of a reader. Each is there again at once, and
 * what the program emits has to come to the reader again. */
#define _GNU_SOURCE
#include "soak.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    KILLS_MAX = 200,
    REST_MS = 300,
    LONG_REST_MS = 3000,
    PATIENCE = 60,
    FLUSH_MS = 10,
    PER_MS = 10
};

struct kills {
    const soak *soak;
    tally *tally;   /* of the reader; shared */
    uint64_t since; /* the last kill */
    unsigned programs;
};

static const double LOST_MOST_S = 1.5; /* a record is synced every second */

/* --- Victims ------------------------------------------------------------------------------ */

/* Every other program emits so little that zstd writes nothing for seconds. */
static void chatter(void *user)
{
    const struct kills *k = user;
    hectic_emitter *emitter = program_begin(&(program){.path = k->soak->in, .flush_ms = FLUSH_MS});
    const unsigned per_ms = k->programs % 2 ? PER_MS : 1;
    for (uint64_t i = 0;; i++) {
        if (i % PER_MS > 0)
            emit_number(hectic_emitter_cap(emitter, 0), i);
        else
            emit_value(hectic_emitter_cap(emitter, 0), i, now_ns());
        if (i % per_ms == 0) pause_ms(1);
    }
}

static pid_t start_program(struct kills *k)
{
    k->programs++;
    return start(chatter, k);
}

static pid_t start_relay(struct kills *k)
{
    return relay_start(k->soak, true);
}

static pid_t start_reader(struct kills *k)
{
    reader r = {.tally = k->tally};
    snprintf(r.path, sizeof r.path, "%s", k->soak->out);
    return start(read_logs, &r);
}

enum { PROGRAM, RELAY, READER, VICTIMS };

static pid_t (*const starts[VICTIMS])(struct kills *k) = {start_program, start_relay, start_reader};

/* The reader got what was emitted after the last kill. */
static bool is_served(void *user)
{
    const struct kills *k = user;
    return k->tally->greatest > k->since;
}

/* --- What was recorded ---------------------------------------------------------------------- */

struct recorded {
    unsigned files, other; /* records; files that are none */
    unsigned refused;      /* by hectic check */
    unsigned unfinished;
    unsigned wrong;  /* have a gap */
    double lost_max; /* seconds before the relay's death that an unfinished one does not have */
    uint64_t events;
};

/* When relays were killed. */
struct deaths {
    unsigned count;
    uint64_t ns[KILLS_MAX];
};

/* hectic VERB NAME */
static FILE *run(const soak *s, const char *verb, const char *name, const char *redirected)
{
    char command[2048];
    snprintf(command, sizeof command, "'%s' %s '%s/%s' %s", s->hectic, verb, s->record, name,
             redirected);
    return popen(command, "r");
}

/* A relay that was killed has not written the summary at the end. */
static bool is_unfinished(const soak *s, const char *name)
{
    static const uint8_t head[8] = {0x5e, 0x2a, 0x4d, 0x18, 8};
    char path[PLACE_SIZE + NAME_MAX + 2];
    uint8_t last[16] = {0};
    snprintf(path, sizeof path, "%s/%s", s->record, name);
    FILE *file = fopen(path, "rb");
    if (!file) return true;
    const bool is_read =
        fseek(file, -(long)sizeof last, SEEK_END) == 0 && fread(last, sizeof last, 1, file) == 1;
    fclose(file);
    return !is_read || memcmp(last, head, sizeof head) != 0;
}

/* Is it sound, or merely unfinished? */
static void check(const soak *s, const char *name, struct recorded *sum, bool *unfinished)
{
    char said[4096] = "";
    FILE *says = run(s, "check", name, "2>&1");
    if (says) said[fread(said, 1, sizeof said - 1, says)] = 0;
    const int code = says ? pclose(says) : -1;
    *unfinished = is_unfinished(s, name);
    sum->unfinished += *unfinished;
    if (code == 0 && strstr(said, ": sound")) return;
    sum->refused++;
    fprintf(stderr, "hectic check %s ends with %d:\n%s", name, code, said);
}

/* When it was written to for the last time, by the clock of now_ns. */
static uint64_t written(const soak *s, const char *name)
{
    char path[PLACE_SIZE + NAME_MAX + 2];
    struct stat status = {0};
    struct timespec now;
    snprintf(path, sizeof path, "%s/%s", s->record, name);
    stat(path, &status);
    clock_gettime(CLOCK_REALTIME, &now);
    const double ago = difftime(now.tv_sec, status.st_mtim.tv_sec) * 1e9 +
                       (double)(now.tv_nsec - status.st_mtim.tv_nsec);
    return now_ns() - (uint64_t)ago;
}

/* Its events have numbers without a gap, and hold the time when they were emitted. */
static void read_record(const soak *s, const char *name, struct recorded *sum, bool unfinished,
                        const struct deaths *deaths)
{
    tally t = {0};
    FILE *log = run(s, "copy -q -o -", name, "");
    read_from(&(reader){.tally = &t}, fileno(log));
    sum->wrong += pclose(log) != 0 || t.broken + t.wrong + t.missed > 0;
    sum->events += t.events;
    if (!unfinished) return;
    const uint64_t last = t.events > 0 ? t.greatest : written(s, name);
    for (unsigned i = 0; i < deaths->count; i++)
        if (deaths->ns[i] >= last) {
            const double lost = (double)(deaths->ns[i] - last) * 1e-9;
            if (lost > sum->lost_max) sum->lost_max = lost;
            return;
        }
}

static struct recorded read_all(const soak *s, const struct deaths *deaths)
{
    static const char ending[] = ".eventlog.zst";
    struct recorded sum = {0};
    DIR *directory = opendir(s->record);
    for (const struct dirent *each; directory && (each = readdir(directory));) {
        const char *name = each->d_name;
        const size_t length = strlen(name);
        if (name[0] == '.') continue;
        if (length < sizeof ending || strcmp(name + length + 1 - sizeof ending, ending) != 0) {
            sum.other++;
            continue;
        }
        bool unfinished;
        sum.files++;
        check(s, name, &sum, &unfinished);
        read_record(s, name, &sum, unfinished, deaths);
    }
    if (directory) closedir(directory);
    return sum;
}

/* --- The row -------------------------------------------------------------------------------- */

void row_kills(const soak *s)
{
    struct kills k = {s, shared(sizeof *k.tally), 0, 0};
    const unsigned kills = s->is_long ? KILLS_MAX : 15;
    unsigned seed = 7, waits = 0, served = 0, killed[VICTIMS] = {0};
    double ms[KILLS_MAX];
    struct deaths deaths = {0};
    pid_t pid[VICTIMS];
    for (unsigned i = 0; i < VICTIMS; i++)
        pid[i] = starts[i](&k);
    for (unsigned i = 1; i <= kills; i++) {
        /* Sometimes before all are there again, sometimes when much was recorded. */
        pause_ms((unsigned)rand_r(&seed) % (i % 8 ? REST_MS : LONG_REST_MS));
        const unsigned victim = (unsigned)rand_r(&seed) % VICTIMS;
        slay(pid[victim]);
        k.since = now_ns();
        killed[victim]++;
        if (victim == RELAY) deaths.ns[deaths.count++] = k.since;
        pid[victim] = starts[victim](&k);
        if (i % 3 > 0 && i < kills) continue;
        served += comes_true(is_served, &k, PATIENCE);
        ms[waits++] = (double)(now_ns() - k.since) * 1e-6;
    }
    must(served == waits, "kill -9: times that the reader is served again", "all", "%u of %u",
         served, waits);
    must(killed[PROGRAM] > 0 && killed[RELAY] > 0 && killed[READER] > 0,
         "kill -9: of programs, relays, readers", "each", "%u, %u, %u", killed[PROGRAM],
         killed[RELAY], killed[READER]);
    const double half = quantile(ms, waits, 0.5), most = quantile(ms, waits, 1);
    measured("kill -9: ms until the reader is served, median; most", "%.0f; %.0f", half, most);
    slay(pid[PROGRAM]);
    slay(pid[READER]);
    relay_end(s, pid[RELAY]);
    const tally *t = k.tally;
    must(t->logs > 0 && t->broken + t->wrong == 0, "kill -9: readers' logs with a fault or gap",
         "0", "%" PRIu64 " of %" PRIu64, t->broken + t->wrong, t->logs);
    target(s, t->cut <= killed[RELAY], "kill -9: of them without their end", "<= relays",
           "%" PRIu64, t->cut);
    const struct recorded r = read_all(s, &deaths);
    must(r.files > 0 && r.refused == 0, "kill -9: recorded files that hectic check refuses", "0",
         "%u of %u", r.refused, r.files);
    must(r.events > 0 && r.wrong == 0, "kill -9: of them, those with a gap", "0",
         "%u (%" PRIu64 " events)", r.wrong, r.events);
    target(s, r.unfinished <= killed[RELAY], "kill -9: of them without their end", "<= relays",
           "%u", r.unfinished);
    target(s, r.lost_max <= LOST_MOST_S, "kill -9: seconds that one of these lacks, at most",
           "<= 1.5", "%.1f", r.lost_max);
    must(r.other == 0, "kill -9: other files among them", "0", "%u", r.other);
}
