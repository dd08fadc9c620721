/* A sink for readers that connect: feeds a server, and executes the readers' commands. */
#include "emit/emitter.h"
#include "serve/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    END_MS = 2000, /* for readers to receive the rest */
    FLUSH_AT_ONCE_MS = 1000,
};

typedef struct listening {
    hectic_emitter *emitter;
    hectic_server *server;
    pid_t process; /* its owner */
    /* The emitter must not be freed while a command is executed. */
    pthread_mutex_t lock;
    pthread_cond_t idle;
    bool busy, ending;
} listening;

/* --- Commands: in the server's control thread, without locks ---------------------------------- */

static const char *reason(hectic_emit_status status)
{
    if (status == HECTIC_EMIT_OK) return NULL;
    return status == HECTIC_EMIT_SEQUENCE ? "the program is not logging"
                                          : hectic_emit_status_text(status);
}

static const char *const no_command = "this program has no such command";

/* Classes by the runtime's flags, in their order. */
static const uint64_t classes_by_flag[] = {
    HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER) | HECTIC_CLASS_BIT(HECTIC_CLASS_TASK), /* s */
    HECTIC_CLASS_BIT(HECTIC_CLASS_GC),                                              /* g */
    HECTIC_CLASS_BIT(HECTIC_CLASS_NONMOVING),                                       /* n */
    HECTIC_CLASS_BIT(HECTIC_CLASS_SPARK),                                           /* p */
    HECTIC_CLASS_BIT(HECTIC_CLASS_SPARK_FULL),                                      /* f */
    HECTIC_CLASS_BIT(HECTIC_CLASS_USER),                                            /* u */
    HECTIC_CLASS_BIT(HECTIC_CLASS_PROCESS),                                         /* c */
    HECTIC_CLASS_BIT(HECTIC_CLASS_INFO_TABLE),                                      /* I */
};
enum { FLAGS = sizeof classes_by_flag / sizeof *classes_by_flag };

static const char *switch_classes(hectic_emitter *e, unsigned flag, bool on)
{
    const uint64_t classes = classes_by_flag[flag], before = hectic_emitter_classes(e);
    if (!on && (classes & CLASSES_ALWAYS))
        return "events of the process and its caps are always on";
    return reason(hectic_emitter_set_classes(e, on ? before | classes : before & ~classes));
}

static const char *execute_own(hectic_emitter *e, uint8_t id)
{
    if (id == HECTIC_CONTROL_FLUSH) return reason(hectic_emitter_flush(e, FLUSH_AT_ONCE_MS));
    if (id == HECTIC_CONTROL_REPLAY) return reason(hectic_emitter_sync(e));
    if (id == HECTIC_CONTROL_START_LOGGING || id == HECTIC_CONTROL_STOP_LOGGING)
        return reason(hectic_emitter_set_logging(e, id == HECTIC_CONTROL_START_LOGGING));
    if (id >= HECTIC_CONTROL_CLASS_OFF && id < HECTIC_CONTROL_CLASS_OFF + FLAGS)
        return switch_classes(e, id - HECTIC_CONTROL_CLASS_OFF, false);
    if (id >= HECTIC_CONTROL_CLASS_ON && id < HECTIC_CONTROL_CLASS_ON + FLAGS)
        return switch_classes(e, id - HECTIC_CONTROL_CLASS_ON, true);
    return no_command;
}

static const char *execute(hectic_emitter *e, const hectic_control_command *command)
{
    if (strcmp(command->name, HECTIC_CONTROL_HECTIC) == 0) return execute_own(e, command->id);
    const bool profiles = strcmp(command->name, HECTIC_CONTROL_CORE) == 0 &&
                          command->id >= HECTIC_CONTROL_START_PROFILE &&
                          command->id <= HECTIC_CONTROL_HEAP_CENSUS;
    return profiles ? "this program has no profiler of GHC's runtime" : no_command;
}

static const char *take_command(void *user, const hectic_control_command *command)
{
    listening *l = user;
    pthread_mutex_lock(&l->lock);
    const bool ending = l->ending;
    l->busy = !ending;
    pthread_mutex_unlock(&l->lock);
    if (ending) return "the log has ended";
    const char *answer = execute(l->emitter, command);
    pthread_mutex_lock(&l->lock);
    l->busy = false;
    pthread_cond_signal(&l->idle);
    pthread_mutex_unlock(&l->lock);
    return answer;
}

static const char *flush(void *user)
{
    return take_command(
        user, &(hectic_control_command){.name = HECTIC_CONTROL_HECTIC, .id = HECTIC_CONTROL_FLUSH});
}

static void end_commands(listening *l)
{
    pthread_mutex_lock(&l->lock);
    l->ending = true;
    while (l->busy)
        pthread_cond_wait(&l->idle, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

/* --- The sink --------------------------------------------------------------------------------- */

static void free_listening(listening *l)
{
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->idle);
    free(l);
}

static int listen_prepare(sink *s)
{
    const hectic_destination *at = &s->destination;
    char message[1];
    if (at->path ? !*at->path : !at->host || !at->port) return EINVAL;
    listening *l = malloc(sizeof *l);
    if (!l) return ENOMEM;
    *l = (listening){.emitter = at->user, .process = getpid()};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->idle, NULL);
    const hectic_server_options options = {
        .keep = at->ring_size, .command = take_command, .flush = flush, .user = l};
    l->server = hectic_server_new(&options);
    int error = l->server ? 0 : ENOMEM;
    if (l->server && !server_listen(l->server, at, message, sizeof message)) error = errno;
    s->data = l;
    if (!error) return 0;
    hectic_server_free(l->server, 0);
    free_listening(l);
    return error;
}

static void listen_release(sink *s)
{
    listening *l = s->data;
    if (l->server) {
        end_commands(l);
        hectic_server_free(l->server, 0);
    }
    free_listening(l);
}

static int listen_open(sink *s)
{
    (void)s;
    return 0;
}

/* One piece is a header or whole blocks; two are a block. */
static ssize_t listen_write(sink *s, const struct iovec *piece, int count)
{
    hectic_server *server = ((listening *)s->data)->server;
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += piece[i].iov_len;
    if (count == 1)
        hectic_server_write(server, piece->iov_base, piece->iov_len);
    else
        server_write_block(server, piece, count);
    return (ssize_t)size;
}

/* A forked child does not have its threads. */
static void listen_close(sink *s)
{
    listening *l = s->data;
    if (l->process == getpid()) {
        hectic_server_close(l->server, END_MS);
    } else {
        hectic_server_free_in_child(l->server);
        l->server = NULL;
    }
}

static void listen_freeze(sink *s, bool frozen)
{
    (frozen ? server_freeze : server_thaw)(((listening *)s->data)->server);
}

static void listen_describe(const sink *s, hectic_emitter_state *state)
{
    const hectic_server_state server =
        hectic_server_get_state(((const listening *)s->data)->server);
    state->readers = server.readers;
    state->port = (uint16_t)server.port;
}

static const struct sink_kind sink_to_listen = {
    .name = "listening",
    .lingers = true,
    .prepare = listen_prepare,
    .release = listen_release,
    .open = listen_open,
    .write = listen_write,
    .close = listen_close,
    .freeze = listen_freeze,
    .describe = listen_describe,
};

sink *sink_to_readers(hectic_emitter *e, const hectic_destination *destination)
{
    hectic_destination at = *destination;
    at.user = e;
    return sink_new_of(&sink_to_listen, &at);
}
