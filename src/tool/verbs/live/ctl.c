/* ctl.c — hectic ctl: sends a command to a running program, over the connection of its log. */
#include "os/clock.h"
#include "read/decode/pass.h"
#include "source/token_file.h"
#include "tool/cli/message.h"
#include "tool/cli/verb.h"

#include <hectic/read_events.h>

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MS = 5000, SILENCE_MS = 1000, MESSAGES_MAX = 64 };

/* Encoded commands, all of one namespace, and the number of answers to expect. */
struct command_list {
    const char *name;
    uint8_t bytes[MESSAGES_MAX * HECTIC_CONTROL_MESSAGE_MAX];
    size_t size;
    unsigned count;
};

/* --- What to send ---------------------------------------------------------------------------- */

static bool add(struct command_list *o, const char *name, unsigned id)
{
    const size_t size =
        hectic_control_encode(o->bytes + o->size, sizeof o->bytes - o->size, name, (uint8_t)id);
    if (size == 0 || size > sizeof o->bytes - o->size) {
        tool_usage_error("invalid namespace \"%s\" (1 to %u bytes)", name,
                         HECTIC_CONTROL_NAMESPACE_MAX);
        return false;
    }
    o->name = name;
    o->size += size;
    o->count++;
    return true;
}

static const char flags[] = "sgnpfucI"; /* in the order of the runtime's flags */

/* The letters of +RTS -l; "-" before one disables the class. */
static bool add_classes(struct command_list *o, const char *letters)
{
    for (const char *at = letters; *at; at++) {
        const bool off = *at == '-';
        at += off;
        const char *flag = *at ? strchr(flags, *at) : NULL;
        if (!flag || o->count == MESSAGES_MAX) {
            tool_usage_error("invalid classes \"%s\" (letters of %s; \"-\" before a letter "
                             "disables it)",
                             letters, flags);
            return false;
        }
        const unsigned number = (unsigned)(flag - flags);
        if (!add(o, HECTIC_CONTROL_HECTIC,
                 number + (off ? HECTIC_CONTROL_CLASS_OFF : HECTIC_CONTROL_CLASS_ON)))
            return false;
    }
    return o->count > 0;
}

static bool add_custom(struct command_list *o, const char *name, const char *text)
{
    char *end;
    const unsigned long id = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && id <= 255) return add(o, name, (unsigned)id);
    tool_usage_error("invalid command ID \"%s\" (0 to 255)", text);
    return false;
}

static const struct command {
    const char *name, *namespace;
    uint8_t id;
} commands[] = {
    {"start-heap-profile", HECTIC_CONTROL_CORE, HECTIC_CONTROL_START_HEAP_PROFILE},
    {"stop-heap-profile", HECTIC_CONTROL_CORE, HECTIC_CONTROL_STOP_HEAP_PROFILE},
    {"heap-census", HECTIC_CONTROL_CORE, HECTIC_CONTROL_HEAP_CENSUS},
    {"start-profile", HECTIC_CONTROL_CORE, HECTIC_CONTROL_START_PROFILE},
    {"stop-profile", HECTIC_CONTROL_CORE, HECTIC_CONTROL_STOP_PROFILE},
    {"flush", HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_FLUSH},
    {"start-logging", HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_START_LOGGING},
    {"stop-logging", HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_STOP_LOGGING},
    {"replay", HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_REPLAY},
};

/* The words of a command line for a command's ID. */
static void words_of(char *out, size_t size, const char *name, unsigned id)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].id == id && strcmp(commands[i].namespace, name) == 0) {
            snprintf(out, size, "%s", commands[i].name);
            return;
        }
    const bool off = id >= HECTIC_CONTROL_CLASS_OFF;
    const unsigned flag = id - (off ? HECTIC_CONTROL_CLASS_OFF : HECTIC_CONTROL_CLASS_ON);
    if (strcmp(name, HECTIC_CONTROL_HECTIC) == 0 && flag < sizeof flags - 1)
        snprintf(out, size, "classes %s%c", off ? "-" : "", flags[flag]);
    else
        snprintf(out, size, "custom %s %u", name, id);
}

static bool parse_command(struct command_list *o, int argc, char **argv)
{
    if (argc == 1)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (strcmp(argv[0], commands[i].name) == 0)
                return add(o, commands[i].namespace, commands[i].id);
    if (argc == 2 && strcmp(argv[0], "classes") == 0) return add_classes(o, argv[1]);
    if (argc == 3 && strcmp(argv[0], "custom") == 0) return add_custom(o, argv[1], argv[2]);
    tool_usage_error("unknown command, or wrong number of operands: %s", argv[0]);
    return false;
}

/* --- The connection -------------------------------------------------------------------------- */

static int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int connect_tcp(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all;
    int fd = -1;
    if (getaddrinfo(host, port, &hints, &all) != 0) {
        errno = EHOSTUNREACH;
        return -1;
    }
    for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0 || connect(fd, a->ai_addr, a->ai_addrlen) == 0) continue;
        const int error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    freeaddrinfo(all);
    return fd;
}

static const char *remedy(int error)
{
    switch (error) {
    case ECONNREFUSED:
    case ENOENT: return ": no program listens there; start it first";
    case ENAMETOOLONG: return ": a socket path has at most 107 bytes; try a relative path";
    case EHOSTUNREACH: return ": the host is unknown or unreachable";
    case EACCES:
        return ": the socket is accessible to its owner only; use the account of the program";
    default: return "";
    }
}

/* -1 after a message. The line of the token is to be sent first. */
static int connect_to(char *source, char token[TOKEN_LINE_SIZE])
{
    char room[1024], message[1024] = "";
    hectic_destination to;
    const bool is_known = strncmp(source, "tcp:", 4) != 0 ||
                          token_of_place(source + 4, token, message, sizeof message);
    if (*message) tool_message("ctl: %s", message);
    if (!is_known) return -1;
    if (!hectic_destination_parse(&to, source, room, sizeof room) ||
        (to.kind != HECTIC_TO_UNIX && to.kind != HECTIC_TO_TCP)) {
        tool_usage_error("invalid source \"%s\" (unix:PATH or tcp:HOST:PORT)", source);
        return -1;
    }
    const int fd =
        to.kind == HECTIC_TO_UNIX ? connect_unix(to.path) : connect_tcp(to.host, to.port);
    if (fd < 0) tool_message("%s: %s%s", source, strerror(errno), remedy(errno));
    return fd;
}

/* Neither side is shut down afterwards: a thread of eventlog-socket would spin. */
static bool send_all(int fd, const void *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        const ssize_t taken = send(fd, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
        if (taken < 0 && errno != EINTR) return false;
        sent += taken > 0 ? (size_t)taken : 0;
    }
    return true;
}

/* --- The answers ----------------------------------------------------------------------------- */

struct answers {
    const char *name; /* of the namespace */
    unsigned wanted;
    bool refused;
    bool passed_on; /* to a program that does not answer */
    bool heard;     /* bytes have arrived: the connection is served */
    bool is_log;    /* so far */
    uint64_t until; /* the deadline, ms */
};

static bool begins_with(const hectic_event *event, const char *text)
{
    const size_t size = strlen(text);
    return event->size >= size && memcmp(event->payload, text, size) == 0;
}

static bool ends_with(const hectic_event *event, const char *text)
{
    const size_t size = strlen(text);
    const hectic_text message = hectic_read_message(event);
    return message.length >= size && memcmp(message.bytes + message.length - size, text, size) == 0;
}

/* "hectic: NAMESPACE ID: done", or the reason of a failure. */
static void take_answer(struct answers *a, const hectic_event *event)
{
    char mine[sizeof "hectic: " + HECTIC_CONTROL_NAMESPACE_MAX + 1], words[sizeof mine + 16];
    const char *at = (const char *)event->payload, *end = at + event->size;
    snprintf(mine, sizeof mine, "hectic: %s ", a->name);
    if (event->type != HECTIC_EVENT_LOG_MSG || !begins_with(event, mine)) return;
    a->wanted--;
    if (ends_with(event, ": done")) return;
    if (ends_with(event, ": " HECTIC_CONTROL_FORWARDED)) {
        a->passed_on = true;
        return;
    }
    a->refused = true;
    unsigned id = 0;
    for (at += strlen(mine); at < end && *at >= '0' && *at <= '9'; at++)
        id = (id * 10 + (unsigned)(*at - '0')) % 1000;
    words_of(words, sizeof words, a->name, id);
    tool_message("%s%.*s", words, (int)(end - at), at);
}

/* The header shows whether the program answers. One that does not needs time to read the command.
 */
static void take_header(struct answers *a, const hectic_header *header)
{
    const bool answers = hectic_header_type(header, HECTIC_EVENT_SYNC);
    a->until = clock_ms() + (answers ? ANSWER_MS : SILENCE_MS);
}

static bool take_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *event)
{
    struct answers *a = self;
    if (result == HECTIC_HEADER) take_header(a, hectic_decoder_header(decoder));
    if (result == HECTIC_GOT_EVENT) take_answer(a, event);
    return a->wanted > 0;
}

/* False: the connection was closed before any byte arrived. */
static bool receive(struct answers *a, int fd, hectic_decoder *decoder)
{
    static const struct pass_consumer consumer = {.item = take_item};
    uint8_t buffer[16384];
    for (uint64_t now = clock_ms(); a->wanted > 0 && now < a->until; now = clock_ms()) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, (int)(a->until - now)) <= 0) continue;
        const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return a->heard;
        if (!a->heard) a->until = clock_ms() + SILENCE_MS;
        a->heard = true;
        if (!a->is_log) continue;
        a->is_log = pass_piece(decoder, &consumer, a, buffer, (size_t)got) != PASS_UNUSABLE;
    }
    return true;
}

/* Reports that no log arrived. */
static void report_silence(const char *source, const char *what, const char *token)
{
    const bool is_tcp = strncmp(source, "tcp:", 4) == 0;
    tool_message("%s: %s%s%s", source, what, is_tcp ? "; " : "", is_tcp ? token_hint(token) : "");
}

static int converse(int fd, const char *source, const char *token, const struct command_list *o)
{
    struct answers a = {
        .name = o->name, .wanted = o->count, .is_log = true, .until = clock_ms() + ANSWER_MS};
    hectic_decoder *decoder = hectic_decoder_new();
    const bool sent =
        decoder && send_all(fd, token, strlen(token)) && send_all(fd, o->bytes, o->size);
    const bool lost = sent && !receive(&a, fd, decoder);
    hectic_decoder_free(decoder);
    if (!sent || lost) {
        report_silence(source, lost ? "the program closed the connection" : strerror(errno), token);
    } else if (!a.heard) {
        report_silence(
            source,
            "no log received: the program has not begun one, or it uses eventlog-socket and "
            "another client is connected",
            token);
    } else if (a.wanted > 0 || a.passed_on) {
        tool_message("%s: sent; the program does not report whether it executed the command",
                     source);
    }
    return !a.heard ? TOOL_UNUSABLE : a.refused ? TOOL_DAMAGED : TOOL_OK;
}

static int run(void *settings, int argc, char **argv)
{
    (void)settings;
    struct command_list commands_given = {0};
    if (!parse_command(&commands_given, argc - 1, argv + 1)) return TOOL_USAGE;
    char token[TOKEN_LINE_SIZE] = "";
    const int fd = connect_to(argv[0], token);
    if (fd < 0) return TOOL_UNUSABLE;
    const int code = converse(fd, argv[0], token, &commands_given);
    close(fd);
    return code;
}

const struct verb verb_ctl = {
    .name = "ctl",
    .group = "Other verbs:",
    .brief = "command a running program",
    .summary = "Send a command to a running program",
    .usage = (const char *const[]){"SOURCE start-heap-profile | stop-heap-profile | heap-census",
                                   "SOURCE start-profile | stop-profile",
                                   "SOURCE start-logging | stop-logging | classes LETTERS",
                                   "SOURCE flush | replay | custom NAMESPACE ID", NULL},
    .description =
        (const char *const[]){
            "SOURCE is the address at which the program, or a relay, serves its eventlog: "
            "unix:PATH or tcp:HOST:PORT, with ,token-file=FILE if a token is required. Commands "
            "are accepted by programs that use the packages hectic-eventlog or eventlog-socket, "
            "and by programs with hectic's emitter that log to listen:unix:PATH or "
            "listen:tcp:HOST:PORT. Other clients are not affected.",
            "start-heap-profile and stop-heap-profile enable and disable the periodic heap "
            "censuses of the runtime; heap-census takes one. They require a program that was "
            "started with a heap profile, such as +RTS -hT. start-profile and stop-profile enable "
            "and disable the attribution of time to cost centres.",
            "stop-logging and start-logging disable and enable event logging; classes enables "
            "classes of events by the letters of +RTS -l, and disables those with \"-\" before "
            "them: classes s-g, classes -- -g. Clients stay connected; when logging is enabled "
            "again, the live threads are replayed to them. A Haskell program needs hectic-eventlog "
            "and static linking, which is the default; otherwise the answer contains the reason.",
            "flush writes the events in the buffers of the capabilities; replay sends the live "
            "state to all clients again, as SYNC events.",
            "custom sends a command that the program has registered.",
            "A program with hectic-eventlog or the emitter answers, also through a relay. A "
            "program with eventlog-socket does not; ctl reports that, and succeeds. Such a program "
            "serves one client at a time; while another client is connected, ctl cannot reach it.",
            NULL},
    .words = "start-heap-profile stop-heap-profile heap-census start-profile stop-profile "
             "start-logging stop-logging classes flush replay custom",
    .groups = (const struct option_group[]){{0}},
    .examples =
        (const struct example[]){
            {"hectic ctl unix:/run/app.sock heap-census", "take a heap census now"},
            {"hectic ctl tcp:localhost:4242 flush", "write buffered events now"},
            {"hectic ctl unix:/run/app.sock custom my-app 1",
             "a command that the program registered"},
            {NULL, NULL}},
    .exits = {"The program executed the command, or does not answer.",
              "The program refused the command; the reason was printed.",
              "The program cannot be reached, has another client, or closed the connection."},
    .least = 2,
    .most = 4,
    .run = run,
};
