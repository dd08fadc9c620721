/* The state that a server replays: kept once for all readers, whole, and bounded. */
#include "made.h"

#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1 /* it has memory of its own */
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { MIB = 1 << 20, CENTRES = 100000, THREADS = 50000, READERS = 30, KEEP = 2 * MIB };

static const uint16_t numbers[] = {
    HECTIC_EVENT_BLOCK_MARKER, HECTIC_EVENT_CAP_CREATE,  HECTIC_EVENT_CREATE_THREAD,
    HECTIC_EVENT_RUN_THREAD,   HECTIC_EVENT_STOP_THREAD, HECTIC_EVENT_THREAD_LABEL,
    HECTIC_EVENT_LOG_MSG,      HECTIC_EVENT_USER_MSG,    HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
};
enum { TYPES = sizeof numbers / sizeof *numbers };

static size_t resident(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_int_equal(fscanf(file, "%*u %zu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void rest(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

/* --- A program ------------------------------------------------------------------------------- */

typedef struct program {
    hectic_server *server;
    struct made made;
    hectic_event_type types[TYPES];
    size_t block; /* where the open one begins */
} program;

static void begin_block(program *p)
{
    p->block = p->made.bytes.length;
    made_block(&p->made, 0);
}

/* Hands over what has been made. */
static void hand_over(program *p)
{
    struct bytes *b = &p->made.bytes;
    hectic_encode_block_marker(b->data + p->block, HECTIC_BLOCK_MARKER_SIZE, p->made.time,
                               (uint32_t)(b->length - p->block), p->made.time, 0);
    hectic_server_write(p->server, b->data, b->length);
    b->length = 0;
    p->made.time++;
    begin_block(p);
}

static void hand_over_much(program *p)
{
    if (p->made.bytes.length > MIB / 16) hand_over(p);
}

static void start(program *p, const hectic_server_options *options)
{
    *p = (program){.server = hectic_server_new(options), .made.time = 1};
    for (size_t i = 0; i < TYPES; i++)
        p->types[i] = hectic_type_of(numbers[i]);
    made_header(&p->made, p->types, TYPES);
    hectic_server_write(p->server, p->made.bytes.data, p->made.bytes.length);
    p->made.bytes.length = 0;
    begin_block(p);
    made_numbers(&p->made, HECTIC_EVENT_CAP_CREATE, 0, 0, 0);
}

static void define(program *p, uint32_t number)
{
    char label[256];
    snprintf(label, sizeof label, "centre_%0200u", number);
    const hectic_value text = {.bytes = (const uint8_t *)label, .length = (uint32_t)strlen(label)};
    made_event(&p->made, HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
               (const hectic_value[]){{.number = number}, text, text, text, {.number = 0}}, 5);
    hand_over_much(p);
}

static void create(program *p, uint32_t thread)
{
    made_numbers(&p->made, HECTIC_EVENT_CREATE_THREAD, thread, 0, 0);
    made_text(&p->made, HECTIC_EVENT_THREAD_LABEL, thread, "a thread");
    hand_over_much(p);
}

static void finish(program *p, uint32_t thread)
{
    enum { FINISHED = 5 };
    made_numbers(&p->made, HECTIC_EVENT_RUN_THREAD, thread, 0, 0);
    made_numbers(&p->made, HECTIC_EVENT_STOP_THREAD, thread, FINISHED, 0);
    hand_over_much(p);
}

static void say(program *p, size_t bytes)
{
    char text[1000];
    memset(text, 'x', sizeof text);
    for (size_t said = 0; said < bytes; said += sizeof text) {
        const hectic_value value = {.bytes = (const uint8_t *)text, .length = sizeof text};
        made_event(&p->made, HECTIC_EVENT_USER_MSG, &value, 1);
        hand_over_much(p);
    }
}

/* Nothing waits in the queue any more: all is part of the state. */
static void is_learned(program *p)
{
    hand_over(p);
    while (hectic_server_get_state(p->server).bytes_kept > 0)
        rest();
}

static void end(program *p)
{
    hectic_server_free(p->server, 0);
    bytes_free(&p->made.bytes);
}

/* --- Readers --------------------------------------------------------------------------------- */

static bool is_readable(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) > 0;
}

/* It reads nothing by itself; the server has begun to write to it. */
static int join(const program *p)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    assert_true(hectic_server_adopt(p->server, pair[1]));
    shutdown(pair[0], SHUT_WR); /* it has no commands: the server need not wait for any */
    while (!is_readable(pair[0]))
        rest();
    return pair[0];
}

/* The state that a reader has of the program. */
typedef struct model {
    uint8_t centre[CENTRES], thread[THREADS]; /* number of replays */
    uint64_t dropped, gaps, not_replayed;
    bool is_over; /* the last message was received */
} model;

static void take(model *m, uint16_t type, const uint8_t *payload, size_t size)
{
    char text[256] = {0};
    const uint32_t number = size < 4 ? 0
                                     : (uint32_t)payload[0] << 24 | (uint32_t)payload[1] << 16 |
                                           (uint32_t)payload[2] << 8 | payload[3];
    uint64_t count;
    memcpy(text, payload, size < sizeof text - 1 ? size : sizeof text - 1);
    switch (type) {
    case HECTIC_EVENT_HEAP_PROF_COST_CENTRE: m->centre[number]++; break;
    case HECTIC_EVENT_CREATE_THREAD: m->thread[number]++; break;
    case HECTIC_EVENT_USER_MSG: m->is_over |= strcmp(text, "over") == 0; break;
    case HECTIC_EVENT_LOG_MSG:
        if (sscanf(text, "hectic: %lu events were dropped", &count) == 1) {
            m->dropped += count;
            m->gaps++;
            memset(m->thread, 0, sizeof m->thread); /* the live state is replayed */
        } else if (strstr(text, "are not replayed")) {
            assert_int_equal(sscanf(strchr(text, ':') + 1, "%*[^:]: %lu", &m->not_replayed), 1);
        }
        break;
    default: break;
    }
}

static void take_event(model *m, const hectic_event *event)
{
    enum { SYNC_FIELDS = 4 };
    if (event->type == HECTIC_EVENT_SYNC)
        take(m, (uint16_t)(event->payload[0] << 8 | event->payload[1]),
             event->payload + SYNC_FIELDS, event->size - (size_t)SYNC_FIELDS);
    else
        take(m, event->type, event->payload, event->size);
}

/* Reads up to the message "over". */
static model *read_all(int fd)
{
    static uint8_t buffer[1 << 16];
    model *m = calloc(1, sizeof *m);
    hectic_decoder *decoder = hectic_decoder_new();
    while (!m->is_over) {
        poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        const ssize_t got = read(fd, buffer, sizeof buffer);
        assert_true(got > 0);
        hectic_decoder_push(decoder, buffer, (size_t)got);
        hectic_event event;
        hectic_result result;
        while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
            assert_int_not_equal(result, HECTIC_ERROR);
            if (result == HECTIC_GOT_EVENT) take_event(m, &event);
        }
    }
    hectic_decoder_free(decoder);
    return m;
}

static void say_over(program *p)
{
    made_event(&p->made, HECTIC_EVENT_USER_MSG,
               &(hectic_value){.bytes = (const uint8_t *)"over", .length = 4}, 1);
    hand_over(p);
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void make_state(program *p)
{
    for (uint32_t i = 0; i < CENTRES; i++)
        define(p, i);
    for (uint32_t i = 0; i < THREADS; i++)
        create(p, i);
    hectic_server_keep_unread(p->server, 0);
    is_learned(p);
    malloc_trim(0);
}

/* Memory of a state of 67 MB by numbers of readers that sleep; some are overtaken. */
static void readers_share_the_state(void **state)
{
    (void)state;
    enum { OF_A_READER = MIB / 2, SLACK = 8 * MIB };
    program p;
    int reader[READERS];
    start(&p, &(hectic_server_options){.keep = KEEP});
    make_state(&p);
    const size_t before = resident();
    assert_true(hectic_server_get_state(p.server).state_bytes > 60 * MIB);
    for (int i = 0; i < READERS; i++) {
        reader[i] = join(&p);
        create(&p, 0); /* each connects at another state */
        hand_over(&p);
    }
    const size_t with_readers = resident();
    say(&p, 4 * (size_t)KEEP);
    hand_over(&p);
    while (hectic_server_get_state(p.server).events_dropped == 0)
        rest();
    const size_t overtaken = resident();
    for (int i = 1; i < READERS; i++)
        close(reader[i]);
    while (hectic_server_get_state(p.server).readers > 1)
        rest();
    say_over(&p);
    model *m = read_all(reader[0]);
    assert_true(m->gaps > 0);
    for (uint32_t i = 0; i < CENTRES; i++)
        assert_int_equal(m->centre[i], 1); /* although some connected after the gap */
    for (uint32_t i = 0; i < THREADS; i++)
        assert_true(m->thread[i] > 0);
    free(m);
    close(reader[0]);
    while (hectic_server_get_state(p.server).readers > 0)
        rest();
    is_learned(&p);
    malloc_trim(0);
    const size_t after = resident();
    print_message("MB: no readers %zu, %d readers %zu, overtaken %zu, none again %zu\n",
                  before / MIB, READERS, with_readers / MIB, overtaken / MIB, after / MIB);
    end(&p);
    if (SANITIZED) return;
    assert_true(with_readers < before + READERS * OF_A_READER);
    assert_true(overtaken < before + READERS * OF_A_READER + 2 * KEEP + SLACK);
    assert_true(after < before + SLACK);
}

/* Readers that read continuously, and readers that connect while the state changes: each has the
 * complete state in the end, and its missed events are counted. */
static void each_reader_gets_the_whole_state(void **state)
{
    (void)state;
    program p;
    int reader[READERS];
    start(&p, &(hectic_server_options){.keep = KEEP});
    make_state(&p);
    for (int i = 0; i < READERS / 2; i++) {
        reader[i] = join(&p);
        finish(&p, (uint32_t)i);
        hand_over(&p);
        say(&p, KEEP / 4);
    }
    say_over(&p);
    for (int i = 0; i < READERS / 2; i++) {
        model *m = read_all(reader[i]);
        for (uint32_t j = 0; j < CENTRES; j++)
            assert_int_equal(m->centre[j], 1);
        for (uint32_t j = 0; j < THREADS; j++)
            if (j >= READERS / 2) assert_true(m->thread[j] > 0);
        if (m->gaps > 0) assert_int_equal(m->thread[0], 0); /* it had finished by then */
        free(m);
        close(reader[i]);
    }
    end(&p);
}

static void count_note(void *user, const char *text)
{
    if (strstr(text, "the live state exceeds"))
        __atomic_add_fetch((int *)user, 1, __ATOMIC_SEQ_CST);
}

static void threads_without_end_are_bounded(void **state)
{
    (void)state;
    enum { LIMIT = 4 * MIB, MANY = 2000000, SLACK = 8 * MIB };
    program p;
    int notes = 0;
    start(&p, &(hectic_server_options){
                  .keep = KEEP, .state = LIMIT, .diagnostic = count_note, .user = &notes});
    hectic_server_keep_unread(p.server, 0);
    is_learned(&p);
    const size_t before = resident();
    for (uint32_t i = 0; i < MANY; i++) {
        made_numbers(&p.made, HECTIC_EVENT_CREATE_THREAD, i, 0, 0);
        hand_over_much(&p);
    }
    is_learned(&p);
    if (!SANITIZED) assert_true(resident() < before + LIMIT + KEEP + SLACK);
    hectic_server_state now = hectic_server_get_state(p.server);
    assert_true(now.state_bytes <= LIMIT && now.state_bytes > LIMIT / 2);
    assert_int_equal(__atomic_load_n(&notes, __ATOMIC_SEQ_CST), 1);

    /* A reader gets the number of events that are not replayed. */
    int reader = join(&p);
    say_over(&p);
    model *m = read_all(reader);
    uint32_t told = 0;
    while (told < THREADS && m->thread[told])
        told++;
    assert_true(told > 1000);
    assert_int_equal(m->not_replayed, MANY - told);
    assert_int_equal(now.state_left_out, MANY - told);
    free(m);
    close(reader);

    /* When some end, there is room for others. */
    while (hectic_server_get_state(p.server).readers > 0)
        rest();
    for (uint32_t i = 0; i < told; i++)
        finish(&p, i);
    is_learned(&p);
    for (uint32_t i = 0; i < 100; i++)
        create(&p, THREADS - 1 - i);
    is_learned(&p);
    assert_int_equal(hectic_server_get_state(p.server).state_left_out, MANY - told);
    reader = join(&p);
    say_over(&p);
    m = read_all(reader);
    for (uint32_t i = 0; i < 100; i++)
        assert_true(m->thread[THREADS - 1 - i] > 0);
    free(m);
    close(reader);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_share_the_state),
        cmocka_unit_test(each_reader_gets_the_whole_state),
        cmocka_unit_test(threads_without_end_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
