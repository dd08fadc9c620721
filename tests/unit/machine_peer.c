/* The machines give the same verdicts and times as those of ghc-events, on all logs and on copies
 * with small faults. */
#include "logs.h"

#include <sys/wait.h>

/* The machines of Debian's ghc-events. */
static const char *const names[] = {"threads",  "threadpool", "threadrun",
                                    "taskpool", "tasks",      "sparks"};
enum { MACHINES = sizeof names / sizeof *names };

static char file[4096];
static unsigned compared, invalid;

static void write_file(const struct bytes *log)
{
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(log->data, 1, log->length, out), log->length);
    assert_int_equal(fclose(out), 0);
}

static FILE *peer(const char *verb, const char *machine)
{
    char command[5000];
    snprintf(command, sizeof command, "ghc-events %s %s '%s' 2>/dev/null", verb, machine, file);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    return pipe;
}

enum verdict { NONE, VALID, INVALID };

static enum verdict peer_verdict(const char *machine)
{
    FILE *pipe = peer("validate", machine);
    char line[64] = "", rest[1 << 12];
    if (fgets(line, sizeof line, pipe) == NULL) line[0] = '\0';
    while (fread(rest, 1, sizeof rest, pipe) > 0)
        continue;
    if (pclose(pipe) != 0) return NONE; /* it cannot read the whole log */
    return strncmp(line, "Valid", 5) == 0     ? VALID
           : strncmp(line, "Invalid", 7) == 0 ? INVALID
                                              : NONE;
}

/* Runs the machines on the log. */
static void take(hectic_engine **engine, size_t engines)
{
    hectic_error error;
    hectic_input *input = hectic_input_open(file, &error);
    assert_non_null(input);
    hectic_log *log = hectic_log_open(input, NULL, &error);
    assert_non_null(log);
    hectic_event event;
    hectic_result result;
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER)
        for (size_t i = 0; i < engines; i++) {
            if (result == HECTIC_HEADER)
                hectic_engine_begin(engine[i], hectic_log_header(log));
            else
                assert_true(hectic_engine_event(engine[i], &event));
        }
    hectic_log_free(log);
}

static void compare_verdicts(const char *path)
{
    hectic_engine *engine[MACHINES];
    for (size_t i = 0; i < MACHINES; i++) {
        engine[i] = hectic_engine_new(hectic_machine_by_name(names[i]), NULL);
        assert_non_null(engine[i]);
    }
    take(engine, MACHINES);
    for (size_t i = 0; i < MACHINES; i++) {
        const enum verdict theirs = peer_verdict(names[i]);
        const enum verdict ours = hectic_engine_count(engine[i]).faults ? INVALID : VALID;
        if (theirs != NONE && ours != theirs)
            fail_msg("%s of %s, as it is now in %s, is %s only for hectic", names[i], path, file,
                     ours == VALID ? "valid" : "invalid");
        compared += theirs != NONE;
        invalid += theirs == INVALID;
        hectic_engine_free(engine[i]);
    }
}

/* --- Small faults ---------------------------------------------------------------------------- */

static void put16(uint8_t *bytes, uint64_t number)
{
    bytes[0] = (uint8_t)(number >> 8);
    bytes[1] = (uint8_t)number;
}

/* Another type of the same size, another thread, reason, task, cap or time. */
static void spoil(const struct found *found, const hectic_event *event, uint8_t *bytes,
                  uint64_t *seed)
{
    uint8_t *payload = bytes + event->position + 10;
    switch (event->type) {
    case HECTIC_EVENT_CREATE_THREAD:
    case HECTIC_EVENT_RUN_THREAD:
    case HECTIC_EVENT_CREATE_SPARK_THREAD:
        if (random_below(seed, 2))
            payload[3] ^= (uint8_t)(1 + random_below(seed, 3));
        else
            put16(bytes + event->position, random_below(seed, 2)); /* create, or run */
        break;
    case HECTIC_EVENT_STOP_THREAD:
        if (random_below(seed, 2))
            payload[3] ^= (uint8_t)(1 + random_below(seed, 3));
        else
            put16(payload + 4, 1 + random_below(seed, 8));
        break;
    case HECTIC_EVENT_MIGRATE_THREAD:
    case HECTIC_EVENT_THREAD_WAKEUP:
        put16(bytes + event->position,
              random_below(seed, 2) ? HECTIC_EVENT_MIGRATE_THREAD : HECTIC_EVENT_THREAD_WAKEUP);
        put16(payload + 4, random_below(seed, 3));
        break;
    case HECTIC_EVENT_TASK_CREATE:
    case HECTIC_EVENT_TASK_MIGRATE:
        payload[8 + random_below(seed, 4)] ^= 1; /* the cap, or the number after it */
        break;
    case HECTIC_EVENT_BLOCK_MARKER:
        if (random_below(seed, 4) == 0) put16(payload + 12, random_below(seed, 2) ? 0xffff : 1);
        break;
    default:
        /* Its time: that of a nearby event. */
        if (found->count > 10) {
            const uint64_t near = random_below(seed, 10);
            const size_t at = (size_t)(event - found->event);
            if (at >= near)
                memcpy(bytes + event->position + 2,
                       bytes + found->event[at - (size_t)near].position + 2, 8);
        }
    }
}

/* Debian's version still reads the STOP_THREAD of GHC 6.12, which 0.21 and hectic do not. */
static bool has_old_stops(const struct found *found)
{
    const hectic_header *header = hectic_decoder_header(found->decoder);
    const hectic_event_type *type =
        header ? hectic_header_type(header, HECTIC_EVENT_STOP_THREAD) : NULL;
    return type && type->shape && type->shape->text == NULL;
}

static void test_verdicts_of(const char *path, const struct bytes *log)
{
    struct found found = found_in(log->data, log->length);
    if (found.headers != 1 || has_old_stops(&found)) {
        found_free(&found);
        return;
    }
    write_file(log);
    compare_verdicts(path);
    uint64_t seed = log->length;
    const unsigned copies = getenv("EXHAUSTIVE") ? 6 : 2;
    for (unsigned copy = 0; found.count > 0 && copy < copies; copy++) {
        struct bytes spoilt = {0};
        bytes_write(&spoilt, log->data, log->length);
        const uint64_t few = copy < copies / 2 ? 3 : 30;
        for (uint64_t i = 0; i < few; i++)
            spoil(&found, &found.event[random_below(&seed, found.count)], spoilt.data, &seed);
        write_file(&spoilt);
        compare_verdicts(path);
        bytes_free(&spoilt);
    }
    found_free(&found);
}

static void the_same_verdicts(void **state)
{
    (void)state;
    for_each_log(200000, test_verdicts_of);
    print_message("compared %u verdicts, %u of them invalid\n", compared, invalid);
    assert_true(compared > 100 && invalid > 30);
}

/* --- Profiles -------------------------------------------------------------------------------- */

enum { THREADS_MAX = 4096 };

/* By thread and state. */
static uint64_t ours[THREADS_MAX][HECTIC_MACHINE_MAX], theirs[THREADS_MAX][HECTIC_MACHINE_MAX];
static uint8_t state_now[THREADS_MAX];
static unsigned times_compared;

static void add_profile(void *user, const hectic_profile *profile)
{
    const hectic_machine *machine = user;
    if (profile->key >= THREADS_MAX) return;
    state_now[profile->key] = profile->state;
    for (unsigned i = 0; machine->states[i]; i++)
        ours[profile->key][i] += profile->stay[i].ns;
}

/* A line such as "(7,(ThreadRunning,1200,300))" or "(7,(SparkThreadRunning 3,1200,300))". */
static void add_line(const char *line, const char *const *states)
{
    unsigned thread;
    int end = 0;
    if (sscanf(line, "(%u,(%n", &thread, &end) < 1 || end == 0) return;
    const char *name = line + end, *numbers = strchr(name, ',');
    unsigned long long since, ns;
    if (numbers == NULL || sscanf(numbers, ",%llu,%llu", &since, &ns) < 2) return;
    if (thread >= THREADS_MAX) return;
    const size_t length = strcspn(name, ", ");
    for (unsigned i = 0; states[i]; i++)
        if (strlen(states[i]) == length && strncmp(states[i], name, length) == 0)
            theirs[thread][i] += ns;
}

static void compare_profiles(const char *name, const char *const *states)
{
    const hectic_machine *machine = hectic_machine_by_name(name);
    memset(ours, 0, sizeof ours);
    memset(theirs, 0, sizeof theirs);
    memset(state_now, 0, sizeof state_now);
    const hectic_observer observer = {
        .ended = add_profile, .user = (void *)(uintptr_t)machine, .profile = true};
    hectic_engine *engine = hectic_engine_new(machine, &observer);
    take(&engine, 1);
    assert_true(hectic_engine_each(engine, add_profile, observer.user));
    const bool is_valid = hectic_engine_count(engine).faults == 0;
    hectic_engine_free(engine);
    if (!is_valid) return; /* profiles end at the first fault */
    FILE *pipe = peer("profile", name);
    char line[1024];
    while (fgets(line, sizeof line, pipe))
        add_line(line, states);
    if (pclose(pipe) != 0) return;
    for (unsigned thread = 0; thread < THREADS_MAX; thread++)
        for (unsigned i = 1; states[i]; i++) {
            if (states[i][0] == '-') continue;
            times_compared += theirs[thread][i] > 0;
            /* They count the beginning of a stay that has not ended if the thread was woken. */
            if (i == state_now[thread] && ours[thread][i] <= theirs[thread][i]) continue;
            if (ours[thread][i] != theirs[thread][i])
                fail_msg("%s: thread %u was %s for %llu ns, not %llu", name, thread, states[i],
                         (unsigned long long)theirs[thread][i],
                         (unsigned long long)ours[thread][i]);
        }
}

static void test_profiles_of(const char *path, const struct bytes *log)
{
    /* In the order of the machines' states; "-": no such state. */
    static const char *const thread_states[] = {"-", "ThreadQueued", "ThreadRunning",
                                                "ThreadStopped", NULL};
    static const char *const spark_states[] = {
        "", "-", "SparkThreadCreated", "SparkThreadRunning", "SparkThreadPaused", NULL};
    (void)path;
    if (log->length == 0) return;
    write_file(log);
    compare_profiles("threads", thread_states);
    compare_profiles("sparks", spark_states);
}

static void the_same_profiles(void **state)
{
    (void)state;
    for_each_log(200000, test_profiles_of);
    print_message("compared %u times\n", times_compared);
    assert_true(times_compared > 200);
}

/* --------------------------------------------------------------------------------------------- */

int main(void)
{
    if (system("command -v ghc-events >/dev/null") != 0) {
        printf("SKIPPED: needs ghc-events (scripts/install-deps test)\n");
        return 77;
    }
    const char *build = getenv("HECTIC_BUILD");
    snprintf(file, sizeof file, "%s/machine_peer.eventlog", build ? build : ".");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_verdicts),
        cmocka_unit_test(the_same_profiles),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0) remove(file);
    return failed;
}
