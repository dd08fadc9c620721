#include "relay/relay.h"

#include "relay/list.h"
#include "relay/listener.h"
#include "relay/peer_name.h"
#include "relay/pending.h"
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

enum { TICK_MS = 100, WAITING_MAX = 256, ORIGINS_MAX = 4096, PLACE_MAX = 512, NOTE_MAX = 1024 };
/* What a program that came may take to send a header; how many may be there that have sent none. */
enum { HEADER_MS = 10000, PENDING_MAX = 256 };
/* What is kept of all programs together that nobody reads, but of each at least … */
enum { UNREAD_MAX = 16 << 20, UNREAD_MIN = 16 << 10 };
enum { ENDING_MAX = 64 }; /* programs that end at a time, for another log of a source to begin */
enum { SAID_MAX = 4096 }; /* bytes that a reader may say before there is a program to hear it */

static const char listens[] = "listen:";

/* Where one program's logs come from, one after the other. */
typedef struct origin {
    list_link in_origins, in_unproven, in_settled; /* as it is one of them */
    pending_member unproven;                       /* in its crowd, likewise */
    relay *relay;
    source *source;
    char name[PROGRAM_NAME_SIZE]; /* as given; "": as the log says */
    bool came;                    /* through a door: it does not come again */
    bool header_first;            /* its log has to begin with its first byte */
    bool noted;                   /* what stands before the program's log */
    bool settled;                 /* the program has its name, and all that goes by it */
    program *program;             /* NULL: none just now */
    bytes rest;                   /* what came behind the last one's log; it is paused meanwhile */
    bool proven;                  /* it has sent a header */
    uint64_t since;               /* when it came: ms of the loop */
    size_t unread;                /* what its server keeps while nobody reads */
} origin;

/* Where readers find programs, or programs the relay. */
typedef struct entrance {
    struct entrance *next;
    relay *relay;
    relay_listener *listener; /* NULL: a pattern, with a place for each program */
    char place[PLACE_MAX];
} entrance;

struct relay {
    struct relay_options options;
    uv_loop_t *loop;
    uv_timer_t timer;
    list_link origins;  /* the newest first, as in the following */
    list_link unproven; /* those who came, and have sent no header yet */
    list_link settled;
    pending_set pending; /* of the unproven */
    unsigned origin_count;
    names names; /* of those that are settled */
    entrance *entrances;
    diagnostics diagnostics;
    int waiting[WAITING_MAX]; /* readers who came before any program */
    unsigned waiting_count;
    unsigned ending; /* programs that are over, and still have readers */
    bytes out;       /* of all programs, in turn */
    bool carried;    /* a source has ended, or a program that came with a log */
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

/* --- Readers --------------------------------------------------------------------------------- */

static program *newest(const relay *r)
{
    return relay_next(r, NULL);
}

static void give(const program *p, int fd)
{
    if (!hectic_server_adopt(program_server(p), fd)) close(fd);
}

/* Who has said all that it will may still read. Only over a Unix socket that is not the same as
 * having gone. */
static bool may_read(int fd)
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

/* Why a reader who waits is not to wait any longer; NULL: it may. "": it has gone. */
static const char *fault_of_reader(int fd)
{
    uint8_t said[SAID_MAX + 1];
    const ssize_t got = recv(fd, said, sizeof said, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? NULL : "";
    if (got == 0) return may_read(fd) ? NULL : "";
    return got > SAID_MAX || !are_commands(said, (size_t)got)
               ? "reader disconnected: invalid command"
               : NULL;
}

/* Before any program came. */
static void look_after_readers(relay *r)
{
    for (unsigned i = r->waiting_count; i-- > 0;) {
        const char *fault = fault_of_reader(r->waiting[i]);
        if (!fault) continue;
        if (*fault) note(r, "%s", fault);
        close(r->waiting[i]);
        r->waiting[i] = r->waiting[--r->waiting_count];
    }
}

static void on_reader(void *user, int fd)
{
    entrance *e = user;
    relay *r = e->relay;
    const program *p = newest(r);
    if (!p && r->waiting_count == WAITING_MAX) look_after_readers(r);
    if (p)
        give(p, fd);
    else if (r->waiting_count < WAITING_MAX)
        r->waiting[r->waiting_count++] = fd;
    else {
        note(r, "%s: reader rejected: %d are waiting for a program", e->place, WAITING_MAX);
        close(fd);
    }
}

/* --- Names ----------------------------------------------------------------------------------- */

/* In messages. */
static const char *called(const origin *o)
{
    return o->program && o->settled ? program_name(o->program) : source_name(o->source);
}

/* What a source that has no name is called after: "Main" of "/tmp/Main.eventlog", where the log has
 * not told by then. The runtime may tell it at its end only. */
static void name_of_source(const origin *o, char *name, size_t size)
{
    const char *text = source_name(o->source), *slash = strrchr(text, '/');
    if (o->came)
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
    const char *says = program_reported_name(o->program);
    name_of_source(o, source, sizeof source);
    snprintf(name, sizeof name, "%.*s", PROGRAM_NAME_SIZE - DIGITS,
             o->name[0] ? o->name
             : says     ? says
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

/* A place of its own for each program; false: the pattern is too long. */
static bool expand(char *out, size_t size, const char *pattern, const char *name)
{
    const char *at = strstr(pattern, "%n");
    const int length =
        snprintf(out, size, "%s%.*s%s%s", listens, (int)(at - pattern), pattern, name, at + 2);
    return length > 0 && (size_t)length < size;
}

static void open_places(const origin *o)
{
    char place[PLACE_MAX + PROGRAM_NAME_SIZE], message[NOTE_MAX];
    for (const entrance *e = o->relay->entrances; e; e = e->next) {
        if (e->listener) continue;
        if (!expand(place, sizeof place, e->place, program_name(o->program)))
            note(o->relay, "%s: the address is too long", e->place);
        else if (!hectic_server_open(program_server(o->program), place, message, sizeof message))
            note(o->relay, "%s: %s", program_name(o->program), message);
    }
}

/* The program has said who it is: what goes by its name can begin. */
static void settle(origin *o)
{
    relay *r = o->relay;
    char message[NOTE_MAX];
    choose_name(o);
    o->settled = true;
    list_add(&r->settled, &o->in_settled);
    note(r, "%s: connected as %s", source_name(o->source), program_name(o->program));
    open_places(o);
    while (r->waiting_count > 0)
        give(o->program, r->waiting[--r->waiting_count]);
    if (!program_open(o->program, message, sizeof message)) note(r, "%s", message);
}

/* --- Programs -------------------------------------------------------------------------------- */

static void finish_end(relay *r)
{
    if (r->closing && r->origin_count == 0 && r->ending == 0 &&
        !uv_is_closing((uv_handle_t *)&r->timer))
        uv_close((uv_handle_t *)&r->timer, NULL);
    else
        return;
    if (r->done) r->done(r->done_user);
}

static void on_gone(void *user)
{
    relay *r = user;
    r->ending--;
    finish_end(r);
}

static void prove(origin *o)
{
    if (o->proven || !o->program || !program_has_header(o->program)) return;
    o->proven = true;
    list_remove(&o->in_unproven);
    pending_remove(&o->relay->pending, &o->unproven);
}

static void end_program(origin *o)
{
    if (!o->program) return;
    if (!o->settled && program_has_header(o->program))
        settle(o); /* a short log: its readers may wait for it */
    if (o->settled && !o->relay->closing) note(o->relay, "%s: log ended", program_name(o->program));
    if (!o->settled && !o->noted && program_skipped(o->program) > 0)
        note(o->relay, "%s: ended without an eventlog", called(o));
    if (o->settled) release_name(o);
    o->settled = false;
    list_remove(&o->in_settled);
    o->relay->ending++;
    program_end(o->program, on_gone, o->relay);
    o->program = NULL;
}

/* Programs that connect by themselves read nothing: what was sent to them would be in the way when
 * they hang up. */
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
                                            .out = &r->out,
                                            .diagnostics = &r->diagnostics,
                                            .send = o->came ? NULL : send_to,
                                            .user = o};
    o->noted = false;
    o->unread = 0;
    o->program = program_new(r->loop, &options);
    if (!o->program) note(r, "%s: ignored: out of memory or threads", source_name(o->source));
    if (o->program && o->name[0]) settle(o);
}

static bool is_pending_client(const origin *o)
{
    return o->came && !o->proven;
}

static void remove_origin(origin *o)
{
    list_remove(&o->in_origins);
    list_remove(&o->in_unproven);
    pending_remove(&o->relay->pending, &o->unproven);
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
    if (error) note(r, "%s: %s", called(o), uv_strerror(error));
    r->carried = r->carried || !is_pending_client(o);
    remove_origin(o);
    if (r->closing)
        finish_end(r);
    else if (r->options.once && r->carried && r->origin_count == 0 && r->options.over)
        r->options.over(r->options.user);
}

static void hang_up(origin *o, const char *fault)
{
    note(o->relay, "%s: disconnected: %s", called(o), fault);
    o->noted = true;
    on_end(o, 0);
}

/* False: it is hung up on. */
static bool report_skipped(origin *o)
{
    const program *p = o->program;
    const uint64_t skipped = program_skipped(p);
    if (program_is_rejected(p) && o->came) {
        hang_up(o, "not an eventlog");
        return false;
    }
    if (o->noted) return true;
    o->noted = program_has_header(p) || program_is_rejected(p);
    if (program_has_header(p) && skipped > 0)
        note(o->relay, "%s: skipped the first %" PRIu64 " bytes, which are not an eventlog",
             called(o), skipped);
    else if (program_is_rejected(p))
        note(o->relay, "%s: ignored: not an eventlog", called(o));
    return true;
}

/* False: it is hung up on. */
static bool take(origin *o, const uint8_t *bytes, size_t length)
{
    if (!o->program) on_begin(o);
    if (!o->program) return true;
    program_bytes(o->program, bytes, length);
    prove(o);
    if (!report_skipped(o)) return false;
    if (!o->settled && program_is_identified(o->program)) settle(o);
    if (!program_is_over(o->program)) return true;
    o->rest = program_take_rest(o->program);
    end_program(o);
    return true;
}

/* Other logs that came with what has been taken. */
static void take_rest(origin *o)
{
    while (o->rest.size > 0 && o->relay->ending < ENDING_MAX) {
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

/* `came`: how messages call who came through a door; NULL: the relay looks for it. */
static origin *add_origin(relay *r, const char *text, const char *name, const char *came,
                          char *message, size_t size)
{
    static const struct source_calls calls = {on_begin, on_bytes, on_waiting, on_end},
                                     calls_who_came = {on_begin, on_bytes, NULL, on_end};
    const struct source_options options = {.once = came || r->options.once, .name = came};
    origin *o = r->origin_count < ORIGINS_MAX ? calloc(1, sizeof *o) : NULL;
    if (!o) {
        snprintf(message, size, "too many programs: the limit is %d", ORIGINS_MAX);
        return NULL;
    }
    *o = (origin){.relay = r, .came = came, .since = uv_now(r->loop)};
    list_init(&o->in_unproven);
    list_init(&o->in_settled);
    snprintf(o->name, sizeof o->name, "%s", name);
    o->source =
        source_open(r->loop, text, &options, came ? &calls_who_came : &calls, o, message, size);
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
    return LIST_MEMBER(list_previous(&r->unproven, &r->unproven), origin, in_unproven);
}

static void make_room(relay *r)
{
    while (pending_is_full(&r->pending))
        hang_up(LIST_MEMBER(pending_next_eviction(&r->pending), origin, unproven),
                "no eventlog received, and too many clients");
}

static void on_program(void *user, int fd)
{
    const entrance *e = user;
    char text[32], name[PEER_NAME_SIZE], message[NOTE_MAX];
    make_room(e->relay);
    peer_name(fd, name);
    snprintf(text, sizeof text, "fd:%d", fd);
    origin *o = add_origin(e->relay, text, "", name, message, sizeof message);
    if (o && pending_add(&e->relay->pending, &o->unproven, pending_address_of(fd))) {
        list_add(&e->relay->unproven, &o->in_unproven);
        /* A web page can send requests to this host's ports, with a log in their bodies. */
        o->header_first = relay_listener_port(e->listener) > 0 && !e->relay->options.token;
    } else {
        note(e->relay, "%s: %s", name, o ? "out of memory" : message);
        if (o) remove_origin(o);
    }
    close(fd); /* the source has its own */
}

/* --- Entrances ------------------------------------------------------------------------------- */

static bool add_entrance(relay *r, const char *place, void (*came)(void *user, int fd),
                         char *message, size_t size)
{
    entrance *e = calloc(1, sizeof *e);
    if (!e || strlen(place) >= sizeof e->place) {
        snprintf(message, size, "%s: the address is too long", place);
        free(e);
        return false;
    }
    *e = (entrance){.relay = r, .next = r->entrances};
    strcpy(e->place, place);
    if (came) {
        e->listener = relay_listener_open(r->loop, e->place, r->options.token, &r->diagnostics,
                                          came, e, message, size);
        if (!e->listener) {
            free(e);
            return false;
        }
        if (came == on_program) relay_listener_require_bytes(e->listener);
        if (relay_listener_port(e->listener) > 0)
            note(r, "listening on %s, port %u", place, relay_listener_port(e->listener));
    }
    r->entrances = e;
    return true;
}

bool relay_from(relay *r, const char *text, char *message, size_t size)
{
    message[0] = 0;
    if (strncmp(text, listens, sizeof listens - 1) == 0)
        return add_entrance(r, text + sizeof listens - 1, on_program, message, size);
    char name[PROGRAM_NAME_SIZE] = "";
    const char *equals = strchr(text, '=');
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
    return add_entrance(r, text, pattern ? NULL : on_reader, message, size);
}

/* --- Its life -------------------------------------------------------------------------------- */

/* A place for each program's past, which its first reader gets. */
static size_t unread_share(const relay *r)
{
    const size_t share = UNREAD_MAX / (r->origin_count ? r->origin_count : 1);
    return share > UNREAD_MIN ? share : UNREAD_MIN;
}

static void on_tick(uv_timer_t *timer)
{
    relay *r = timer->data;
    const size_t unread = unread_share(r);
    for (origin *o; (o = oldest_pending(r)) && uv_now(r->loop) - o->since > HEADER_MS;)
        hang_up(o, "timeout: no eventlog received");
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
    look_after_readers(r);
}

relay *relay_new(uv_loop_t *loop, const struct relay_options *options)
{
    relay *r = calloc(1, sizeof *r);
    if (!r || !pending_begin(&r->pending, PENDING_MAX)) {
        free(r);
        return NULL;
    }
    r->options = *options;
    r->loop = loop;
    list_init(&r->origins);
    list_init(&r->unproven);
    list_init(&r->settled);
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

diagnostics *relay_diagnostics(relay *r)
{
    return &r->diagnostics;
}

program *relay_next(const relay *r, const program *after)
{
    const origin *before = after ? program_user(after) : NULL;
    const list_link *at = before ? &before->in_settled : &r->settled;
    const origin *o = LIST_MEMBER(list_next(&r->settled, at), const origin, in_settled);
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
    for (entrance *e; (e = r->entrances);) {
        r->entrances = e->next;
        if (e->listener) relay_listener_close(e->listener);
        free(e);
    }
    /* What has arrived is carried. A program that was started may take a while to end. */
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
