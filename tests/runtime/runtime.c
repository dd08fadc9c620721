/* Nothing runs: threads change state by function calls, which are logged. One lock represents all
 * ways to stop the capabilities. With -DFAKE_SHARED it exports only the symbols of a shared
 * runtime, with -DFAKE_ONE_THREAD it is a runtime without -threaded. */
#include "runtime.h"

#include <hectic/encoder.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CAPS = 4, GLOBAL = CAPS, BUFFER = 1 << 16, MARKER = HECTIC_BLOCK_MARKER_SIZE };

#if FAKE_SHARED
#define TRACE_sched            hidden_TRACE_sched
#define TRACE_gc               hidden_TRACE_gc
#define TRACE_nonmoving_gc     hidden_TRACE_nonmoving_gc
#define TRACE_spark_sampled    hidden_TRACE_spark_sampled
#define TRACE_spark_full       hidden_TRACE_spark_full
#define TRACE_cap              hidden_TRACE_cap
#define rtsConfig              hidden_rtsConfig
#define nonmoving_threads      hidden_nonmoving_threads
#define nonmoving_old_threads  hidden_nonmoving_old_threads
#define flushAllCapsEventsBufs hidden_flushAllCapsEventsBufs
#define lookupThreadLabel      hidden_lookupThreadLabel
#endif

#if __GLASGOW_HASKELL__ >= 904
typedef uint8_t trace_switch;
#else
typedef int trace_switch;
#endif
trace_switch TRACE_sched = 1, TRACE_gc = 1, TRACE_nonmoving_gc = 1, TRACE_spark_sampled = 1,
             TRACE_spark_full = 0, TRACE_user = 1, TRACE_cap = 1;

typeof(RtsFlags) RtsFlags = {
    .TraceFlags = {.tracing = TRACE_EVENTLOG, .scheduler = true, .gc = true, .user = true},
    .ParFlags = {.parGcEnabled = true}};
RtsConfig rtsConfig;
char *prog_name = "fake";
uint32_t n_capabilities = CAPS, enabled_capabilities = CAPS;

StgTSO stg_END_TSO_QUEUE_closure;
static generation generations_[2] = {{END_TSO_QUEUE, &generations_[1]},
                                     {END_TSO_QUEUE, &generations_[1]}};
generation *g0 = generations_;
StgTSO *nonmoving_threads = END_TSO_QUEUE, *nonmoving_old_threads = END_TSO_QUEUE;

/* Begins like the runtime's struct. */
struct Capability_ {
    StgFunTable f;
    StgRegTable r;
    uint32_t no;
};
static struct Capability_ capabilities_[CAPS] = {{.no = 0}, {.no = 1}, {.no = 2}, {.no = 3}};

int runtime_collections, runtime_unflushed;
void (*runtime_after_rest)(void);
static int marking;
static bool enabled;
static const EventLogWriter *writer;
static uint8_t buffer[CAPS + 1][BUFFER];
static size_t size[CAPS + 1];
static uint64_t began[CAPS + 1];
static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;

/* --- The log --------------------------------------------------------------------------------- */

static uint64_t now(void)
{
    static uint64_t last;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return last = ns > last ? ns : last + 1;
}

static void empty(int cap)
{
    size[cap] = MARKER;
    began[cap] = now();
}

static void write_out(int cap)
{
    hectic_encode_block_marker(buffer[cap], MARKER, began[cap], (uint32_t)size[cap], now(),
                               cap == GLOBAL ? HECTIC_CAP_NONE : (uint16_t)cap);
    if (writer)
        writer->writeEventLog(buffer[cap], size[cap]);
    else
        runtime_unflushed++;
    empty(cap);
}

static void write_all(void)
{
    for (int cap = 0; cap <= GLOBAL; cap++)
        write_out(cap);
}

static void post(uint32_t cap, uint16_t number, const hectic_value *value, size_t count)
{
    const hectic_event_type type = hectic_type_of(number);
    if (size[cap] > BUFFER - 1024) write_out((int)cap);
    size[cap] += hectic_encode_fields(buffer[cap] + size[cap], BUFFER, &type, now(), value, count);
}

static void write_header(void)
{
    static const uint16_t numbers[] = {
        HECTIC_EVENT_BLOCK_MARKER,  HECTIC_EVENT_CREATE_THREAD,     HECTIC_EVENT_RUN_THREAD,
        HECTIC_EVENT_STOP_THREAD,   HECTIC_EVENT_THREAD_WAKEUP,     HECTIC_EVENT_MIGRATE_THREAD,
        HECTIC_EVENT_THREAD_LABEL,  HECTIC_EVENT_LOG_MSG,           HECTIC_EVENT_USER_MSG,
        HECTIC_EVENT_CAP_CREATE,    HECTIC_EVENT_CAP_ENABLE,        HECTIC_EVENT_CAP_DISABLE,
        HECTIC_EVENT_CAPSET_CREATE, HECTIC_EVENT_CAPSET_ASSIGN_CAP, HECTIC_EVENT_RTS_IDENTIFIER,
    };
    enum { COUNT = sizeof numbers / sizeof *numbers };
    hectic_event_type types[COUNT];
    uint8_t bytes[4096];
    for (size_t i = 0; i < COUNT; i++)
        types[i] = hectic_type_of(numbers[i]);
    writer->writeEventLog(bytes, hectic_encode_header(bytes, sizeof bytes, types, COUNT));
}

enum EventLogStatus eventLogStatus(void)
{
    return enabled ? EVENTLOG_RUNNING : EVENTLOG_NOT_CONFIGURED;
}

bool startEventLogging(const EventLogWriter *w)
{
    if (enabled) return false;
    enabled = true;
    writer = w;
    writer->initEventLogWriter();
    write_header();
    for (int cap = 0; cap <= GLOBAL; cap++)
        if (size[cap] == 0) empty(cap);
    return true;
}

void endEventLogging(void)
{
    if (!enabled) return;
    write_all();
    uint8_t end[2];
    hectic_encode_data_end(end, sizeof end);
    writer->writeEventLog(end, sizeof end);
    writer->stopEventLogWriter();
    writer = NULL;
    enabled = false;
}

static void after_rest(void)
{
    void (*const action)(void) = runtime_after_rest;
    runtime_after_rest = NULL;
    if (action) action();
}

#if __GLASGOW_HASKELL__ >= 902

void flushAllCapsEventsBufs(void)
{
    write_all();
}

void flushEventLog(Capability **cap)
{
    (void)cap;
    pthread_mutex_lock(&world);
    write_all();
    pthread_mutex_unlock(&world);
    after_rest();
}

#endif

#if __GLASGOW_HASKELL__ >= 916

void setTraceFlag(unsigned flag, bool on)
{
    static trace_switch *const switches[] = {
        &TRACE_sched,      &TRACE_gc,   &TRACE_nonmoving_gc, &TRACE_spark_sampled,
        &TRACE_spark_full, &TRACE_user, &TRACE_cap,
    };
    if (flag < sizeof switches / sizeof *switches) *switches[flag] = on;
}

#endif

/* --- Collections ----------------------------------------------------------------------------- */

void runtime_mark(int collections)
{
    marking = collections;
}

void performGC(void)
{
    StgTSO tso = {.global_link = END_TSO_QUEUE};
    const GCDetails details = {.threads = RtsFlags.ParFlags.parGcEnabled ? n_capabilities : 1};
    pthread_mutex_lock(&world);
    runtime_collections++;
    nonmoving_old_threads = marking > 0 ? &tso : END_TSO_QUEUE;
    marking -= marking > 0;
    if (rtsConfig.gcDoneHook) rtsConfig.gcDoneHook(&details);
    pthread_mutex_unlock(&world);
    after_rest();
}

int hs_main(int argc, char **argv, StgClosure *main_closure, RtsConfig config)
{
    (void)argc;
    (void)argv;
    rtsConfig = config;
    startEventLogging(config.eventlog_writer);
    ((void (*)(void))main_closure)();
    pthread_mutex_lock(&world);
    endEventLogging();
    pthread_mutex_unlock(&world);
    return 0;
}

int rtsSupportsBoundThreads(void)
{
#if FAKE_ONE_THREAD
    return 0;
#else
    return 1;
#endif
}

int rts_isProfiled(void)
{
    return 0;
}

void startProfTimer(void) {}

void stopProfTimer(void) {}

/* --- Threads --------------------------------------------------------------------------------- */

static void post_thread(const StgTSO *tso, uint16_t number, uint16_t second, size_t count)
{
    const hectic_value value[] = {{.number = tso->id}, {.number = second}, {.number = 0}};
    if (TRACE_sched) post(tso->cap->no, number, value, count);
}

static const char *label_of[1 << 16];

StgTSO *runtime_create(uint32_t cap, const char *label)
{
    static uint64_t last;
    StgTSO *tso = calloc(1, sizeof *tso);
    pthread_mutex_lock(&world);
    *tso = (StgTSO){.global_link = g0->threads, .what_next = ThreadRunGHC, .id = ++last};
    tso->cap = &capabilities_[cap];
    label_of[last] = label;
#if __GLASGOW_HASKELL__ >= 906
    tso->label = malloc(sizeof *tso->label + strlen(label));
    tso->label->bytes = strlen(label);
    memcpy(tso->label->payload, label, strlen(label));
#endif
    g0->threads = tso;
    const hectic_value value[] = {
        {.number = tso->id}, {.bytes = (const uint8_t *)label, .length = (uint32_t)strlen(label)}};
    post_thread(tso, HECTIC_EVENT_CREATE_THREAD, 0, 1);
    if (TRACE_sched) post(cap, HECTIC_EVENT_THREAD_LABEL, value, 2);
    pthread_mutex_unlock(&world);
    return tso;
}

/* Only GHC 9.2 and 9.4 keep labels in a table. */
#if __GLASGOW_HASKELL__ >= 902 && __GLASGOW_HASKELL__ < 906
void *lookupThreadLabel(uint64_t id)
{
    return (void *)(uintptr_t)label_of[id];
}
#endif

static void stop(StgTSO *tso, uint16_t status)
{
    post_thread(tso, HECTIC_EVENT_RUN_THREAD, 0, 1);
    post_thread(tso, HECTIC_EVENT_STOP_THREAD, status, 3);
}

void runtime_block(StgTSO *tso, uint16_t why)
{
    enum { FOREIGN_CALL = 6 };
    pthread_mutex_lock(&world);
    tso->why_blocked = why;
    stop(tso, why == BlockedOnCCall ? FOREIGN_CALL : (uint16_t)(FOREIGN_CALL + why));
    pthread_mutex_unlock(&world);
}

void runtime_wake(StgTSO *tso)
{
    pthread_mutex_lock(&world);
    tso->why_blocked = NotBlocked;
    post_thread(tso, HECTIC_EVENT_THREAD_WAKEUP, (uint16_t)tso->cap->no, 2);
    pthread_mutex_unlock(&world);
}

void runtime_migrate(StgTSO *tso, uint32_t cap)
{
    pthread_mutex_lock(&world);
    post_thread(tso, HECTIC_EVENT_MIGRATE_THREAD, (uint16_t)cap, 2);
    tso->cap = &capabilities_[cap];
    pthread_mutex_unlock(&world);
}

void runtime_finish(StgTSO *tso)
{
    enum { FINISHED = 5 };
    pthread_mutex_lock(&world);
    tso->what_next = ThreadComplete;
    stop(tso, FINISHED);
    pthread_mutex_unlock(&world);
}

void runtime_fill(uint32_t cap)
{
    pthread_mutex_lock(&world);
    write_out((int)cap);
    pthread_mutex_unlock(&world);
}

void runtime_say(uint32_t cap, const char *text)
{
    const hectic_value value = {.bytes = (const uint8_t *)text, .length = (uint32_t)strlen(text)};
    pthread_mutex_lock(&world);
    if (enabled && TRACE_user) post(cap, HECTIC_EVENT_USER_MSG, &value, 1);
    pthread_mutex_unlock(&world);
}
