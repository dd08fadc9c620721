/* Connects GHC's runtime to a hectic_server: functions for the program, commands for readers. */
#include "hectic_eventlog.h"
#include "optional.h"
#include "runtime_log.h"
#include "switches.h"

#include <hectic/server.h>

#include <ghcversion.h> /* GHC includes it implicitly, other C compilers do not */

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
    END_MS = 2000, /* for readers to receive the last events */
    TEXT_SIZE = 1024,
    MAX_FILE = 256 << 20, /* of a log that was begun in a file */
};

typedef struct command {
    struct command *next;
    char *name;
    uint8_t id;
    hectic_eventlog_handler handler;
    void *user;
} command;

/* The one eventlog of the process. */
static struct {
    bool serving; /* at a destination */
    bool begun;   /* the runtime's log goes to the server */

    pthread_mutex_t runtime; /* held while functions of the runtime are called */
    bool ending;             /* they must not be called any more */

    pthread_mutex_t list;
    command *commands;
} log_ = {.runtime = PTHREAD_MUTEX_INITIALIZER, .list = PTHREAD_MUTEX_INITIALIZER};

static char *copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* --- Exit of the runtime ---------------------------------------------------------------------- */

static void end_serving(void)
{
    log_.serving = false;
    hectic_server_close(runtime_server(), END_MS);
}

static void on_log_end(void)
{
    log_.begun = false;
    end_serving();
}

static void on_exit_begin(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_MS / 1000;
    const bool locked = pthread_mutex_timedlock(&log_.runtime, &until) == 0;
    log_.ending = true;
    if (locked) pthread_mutex_unlock(&log_.runtime);
}

/* --- Commands --------------------------------------------------------------------------------- */

static const char *not_logging = "the program is not logging";

/* True: functions of the runtime may be called; call release() afterwards. */
static bool acquire(void)
{
    pthread_mutex_lock(&log_.runtime);
    if (!log_.ending && log_.begun && runtime_server() && eventLogStatus() == EVENTLOG_RUNNING)
        return true;
    pthread_mutex_unlock(&log_.runtime);
    return false;
}

static void release(void)
{
    pthread_mutex_unlock(&log_.runtime);
}

/* Nothing to flush while logging is off. */
static const char *flush_logged(bool outside)
{
    return switches_are_logging() ? runtime_flush(outside) : NULL;
}

static const char *flush(void *user)
{
    (void)user;
    if (!acquire()) return not_logging;
    const char *why = flush_logged(true);
    release();
    return why;
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

static const char *execute_core(uint8_t id)
{
    if (id >= sizeof core / sizeof *core || !core[id]) return no_command;
    if (id >= HECTIC_CONTROL_START_HEAP_PROFILE && RtsFlags.ProfFlags.doHeapProfile == 0)
        return "start the program with a kind of heap profile, such as +RTS -hT";
    if (id <= HECTIC_CONTROL_STOP_PROFILE && !rts_isProfiled())
        return "the program must be compiled with -prof";
    return core[id]();
}

static const char *replay(void)
{
    hectic_server_replay(runtime_server());
    return NULL;
}

static const char *execute_own(uint8_t id, bool outside)
{
    switch (id) {
    case HECTIC_CONTROL_FLUSH: return flush_logged(outside);
    case HECTIC_CONTROL_START_LOGGING: return switches_set_logging(true, true, outside);
    case HECTIC_CONTROL_STOP_LOGGING: return switches_set_logging(false, true, outside);
    case HECTIC_CONTROL_REPLAY: return replay();
    default: break;
    }
    const bool off = id >= HECTIC_CONTROL_CLASS_OFF;
    const int class_ = id - (off ? HECTIC_CONTROL_CLASS_OFF : HECTIC_CONTROL_CLASS_ON);
    if (class_ < 0 || class_ >= CLASSES) return no_command;
    return switches_set_class((unsigned)class_, !off, outside);
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

static const char *execute(const hectic_control_command *requested, bool outside)
{
    const command *own = find(requested->name, requested->id);
    if (own) return own->handler(own->user);
    const bool is_core = strcmp(requested->name, HECTIC_CONTROL_CORE) == 0;
    if (!is_core && strcmp(requested->name, HECTIC_CONTROL_HECTIC) != 0) return no_command;
    if (!acquire()) return not_logging;
    const char *why = is_core ? execute_core(requested->id) : execute_own(requested->id, outside);
    release();
    return why;
}

static const char *execute_for_reader(void *user, const hectic_control_command *requested)
{
    (void)user;
    return execute(requested, true);
}

char *hectic_eventlog_command(const char *name, uint8_t id)
{
    hectic_control_command requested = {.id = id};
    strncpy(requested.name, name, sizeof requested.name - 1);
    return copy_of(execute(&requested, false));
}

char *hectic_eventlog_register(const char *name, uint8_t id, hectic_eventlog_handler handler,
                               void *user)
{
    const size_t length = strlen(name);
    if (length == 0 || length > HECTIC_CONTROL_NAMESPACE_MAX)
        return copy_of("a namespace has 1 to 255 bytes");
    if (strcmp(name, HECTIC_CONTROL_CORE) == 0 || strcmp(name, HECTIC_CONTROL_HECTIC) == 0)
        return copy_of("this namespace is reserved: choose another, such as the package's name");
    if (find(name, id)) return copy_of("this command is already registered");
    command *c = malloc(sizeof *c);
    if (!c) return copy_of("out of memory");
    pthread_mutex_lock(&log_.list);
    *c = (command){log_.commands, strdup(name), id, handler, user};
    log_.commands = c;
    pthread_mutex_unlock(&log_.list);
    return NULL;
}

/* --- Destination ------------------------------------------------------------------------------ */

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* A size, which is not 0, or with `is_number` a number without a unit, at most `most`. Reports
 * another value. */
static uint64_t variable(const char *name, uint64_t otherwise, uint64_t most, bool is_number)
{
    const char *value = set_variable(name);
    uint64_t number;
    if (!value) return otherwise;
    if (hectic_size_parse(value, &number) && number <= most &&
        (is_number ? !value[strspn(value, "0123456789")] : number > 0))
        return number;
    fprintf(stderr, "hectic: %s=\"%s\" is invalid: expected %s; using the default\n", name, value,
            is_number ? "milliseconds, such as 1000" : "a size, such as 16777216, 16M or 16MiB");
    return otherwise;
}

/* The destination of the environment. False: none. *why: it is invalid; to be freed. */
static bool environment_place(char *place, size_t size, char **why)
{
    const char *any = set_variable("HECTIC_EVENTLOG"),
               *path = set_variable("GHC_EVENTLOG_UNIX_PATH"),
               *host = set_variable("GHC_EVENTLOG_INET_HOST"),
               *port = set_variable("GHC_EVENTLOG_INET_PORT");
    if (any)
        snprintf(place, size, "%s", any);
    else if (path)
        snprintf(place, size, "listen:unix:%s", path);
    else if (host && !port)
        *why = copy_of("GHC_EVENTLOG_INET_HOST is set without GHC_EVENTLOG_INET_PORT: set the port "
                       "to listen at, too");
    else if (port)
        snprintf(place, size, host && strchr(host, ':') ? "listen:tcp:[%s]:%s" : "listen:tcp:%s:%s",
                 host ? host : "127.0.0.1", port);
    return any || path || host || port;
}

static hectic_server *make_server(void)
{
    const hectic_server_options options = {
        .keep = (size_t)variable("HECTIC_EVENTLOG_KEEP", 0, SIZE_MAX, false),
        .state = (size_t)variable("HECTIC_EVENTLOG_STATE", 0, SIZE_MAX, false),
        .command = execute_for_reader,
        .flush = flush};
    return hectic_server_new(&options);
}

/* Starts the server at that destination. */
static char *serve(const char *place)
{
    char message[TEXT_SIZE];
    hectic_server *server = runtime_server();
    if (!server) runtime_serve(server = make_server());
    if (!server) return copy_of("out of memory");
    if (!hectic_server_open(server, place, message, sizeof message)) return copy_of(message);
    hectic_server_flush_every(
        server, (uint32_t)variable("HECTIC_EVENTLOG_FLUSH_MS", FLUSH_MS, UINT32_MAX, true));
    runtime_on_end(on_log_end);
    log_.serving = true;
    return NULL;
}

/* A forked child does not serve its parent's log. */
static bool is_served(void)
{
    return log_.serving && runtime_server();
}

static void wait_if_set(void)
{
    if (getenv("GHC_EVENTLOG_WAIT")) hectic_server_wait(runtime_server(), 0);
}

int hectic_eventlog_main(int argc, char **argv, RtsConfig config, StgClosure *main_closure)
{
    char place[TEXT_SIZE];
    char *why = NULL;
    config.rts_hs_main = true;
    if (environment_place(place, sizeof place, &why) && !why && !(why = serve(place))) {
        if (!config.rts_opts) config.rts_opts = "-l";
        config.eventlog_writer = &runtime_writer;
        runtime_hook_into(&config, on_exit_begin);
        log_.begun = true;
        wait_if_set();
    }
    if (why) fprintf(stderr, "%s: no eventlog: %s\n", argc > 0 ? argv[0] : "", why);
    free(why);
    return hs_main(argc, argv, main_closure, config);
}

/* --- Starting in a running program ------------------------------------------------------------ */

/* The file that the runtime writes to. */
static void name_of_file(char *name, size_t size)
{
    const char *given = RtsFlags.TraceFlags.trace_output;
    snprintf(name, size, given ? "%s" : "%s.eventlog", given ? given : prog_name);
}

/* Sends the earlier contents of the file first. */
static void send_file(const char *name)
{
    struct stat status;
    FILE *file = fopen(name, "rb");
    if (!file) return;
    char *bytes = NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MAX_FILE)
        bytes = malloc((size_t)status.st_size);
    enum { MARKER = 2 };
    const size_t size = bytes ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
    if (size > MARKER) hectic_server_write(runtime_server(), bytes, size - MARKER);
    free(bytes);
    fclose(file);
}

/* Continues a log that was begun in a file, or starts again after the end. */
static bool change_writer(const struct GCDetails_ *details)
{
    (void)details;
    const bool is_first = eventLogStatus() == EVENTLOG_RUNNING;
    if (is_first) {
        char name[TEXT_SIZE];
        name_of_file(name, sizeof name);
        endEventLogging();
        send_file(name);
    } else {
        runtime_discard();
    }
    startEventLogging(&runtime_writer);
    if (!is_first) switches_missed();
    log_.begun = true;
    return true;
}

static const char *find_obstacle(void)
{
    if (is_served()) return "already started: setDestination changes the destination";
    if (eventLogStatus() == EVENTLOG_NOT_SUPPORTED)
        return "the program was linked without the eventlog: link it with -eventlog (always on "
               "since GHC 9.4)";
    if (RtsFlags.TraceFlags.tracing != TRACE_EVENTLOG)
        return "eventlog logging is off: start the program with +RTS -l, or link it with "
               "-with-rtsopts=-l";
    return NULL;
}

/* After a stop as below, it continues. */
static char *begin(void)
{
    runtime_hook(on_exit_begin);
    if (log_.begun) return copy_of(switches_set_logging(true, true, false));
    runtime_change_writer(change_writer);
    return NULL;
}

char *hectic_eventlog_start(const char *place, bool *started)
{
    char chosen[TEXT_SIZE], *why = NULL;
    bool ignored;
    if (!started) started = &ignored;
    *started = place || (!is_served() && environment_place(chosen, sizeof chosen, &why));
    if (!*started || why) return why;
    pthread_mutex_lock(&log_.runtime);
    log_.begun = log_.begun && runtime_server();
    why = copy_of(find_obstacle());
    if (!why) why = serve(place ? place : chosen);
    if (!why) why = begin();
    pthread_mutex_unlock(&log_.runtime);
    if (!why) wait_if_set();
    return why;
}

/* The runtime continues to log, and the events are discarded: if its log ended, later events would
 * stay in its buffers and get into the next log. */
void hectic_eventlog_stop(void)
{
    pthread_mutex_lock(&log_.runtime);
    if (is_served() && switches_set_logging(false, false, false))
        endEventLogging(); /* also ends the served log */
    else if (is_served())
        end_serving();
    pthread_mutex_unlock(&log_.runtime);
}

/* --- While the log is served ------------------------------------------------------------------ */

static const char *not_served = "not started: call start first";

/* Nothing to cut while logging is off. If events cannot be flushed, they stay in the runtime's
 * buffers, and go to the new destination. */
static bool begin_cut(void)
{
    if (!acquire()) return false;
    const bool cut = switches_are_logging();
    if (cut) runtime_begin_cut();
    release();
    return cut;
}

/* Earlier events go to the earlier destination. */
char *hectic_eventlog_move(const char *place)
{
    char message[TEXT_SIZE];
    if (!is_served()) return copy_of(not_served);
    const bool cut = begin_cut();
    const bool moved = hectic_server_move(runtime_server(), place, message, sizeof message);
    if (cut) runtime_end_cut();
    return copy_of(moved ? NULL : message);
}

static char *execute_own_command(uint8_t id)
{
    return hectic_eventlog_command(HECTIC_CONTROL_HECTIC, id);
}

char *hectic_eventlog_set_logging(bool on)
{
    return execute_own_command(on ? HECTIC_CONTROL_START_LOGGING : HECTIC_CONTROL_STOP_LOGGING);
}

char *hectic_eventlog_flush(void)
{
    return execute_own_command(HECTIC_CONTROL_FLUSH);
}

char *hectic_eventlog_flush_every(uint32_t ms)
{
    if (!is_served()) return copy_of(not_served);
    hectic_server_flush_every(runtime_server(), ms);
    return NULL;
}

char *hectic_eventlog_replay(void)
{
    return execute_own_command(HECTIC_CONTROL_REPLAY);
}

char *hectic_eventlog_replay_every(uint32_t ms)
{
    if (!is_served()) return copy_of(not_served);
    hectic_server_replay_every(runtime_server(), ms);
    return NULL;
}

char *hectic_eventlog_wait(uint32_t ms)
{
    if (!is_served()) return copy_of(not_served);
    return copy_of(hectic_server_wait(runtime_server(), ms) ? NULL
                                                            : "timeout: no reader connected");
}
