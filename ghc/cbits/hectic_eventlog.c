/* GHC's runtime on one side, a hectic_server on the other.
 *
 * A GHC before 9.2 writes a capability's events out when its buffer is full, and has no function
 * for doing so earlier. But ending and starting event logging does; our readers are not told of it.
 * That is done while all capabilities are stopped: at the end of a collection. */
#include "hectic_eventlog.h"
#include "optional.h"

#include <hectic/server.h>

#include <ghcversion.h> /* which GHC includes by itself, but other C compilers do not */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FLUSH_MS = 1000,
    END_MS = 2000,      /* that a reader has for the last events */
    COLLECTION_MS = 10, /* that a program has to collect by itself */
    TEXT_MOST = 1024,
    FILE_MOST = 256 << 20, /* of a log that has been begun in a file */
};

/* The runtime's, which it hides from shared objects. */
extern RtsConfig rtsConfig __attribute__((weak));

typedef struct command {
    struct command *next;
    char *name;
    uint8_t id;
    hectic_eventlog_handler handler;
    void *user;
} command;

/* The one eventlog of the process. */
static struct {
    hectic_server *server; /* once it is made, it stays: it knows what readers must be told */
    pid_t process;         /* whose it is */
    bool serving;

    pthread_mutex_t runtime; /* held while the runtime is asked for something */
    bool ending;             /* it cannot be asked any more */
    bool pausing;            /* that event logging ends is not for readers to know */
    void (*at_rest)(void);   /* to be done at the end of a collection; atomic */
    void (*gc_done)(const struct GCDetails_ *);
    void (*on_exit)(void);

    pthread_mutex_t list;
    command *commands;
} log_ = {.runtime = PTHREAD_MUTEX_INITIALIZER, .list = PTHREAD_MUTEX_INITIALIZER};

static char *copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* --- The writer ----------------------------------------------------------------------------- */

static void writer_init(void)
{
    if (log_.server && log_.process != getpid()) { /* a child after fork: its parent serves */
        hectic_server_abandon(log_.server);
        log_.server = NULL;
        log_.serving = false;
    }
}

static bool writer_write(void *bytes, size_t size)
{
    if (log_.server && log_.process == getpid()) hectic_server_write(log_.server, bytes, size);
    return true;
}

static void writer_stop(void)
{
    if (log_.pausing || log_.process != getpid()) return;
    hectic_server_close(log_.server, END_MS);
    log_.serving = false;
}

static const EventLogWriter writer = {
    .initEventLogWriter = writer_init,
    .writeEventLog = writer_write,
    .stopEventLogWriter = writer_stop,
};

/* --- While all capabilities are stopped ----------------------------------------------------- */

static void gc_done(const struct GCDetails_ *details)
{
    void (*action)(void) = __atomic_exchange_n(&log_.at_rest, NULL, __ATOMIC_ACQ_REL);
    if (action) action();
    if (log_.gc_done) log_.gc_done(details);
}

static void on_exit_(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_MS / 1000;
    const bool locked = pthread_mutex_timedlock(&log_.runtime, &until) == 0;
    log_.ending = true;
    if (locked) pthread_mutex_unlock(&log_.runtime);
    if (log_.on_exit) log_.on_exit();
}

static void hook_into(RtsConfig *config)
{
    if (config->gcDoneHook == gc_done) return;
    log_.gc_done = config->gcDoneHook;
    log_.on_exit = config->onExitHook;
    config->gcDoneHook = gc_done;
    config->onExitHook = on_exit_;
}

static bool is_hooked(void)
{
    return &rtsConfig && rtsConfig.gcDoneHook == gc_done;
}

static const char *needs_static =
    "needs a program that is linked statically, or has a C main, or GHC 9.2 and -threaded";

static bool is_done(void)
{
    return !__atomic_load_n(&log_.at_rest, __ATOMIC_ACQUIRE);
}

/* Does it at the end of the next collection. `outside`: asked for by a thread of ours. That gives
 * the program some time to collect by itself; and it must not touch a runtime that has only one
 * thread. */
static const char *do_soon(void (*action)(void), bool outside)
{
    if (!is_hooked()) return needs_static;
    __atomic_store_n(&log_.at_rest, action, __ATOMIC_RELEASE);
    for (int ms = 0; outside && ms < COLLECTION_MS && !is_done(); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (is_done()) return NULL;
    if (outside && !rtsSupportsBoundThreads())
        return "will be done after the next collection; at once needs -threaded";
    performGC();
    return NULL;
}

#if __GLASGOW_HASKELL__ >= 902

static void flush_at_rest(void)
{
    flushEventLog(NULL);
}

static const char *flush_runtime(bool outside)
{
    if (outside && !rtsSupportsBoundThreads()) return do_soon(flush_at_rest, outside);
    flushEventLog(NULL); /* stops the capabilities by itself */
    return NULL;
}

static void do_at_rest(void (*action)(void))
{
    action(); /* as does the end of event logging */
}

#else

static void flush_at_rest(void)
{
    log_.pausing = true;
    endEventLogging();
    startEventLogging(&writer);
    log_.pausing = false;
}

static const char *flush_runtime(bool outside)
{
    return do_soon(flush_at_rest, outside);
}

static void do_at_rest(void (*action)(void))
{
    if (do_soon(action, false)) action();
}

#endif

/* --- What is asked for ---------------------------------------------------------------------- */

/* The runtime may be asked; to be followed by release(). */
static bool acquire(void)
{
    pthread_mutex_lock(&log_.runtime);
    if (!log_.ending && eventLogStatus() == EVENTLOG_RUNNING) return true;
    pthread_mutex_unlock(&log_.runtime);
    return false;
}

static void release(void)
{
    pthread_mutex_unlock(&log_.runtime);
}

static const char *flush_now(bool outside)
{
    if (!acquire()) return "the program is not logging";
    const char *why = flush_runtime(outside);
    release();
    return why;
}

static const char *flush(void *user)
{
    (void)user;
    return flush_now(true);
}

static const char *start_profile(void)
{
    startProfTimer();
    return NULL;
}

static const char *stop_profile(void)
{
    stopProfTimer();
    return NULL;
}

static const char *(*const core[])(void) = {
    [HECTIC_CONTROL_START_PROFILE] = start_profile,
    [HECTIC_CONTROL_STOP_PROFILE] = stop_profile,
    [HECTIC_CONTROL_START_HEAP_PROFILE] = optional_start_heap_profile,
    [HECTIC_CONTROL_STOP_HEAP_PROFILE] = optional_stop_heap_profile,
    [HECTIC_CONTROL_HEAP_CENSUS] = optional_heap_census,
};

static const char *no_command = "this program has no such command";

static const char *obey_core(uint8_t id)
{
    if (id >= sizeof core / sizeof *core || !core[id]) return no_command;
    if (id >= HECTIC_CONTROL_START_HEAP_PROFILE && RtsFlags.ProfFlags.doHeapProfile == 0)
        return "start the program with a kind of heap profile, such as +RTS -hT";
    if (id <= HECTIC_CONTROL_STOP_PROFILE && !rts_isProfiled())
        return "the program must be compiled with -prof";
    return core[id]();
}

static const char *obey_own(uint8_t id)
{
    enum { FLAGS = 8 }; /* classes that a runtime knows */
    if (id >= HECTIC_CONTROL_CLASS_OFF && id < HECTIC_CONTROL_CLASS_OFF + FLAGS)
        return optional_set_class(id - HECTIC_CONTROL_CLASS_OFF, false);
    if (id >= HECTIC_CONTROL_CLASS_ON && id < HECTIC_CONTROL_CLASS_ON + FLAGS)
        return optional_set_class(id - HECTIC_CONTROL_CLASS_ON, true);
    return no_command;
}

static command *find(const char *name, uint8_t id)
{
    pthread_mutex_lock(&log_.list);
    command *c = log_.commands;
    while (c && (c->id != id || strcmp(c->name, name) != 0))
        c = c->next;
    pthread_mutex_unlock(&log_.list);
    return c;
}

static const char *obey(void *user, const hectic_control_command *asked)
{
    (void)user;
    const command *own = find(asked->name, asked->id);
    if (own) return own->handler(own->user);
    const bool is_core = strcmp(asked->name, HECTIC_CONTROL_CORE) == 0;
    if (!is_core && strcmp(asked->name, HECTIC_CONTROL_OWN) != 0) return no_command;
    if (!acquire()) return "the program is not logging";
    const char *why = is_core ? obey_core(asked->id) : obey_own(asked->id);
    release();
    return why;
}

char *hectic_eventlog_command(const char *name, uint8_t id)
{
    hectic_control_command asked = {.id = id};
    if (strcmp(name, HECTIC_CONTROL_OWN) == 0 && id == HECTIC_CONTROL_FLUSH)
        return copy_of(flush_now(false));
    strncpy(asked.name, name, sizeof asked.name - 1);
    return copy_of(obey(NULL, &asked));
}

char *hectic_eventlog_register(const char *name, uint8_t id, hectic_eventlog_handler handler,
                               void *user)
{
    const size_t length = strlen(name);
    if (length == 0 || length > HECTIC_CONTROL_NAMESPACE_MOST)
        return copy_of("a namespace has 1 to 255 bytes");
    if (strcmp(name, HECTIC_CONTROL_CORE) == 0 || strcmp(name, HECTIC_CONTROL_OWN) == 0)
        return copy_of("this namespace is taken: choose another, such as the package's name");
    if (find(name, id)) return copy_of("this command is registered already");
    command *c = malloc(sizeof *c);
    if (!c) return copy_of("out of memory");
    pthread_mutex_lock(&log_.list);
    *c = (command){log_.commands, strdup(name), id, handler, user};
    log_.commands = c;
    pthread_mutex_unlock(&log_.list);
    return NULL;
}

/* --- Where the log goes ---------------------------------------------------------------------- */

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static uint32_t number_variable(const char *name, uint32_t otherwise)
{
    const char *value = set_variable(name);
    char *end;
    const unsigned long number = value ? strtoul(value, &end, 10) : 0;
    return value && !*end && number <= UINT32_MAX ? (uint32_t)number : otherwise;
}

/* The place that the environment says. False: none. */
static bool place_by_environment(char *place, size_t size)
{
    const char *any = set_variable("HECTIC_EVENTLOG"),
               *path = set_variable("GHC_EVENTLOG_UNIX_PATH"),
               *host = set_variable("GHC_EVENTLOG_INET_HOST"),
               *port = set_variable("GHC_EVENTLOG_INET_PORT");
    if (any)
        snprintf(place, size, "%s", any);
    else if (path)
        snprintf(place, size, "listen:unix:%s", path);
    else if (host && !port) /* which is refused, in these words */
        snprintf(place, size, "listen:GHC_EVENTLOG_INET_HOST without GHC_EVENTLOG_INET_PORT");
    else if (port)
        snprintf(place, size, host && strchr(host, ':') ? "listen:tcp:[%s]:%s" : "listen:tcp:%s:%s",
                 host ? host : "127.0.0.1", port);
    return any || path || host || port;
}

/* The server, at that place. */
static char *serve(const char *place)
{
    char message[TEXT_MOST];
    const hectic_server_options options = {.keep = number_variable("HECTIC_EVENTLOG_KEEP", 0),
                                           .state = number_variable("HECTIC_EVENTLOG_STATE", 0),
                                           .command = obey,
                                           .flush = flush};
    if (!log_.server) log_.server = hectic_server_new(&options);
    log_.process = getpid();
    if (!log_.server) return copy_of("out of memory");
    if (!hectic_server_open(log_.server, place, message, sizeof message)) return copy_of(message);
    hectic_server_flush_every(log_.server, number_variable("HECTIC_EVENTLOG_FLUSH_MS", FLUSH_MS));
    log_.serving = true;
    return NULL;
}

static void wait_as_told(void)
{
    if (getenv("GHC_EVENTLOG_WAIT")) hectic_server_wait(log_.server, 0);
}

int hectic_eventlog_main(int argc, char **argv, RtsConfig config, StgClosure *main_closure)
{
    char place[TEXT_MOST];
    char *why = NULL;
    config.rts_hs_main = true;
    if (place_by_environment(place, sizeof place) && !(why = serve(place))) {
        if (!config.rts_opts) config.rts_opts = "-l";
        config.eventlog_writer = &writer;
        hook_into(&config);
        wait_as_told();
    }
    if (why) fprintf(stderr, "%s: no eventlog: %s\n", argc > 0 ? argv[0] : "", why);
    free(why);
    return hs_main(argc, argv, main_closure, config);
}

/* --- Starting in the middle ------------------------------------------------------------------ */

/* The file that the runtime has been writing to. */
static void name_of_file(char *name, size_t size)
{
    const char *given = RtsFlags.TraceFlags.trace_output;
    snprintf(name, size, given ? "%s" : "%s.eventlog", given ? given : prog_name);
}

/* What the runtime has told before goes first. */
static void tell_file(const char *name)
{
    struct stat status;
    FILE *file = fopen(name, "rb");
    if (!file) return;
    char *bytes = NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_MOST)
        bytes = malloc((size_t)status.st_size);
    enum { MARKER = 2 };
    const size_t size = bytes ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
    if (size > MARKER) hectic_server_write(log_.server, bytes, size - MARKER);
    free(bytes);
    fclose(file);
}

static void change_writer(void)
{
    if (eventLogStatus() == EVENTLOG_RUNNING) {
        char name[TEXT_MOST];
        name_of_file(name, sizeof name);
        endEventLogging();
        tell_file(name);
    }
    startEventLogging(&writer);
}

static const char *unable(void)
{
    if (log_.serving) return "it is served already: see move";
    if (eventLogStatus() == EVENTLOG_NOT_SUPPORTED)
        return "the program has no eventlog: link it with -eventlog (GHC 9.4 always does)";
    if (RtsFlags.TraceFlags.tracing != TRACE_EVENTLOG)
        return "the runtime logs nothing: start the program with +RTS -l, or link it with "
               "-with-rtsopts=-l";
    return NULL;
}

char *hectic_eventlog_start(const char *place, bool *started)
{
    char chosen[TEXT_MOST];
    bool ignored;
    if (!started) started = &ignored;
    *started = place || place_by_environment(chosen, sizeof chosen);
    if (!*started) return NULL;
    pthread_mutex_lock(&log_.runtime);
    char *why = copy_of(unable());
    if (!why) why = serve(place ? place : chosen);
    if (!why) {
        if (&rtsConfig) hook_into(&rtsConfig);
        do_at_rest(change_writer);
    }
    pthread_mutex_unlock(&log_.runtime);
    if (!why) wait_as_told();
    return why;
}

void hectic_eventlog_stop(void)
{
    pthread_mutex_lock(&log_.runtime);
    if (log_.serving) do_at_rest(endEventLogging);
    pthread_mutex_unlock(&log_.runtime);
}

/* --- While it is served ---------------------------------------------------------------------- */

static const char *not_served = "it is not served: start first";

char *hectic_eventlog_move(const char *place)
{
    char message[TEXT_MOST];
    if (!log_.serving) return copy_of(not_served);
    const bool moved = hectic_server_move(log_.server, place, message, sizeof message);
    return copy_of(moved ? NULL : message);
}

char *hectic_eventlog_flush(void)
{
    return copy_of(flush_now(false));
}

char *hectic_eventlog_flush_every(uint32_t ms)
{
    if (!log_.serving) return copy_of(not_served);
    hectic_server_flush_every(log_.server, ms);
    return NULL;
}

char *hectic_eventlog_wait(uint32_t ms)
{
    if (!log_.serving) return copy_of(not_served);
    return copy_of(hectic_server_wait(log_.server, ms) ? NULL : "no reader has come in time");
}
