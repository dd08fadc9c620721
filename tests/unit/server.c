/* A server for readers that attach and detach. */
#include <hectic/hectic.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/hectic-server-XXXXXX";
static char path[128], place[160];

static void rest_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* --- A runtime: an emitter, which hands its bytes to the server --- */

typedef struct runtime {
    hectic_emitter *emitter;
    hectic_server *server;
    hectic_emit_cap *cap;
} runtime;

static bool hand_over(void *user, const void *bytes, size_t length)
{
    hectic_server_write(user, bytes, length);
    return true;
}

static runtime start(hectic_server *server)
{
    runtime r = {hectic_emitter_new(NULL), server, NULL};
    const hectic_emit_writer writer = {.write = hand_over};
    assert_int_equal(hectic_emitter_start(r.emitter, &(hectic_destination){.kind = HECTIC_TO_WRITER,
                                                                           .writer = &writer,
                                                                           .user = server}),
                     HECTIC_EMIT_OK);
    r.cap = hectic_emitter_cap(r.emitter, 0);
    return r;
}

static void emit_text(runtime *r, const char *text)
{
    hectic_emit_user_msg(r->cap, text);
    assert_int_equal(hectic_emitter_flush(r->emitter, 0), HECTIC_EMIT_OK);
}

static hectic_server *served(const hectic_server_options *options)
{
    char message[256];
    hectic_server *s = hectic_server_new(options);
    if (!hectic_server_open(s, place, message, sizeof message)) fail_msg("%s", message);
    return s;
}

/* --- A reader --- */

typedef struct reader {
    int fd;
    hectic_decoder *decoder;
    bool ended, disconnected;
    uint8_t buffer[1 << 16];
} reader;

static int connected_to(const char *socket_path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, socket_path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static int connected(void)
{
    return connected_to(path);
}

static reader *reader_of(int fd)
{
    reader *r = calloc(1, sizeof *r);
    r->fd = fd;
    r->decoder = hectic_decoder_new();
    hectic_decoder_push(r->decoder, NULL, 0);
    return r;
}

static void leave(reader *r)
{
    close(r->fd);
    hectic_decoder_free(r->decoder);
    free(r);
}

/* The next event; false: the log has ended, or a timeout of 5 s. */
static bool next(reader *r, hectic_event *event)
{
    for (;;) {
        const hectic_result result = hectic_decoder_pull(r->decoder, event);
        if (result == HECTIC_GOT_EVENT) return true;
        if (result == HECTIC_ERROR)
            fail_msg("damage at %lu", hectic_decoder_error(r->decoder)->position);
        r->ended |= result == HECTIC_COMPLETE;
        if (result != HECTIC_PARTIAL) continue;
        struct pollfd ready = {.fd = r->fd, .events = POLLIN};
        if (poll(&ready, 1, 5000) <= 0) return false;
        const ssize_t got = read(r->fd, r->buffer, sizeof r->buffer);
        r->disconnected = got <= 0;
        if (got <= 0) return false;
        hectic_decoder_push(r->decoder, r->buffer, (size_t)got);
    }
}

/* Reads up to an event of that type whose text contains `text`; copies the text. */
static bool find(reader *r, uint16_t number, const char *text, char *found)
{
    hectic_event event;
    while (next(r, &event)) {
        if (event.type != number) continue;
        char all[65536];
        memcpy(all, event.payload, event.size);
        all[event.size] = 0;
        if (!strstr(all, text)) continue;
        if (found) strcpy(found, all);
        return true;
    }
    return false;
}

static bool receives(reader *r, const char *text)
{
    return find(r, HECTIC_EVENT_USER_MSG, text, NULL);
}

/* --- Tests --- */

static void a_first_reader_gets_all_from_the_beginning(void **state)
{
    (void)state;
    hectic_server *s = served(NULL);
    runtime program = start(s);
    emit_text(&program, "before anybody came");
    reader *r = reader_of(connected());
    assert_true(receives(r, "before anybody came"));
    emit_text(&program, "now");
    assert_true(receives(r, "now"));
    hectic_emitter_free(program.emitter);
    assert_false(receives(r, "more") || r->ended);
    leave(r);
    hectic_server_free(s, 1000);
    assert_int_equal(access(path, F_OK), -1);
}

static void readers_connect_and_disconnect(void **state)
{
    (void)state;
    hectic_server *s = served(NULL);
    runtime program = start(s);
    hectic_emit_create_thread(program.cap, 7);
    reader *first = reader_of(connected());
    assert_true(hectic_server_wait(s, 5000));
    emit_text(&program, "one");
    assert_true(receives(first, "one"));
    reader *second = reader_of(connected());
    while (hectic_server_get_state(s).readers < 2)
        rest_ms(5);
    emit_text(&program, "two");
    hectic_event event;
    bool thread = false, one = false;
    for (;;) {
        assert_true(next(second, &event));
        thread |= event.type == HECTIC_EVENT_CREATE_THREAD;
        if (event.type != HECTIC_EVENT_USER_MSG) continue;
        if (memcmp(event.payload, "two", 3) == 0) break;
        one = true;
    }
    assert_true(thread && !one); /* it is live; that had ended */
    assert_true(receives(first, "two"));
    leave(first);
    leave(second);
    while (hectic_server_get_state(s).readers > 0)
        rest_ms(5);
    emit_text(&program, "three");
    first = reader_of(connected());
    assert_true(receives(first, "three"));
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
    assert_false(receives(first, "four"));
    assert_true(first->ended && first->disconnected);
    leave(first);
}

static void little_is_kept_without_readers(void **state)
{
    (void)state;
    enum { LITTLE = 16 << 10, MUCH = 20 * LITTLE };
    hectic_server *s = served(NULL);
    runtime program = start(s);
    hectic_emit_create_thread(program.cap, 7);
    while (hectic_server_get_state(s).bytes_kept < MUCH)
        emit_text(&program, "nobody reads this");
    assert_int_equal(hectic_server_get_state(s).events_dropped, 0);
    hectic_server_keep_unread(s, LITTLE);
    while (hectic_server_get_state(s).bytes_kept > LITTLE)
        rest_ms(5);
    for (int i = 0; i < 100; i++)
        emit_text(&program, "nor this");
    emit_text(&program, "but this");
    assert_int_equal(hectic_server_get_state(s).events_dropped, 0); /* no reader missed them */
    reader *r = reader_of(connected());
    assert_true(find(r, HECTIC_EVENT_CREATE_THREAD, "", NULL));
    assert_true(receives(r, "but this"));
    /* Now there is a reader. */
    for (int i = 0; i < 2 * LITTLE; i++)
        hectic_emit_user_msg(program.cap, "all of this");
    emit_text(&program, "is read");
    for (int i = 0; i < 2 * LITTLE; i++)
        assert_true(find(r, HECTIC_EVENT_USER_MSG, "all of this", NULL));
    assert_true(receives(r, "is read"));
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

static void slow_readers_learn_what_they_missed(void **state)
{
    (void)state;
    hectic_server *s = served(&(hectic_server_options){.keep = 1 << 20});
    runtime program = start(s);
    hectic_emit_create_thread(program.cap, 9);
    reader *slow = reader_of(connected());
    reader *fast = reader_of(connected());
    while (hectic_server_get_state(s).readers < 2)
        rest_ms(5);
    enum { ROUNDS = 300, EACH = 1000 };
    uint64_t heard = 0, dropped = 0;
    hectic_event event;
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 0; j < EACH; j++)
            hectic_emit_user_marker(program.cap, "another one");
        emit_text(&program, "round");
        assert_true(receives(fast, "round"));
    }
    emit_text(&program, "last");
    assert_true(receives(fast, "last"));
    bool again = false;
    while (next(slow, &event)) {
        heard += event.type == HECTIC_EVENT_USER_MARKER || event.type == HECTIC_EVENT_USER_MSG;
        again |= dropped > 0 && event.type == HECTIC_EVENT_SYNC;
        if (event.type == HECTIC_EVENT_LOG_MSG) {
            char text[64] = {0};
            memcpy(text, event.payload, event.size < 63 ? event.size : 63);
            assert_int_equal(sscanf(text, "hectic: %lu events were dropped here", &dropped), 1);
            heard += dropped;
        }
        if (event.type == HECTIC_EVENT_USER_MSG && memcmp(event.payload, "last", 4) == 0) break;
    }
    assert_true(dropped > 0 && again);
    assert_int_equal(heard, ROUNDS * (EACH + 1) + 1);
    assert_int_equal(hectic_server_get_state(s).events_dropped, dropped);
    assert_true(hectic_server_get_state(s).bytes_kept <= 1 << 20);
    leave(slow);
    leave(fast);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

static const char *execute(void *user, const hectic_control_command *command)
{
    if (strcmp(command->name, "mine") != 0) return "no such command";
    __atomic_add_fetch((int *)user, command->id, __ATOMIC_SEQ_CST);
    return NULL;
}

static void ask(int fd, const char *name, uint8_t id)
{
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    const size_t size = hectic_control_encode(message, sizeof message, name, id);
    assert_int_equal(send(fd, message, size, MSG_NOSIGNAL), size);
}

static void commands_are_executed_and_answered(void **state)
{
    (void)state;
    int sum = 0;
    hectic_server *s = served(&(hectic_server_options){.command = execute, .user = &sum});
    runtime program = start(s);
    emit_text(&program, "kept for a reader");
    reader *asker = reader_of(connected());
    ask(asker->fd, "mine", 5);
    ask(asker->fd, "yours", 1);
    ask(asker->fd, HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_FLUSH);
    shutdown(asker->fd, SHUT_WR);
    static const char *const answers[] = {"hectic: mine 5: done",
                                          "hectic: yours 1: no such command",
                                          "hectic: hectic 1: no such command"};
    hectic_event event;
    for (size_t i = 0; i < 3; i++) {
        do
            assert_true(next(asker, &event));
        while (event.type == HECTIC_EVENT_BLOCK_MARKER);
        assert_int_equal(event.type, HECTIC_EVENT_LOG_MSG);
        assert_int_equal(event.size, strlen(answers[i]));
        assert_memory_equal(event.payload, answers[i], event.size);
    }
    assert_false(next(asker, &event));
    assert_true(asker->ended && asker->disconnected);
    assert_int_equal(__atomic_load_n(&sum, __ATOMIC_SEQ_CST), 5);
    leave(asker);

    reader *r = reader_of(connected()); /* the client has not read its events */
    assert_true(receives(r, "kept for a reader"));
    ask(r->fd, "mine", 2);
    assert_true(find(r, HECTIC_EVENT_LOG_MSG, "hectic: mine 2: done", NULL));
    assert_int_equal(__atomic_load_n(&sum, __ATOMIC_SEQ_CST), 7);
    emit_text(&program, "goes on");
    assert_true(receives(r, "goes on"));
    leave(r);
    const int hasty = connected(); /* sends a command and disconnects */
    ask(hasty, "mine", 100);
    close(hasty);
    for (int i = 0; i < 500 && __atomic_load_n(&sum, __ATOMIC_SEQ_CST) != 107; i++)
        rest_ms(10);
    assert_int_equal(__atomic_load_n(&sum, __ATOMIC_SEQ_CST), 107);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

/* The output of `hectic ctl SOURCE ARGUMENTS`; its exit code. */
static int ctl(const char *arguments, char *said, size_t size)
{
    char line[512];
    snprintf(line, sizeof line, "\"$HECTIC\" ctl unix:%s %s 2>&1", path, arguments);
    FILE *command = popen(line, "r");
    const size_t length = fread(said, 1, size - 1, command);
    said[length] = 0;
    const int status = pclose(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_command_line_sends_commands_too(void **state)
{
    (void)state;
    if (!getenv("HECTIC")) skip();
    int sum = 0;
    char said[512];
    hectic_server *s = served(&(hectic_server_options){.command = execute, .user = &sum});
    runtime program = start(s);
    assert_int_equal(ctl("custom mine 42", said, sizeof said), 0);
    assert_string_equal(said, "");
    assert_int_equal(__atomic_load_n(&sum, __ATOMIC_SEQ_CST), 42);
    assert_int_equal(ctl("custom yours 1", said, sizeof said), 1);
    assert_string_equal(said, "hectic: custom yours 1: no such command\n");
    assert_int_equal(ctl("heap-census", said, sizeof said), 1);
    assert_string_equal(said, "hectic: heap-census: no such command\n");
    assert_int_equal(ctl("flush", said, sizeof said), 1);
    assert_int_equal(ctl("classes s-g", said, sizeof said), 1);
    assert_string_equal(said, "hectic: classes s: no such command\n"
                              "hectic: classes -g: no such command\n");
    assert_int_equal(ctl("classes s-", said, sizeof said), 64);
    assert_int_equal(ctl("custom mine 256", said, sizeof said), 64);
    assert_int_equal(ctl("dance", said, sizeof said), 64);
    emit_text(&program, "for a reader");
    reader *r = reader_of(connected());
    assert_true(receives(r, "for a reader"));
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
    assert_int_equal(ctl("flush", said, sizeof said), 2);
    assert_non_null(strstr(said, "no program listens there"));
}

/* A block of one cap, written at once. */
static void write_block(hectic_server *s, uint16_t cap, const uint16_t *numbers, size_t count)
{
    uint8_t bytes[1024];
    size_t size = HECTIC_BLOCK_MARKER_SIZE;
    for (size_t i = 0; i < count; i++) {
        const hectic_event_type type = hectic_type_of(numbers[i]);
        const hectic_value value[HECTIC_MAX_FIELDS] = {{.number = 7}};
        size += hectic_encode_fields(bytes + size, sizeof bytes - size, &type, 1, value,
                                     type.shape->field_count);
    }
    hectic_encode_block_marker(bytes, sizeof bytes, 1, (uint32_t)size, 1, cap);
    hectic_server_write(s, bytes, size);
}

/* Until the block is released, a reader gets only the events needed later. */
static void held_blocks_are_in_no_log(void **state)
{
    (void)state;
    static const uint16_t mixed[] = {HECTIC_EVENT_CREATE_THREAD, HECTIC_EVENT_TASK_CREATE,
                                     HECTIC_EVENT_GC_START,      HECTIC_EVENT_HEAP_LIVE,
                                     HECTIC_EVENT_CAP_CREATE,    HECTIC_EVENT_RUN_THREAD},
                          lost[] = {HECTIC_EVENT_RUN_THREAD, HECTIC_EVENT_SPARK_CREATE},
                          kept[] = {HECTIC_EVENT_TASK_DELETE, HECTIC_EVENT_HEAP_PROF_BEGIN},
                          wanted[] = {HECTIC_EVENT_TASK_CREATE, HECTIC_EVENT_CAP_CREATE,
                                      HECTIC_EVENT_TASK_DELETE, HECTIC_EVENT_HEAP_PROF_BEGIN,
                                      HECTIC_EVENT_USER_MSG};
    hectic_server *s = served(NULL);
    runtime program = start(s);
    reader *r = reader_of(connected());
    emit_text(&program, "before");
    assert_true(receives(r, "before"));
    hectic_server_hold(s, true);
    emit_text(&program, "held");
    write_block(s, 1, mixed, sizeof mixed / sizeof *mixed);
    write_block(s, 1, lost, sizeof lost / sizeof *lost);
    write_block(s, HECTIC_CAP_NONE, kept, sizeof kept / sizeof *kept);
    hectic_server_hold(s, false);
    emit_text(&program, "after");
    hectic_event event;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        do
            assert_true(next(r, &event));
        while (event.type == HECTIC_EVENT_BLOCK_MARKER);
        assert_int_equal(event.type, wanted[i]);
    }
    assert_memory_equal(event.payload, "after", 5);
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

/* No reader's log begins or ends inside a batch, whether it comes, stays or is left behind. */
static void batches_are_not_separated(void **state)
{
    (void)state;
    char message[256], second[160];
    hectic_server *s = served(NULL);
    runtime program = start(s);
    reader *one = reader_of(connected());
    emit_text(&program, "before");
    assert_true(receives(one, "before"));

    hectic_server_batch(s, true);
    emit_text(&program, "of one cap");
    reader *two = reader_of(connected());
    hectic_event event;
    assert_true(next(two, &event));
    emit_text(&program, "of another cap");
    hectic_server_batch(s, false);
    assert_true(receives(one, "of one cap") && receives(one, "of another cap"));
    assert_true(receives(two, "of one cap") && receives(two, "of another cap"));

    hectic_server_batch(s, true);
    hectic_server_batch(s, true);
    emit_text(&program, "of one cap");
    hectic_server_batch(s, false);
    snprintf(second, sizeof second, "listen:unix:%s.2", path);
    assert_true(hectic_server_move(s, second, message, sizeof message));
    emit_text(&program, "of another cap");
    hectic_server_batch(s, false);
    assert_false(receives(one, "cap"));
    assert_true(one->ended);
    reader *three = reader_of(connected_to(second + strlen("listen:unix:")));
    assert_true(receives(three, "of one cap") && receives(three, "of another cap"));
    leave(one);
    leave(two);
    leave(three);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

/* Emits texts of more than `size` bytes. */
static void emit_size(runtime *program, size_t size)
{
    char text[1024];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (size_t at = 0; at <= size; at += sizeof text)
        emit_text(program, text);
}

static void emit_unit(hectic_server *s, runtime *program, size_t size)
{
    hectic_server_batch(s, true);
    emit_size(program, size);
    hectic_server_batch(s, false);
}

static void batches_are_bounded(void **state)
{
    (void)state;
    enum { KEEP = 1 << 16, MOST = 16 << 20 };
    hectic_server *s = served(&(hectic_server_options){.keep = KEEP});
    runtime program = start(s);
    reader *r = reader_of(connected());
    emit_text(&program, "before");
    assert_true(receives(r, "before"));
    hectic_server_batch(s, true);
    emit_size(&program, MOST);
    assert_true(receives(r, "xxx"));
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

/* The end of a log includes the batch that is open. */
static void the_end_ends_batches(void **state)
{
    (void)state;
    hectic_server *s = served(NULL);
    runtime program = start(s);
    reader *r = reader_of(connected());
    emit_text(&program, "before");
    assert_true(receives(r, "before"));
    hectic_server_batch(s, true);
    emit_text(&program, "the last one");
    hectic_server_close(s, 5000);
    assert_true(receives(r, "the last one"));
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

/* A log does not begin inside a batch either that is larger than what is kept. */
static void large_batches_are_not_separated(void **state)
{
    (void)state;
    enum { KEEP = 1 << 16 };
    hectic_server *s = served(&(hectic_server_options){.keep = KEEP});
    runtime program = start(s);
    hectic_server_batch(s, true);
    emit_text(&program, "first of all");
    emit_size(&program, 3 * KEEP);
    emit_text(&program, "last of all");
    hectic_server_batch(s, false);
    emit_text(&program, "later");
    reader *r = reader_of(connected());
    bool first = false, last = false, later = false;
    for (hectic_event event; !later && next(r, &event);) {
        if (event.type != HECTIC_EVENT_USER_MSG) continue;
        first |= memcmp(event.payload, "first", 5) == 0;
        last |= memcmp(event.payload, "last", 4) == 0;
        later |= memcmp(event.payload, "later", 5) == 0;
    }
    assert_true(later);
    assert_int_equal(first, last);
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

/* A reader that is in a unit does not lose the rest of it if the next one arrives. */
static void units_that_are_read_are_kept(void **state)
{
    (void)state;
    enum { KEEP = 1 << 20, UNIT = KEEP / 4 * 3 };
    hectic_server *s = served(&(hectic_server_options){.keep = KEEP});
    runtime program = start(s);
    reader *r = reader_of(connected());
    emit_text(&program, "before");
    assert_true(receives(r, "before"));
    emit_unit(s, &program, UNIT);
    emit_unit(s, &program, UNIT);
    emit_text(&program, "last");
    rest_ms(100); /* what is dropped would be now */
    unsigned texts = 0;
    for (hectic_event event; next(r, &event);) {
        assert_true(event.type != HECTIC_EVENT_LOG_MSG);
        if (event.type != HECTIC_EVENT_USER_MSG) continue;
        if (memcmp(event.payload, "last", 4) == 0) break;
        texts++;
    }
    assert_int_equal(texts, 2 * (UNIT / 1024 + 1));
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

static int connected_over_tcp(hectic_server *s)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port =
                                            htons((uint16_t)hectic_server_get_state(s).port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Clients that send commands, or that do not read, leave what is kept to others. */
static void what_is_kept_is_for_readers(void **state)
{
    (void)state;
    int sum = 0;
    char message[1000];
    hectic_server *s = served(&(hectic_server_options){.command = execute, .user = &sum});
    assert_true(hectic_server_open(s, "listen:tcp:127.0.0.1:0", message, sizeof message));
    runtime program = start(s);
    emit_text(&program, "history");
    reader *asks = reader_of(connected());
    while (hectic_server_get_state(s).readers < 1)
        rest_ms(5);
    ask(asks->fd, "mine", 1);
    assert_true(find(asks, HECTIC_EVENT_LOG_MSG, "mine 1: done", NULL));
    leave(asks);
    const int silent = connected(), far = connected_over_tcp(s);
    while (hectic_server_get_state(s).readers < 2)
        rest_ms(5);
    emit_text(&program, "meanwhile");
    rest_ms(100);
    reader *r = reader_of(connected());
    assert_true(receives(r, "history") && receives(r, "meanwhile"));
    close(silent);
    leave(r);
    while (hectic_server_get_state(s).readers > 1)
        rest_ms(5);
    r = reader_of(connected());
    assert_true(receives(r, "history") && receives(r, "meanwhile"));
    close(far);
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

/* Reads until a thread has been replayed. */
static void gets_thread_again(reader *r, uint8_t id)
{
    const uint8_t held[] = {0, HECTIC_EVENT_CREATE_THREAD, 0, 0, 0, 0, 0, id};
    hectic_event event;
    do
        assert_true(next(r, &event));
    while (event.type != HECTIC_EVENT_SYNC || event.size != sizeof held ||
           memcmp(event.payload, held, sizeof held) != 0);
}

static void the_state_is_replayed_on_demand(void **state)
{
    (void)state;
    hectic_server *s = served(&(hectic_server_options){.keep = 1 << 20});
    runtime program = start(s);
    reader *one = reader_of(connected()), *two = reader_of(connected());
    hectic_event first;
    assert_true(next(one, &first) && next(two, &first)); /* both are connected */
    emit_text(&program, "begun");
    assert_true(receives(one, "begun") && receives(two, "begun"));
    hectic_emit_create_thread(program.cap, 8);
    hectic_emit_run_thread(program.cap, 8);
    hectic_emit_stop_thread(program.cap, 8, 5, 0);
    hectic_emit_create_thread(program.cap, 7);
    emit_text(&program, "a thread lives");
    assert_true(receives(one, "a thread lives") && receives(two, "a thread lives"));
    hectic_server_replay(s);
    gets_thread_again(one, 7);
    gets_thread_again(two, 7);
    emit_text(&program, "goes on");
    assert_true(receives(one, "goes on") && receives(two, "goes on"));
    hectic_server_replay_every(s, 20);
    for (int i = 0; i < 3; i++)
        gets_thread_again(one, 7);
    hectic_server_replay_every(s, 0);
    if (getenv("HECTIC")) {
        char text[512];
        assert_int_equal(ctl("replay", text, sizeof text), 0);
        assert_string_equal(text, "");
    }
    gets_thread_again(two, 7);
    leave(one);
    leave(two);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

static void a_server_can_be_reopened(void **state)
{
    (void)state;
    char message[256];
    hectic_server *s = served(NULL);
    runtime program = start(s);
    reader *r = reader_of(connected());
    assert_true(hectic_server_wait(s, 5000));
    emit_text(&program, "first");
    hectic_server_close(s, 2000);
    assert_int_equal(access(path, F_OK), -1);
    assert_true(receives(r, "first"));
    hectic_event event;
    assert_false(next(r, &event));
    assert_true(r->ended && r->disconnected);
    leave(r);
    emit_text(&program, "meanwhile");
    assert_true(hectic_server_open(s, place, message, sizeof message));
    r = reader_of(connected());
    assert_true(receives(r, "meanwhile"));
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

static void clients_that_send_noise_are_disconnected(void **state)
{
    (void)state;
    hectic_server *s = served(NULL);
    runtime program = start(s);
    reader *good = reader_of(connected());
    assert_true(hectic_server_wait(s, 5000));
    reader *bad = reader_of(connected());
    uint8_t noise[4096];
    memset(noise, 0xff, sizeof noise);
    for (size_t i = 0; i < 25000; i++)
        if (send(bad->fd, noise, sizeof noise, MSG_NOSIGNAL) < 0) break;
    assert_true(find(bad, HECTIC_EVENT_LOG_MSG, "invalid command", NULL));
    hectic_event event;
    assert_false(next(bad, &event));
    assert_true(bad->ended);
    leave(bad);
    emit_text(&program, "undisturbed");
    assert_true(receives(good, "undisturbed"));
    leave(good);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

static void clients_over_tcp_are_disconnected_too(void **state)
{
    (void)state;
    char message[256];
    hectic_server *s = hectic_server_new(NULL);
    assert_true(hectic_server_open(s, "listen:tcp:127.0.0.1:0", message, sizeof message));
    runtime program = start(s);
    reader *good = reader_of(connected_over_tcp(s));
    assert_true(hectic_server_wait(s, 5000));
    const int bad = connected_over_tcp(s), half = connected_over_tcp(s);
    uint8_t noise[4096], answer[4096];
    memset(noise, 0xff, sizeof noise);
    size_t sent = 0;
    while (sent < 100000000 && send(bad, noise, sizeof noise, MSG_NOSIGNAL) >= 0)
        sent += sizeof noise;
    assert_true(sent < 100000000);
    assert_int_equal(send(half, "\xf0\x9e\x97", 3, MSG_NOSIGNAL), 3);
    ssize_t got;
    while ((got = recv(half, answer, sizeof answer, 0)) > 0)
        ;
    assert_int_equal(got, 0);
    close(bad);
    close(half);
    emit_text(&program, "undisturbed");
    assert_true(receives(good, "undisturbed"));
    leave(good);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

/* A web page can make a browser send this to any port of this host. */
static void a_command_in_a_request_is_not_executed(void **state)
{
    (void)state;
    static const char *const requests[] = {"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\n", "G"};
    int sum = 0;
    char message[256];
    uint8_t body[HECTIC_CONTROL_MESSAGE_MAX], answer[4096];
    const size_t size = hectic_control_encode(body, sizeof body, "mine", 1);
    hectic_server *s =
        hectic_server_new(&(hectic_server_options){.command = execute, .user = &sum});
    assert_true(hectic_server_open(s, "listen:tcp:127.0.0.1:0", message, sizeof message));
    runtime program = start(s);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const int fd = connected_over_tcp(s);
        send(fd, requests[i], strlen(requests[i]), MSG_NOSIGNAL);
        send(fd, body, size, MSG_NOSIGNAL);
        while (recv(fd, answer, sizeof answer, 0) > 0)
            ;
        close(fd);
    }
    assert_int_equal(__atomic_load_n(&sum, __ATOMIC_SEQ_CST), 0);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

/* Counts a server's diagnostics. */
static void count_note(void *user, const char *text)
{
    unsigned *count = user;
    if (strstr(text, "disconnected") || strstr(text, "rejected"))
        __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
}

static bool becomes(const unsigned *count, unsigned least)
{
    for (int i = 0; i < 1000 && __atomic_load_n(count, __ATOMIC_SEQ_CST) < least; i++)
        rest_ms(10);
    return __atomic_load_n(count, __ATOMIC_SEQ_CST) >= least;
}

static void clients_that_send_noise_and_do_not_read_are_disconnected(void **state)
{
    (void)state;
    unsigned notes = 0;
    hectic_server *s = served(&(hectic_server_options){.diagnostic = count_note, .user = &notes});
    runtime program = start(s);
    uint8_t noise[1024];
    memset(noise, 0xff, sizeof noise);
    const int bad = connected();
    while (hectic_server_get_state(s).readers < 1)
        rest_ms(5);
    for (int i = 0; i < 100; i++)
        emit_text(&program, "more than the socket holds, by and by");
    while (send(bad, noise, sizeof noise, MSG_NOSIGNAL) >= 0)
        ;
    assert_true(becomes(&notes, 1));
    close(bad);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

static void clients_over_the_limit_are_rejected(void **state)
{
    (void)state;
    enum { MOST = 256, BURST = 1 << 16 };
    unsigned notes = 0;
    hectic_server *s =
        served(&(hectic_server_options){.diagnostic = count_note, .user = &notes, .keep = 1 << 22});
    runtime program = start(s);
    emit_text(&program, "first");
    reader *good = reader_of(connected());
    assert_true(receives(good, "first"));
    int idle[MOST];
    for (unsigned i = 0; i < MOST - 1; i++)
        idle[i] = connected();
    while (hectic_server_get_state(s).readers < MOST)
        rest_ms(5);
    reader *more = reader_of(connected());
    hectic_event event;
    assert_false(next(more, &event));
    assert_true(more->disconnected && becomes(&notes, 1));
    leave(more);
    /* One of several stalled readers is evicted after some seconds. */
    for (unsigned i = 0; i < BURST; i++)
        hectic_emit_user_marker(program.cap, "more than a socket holds");
    emit_text(&program, "second");
    assert_true(receives(good, "second"));
    unsigned refused = 0;
    for (;; refused++) {
        more = reader_of(connected());
        emit_text(&program, "third");
        if (receives(more, "third")) break;
        assert_true(more->disconnected && refused < 200);
        leave(more);
        rest_ms(300);
    }
    assert_true(becomes(&notes, 2 + refused));
    assert_true(receives(good, "third"));
    assert_int_equal(hectic_server_get_state(s).readers, MOST);
    leave(more);
    leave(good);
    for (unsigned i = 0; i < MOST - 1; i++)
        close(idle[i]);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

/* Its answers are queued, up to a limit. */
static void commands_wait_while_answers_are_unread(void **state)
{
    (void)state;
    int sum = 0;
    hectic_server *s = served(&(hectic_server_options){.command = execute, .user = &sum});
    runtime program = start(s);
    reader *good = reader_of(connected());
    const int bad = connected();
    fcntl(bad, F_SETFL, O_NONBLOCK);
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    const size_t size = hectic_control_encode(message, sizeof message, "mine", 1);
    for (int idle = 0; idle < 100; idle++) {
        while (send(bad, message, size, MSG_NOSIGNAL) > 0)
            idle = 0;
        rest_ms(10);
    }
    const int obeyed = __atomic_load_n(&sum, __ATOMIC_SEQ_CST);
    assert_true(obeyed > 0 && obeyed < 100000);
    emit_text(&program, "undisturbed");
    assert_true(receives(good, "undisturbed"));
    /* When it reads, it continues. */
    uint8_t answers[1 << 16];
    for (int i = 0; i < 1000 && __atomic_load_n(&sum, __ATOMIC_SEQ_CST) < obeyed + 100; i++) {
        struct pollfd ready = {.fd = bad, .events = POLLIN};
        if (poll(&ready, 1, 10) > 0) assert_true(read(bad, answers, sizeof answers) > 0);
    }
    assert_true(__atomic_load_n(&sum, __ATOMIC_SEQ_CST) >= obeyed + 100);
    close(bad);
    leave(good);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

static const char *execute_when_open(void *user, const hectic_control_command *command)
{
    (void)command;
    while (!__atomic_load_n((bool *)user, __ATOMIC_SEQ_CST))
        rest_ms(5);
    return NULL;
}

static void is_read(int fd)
{
    int unread = 1;
    for (unsigned i = 0; ioctl(fd, TIOCOUTQ, &unread) == 0 && unread > 0; i++) {
        assert_true(i < 12000);
        rest_ms(5);
    }
}

/* If all clients together exceed the limit, a partly received command is not read to its end. */
static void clients_that_are_not_served_stay_connected(void **state)
{
    (void)state;
    enum { ALL_MAX = 1024, EACH_MAX = 64, OTHERS = ALL_MAX / EACH_MAX, COMMAND_MS = 10000 };
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    const size_t size = hectic_control_encode(message, sizeof message, "mine", 1);
    bool open = false;
    int others[OTHERS];
    hectic_server *s =
        served(&(hectic_server_options){.command = execute_when_open, .user = &open});
    runtime program = start(s);
    reader *half = reader_of(connected());
    for (int i = 0; i < OTHERS; i++) {
        if (i == OTHERS - 1) assert_int_equal(send(half->fd, message, 3, MSG_NOSIGNAL), 3);
        is_read(half->fd);
        others[i] = connected();
        for (int j = 0; j < EACH_MAX; j++)
            ask(others[i], "mine", 1);
        is_read(others[i]);
    }
    assert_int_equal(send(half->fd, message + 3, size - 3, MSG_NOSIGNAL), size - 3);
    rest_ms(COMMAND_MS + 500);
    __atomic_store_n(&open, true, __ATOMIC_SEQ_CST);
    assert_true(find(half, HECTIC_EVENT_LOG_MSG, "hectic: mine 1: done", NULL));
    leave(half);
    for (int i = 0; i < OTHERS; i++)
        close(others[i]);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

static void only_stale_sockets_are_replaced(void **state)
{
    (void)state;
    char message[256], long_place[256];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(dead, (struct sockaddr *)&address, sizeof address), 0);
    close(dead);
    hectic_server *s = served(NULL);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);

    hectic_server *other = hectic_server_new(NULL);
    assert_false(hectic_server_open(other, place, message, sizeof message));
    assert_non_null(strstr(message, "another running program"));
    hectic_server_free(s, 0);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_false(hectic_server_open(other, place, message, sizeof message));
    assert_non_null(strstr(message, "not a socket"));
    unlink(path);
    snprintf(long_place, sizeof long_place, "listen:unix:/%0150d", 0);
    assert_false(hectic_server_open(other, long_place, message, sizeof message));
    assert_non_null(strstr(message, "allows 107"));
    assert_false(hectic_server_open(other, "listen:/file", message, sizeof message));
    assert_non_null(strstr(message, "invalid destination"));
    assert_false(hectic_server_open(other, "listen:tcp:127.0.0.1:0,token-file=/dev/null", message,
                                    sizeof message)); /* it would be ignored */
    assert_non_null(strstr(message, "remove ,token-file=/dev/null"));
    assert_false(
        hectic_server_open(other, "tcp:127.0.0.1:1,token-file=/dev/null", message, sizeof message));
    assert_non_null(strstr(message, "/dev/null: invalid token"));
    assert_false(hectic_server_open(other, "file:/nobody/made/this", message, sizeof message));
    assert_string_equal(message, "cannot open the destination: No such file or directory");
    assert_false(hectic_server_open(other, "fd:987", message, sizeof message));
    assert_string_equal(message, "cannot open the destination: Bad file descriptor");
    assert_true(hectic_server_open(other, "listen:tcp:127.0.0.1:0", message, sizeof message));
    char taken[64];
    snprintf(taken, sizeof taken, "listen:tcp:127.0.0.1:%d",
             (int)hectic_server_get_state(other).port);
    assert_false(hectic_server_open(other, taken, message, sizeof message));
    assert_non_null(strstr(message, "another port"));
    hectic_server_free(other, 0);
}

static void a_server_writes_to_destinations_too(void **state)
{
    (void)state;
    char message[256], file[160];
    hectic_server *s = served(NULL);
    runtime program = start(s);
    emit_text(&program, "first");
    reader *r = reader_of(connected());
    assert_true(receives(r, "first"));
    snprintf(file, sizeof file, "%s/log", directory);
    assert_true(hectic_server_move(s, file, message, sizeof message));
    emit_text(&program, "second");
    hectic_event event;
    while (next(r, &event))
        ;
    assert_true(r->ended);
    leave(r);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
    FILE *f = fopen(file, "rb");
    reader *written = reader_of(fileno(f));
    assert_true(receives(written, "second"));
    assert_false(next(written, &event));
    assert_true(written->ended);
    hectic_decoder_free(written->decoder);
    free(written);
    fclose(f);
    unlink(file);
}

static int processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int)(t.tv_sec * 1000 + t.tv_nsec / 1000000);
}

/* It reconnects repeatedly, and is idle without work. */
static void a_server_reconnects(void **state)
{
    (void)state;
    char message[256];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    hectic_server *s = hectic_server_new(NULL);
    runtime program = start(s);
    assert_true(hectic_server_open(s, place + strlen("listen:"), message, sizeof message));
    emit_text(&program, "nobody is there yet");
    assert_int_equal(bind(listening, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listening, 1), 0);
    reader *r = reader_of(accept(listening, NULL, NULL));
    assert_true(receives(r, "nobody is there yet"));
    leave(r);
    r = reader_of(accept(listening, NULL, NULL));
    emit_text(&program, "again");
    assert_true(receives(r, "again"));
    close(listening);
    leave(r);
    unlink(path);
    const int before = processor_ms();
    rest_ms(500);
    assert_true(processor_ms() - before < 250);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 1000);
}

/* A file is always writable. */
static void the_server_waits_for_a_full_disk(void **state)
{
    (void)state;
    char message[256];
    hectic_server *s = hectic_server_new(NULL);
    runtime program = start(s);
    assert_true(hectic_server_open(s, "file:/dev/full", message, sizeof message));
    emit_text(&program, "there is no room for this");
    const int before = processor_ms();
    rest_ms(500);
    assert_true(processor_ms() - before < 100);
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 0);
}

/* However often the log is redirected, each event is in one destination, once. */
static void a_redirected_log_loses_nothing(void **state)
{
    (void)state;
    enum { MOVES = 20, EACH = 200 };
    char message[256], file[MOVES][200];
    hectic_server *s = hectic_server_new(NULL);
    runtime program = start(s);
    unsigned said = 0;
    for (int i = 0; i < MOVES; i++) {
        snprintf(file[i], sizeof file[i], "file:%s/log%d", directory, i);
        assert_true(hectic_server_move(s, file[i], message, sizeof message));
        for (int j = 0; j < EACH; j++) {
            char text[32];
            snprintf(text, sizeof text, "%u", said++);
            emit_text(&program, text);
        }
    }
    hectic_emitter_free(program.emitter);
    hectic_server_free(s, 2000);
    unsigned heard = 0;
    for (int i = 0; i < MOVES; i++) {
        FILE *f = fopen(file[i] + strlen("file:"), "rb");
        reader *r = reader_of(fileno(f));
        hectic_event event;
        while (next(r, &event)) {
            if (event.type != HECTIC_EVENT_USER_MSG) continue;
            char text[32] = {0};
            memcpy(text, event.payload, event.size);
            assert_int_equal(atoi(text), heard++);
        }
        assert_true(r->ended);
        hectic_decoder_free(r->decoder);
        free(r);
        fclose(f);
        unlink(file[i] + strlen("file:"));
    }
    assert_int_equal(heard, said);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(path, sizeof path, "%s/log.sock", directory);
    snprintf(place, sizeof place, "listen:unix:%s", path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_reader_gets_all_from_the_beginning),
        cmocka_unit_test(readers_connect_and_disconnect),
        cmocka_unit_test(little_is_kept_without_readers),
        cmocka_unit_test(slow_readers_learn_what_they_missed),
        cmocka_unit_test(commands_are_executed_and_answered),
        cmocka_unit_test(the_command_line_sends_commands_too),
        cmocka_unit_test(held_blocks_are_in_no_log),
        cmocka_unit_test(batches_are_not_separated),
        cmocka_unit_test(batches_are_bounded),
        cmocka_unit_test(the_end_ends_batches),
        cmocka_unit_test(large_batches_are_not_separated),
        cmocka_unit_test(units_that_are_read_are_kept),
        cmocka_unit_test(what_is_kept_is_for_readers),
        cmocka_unit_test(the_state_is_replayed_on_demand),
        cmocka_unit_test(a_server_can_be_reopened),
        cmocka_unit_test(clients_that_send_noise_are_disconnected),
        cmocka_unit_test(clients_over_tcp_are_disconnected_too),
        cmocka_unit_test(a_command_in_a_request_is_not_executed),
        cmocka_unit_test(clients_that_send_noise_and_do_not_read_are_disconnected),
        cmocka_unit_test(clients_over_the_limit_are_rejected),
        cmocka_unit_test(commands_wait_while_answers_are_unread),
        cmocka_unit_test(clients_that_are_not_served_stay_connected),
        cmocka_unit_test(only_stale_sockets_are_replaced),
        cmocka_unit_test(a_server_writes_to_destinations_too),
        cmocka_unit_test(a_server_reconnects),
        cmocka_unit_test(the_server_waits_for_a_full_disk),
        cmocka_unit_test(a_redirected_log_loses_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
