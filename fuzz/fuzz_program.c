/* Whatever a program sends to the relay, its readers get complete logs, without its environment.
 * The bytes arrive in pieces; the first byte determines their size. One reader connects first, the
 * other one last. */
#include "fuzz.h"

#include "relay/program.h"

#include <sys/socket.h>
#include <unistd.h>

typedef struct reader {
    uv_poll_t poll;
    int fd;
    uint8_t *bytes;
    size_t size, capacity;
} reader;

static void come(reader *r, const program *p)
{
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
    shutdown(pair[0], SHUT_WR); /* no commands */
    REQUIRE(hectic_server_adopt(program_server(p), pair[1]));
    *r = (reader){.fd = pair[0]};
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    enum { PIECE = 1 << 16 };
    reader *r = poll->data;
    (void)status;
    (void)events;
    for (;;) {
        if (r->capacity - r->size < PIECE) {
            r->capacity = 2 * r->capacity + PIECE;
            r->bytes = realloc(r->bytes, r->capacity);
            REQUIRE(r->bytes);
        }
        const ssize_t got = recv(r->fd, r->bytes + r->size, PIECE, 0);
        if (got < 0) return;
        r->size += (size_t)got;
        if (got > 0) continue;
        uv_close((uv_handle_t *)poll, NULL);
        return;
    }
}

static void listen_to(uv_loop_t *loop, reader *r)
{
    r->poll.data = r;
    REQUIRE(uv_poll_init(loop, &r->poll, r->fd) == 0);
    uv_poll_start(&r->poll, UV_READABLE | UV_DISCONNECT, on_readable);
}

static void check(reader *r)
{
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_event event;
    hectic_result result;
    REQUIRE(decoder);
    bool ended = r->size == 0;
    hectic_decoder_push(decoder, r->bytes, r->size);
    while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
        REQUIRE(result != HECTIC_ERROR && !ended);
        ended = result == HECTIC_COMPLETE;
        REQUIRE(result != HECTIC_GOT_EVENT || event.type != HECTIC_EVENT_PROGRAM_ENV);
    }
    hectic_decoder_free(decoder);
    close(r->fd);
    free(r->bytes);
}

/* The bytes after a log begin another one, and are not more than were sent. */
static void check_rest(program *p, size_t sent)
{
    static const char mark[] = "hdrbhetb";
    bytes rest = program_take_rest(p);
    const size_t known = rest.size < sizeof mark - 1 ? rest.size : sizeof mark - 1;
    REQUIRE(rest.size <= sent && (program_is_over(p) || rest.size == 0));
    REQUIRE(known == 0 || memcmp(rest.at, mark, known) == 0);
    bytes_clear(&rest);
}

static void push(program *p, const uint8_t *data, size_t length)
{
    const size_t most = length / 16 + 1 + (length > 0 ? data[0] : 0);
    for (size_t at = 0, size; at < length && !program_is_over(p); at += size) {
        size = length - at < most ? length - at : most;
        uint8_t *piece = must_allocate(size);
        memcpy(piece, data + at, size);
        program_bytes(p, piece, size);
        free(piece);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    uv_loop_t loop;
    diagnostics nobody;
    bytes out = {0};
    reader early, late;
    REQUIRE(uv_loop_init(&loop) == 0);
    diagnostics_begin(&nobody, NULL, NULL);
    program *p = program_new(
        &loop, &(struct program_options){.live_stats = true, .diagnostics = &nobody, .out = &out});
    REQUIRE(p);
    come(&early, p);
    /* Its name arrives first, or later. */
    char message[256];
    if (length % 2) REQUIRE(program_open(p, message, sizeof message));
    push(p, data, length);
    check_rest(p, length);
    if (length % 2 == 0) REQUIRE(program_open(p, message, sizeof message));
    come(&late, p);
    listen_to(&loop, &early);
    listen_to(&loop, &late);
    program_metrics(p);
    program_end(p, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    REQUIRE(uv_loop_close(&loop) == 0);
    check(&early);
    check(&late);
    diagnostics_end(&nobody);
    bytes_clear(&out);
    return 0;
}
