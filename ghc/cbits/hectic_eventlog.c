/* GHC's runtime on one side, a hectic_server on the other: what a program and its readers may ask
 * for. */
#include "hectic_eventlog.h"
#include "optional.h"
#include "runtime_log.h"
#include "switches.h"

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
    END_MS = 2000, /* that a reader has for the last events */
    TEXT_MAX = 1024,
    FILE_MAX = 256 << 20, /* of a log that has been begun in a file */
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
    bool serving; /* at some place */
    bool begun;   /* the runtime's log goes to the server */

    pthread_mutex_t runtime; /* held while the runtime is asked for something */
    bool ending;             /* it cannot be asked any more */

    pthread_mutex_t list;
    command *commands;
} log_ = {.runtime = PTHREAD_MUTEX_INITIALIZER, .list = PTHREAD_MUTEX_INITIALIZER};

static char *copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* --- The runtime's end ----------------------------------------------------------------------- */

static void end_serving(void)
{
    log_.serving = false;
    hectic_server_close(runtime_server(), END_MS);
}

static void ended(void)
{
    log_.begun = false;
    end_serving();
}

static void exits(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_MS / 1000;
    const bool locked = pthread_mutex_timedlock(&log_.runtime, &until) == 0;
    log_.ending = true;
    if (locked) pthread_mutex_unlock(&log_.runtime);
}

/* --- What is asked for ---------------------------------------------------------------------- */

static const char *not_logging = "the program is not logging";

/* The runtime may be asked; to be followed by release(). */
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

/* Nothing comes out while logging is off. */
static const char *flush_logged(bool outside)
{
    return switches_are_logging() ? runtime_flush(outside) : NULL;
}

static const char *flush_now(bool outside)
{
    if (!acquire()) return not_logging;
    const char *why = flush_logged(outside);
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

static const char *replay(void)
{
    hectic_server_replay(runtime_server());
    return NULL;
}

static const char *obey_own(uint8_t id, bool outside)
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

static const char *obey(const hectic_control_command *asked, bool outside)
{
    const command *own = find(asked->name, asked->id);
    if (own) return own->handler(own->user);
    const bool is_core = strcmp(asked->name, HECTIC_CONTROL_CORE) == 0;
    if (!is_core && strcmp(asked->name, HECTIC_CONTROL_HECTIC) != 0) return no_command;
    if (!acquire()) return not_logging;
    const char *why = is_core ? obey_core(asked->id) : obey_own(asked->id, outside);
    release();
    return why;
}

static const char *obey_reader(void *user, const hectic_control_command *asked)
{
    (void)user;
    return obey(asked, true);
}

char *hectic_eventlog_command(const char *name, uint8_t id)
{
    hectic_control_command asked = {.id = id};
    strncpy(asked.name, name, sizeof asked.name - 1);
    return copy_of(obey(&asked, false));
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
    char message[TEXT_MAX];
    const hectic_server_options options = {.keep = number_variable("HECTIC_EVENTLOG_KEEP", 0),
                                           .state = number_variable("HECTIC_EVENTLOG_STATE", 0),
                                           .command = obey_reader,
                                           .flush = flush};
    hectic_server *server = runtime_server();
    if (!server) runtime_serve(server = hectic_server_new(&options));
    if (!server) return copy_of("out of memory");
    if (!hectic_server_open(server, place, message, sizeof message)) return copy_of(message);
    hectic_server_flush_every(server, number_variable("HECTIC_EVENTLOG_FLUSH_MS", FLUSH_MS));
    runtime_on_end(ended);
    log_.serving = true;
    return NULL;
}

/* A child after fork serves nothing of its parent's. */
static bool is_served(void)
{
    return log_.serving && runtime_server();
}

static void wait_as_told(void)
{
    if (getenv("GHC_EVENTLOG_WAIT")) hectic_server_wait(runtime_server(), 0);
}

int hectic_eventlog_main(int argc, char **argv, RtsConfig config, StgClosure *main_closure)
{
    char place[TEXT_MAX];
    char *why = NULL;
    config.rts_hs_main = true;
    if (place_by_environment(place, sizeof place) && !(why = serve(place))) {
        if (!config.rts_opts) config.rts_opts = "-l";
        config.eventlog_writer = &runtime_writer;
        runtime_hook_into(&config, exits);
        log_.begun = true;
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
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_MAX)
        bytes = malloc((size_t)status.st_size);
    enum { MARKER = 2 };
    const size_t size = bytes ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
    if (size > MARKER) hectic_server_write(runtime_server(), bytes, size - MARKER);
    free(bytes);
    fclose(file);
}

/* From a file that the runtime has begun, or after it was ended. */
static bool change_writer(const struct GCDetails_ *details)
{
    (void)details;
    const bool is_first = eventLogStatus() == EVENTLOG_RUNNING;
    if (is_first) {
        char name[TEXT_MAX];
        name_of_file(name, sizeof name);
        endEventLogging();
        tell_file(name);
    } else {
        runtime_discard();
    }
    startEventLogging(&runtime_writer);
    if (!is_first) switches_missed();
    log_.begun = true;
    return true;
}

static const char *unable(void)
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

/* Stopped as below, it goes on where it was. */
static char *begin(void)
{
    runtime_hook(exits);
    if (log_.begun) return copy_of(switches_set_logging(true, true, false));
    runtime_change_writer(change_writer);
    return NULL;
}

char *hectic_eventlog_start(const char *place, bool *started)
{
    char chosen[TEXT_MAX];
    bool ignored;
    if (!started) started = &ignored;
    *started = place || (!is_served() && place_by_environment(chosen, sizeof chosen));
    if (!*started) return NULL;
    pthread_mutex_lock(&log_.runtime);
    log_.begun = log_.begun && runtime_server();
    char *why = copy_of(unable());
    if (!why) why = serve(place ? place : chosen);
    if (!why) why = begin();
    pthread_mutex_unlock(&log_.runtime);
    if (!why) wait_as_told();
    return why;
}

/* The runtime is left to log, and nothing of that is kept: were its log ended, what happens from
 * then on would stay in its buffers, for the next log. */
void hectic_eventlog_stop(void)
{
    pthread_mutex_lock(&log_.runtime);
    if (is_served() && switches_set_logging(false, false, false))
        endEventLogging(); /* which ends what is served */
    else if (is_served())
        end_serving();
    pthread_mutex_unlock(&log_.runtime);
}

/* --- While it is served ---------------------------------------------------------------------- */

static const char *not_served = "not started: call start first";

/* What was logged before goes to where it was served then. */
char *hectic_eventlog_move(const char *place)
{
    char message[TEXT_MAX];
    if (!is_served()) return copy_of(not_served);
    flush_now(false); /* if that can be: else it is in the runtime's buffers, and moves with it */
    const bool moved = hectic_server_move(runtime_server(), place, message, sizeof message);
    return copy_of(moved ? NULL : message);
}

static char *ask(uint8_t id)
{
    return hectic_eventlog_command(HECTIC_CONTROL_HECTIC, id);
}

char *hectic_eventlog_set_logging(bool on)
{
    return ask(on ? HECTIC_CONTROL_START_LOGGING : HECTIC_CONTROL_STOP_LOGGING);
}

char *hectic_eventlog_flush(void)
{
    return ask(HECTIC_CONTROL_FLUSH);
}

char *hectic_eventlog_flush_every(uint32_t ms)
{
    if (!is_served()) return copy_of(not_served);
    hectic_server_flush_every(runtime_server(), ms);
    return NULL;
}

char *hectic_eventlog_replay(void)
{
    return ask(HECTIC_CONTROL_REPLAY);
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
