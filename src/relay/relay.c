#include "relay/relay.h"

#include "clients/list.h"
#include "clients/listener.h"
#include "clients/peer_name.h"
#include "clients/pending.h"
#include "source/source.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TICK_MS = 100,
    MAX_WAITING = 256,
    MAX_ORIGINS = 4096,
    ADDRESS_SIZE = 512,
    MESSAGE_SIZE = 1024
};
/* Limits of programs that connected and have sent no header yet: time, number. */
enum { HEADER_MS = 10000, MAX_PENDING = 256 };
/* Bytes kept for programs without readers: of all together, and of each at least. */
enum { MAX_UNREAD = 16 << 20, MIN_UNREAD = 16 << 10 };
enum { MAX_ENDING = 64 };          /* ending programs, before the next log of a source may begin */
enum { MAX_COMMAND_BYTES = 4096 }; /* bytes of commands from a reader that waits for a program */

static const char listen_prefix[] = "listen:";

/* A source with the program whose log it delivers: one log after the other. */
typedef struct origin {
    list_link in_origins, in_pending, in_published; /* if it is in them */
    pending_member pending;                         /* likewise */
    relay *relay;
    source *source;
    char name[PROGRAM_NAME_SIZE]; /* as configured; "": from the log */
    bool is_client;               /* it connected to a listener, and is not reopened */
    bool header_first;            /* nothing may precede the log's header */
    bool skip_reported;           /* skipped bytes have been reported */
    bool published;               /* the program has its name, listeners and recording */
    program *program;             /* NULL: none at the moment */
    bytes rest;                   /* bytes after the last log; the source is paused meanwhile */
    bool confirmed;               /* it has sent a header */
    uint64_t since;               /* when it connected: ms of the loop */
    size_t unread;                /* bytes that its server keeps without readers */
} origin;

/* An address where readers or programs connect. */
typedef struct endpoint {
    struct endpoint *next;
    relay *relay;
    relay_listener *listener; /* NULL: a pattern for one socket per program */
    char address[ADDRESS_SIZE];
} endpoint;

struct relay {
    struct relay_options options;
    uv_loop_t *loop;
    uv_timer_t timer;
    list_link origins;         /* newest first, as in the following lists */
    list_link pending_origins; /* connected, but no header received yet */
    list_link published;
    pending_set pending; /* of pending_origins */
    unsigned origin_count;
    names names; /* of published programs */
    endpoint *endpoints;
    diagnostics diagnostics;
    int waiting[MAX_WAITING]; /* readers that wait for the first program */
    unsigned waiting_count;
    unsigned ending; /* ended programs that still have readers */
    bytes out;       /* shared by all programs, used in turn */
    bool had_log;    /* a source has ended, or a client with a log */
    bool closing;
    void (*done)(void *user);
    void *done_user;
};

static void note(relay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(relay *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_report_list(&r->diagnostics, format, arguments);
    va_end(arguments);
}

/* --- Readers ---------------------------------------------------------------------------------- */

static program *newest(const relay *r)
{
    return relay_next(r, NULL);
}

static void hand_over(const program *p, int fd)
{
    if (!hectic_server_adopt(program_server(p), fd)) close(fd);
}

/* A client may shut down its sending side and still read. Only a Unix socket can tell that from a
 * disconnect. */
static bool still_reads(int fd)
{
    int domain = 0;
    socklen_t size = sizeof domain;
    struct pollfd gone = {.fd = fd};
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX &&
           poll(&gone, 1, 0) == 0;
}

static bool are_commands(const uint8_t *bytes, size_t size)
{
    hectic_control_parser parser = {0};
    hectic_control_command command;
    for (size_t i = 0; i < size; i++)
        hectic_control_parse(&parser, bytes[i], &command);
    return !parser.invalid;
}

/* Why to disconnect a waiting reader; NULL: keep it. "": it has disconnected. */
static const char *why_disconnect(int fd)
{
    uint8_t received[MAX_COMMAND_BYTES + 1];
    const ssize_t got = recv(fd, received, sizeof received, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? NULL : "";
    if (got == 0) return still_reads(fd) ? NULL : "";
    return got > MAX_COMMAND_BYTES || !are_commands(received, (size_t)got)
               ? "reader disconnected: invalid command"
               : NULL;
}

/* Before the first program. */
static void check_waiting_readers(relay *r)
{
    for (unsigned i = r->waiting_count; i-- > 0;) {
        const char *fault = why_disconnect(r->waiting[i]);
        if (!fault) continue;
        if (*fault) note(r, "%s", fault);
        close(r->waiting[i]);
        r->waiting[i] = r->waiting[--r->waiting_count];
    }
}

static void on_reader(void *user, int fd)
{
    endpoint *e = user;
    relay *r = e->relay;
    const program *p = newest(r);
    if (!p && r->waiting_count == MAX_WAITING) check_waiting_readers(r);
    if (p)
        hand_over(p, fd);
    else if (r->waiting_count < MAX_WAITING)
        r->waiting[r->waiting_count++] = fd;
    else {
        note(r, "%s: reader rejected: %d are waiting for a program", e->address, MAX_WAITING);
        close(fd);
    }
}

/* --- Names ------------------------------------------------------------------------------------ */

/* For messages. */
static const char *display_name(const origin *o)
{
    return o->program && o->published ? program_name(o->program) : source_name(o->source);
}

/* The name of a program whose log does not contain it (yet): "Main" for "/tmp/Main.eventlog". The
 * runtime may log the name only at the end. */
static void name_of_source(const origin *o, char *name, size_t size)
{
    const char *text = source_name(o->source), *slash = strrchr(text, '/');
    if (o->is_client)
        snprintf(name, size, "program");
    else if (slash)
        snprintf(name, size, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    else
        snprintf(name, size, "%s", text); /* tcp:HOST:PORT */
}

static void choose_name(origin *o)
{
    enum { DIGITS = 12 };
    char name[PROGRAM_NAME_SIZE], source[PROGRAM_NAME_SIZE - DIGITS];
    const char *reported = program_reported_name(o->program);
    name_of_source(o, source, sizeof source);
    snprintf(name, sizeof name, "%.*s", PROGRAM_NAME_SIZE - DIGITS,
             o->name[0] ? o->name
             : reported ? reported
                        : source);
    program_set_name(o->program, name);
    if (names_take(&o->relay->names, program_name(o->program), name, o) > 0)
        program_set_name(o->program, name);
}

static void release_name(origin *o)
{
    if (names_owner(&o->relay->names, program_name(o->program)) == o)
        names_release(&o->relay->names, program_name(o->program));
}

/* The address for one program; false: too long. */
static bool expand(char *out, size_t size, const char *pattern, const char *name)
{
    const char *at = strstr(pattern, "%n");
    const int length = snprintf(out, size, "%s%.*s%s%s", listen_prefix, (int)(at - pattern),
                                pattern, name, at + 2);
    return length > 0 && (size_t)length < size;
}

static void open_listeners(const origin *o)
{
    char address[ADDRESS_SIZE + PROGRAM_NAME_SIZE], message[MESSAGE_SIZE];
    for (const endpoint *e = o->relay->endpoints; e; e = e->next) {
        if (e->listener) continue;
        if (!expand(address, sizeof address, e->address, program_name(o->program)))
            note(o->relay, "%s: the address is too long", e->address);
        else if (!hectic_server_open(program_server(o->program), address, message, sizeof message))
            note(o->relay, "%s: %s", program_name(o->program), message);
    }
}

/* The program's name is known: opens its listeners and its recording. */
static void publish(origin *o)
{
    relay *r = o->relay;
    char message[MESSAGE_SIZE];
    choose_name(o);
    o->published = true;
    list_add(&r->published, &o->in_published);
    note(r, "%s: connected as %s", source_name(o->source), program_name(o->program));
    open_listeners(o);
    while (r->waiting_count > 0)
        hand_over(o->program, r->waiting[--r->waiting_count]);
    if (!program_open(o->program, message, sizeof message)) note(r, "%s", message);
}

/* --- Programs --------------------------------------------------------------------------------- */

static void finish_end(relay *r)
{
    if (r->closing && r->origin_count == 0 && r->ending == 0 &&
        !uv_is_closing((uv_handle_t *)&r->timer))
        uv_close((uv_handle_t *)&r->timer, NULL);
    else
        return;
    if (r->done) r->done(r->done_user);
}

static void on_program_freed(void *user)
{
    relay *r = user;
    r->ending--;
    finish_end(r);
}

static void confirm(origin *o)
{
    if (o->confirmed || !o->program || !program_has_header(o->program)) return;
    o->confirmed = true;
    list_remove(&o->in_pending);
    pending_remove(&o->relay->pending, &o->pending);
}

static void end_program(origin *o)
{
    if (!o->program) return;
    if (!o->published && program_has_header(o->program))
        publish(o); /* a short log: readers may wait for it */
    if (o->published && !o->relay->closing)
        note(o->relay, "%s: log ended%s", program_name(o->program),
             program_is_complete(o->program)
                 ? ""
                 : " without an end marker: the program was killed, or still runs");
    if (!o->published && !o->skip_reported && program_skipped(o->program) > 0)
        note(o->relay, "%s: ended without an eventlog", display_name(o));
    if (o->published) release_name(o);
    o->published = false;
    list_remove(&o->in_published);
    o->relay->ending++;
    program_end(o->program, on_program_freed, o->relay);
    o->program = NULL;
}

/* Not for programs that connected to the relay: they read nothing, and unread data would reset the
 * connection when they close it. */
static bool send_to(void *user, const void *bytes, size_t length)
{
    const origin *o = user;
    return source_send(o->source, bytes, length);
}

static void on_begin(void *user)
{
    origin *o = user;
    relay *r = o->relay;
    end_program(o);
    const struct program_options options = {.with_env = r->options.with_env,
                                            .live_stats = r->options.live_stats,
                                            .header_first = o->header_first,
                                            .state_bytes = r->options.state_bytes,
                                            .record = r->options.record,
                                            .redaction = r->options.redaction,
                                            .redacts_streams = r->options.redacts_streams,
                                            .store = r->options.store,
                                            .otlp = r->options.otlp,
                                            .service = o->name[0] ? o->name : NULL,
                                            .out = &r->out,
                                            .diagnostics = &r->diagnostics,
                                            .send = o->is_client ? NULL : send_to,
                                            .user = o};
    o->skip_reported = false;
    o->unread = 0;
    o->program = program_new(r->loop, &options);
    if (!o->program) note(r, "%s: ignored: out of memory or threads", source_name(o->source));
    if (o->program && o->name[0]) publish(o);
}

static bool is_pending_client(const origin *o)
{
    return o->is_client && !o->confirmed;
}

static void remove_origin(origin *o)
{
    list_remove(&o->in_origins);
    list_remove(&o->in_pending);
    pending_remove(&o->relay->pending, &o->pending);
    o->relay->origin_count--;
    end_program(o);
    source_close(o->source);
    bytes_clear(&o->rest);
    free(o);
}

static void on_end(void *user, int error)
{
    origin *o = user;
    relay *r = o->relay;
    if (error) note(r, "%s: %s", display_name(o), uv_strerror(error));
    r->had_log = r->had_log || !is_pending_client(o);
    remove_origin(o);
    if (r->closing)
        finish_end(r);
    else if (r->options.once && r->had_log && r->origin_count == 0 && r->options.over)
        r->options.over(r->options.user);
}

static void disconnect(origin *o, const char *fault)
{
    note(o->relay, "%s: disconnected: %s", display_name(o), fault);
    o->skip_reported = true;
    on_end(o, 0);
}

/* False: disconnected, `o` is freed. */
static bool report_skipped(origin *o)
{
    const program *p = o->program;
    const uint64_t skipped = program_skipped(p);
    if (program_is_rejected(p) && o->is_client) {
        disconnect(o, "not an eventlog");
        return false;
    }
    if (o->skip_reported) return true;
    o->skip_reported = program_has_header(p) || program_is_rejected(p);
    if (program_has_header(p) && skipped > 0)
        note(o->relay, "%s: skipped the first %" PRIu64 " bytes, which are not an eventlog",
             display_name(o), skipped);
    else if (program_is_rejected(p))
        note(o->relay, "%s: ignored: not an eventlog", display_name(o));
    return true;
}

/* False: disconnected, `o` is freed. */
static bool take(origin *o, const uint8_t *bytes, size_t length)
{
    if (!o->program) on_begin(o);
    if (!o->program) return true;
    program_bytes(o->program, bytes, length);
    confirm(o);
    if (!report_skipped(o)) return false;
    if (!o->published && program_is_identified(o->program)) publish(o);
    if (!program_is_over(o->program)) return true;
    o->rest = program_take_rest(o->program);
    end_program(o);
    return true;
}

/* Further logs in the bytes that were received. */
static void take_rest(origin *o)
{
    while (o->rest.size > 0 && o->relay->ending < MAX_ENDING) {
        bytes rest = o->rest;
        o->rest = (bytes){0};
        const bool stays = take(o, rest.at, rest.size);
        bytes_clear(&rest);
        if (!stays) return;
    }
    source_pause(o->source, o->rest.size > 0);
}

static void on_bytes(void *user, const uint8_t *bytes, size_t length)
{
    if (take(user, bytes, length)) take_rest(user);
}

static void on_waiting(void *user, const char *text)
{
    const origin *o = user;
    if (text) note(o->relay, "%s", text);
}

/* `client`: the name in messages of a client that connected; NULL: the relay opens the source. */
static origin *add_origin(relay *r, const char *text, const char *name, const char *client,
                          char *message, size_t size)
{
    static const struct source_calls calls = {on_begin, on_bytes, on_waiting, on_end},
                                     client_calls = {on_begin, on_bytes, NULL, on_end};
    const struct source_options options = {.once = client || r->options.once, .name = client};
    origin *o = r->origin_count < MAX_ORIGINS ? calloc(1, sizeof *o) : NULL;
    if (!o) {
        snprintf(message, size, "too many programs: the limit is %d", MAX_ORIGINS);
        return NULL;
    }
    *o = (origin){.relay = r, .is_client = client, .since = uv_now(r->loop)};
    list_init(&o->in_pending);
    list_init(&o->in_published);
    snprintf(o->name, sizeof o->name, "%s", name);
    o->source =
        source_open(r->loop, text, &options, client ? &client_calls : &calls, o, message, size);
    if (!o->source) {
        free(o);
        return NULL;
    }
    list_add(&r->origins, &o->in_origins);
    r->origin_count++;
    return o;
}

static origin *oldest_pending(const relay *r)
{
    return LIST_MEMBER(list_previous(&r->pending_origins, &r->pending_origins), origin, in_pending);
}

static void evict_pending(relay *r)
{
    while (pending_is_full(&r->pending))
        disconnect(LIST_MEMBER(pending_next_eviction(&r->pending), origin, pending),
                   "no eventlog received, and too many clients");
}

static void on_program(void *user, int fd)
{
    const endpoint *e = user;
    char text[32], name[PEER_NAME_SIZE], message[MESSAGE_SIZE];
    evict_pending(e->relay);
    peer_name(fd, name);
    snprintf(text, sizeof text, "fd:%d", fd);
    origin *o = add_origin(e->relay, text, "", name, message, sizeof message);
    if (o && pending_add(&e->relay->pending, &o->pending, pending_address_of(fd))) {
        list_add(&e->relay->pending_origins, &o->in_pending);
        /* A web page can send requests with a log in the body to local ports. */
        o->header_first = relay_listener_port(e->listener) > 0 && !e->relay->options.token;
    } else {
        note(e->relay, "%s: %s", name, o ? "out of memory" : message);
        if (o) remove_origin(o);
    }
    close(fd); /* the source has its own duplicate */
}

/* --- Endpoints -------------------------------------------------------------------------------- */

static bool add_endpoint(relay *r, const char *address, void (*on_client)(void *user, int fd),
                         char *message, size_t size)
{
    endpoint *e = calloc(1, sizeof *e);
    if (!e || strlen(address) >= sizeof e->address) {
        snprintf(message, size, "%s: the address is too long", address);
        free(e);
        return false;
    }
    *e = (endpoint){.relay = r, .next = r->endpoints};
    strcpy(e->address, address);
    if (on_client) {
        e->listener = relay_listener_open(r->loop, e->address, r->options.token, &r->diagnostics,
                                          on_client, e, message, size);
        if (!e->listener) {
            free(e);
            return false;
        }
        if (on_client == on_program) relay_listener_require_bytes(e->listener);
        if (relay_listener_port(e->listener) > 0)
            note(r, "listening on %s, port %u", address, relay_listener_port(e->listener));
    }
    r->endpoints = e;
    return true;
}

bool relay_from(relay *r, const char *text, char *message, size_t size)
{
    message[0] = 0;
    if (strncmp(text, listen_prefix, sizeof listen_prefix - 1) == 0)
        return add_endpoint(r, text + sizeof listen_prefix - 1, on_program, message, size);
    char name[PROGRAM_NAME_SIZE] = "";
    const char *equals = strchr(text, '=');
    if (equals && strncmp(equals + 1, listen_prefix, sizeof listen_prefix - 1) == 0) {
        snprintf(message, size, "%s: programs that connect have names of their own: use %s", text,
                 equals + 1);
        return false;
    }
    const size_t length = equals ? (size_t)(equals - text) : 0;
    if (length > 0 && length < sizeof name && !memchr(text, '/', length) &&
        !memchr(text, ':', length)) {
        memcpy(name, text, length);
        text = equals + 1;
    }
    return add_origin(r, text, name, NULL, message, size) != NULL;
}

bool relay_listen(relay *r, const char *text, char *message, size_t size)
{
    const bool pattern = strstr(text, "%n") != NULL;
    if (pattern && strncmp(text, "unix:", 5) != 0) {
        snprintf(message, size, "%s: %%n requires a Unix socket", text);
        return false;
    }
    return add_endpoint(r, text, pattern ? NULL : on_reader, message, size);
}

/* --- Lifetime --------------------------------------------------------------------------------- */

/* Bytes that each program keeps for its first reader. */
static size_t unread_share(const relay *r)
{
    const size_t share = MAX_UNREAD / (r->origin_count ? r->origin_count : 1);
    return share > MIN_UNREAD ? share : MIN_UNREAD;
}

static void on_tick(uv_timer_t *timer)
{
    relay *r = timer->data;
    const size_t unread = unread_share(r);
    for (origin *o; (o = oldest_pending(r)) && uv_now(r->loop) - o->since > HEADER_MS;)
        disconnect(o, "timeout: no eventlog received");
    for (list_link *at = list_next(&r->origins, &r->origins), *next; at; at = next) {
        origin *o = LIST_MEMBER(at, origin, in_origins);
        next = list_next(&r->origins, at);
        if (o->program && o->unread != unread)
            hectic_server_keep_unread(program_server(o->program), unread);
        if (o->program) o->unread = unread;
        if (o->program) program_tick(o->program);
        if (o->rest.size > 0)
            take_rest(o);
        else if (!source_is_in_log(o->source))
            end_program(o);
    }
    check_waiting_readers(r);
}

relay *relay_new(uv_loop_t *loop, const struct relay_options *options)
{
    relay *r = calloc(1, sizeof *r);
    if (!r || !pending_begin(&r->pending, MAX_PENDING)) {
        free(r);
        return NULL;
    }
    r->options = *options;
    r->loop = loop;
    list_init(&r->origins);
    list_init(&r->pending_origins);
    list_init(&r->published);
    diagnostics_begin(&r->diagnostics, options->note, options->user);
    uv_timer_init(loop, &r->timer);
    r->timer.data = r;
    uv_timer_start(&r->timer, on_tick, TICK_MS, TICK_MS);
    return r;
}

const record_counts *relay_recorded(const relay *r)
{
    return r->options.record ? r->options.record->all : NULL;
}

const struct otlp_sending *relay_otlp(const relay *r)
{
    return r->options.otlp;
}

const row_store *relay_store(const relay *r)
{
    return r->options.store;
}

diagnostics *relay_diagnostics(relay *r)
{
    return &r->diagnostics;
}

program *relay_next(const relay *r, const program *after)
{
    const origin *before = after ? program_user(after) : NULL;
    const list_link *at = before ? &before->in_published : &r->published;
    const origin *o = LIST_MEMBER(list_next(&r->published, at), const origin, in_published);
    return o ? o->program : NULL;
}

program *relay_find(const relay *r, const char *name)
{
    const origin *o = names_owner(&r->names, name);
    return o ? o->program : NULL;
}

void relay_end(relay *r, void (*done)(void *user), void *user)
{
    r->closing = true;
    r->done = done;
    r->done_user = user;
    for (endpoint *e; (e = r->endpoints);) {
        r->endpoints = e->next;
        if (e->listener) relay_listener_close(e->listener);
        free(e);
    }
    /* Received data is still relayed. A program that the relay started may take a while to end. */
    for (list_link *at = list_next(&r->origins, &r->origins), *next; at; at = next) {
        next = list_next(&r->origins, at);
        source_finish(LIST_MEMBER(at, origin, in_origins)->source);
    }
    while (r->waiting_count > 0)
        close(r->waiting[--r->waiting_count]);
    finish_end(r);
}

void relay_free(relay *r)
{
    if (!r) return;
    diagnostics_end(&r->diagnostics);
    names_clear(&r->names);
    pending_end(&r->pending);
    bytes_clear(&r->out);
    free(r);
}
