#include "runtime_log.h"

#include "optional.h"

#include <ghcversion.h> /* GHC includes it implicitly, other C compilers do not */

#include <time.h>
#include <unistd.h>

/* Of the runtime, not exported by shared objects. */
extern RtsConfig rtsConfig __attribute__((weak));

static struct {
    hectic_server *server;
    pid_t process; /* its owner */
    void (*ended)(void);
    bool pausing;  /* hides the end of event logging from readers */
    uint64_t time; /* atomic */
    struct {
        rest_action action;
        uint64_t asked, done; /* counts; atomic */
    } task[REST_TASKS];
    bool wants_cut; /* atomic */
    bool is_hooked;
    void (*gc_done)(const struct GCDetails_ *);
    void (*on_exit)(void);
    void (*exits)(void);
} runtime;

/* --- The writer ------------------------------------------------------------------------------- */

hectic_server *runtime_server(void)
{
    return runtime.server;
}

void runtime_serve(hectic_server *server)
{
    runtime.server = server;
    runtime.process = getpid();
}

void runtime_on_end(void (*ended)(void))
{
    runtime.ended = ended;
}

static bool is_parents(void)
{
    return runtime.server && runtime.process != getpid();
}

static void writer_init(void)
{
    if (!is_parents()) return;
    hectic_server_free_in_child(runtime.server); /* a forked child; the parent serves */
    runtime.server = NULL;
}

uint64_t runtime_time(void)
{
    return __atomic_load_n(&runtime.time, __ATOMIC_RELAXED);
}

/* A buffer is a block and begins with its marker. */
static void note_time(const uint8_t *bytes, size_t size)
{
    enum { BLOCK_MARKER = 18, END_TIME = 14, MARKER = 24 };
    if (size < MARKER || bytes[0] != 0 || bytes[1] != BLOCK_MARKER) return;
    uint64_t time = 0, latest = runtime_time();
    for (int i = 0; i < 8; i++)
        time = time << 8 | bytes[END_TIME + i];
    while (time > latest && !__atomic_compare_exchange_n(&runtime.time, &latest, time, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static bool writer_write(void *bytes, size_t size)
{
    if (!runtime.server || is_parents()) return true;
    note_time(bytes, size);
    hectic_server_write(runtime.server, bytes, size);
    return true;
}

static void writer_stop(void)
{
    if (!runtime.pausing && !is_parents() && runtime.ended) runtime.ended();
}

const EventLogWriter runtime_writer = {
    .initEventLogWriter = writer_init,
    .writeEventLog = writer_write,
    .stopEventLogWriter = writer_stop,
};

/* --- While all capabilities are stopped ------------------------------------------------------- */

static uint64_t load(const uint64_t *number)
{
    return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

/* Not in a forked child, where the server has no threads. */
static bool batch(bool open)
{
    if (!runtime.server || is_parents()) return false;
    hectic_server_batch(runtime.server, open);
    return true;
}

static bool is_asked(void)
{
    for (int i = 0; i < REST_TASKS; i++)
        if (load(&runtime.task[i].asked) > runtime.task[i].done) return true;
    return false;
}

static void do_tasks(const struct GCDetails_ *details)
{
    const bool batched = batch(true);
    for (int i = 0; i < REST_TASKS; i++) {
        const uint64_t asked = load(&runtime.task[i].asked);
        if (asked > runtime.task[i].done && runtime.task[i].action(details))
            __atomic_store_n(&runtime.task[i].done, asked, __ATOMIC_RELEASE);
    }
    if (batched) batch(false);
}

static void gc_done(const struct GCDetails_ *details)
{
    if (is_asked()) do_tasks(details);
    if (runtime.gc_done) runtime.gc_done(details);
}

static void on_exit_(void)
{
    runtime.exits();
    if (runtime.on_exit) runtime.on_exit();
}

void runtime_hook_into(RtsConfig *config, void (*exits)(void))
{
    if (config->gcDoneHook == gc_done) return;
    runtime.exits = exits;
    runtime.gc_done = config->gcDoneHook;
    runtime.on_exit = config->onExitHook;
    config->gcDoneHook = gc_done;
    config->onExitHook = on_exit_;
    runtime.is_hooked = true;
}

void runtime_hook(void (*exits)(void))
{
    if (&rtsConfig) runtime_hook_into(&rtsConfig, exits);
}

static const char *const needs_hook =
    "this requires a program linked statically, or with a main in C";

static bool is_done(rest_task task)
{
    return load(&runtime.task[task].done) == load(&runtime.task[task].asked);
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static bool is_done_soon(rest_task task, uint32_t ms)
{
    for (; ms > 0 && !is_done(task); ms--)
        rest();
    return is_done(task);
}

/* Disables parallel collection for REST_SWITCH, so that no other capability logs its end. */
static bool is_collected_soon(rest_task task)
{
    enum { TRIES = 500 };
    const bool parallel = RtsFlags.ParFlags.parGcEnabled;
    if (task == REST_SWITCH) RtsFlags.ParFlags.parGcEnabled = false;
    for (int i = 0; i < TRIES && !is_done(task); i++) {
        if (i > 0) rest();
        performGC();
    }
    RtsFlags.ParFlags.parGcEnabled = parallel;
    return is_done(task);
}

const char *runtime_at_rest(rest_task task, rest_action action, bool outside)
{
    enum { OWN_MS = 10, LONG_MS = 2000 }; /* to wait for a collection of the program */
    const bool alone = outside && !rtsSupportsBoundThreads();
    if (!runtime.is_hooked) return needs_hook;
    runtime.task[task].action = action;
    __atomic_add_fetch(&runtime.task[task].asked, 1, __ATOMIC_RELEASE);
    if (outside && is_done_soon(task, alone && task == REST_SWITCH ? LONG_MS : OWN_MS)) return NULL;
    if (alone)
        return "this takes effect at the end of the next collection; a program linked with "
               "-threaded does it at once";
    return is_collected_soon(task) ? NULL
                                   : "the heap is still being marked; this takes effect afterwards";
}

void runtime_discard(void)
{
    runtime.pausing = true;
    hectic_server_hold(runtime.server, true);
    startEventLogging(&runtime_writer);
    endEventLogging();
    hectic_server_hold(runtime.server, false);
    runtime.pausing = false;
}

static bool flush_action(const struct GCDetails_ *details)
{
    (void)details;
    runtime_flush_at_rest();
    return true;
}

#if __GLASGOW_HASKELL__ >= 902

void runtime_change_writer(rest_action action)
{
    action(NULL); /* the runtime stops its capabilities itself */
}

/* With one thread, the runtime's own function need not stop capabilities. */
void runtime_flush_at_rest(void)
{
    if (!optional_flush_at_rest()) flushEventLog(NULL);
}

const char *runtime_has_no_rest(void)
{
    if (rtsSupportsBoundThreads() && !optional_can_flush_at_rest())
        return "this requires a program linked statically";
    return runtime.is_hooked ? NULL : needs_hook;
}

const char *runtime_flush(bool outside)
{
    if (outside && !rtsSupportsBoundThreads())
        return runtime_at_rest(REST_FLUSH, flush_action, outside);
    batch(true);
    flushEventLog(NULL); /* stops the capabilities itself */
    batch(false);
    return NULL;
}

#else

void runtime_change_writer(rest_action action)
{
    if (runtime_at_rest(REST_CHANGE_WRITER, action, false)) action(NULL);
}

void runtime_flush_at_rest(void)
{
    optional_lock_global_events();
    runtime.pausing = true;
    endEventLogging();
    startEventLogging(&runtime_writer);
    runtime.pausing = false;
    optional_unlock_global_events();
}

const char *runtime_has_no_rest(void)
{
    return runtime.is_hooked ? NULL : needs_hook;
}

const char *runtime_flush(bool outside)
{
    return runtime_at_rest(REST_FLUSH, flush_action, outside);
}

#endif

/* --- Cuts ------------------------------------------------------------------------------------- */

/* True once after each request. */
static bool take_cut_request(void)
{
    return __atomic_exchange_n(&runtime.wants_cut, false, __ATOMIC_ACQ_REL);
}

static bool cut_action(const struct GCDetails_ *details)
{
    (void)details;
    if (!take_cut_request()) return true;
    runtime_flush_at_rest();
    /* The earlier blocks of this collection are passed on first. */
    batch(false);
    batch(true);
    batch(true);
    return true;
}

void runtime_begin_cut(void)
{
    if (runtime_has_no_rest()) {
        runtime_flush(false);
        batch(true);
        return;
    }
    __atomic_store_n(&runtime.wants_cut, true, __ATOMIC_RELEASE);
    runtime_at_rest(REST_CUT, cut_action, false);
    if (take_cut_request()) batch(true);
}

void runtime_end_cut(void)
{
    batch(false);
}
