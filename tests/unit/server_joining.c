/* A reader that connects to a busy program sees no late events, although caps flush together and
 * sometimes write everything since their last flush. */
#include "made.h"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>

enum { CAPS = 3, IDLE = CAPS, JOINS = 40, FLUSH = 1000, LAG = FLUSH / 2, SKEW = 7 };

static const uint16_t numbers[] = {HECTIC_EVENT_BLOCK_MARKER,  HECTIC_EVENT_CAP_CREATE,
                                   HECTIC_EVENT_CREATE_THREAD, HECTIC_EVENT_RUN_THREAD,
                                   HECTIC_EVENT_STOP_THREAD,   HECTIC_EVENT_USER_MSG};

static void put_header(struct made *m, hectic_event_type *types)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        types[i] = hectic_type_of(numbers[i]);
    made_header(m, types, sizeof numbers / sizeof *numbers);
}

/* A block with its size and end time, as from a runtime. */
static void put_block(struct made *m, uint16_t cap, uint64_t from, uint64_t to)
{
    const size_t marker = m->bytes.length;
    bytes_grow(&m->bytes, HECTIC_BLOCK_MARKER_SIZE);
    m->time = from;
    if (from == 0)
        for (uint64_t i = 0; i <= IDLE && cap == HECTIC_CAP_NONE; i++)
            made_numbers(m, HECTIC_EVENT_CAP_CREATE, i, 0, 0);
    const uint64_t thread = cap + 1u;
    if (cap != HECTIC_CAP_NONE && from < FLUSH)
        made_numbers(m, HECTIC_EVENT_CREATE_THREAD, thread, 0, 0);
    for (m->time = from + 1; m->time < to; m->time += FLUSH / 5) {
        if (cap == HECTIC_CAP_NONE) continue;
        made_numbers(m, HECTIC_EVENT_RUN_THREAD, thread, 0, 0);
        made_numbers(m, HECTIC_EVENT_STOP_THREAD, thread, 1, 0);
    }
    m->time = to - 1;
    made_event(m, HECTIC_EVENT_USER_MSG,
               &(hectic_value){.bytes = (const uint8_t *)"x", .length = 1}, 1);
    hectic_encode_block_marker(m->bytes.data + marker, HECTIC_BLOCK_MARKER_SIZE, from,
                               (uint32_t)(m->bytes.length - marker), to, cap);
}

/* Buffers are flushed in turn, each with all events since its last flush: the global buffer, then
 * the caps. */
static void flush_next(hectic_server *s, struct made *m, unsigned turn)
{
    const unsigned place = turn % (CAPS + 1);
    const uint16_t cap = place > 0 ? (uint16_t)(place - 1) : HECTIC_CAP_NONE;
    const uint64_t to = (turn / (CAPS + 1) + 1) * (uint64_t)FLUSH + place * SKEW;
    m->bytes.length = 0;
    put_block(m, cap, turn < CAPS + 1 ? 0 : to - FLUSH, to);
    hectic_server_write(s, m->bytes.data, m->bytes.length);
}

static int join(hectic_server *s)
{
    const uint32_t before = hectic_server_get_state(s).readers;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    assert_true(hectic_server_adopt(s, pair[1]));
    shutdown(pair[0], SHUT_WR); /* no commands, which the server would wait for */
    while (hectic_server_get_state(s).readers == before)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return pair[0];
}

/* All events that a reader got, through a stream with a stopped clock. */
static hectic_stream_state follow(int fd)
{
    uint8_t buffer[4096];
    hectic_event event;
    hectic_result result;
    bool complete = false;
    hectic_stream *stream = hectic_stream_new(&(hectic_stream_options){.lag = LAG});
    for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) {
        hectic_stream_push(stream, buffer, (size_t)got, 0);
        while ((result = hectic_stream_pull(stream, 0, &event)) != HECTIC_PARTIAL) {
            assert_int_not_equal(result, HECTIC_ERROR);
            complete |= result == HECTIC_COMPLETE;
        }
    }
    assert_true(complete);
    const hectic_stream_state state = hectic_stream_get_state(stream);
    hectic_stream_free(stream);
    close(fd);
    return state;
}

static void nothing_is_late(void **state)
{
    (void)state;
    hectic_event_type types[sizeof numbers / sizeof *numbers];
    struct made m = {0};
    int reader[JOINS];
    hectic_server *s = hectic_server_new(NULL);
    put_header(&m, types);
    hectic_server_write(s, m.bytes.data, m.bytes.length);
    for (unsigned turn = 0; turn < JOINS + 3 * CAPS; turn++) {
        flush_next(s, &m, turn);
        if (turn < JOINS) reader[turn] = join(s);
    }
    hectic_server_free(s, 10000);
    for (unsigned i = 0; i < JOINS; i++) {
        const hectic_stream_state seen = follow(reader[i]);
        if (seen.late > 0)
            fail_msg("reader %u: %lu of %lu events are late, by up to %lu", i,
                     (unsigned long)seen.late, (unsigned long)seen.events,
                     (unsigned long)seen.latest_by);
        assert_true(seen.events > 10 * CAPS);
    }
    bytes_free(&m.bytes);
}

static void begin_block(struct made *m)
{
    m->bytes.length = 0;
    bytes_grow(&m->bytes, HECTIC_BLOCK_MARKER_SIZE);
}

static void write_block(hectic_server *s, struct made *m, uint16_t cap, uint64_t from, uint64_t to)
{
    hectic_encode_block_marker(m->bytes.data, HECTIC_BLOCK_MARKER_SIZE, from,
                               (uint32_t)m->bytes.length, to, cap);
    hectic_server_write(s, m->bytes.data, m->bytes.length);
}

/* Counts the threads that are replayed, up to thread `last`. */
static unsigned count_replayed(int fd, uint32_t last)
{
    static uint8_t buffer[4096];
    unsigned count = 0;
    hectic_event event;
    hectic_decoder *decoder = hectic_decoder_new();
    for (bool is_over = false; !is_over;) {
        poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        const ssize_t got = read(fd, buffer, sizeof buffer);
        assert_true(got > 0);
        hectic_decoder_push(decoder, buffer, (size_t)got);
        hectic_result result;
        while (!is_over && (result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
            const uint8_t *p = event.payload;
            if (result != HECTIC_GOT_EVENT || event.type != HECTIC_EVENT_SYNC ||
                (p[0] << 8 | p[1]) != HECTIC_EVENT_CREATE_THREAD)
                continue;
            count++;
            is_over = (uint32_t)(p[6] << 8 | p[7]) == last;
        }
    }
    hectic_decoder_free(decoder);
    close(fd);
    return count;
}

/* The ends of many threads arrive before their beginnings on another cap. */
static void ended_threads_are_not_replayed(void **state)
{
    (void)state;
    enum { THREADS = 3000, LIVE, BEGIN = 10, END = 10000, FINISHED = 5, YIELDING = 3 };
    hectic_event_type types[sizeof numbers / sizeof *numbers];
    struct made m = {0};
    hectic_server *s = hectic_server_new(NULL);
    put_header(&m, types);
    hectic_server_write(s, m.bytes.data, m.bytes.length);
    begin_block(&m);
    for (uint64_t cap = 0; cap < 2; cap++)
        made_numbers(&m, HECTIC_EVENT_CAP_CREATE, cap, 0, 0);
    write_block(s, &m, HECTIC_CAP_NONE, 0, BEGIN);
    for (uint16_t cap = 0; cap < 2; cap++) {
        begin_block(&m);
        write_block(s, &m, cap, 0, BEGIN);
    }
    hectic_server_keep_unread(s, 0);
    while (hectic_server_get_state(s).bytes_kept > 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    const int reader = join(s);
    begin_block(&m);
    for (uint64_t thread = 1; thread <= THREADS; thread++) {
        m.time = END / 2 + thread;
        made_numbers(&m, HECTIC_EVENT_RUN_THREAD, thread, 0, 0);
        made_numbers(&m, HECTIC_EVENT_STOP_THREAD, thread, FINISHED, 0);
    }
    write_block(s, &m, 0, BEGIN, END);
    begin_block(&m);
    m.time = BEGIN + 1;
    for (uint64_t thread = 1; thread <= LIVE; thread++) {
        made_numbers(&m, HECTIC_EVENT_CREATE_THREAD, thread, 0, 0);
        made_numbers(&m, HECTIC_EVENT_RUN_THREAD, thread, 0, 0);
        made_numbers(&m, HECTIC_EVENT_STOP_THREAD, thread, YIELDING, 0);
    }
    write_block(s, &m, 1, BEGIN, END);
    begin_block(&m);
    write_block(s, &m, HECTIC_CAP_NONE, BEGIN, END);
    hectic_server_replay(s);
    assert_int_equal(count_replayed(reader, LIVE), 1);
    hectic_server_free(s, 0);
    bytes_free(&m.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_late),
                                       cmocka_unit_test(ended_threads_are_not_replayed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
