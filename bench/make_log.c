/* Makes a large eventlog as a busy, threaded GHC program would write it: threads that run, block,
 * wake and migrate, collections that stop all caps, sparks, messages. Every cap fills a buffer of
 * 2 MB and flushes it when it is full, so that the blocks of different caps overlap in time; the
 * global buffer spans the whole run. The same arguments always give the same bytes.
 *
 *     make_log OUTPUT SIZE CAPS [SEED]        SIZE: bytes, or 40M, 4G (powers of 1000)
 */
#include <hectic/hectic.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER = 2 << 20, /* EVENT_LOG_SIZE of GHC's runtime */
    MOST_CAPS = 1024,
    MOST_THREADS = 48, /* alive on one cap, beside the one that runs */
    TYPES = 256,
};

/* What the runtime calls STOP_THREAD's statuses. */
enum { HEAP_OVERFLOW = 1, YIELDING = 3, FINISHED = 5, FOREIGN_CALL = 6, ON_MVAR = 7, ON_STM = 12 };

typedef struct {
    uint8_t *bytes;
    size_t used;
    uint64_t begin, latest;
    uint16_t cap;
} block;

typedef struct {
    block block;
    uint64_t clock, allocated;
    uint64_t sparks_created, sparks_run;
    uint32_t ready[MOST_THREADS + 1], blocked[MOST_THREADS + 1];
    unsigned ready_count, blocked_count;
} cap_state;

typedef struct {
    FILE *out;
    uint64_t written, random;
    uint32_t next_thread;
    unsigned cap_count;
    cap_state *cap;
    block global;
    hectic_event_type type[TYPES];
} maker;

static _Noreturn void die(const char *why)
{
    fprintf(stderr, "make_log: %s\n", why);
    exit(1);
}

static unsigned roll(maker *m, unsigned sides) /* xorshift64* */
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return (unsigned)((m->random * 0x2545f4914f6cdd1dULL) >> 33) % sides;
}

static void write_out(maker *m, const void *bytes, size_t length)
{
    if (fwrite(bytes, 1, length, m->out) != length) die("cannot write");
    m->written += length;
}

static void begin_block(block *b, uint64_t time)
{
    b->begin = b->latest = time;
    b->used = HECTIC_BLOCK_MARKER_SIZE;
}

static void flush_block(maker *m, block *b)
{
    hectic_encode_block_marker(b->bytes, BUFFER, b->begin, (uint32_t)b->used, b->latest, b->cap);
    write_out(m, b->bytes, b->used);
    begin_block(b, b->latest);
}

static void put(maker *m, block *b, uint64_t time, unsigned number, const hectic_value *value,
                size_t count)
{
    const hectic_event_type *type = &m->type[number];
    size_t length =
        hectic_encode_fields(b->bytes + b->used, BUFFER - b->used, type, time, value, count);
    if (length > BUFFER - b->used) {
        flush_block(m, b);
        length =
            hectic_encode_fields(b->bytes + b->used, BUFFER - b->used, type, time, value, count);
    }
    if (length == 0) die("an event could not be encoded");
    b->used += length;
    if (time > b->latest) b->latest = time;
}

/* An event whose fields are all numbers: PUT(m, b, time, RUN_THREAD, thread). */
#define PUT(m, b, time, name, ...)                                                                 \
    put_numbers(m, b, time, HECTIC_EVENT_##name, (const uint64_t[]){__VA_ARGS__},                  \
                sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))
#define PUT_BARE(m, b, time, name) put(m, b, time, HECTIC_EVENT_##name, NULL, 0)

static void put_numbers(maker *m, block *b, uint64_t time, unsigned number, const uint64_t *field,
                        size_t count)
{
    hectic_value value[HECTIC_MAX_FIELDS] = {0};
    for (size_t i = 0; i < count; i++)
        value[i].number = field[i];
    put(m, b, time, number, value, count);
}

static hectic_value text_value(const char *text, size_t length)
{
    return (hectic_value){.bytes = (const uint8_t *)text, .length = (uint32_t)length};
}

static void put_message(maker *m, block *b, uint64_t time, unsigned number, const char *text)
{
    hectic_value value = text_value(text, strlen(text));
    put(m, b, time, number, &value, 1);
}

/* An event of a number and a text: a capset's or a thread's. */
static void put_named(maker *m, block *b, uint64_t time, unsigned number, uint64_t id,
                      const char *text, size_t length)
{
    hectic_value value[2] = {{.number = id}, text_value(text, length)};
    put(m, b, time, number, value, 2);
}

static uint64_t tick(maker *m, cap_state *c)
{
    return c->clock += 60 + roll(m, 1200);
}

static void create_thread(maker *m, cap_state *c)
{
    if (c->ready_count + c->blocked_count >= MOST_THREADS) return;
    uint32_t thread = m->next_thread++;
    PUT(m, &c->block, tick(m, c), CREATE_THREAD, thread);
    if (roll(m, 4) == 0) {
        char label[32];
        int length = snprintf(label, sizeof label, "worker-%" PRIu32, thread % 1000);
        put_named(m, &c->block, tick(m, c), HECTIC_EVENT_THREAD_LABEL, thread, label,
                  (size_t)length);
    }
    PUT(m, &c->block, tick(m, c), THREAD_RUNNABLE, thread);
    c->ready[c->ready_count++] = thread;
}

static void wake_thread(maker *m, cap_state *c)
{
    if (c->blocked_count == 0) return;
    unsigned which = roll(m, c->blocked_count);
    uint32_t thread = c->blocked[which];
    c->blocked[which] = c->blocked[--c->blocked_count];
    PUT(m, &c->block, tick(m, c), THREAD_WAKEUP, thread, c->block.cap);
    PUT(m, &c->block, tick(m, c), THREAD_RUNNABLE, thread);
    c->ready[c->ready_count++] = thread;
}

static void say_something(maker *m, cap_state *c)
{
    static const char *const topic[] = {"parsed", "served", "cached", "\xce\xbb-lifted",
                                        "request /api/v1/items answered with status"};
    char text[80];
    snprintf(text, sizeof text, "%s %u", topic[roll(m, 5)], roll(m, 100000));
    put_message(m, &c->block, tick(m, c),
                roll(m, 16) ? HECTIC_EVENT_USER_MSG : HECTIC_EVENT_USER_MARKER, text);
}

/* One turn of one thread, from RUN_THREAD to STOP_THREAD. */
static void run_thread(maker *m, cap_state *c, bool until_gc)
{
    if (c->ready_count == 0) wake_thread(m, c);
    if (c->ready_count == 0) create_thread(m, c);
    unsigned which = roll(m, c->ready_count);
    uint32_t thread = c->ready[which];
    c->ready[which] = c->ready[--c->ready_count];
    PUT(m, &c->block, tick(m, c), RUN_THREAD, thread);

    unsigned luck = roll(m, 32);
    if (luck < 3) {
        say_something(m, c);
    } else if (luck < 5) {
        create_thread(m, c);
    } else if (luck < 15) {
        wake_thread(m, c);
    } else if (luck < 19) {
        PUT_BARE(m, &c->block, tick(m, c), SPARK_CREATE);
        PUT_BARE(m, &c->block, tick(m, c), SPARK_RUN);
        c->sparks_created++;
        c->sparks_run++;
    }
    c->allocated += 1024 + roll(m, 65536);

    unsigned how = until_gc ? 31 : roll(m, 32);
    unsigned status = how < 10   ? ON_MVAR
                      : how < 13 ? ON_STM
                      : how < 15 ? FINISHED
                      : how < 23 ? FOREIGN_CALL
                      : how < 31 ? YIELDING
                                 : HEAP_OVERFLOW;
    PUT(m, &c->block, tick(m, c), STOP_THREAD, thread, status, 0);
    if (status == ON_MVAR || status == ON_STM)
        c->blocked[c->blocked_count++] = thread;
    else if (status != FINISHED)
        c->ready[c->ready_count++] = thread;
}

/* Moves a ready thread to another cap, as the scheduler does when it has more than one. */
static void migrate_thread(maker *m, cap_state *c, uint64_t time)
{
    cap_state *other = &m->cap[roll(m, m->cap_count)];
    if (c == other || c->ready_count < 2) return;
    if (other->ready_count + other->blocked_count >= MOST_THREADS) return;
    uint32_t thread = c->ready[--c->ready_count];
    PUT(m, &c->block, time, MIGRATE_THREAD, thread, other->block.cap);
    other->ready[other->ready_count++] = thread;
}

/* A collection of all caps. They stop one after the other, and their clocks meet in it. */
static void collect(maker *m, uint64_t heap)
{
    cap_state *first = &m->cap[roll(m, m->cap_count)];
    if (m->cap_count > 1)
        PUT_BARE(m, &first->block, tick(m, first), REQUEST_PAR_GC);
    else
        PUT_BARE(m, &first->block, tick(m, first), REQUEST_SEQ_GC);
    uint64_t begin = 0;
    for (cap_state *c = m->cap; c < m->cap + m->cap_count; c++) {
        PUT_BARE(m, &c->block, tick(m, c), GC_START);
        if (c->clock > begin) begin = c->clock;
    }
    uint64_t end = begin + 20000 + roll(m, 80000);
    bool major = roll(m, 16) == 0;
    PUT_BARE(m, &first->block, begin, GC_GLOBAL_SYNC);
    for (cap_state *c = m->cap; c < m->cap + m->cap_count; c++) {
        c->clock = begin;
        PUT_BARE(m, &c->block, tick(m, c), GC_WORK);
        for (unsigned spells = 1 + roll(m, 2); spells > 0; spells--) {
            PUT_BARE(m, &c->block, tick(m, c), GC_IDLE);
            if (spells > 1) PUT_BARE(m, &c->block, tick(m, c), GC_WORK);
        }
        PUT_BARE(m, &c->block, tick(m, c), GC_DONE);
        /* GC_END tells the time at which the pause was over; the statistics, written before it,
         * were made later. */
        uint64_t after = end + 300 + roll(m, 2000);
        PUT(m, &c->block, after, HEAP_ALLOCATED, 0, c->allocated);
        PUT(m, &c->block, after + 100, SPARK_COUNTERS, c->sparks_created, 0, 0, c->sparks_run, 0, 0,
            0);
        if (c == first) {
            PUT(m, &c->block, after + 200, GC_STATS_GHC, 0, major, heap / 3, heap / 100, heap / 50,
                m->cap_count, heap / 4, heap / 3, heap / 5);
            PUT(m, &c->block, after + 300, HEAP_SIZE, 0, heap & ~0xfffffULL);
            PUT(m, &c->block, after + 400, BLOCKS_SIZE, 0, heap & ~0xfffULL);
            if (major) PUT(m, &c->block, after + 500, HEAP_LIVE, 0, heap / 2);
        }
        PUT_BARE(m, &c->block, end, GC_END);
    }
    for (cap_state *c = m->cap; c < m->cap + m->cap_count; c++) {
        if (roll(m, 4) == 0) migrate_thread(m, c, end + 3500);
        c->clock = end + 4000;
    }
}

static void start_program(maker *m)
{
    static const char rts[] = "GHC-9.12.1 rts_thr";
    static const char args[] = "busy\0+RTS\0-N\0-la";
    block *b = &m->global;
    PUT(m, b, 1000, CAPSET_CREATE, 0, 2);
    PUT(m, b, 1100, CAPSET_CREATE, 1, 3);
    put_named(m, b, 1200, HECTIC_EVENT_RTS_IDENTIFIER, 0, rts, sizeof rts - 1);
    put_named(m, b, 1300, HECTIC_EVENT_PROGRAM_ARGS, 0, args, sizeof args - 1);
    PUT(m, b, 1400, OSPROCESS_PID, 0, 4242);
    PUT(m, b, 1500, WALL_CLOCK_TIME, 1, 1700000000, 123456789);
    for (unsigned i = 0; i < m->cap_count; i++) {
        PUT(m, b, 2000 + i, CAP_CREATE, i);
        PUT(m, b, 2000 + i, CAPSET_ASSIGN_CAP, 0, i);
        PUT(m, b, 2000 + i, CAPSET_ASSIGN_CAP, 1, i);
    }
    PUT(m, b, 9000, HEAP_INFO_GHC, 0, 2, 0, 4 << 20, 1 << 20, 4096);
}

static void stop_program(maker *m)
{
    uint64_t last = 0;
    for (cap_state *c = m->cap; c < m->cap + m->cap_count; c++) {
        flush_block(m, &c->block);
        if (c->clock > last) last = c->clock;
    }
    for (unsigned i = 0; i < m->cap_count; i++)
        PUT(m, &m->global, last + i, CAP_DELETE, i);
    PUT(m, &m->global, last + m->cap_count, CAPSET_DELETE, 0);
    PUT(m, &m->global, last + m->cap_count, CAPSET_DELETE, 1);
    flush_block(m, &m->global);
}

static void write_header(maker *m)
{
    hectic_event_type declared[TYPES];
    size_t count = 0;
    for (uint16_t number = 0; number < TYPES; number++) {
        m->type[number] = hectic_type_of(number);
        hectic_class c = m->type[number].shape ? m->type[number].shape->class_ : HECTIC_CLASS_COUNT;
        bool of_ghc = c != HECTIC_CLASS_EDEN && c != HECTIC_CLASS_MERCURY && c != HECTIC_CLASS_PERF;
        if (c != HECTIC_CLASS_COUNT && of_ghc) declared[count++] = m->type[number];
    }
    static uint8_t header[1 << 16];
    size_t length = hectic_encode_header(header, sizeof header, declared, count);
    if (length > sizeof header) die("the header is too long");
    write_out(m, header, length);
}

static uint64_t parse_size(const char *text)
{
    char *end;
    uint64_t size = strtoull(text, &end, 10);
    return size * (*end == 'G' ? 1000000000u : *end == 'M' ? 1000000u : *end == 'K' ? 1000u : 1u);
}

static block new_block(uint16_t cap, uint64_t time)
{
    block b = {.bytes = malloc(BUFFER), .cap = cap};
    if (b.bytes == NULL) die("no memory");
    begin_block(&b, time);
    return b;
}

int main(int argc, char **argv)
{
    if (argc < 4) die("usage: make_log OUTPUT SIZE CAPS [SEED]");
    uint64_t size = parse_size(argv[2]);
    unsigned long caps = strtoul(argv[3], NULL, 10);
    if (caps < 1 || caps > MOST_CAPS) die("1 to 1024 caps");
    static maker m;
    m.cap_count = (unsigned)caps;
    m.random = 0x9e3779b97f4a7c15u + (argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
    m.next_thread = 1;
    m.out = fopen(argv[1], "wb");
    m.cap = calloc(caps, sizeof *m.cap);
    if (m.out == NULL) die("cannot open the output");
    if (m.cap == NULL) die("no memory");

    write_header(&m);
    m.global = new_block(HECTIC_CAP_NONE, 1000);
    start_program(&m);
    for (unsigned i = 0; i < m.cap_count; i++) {
        m.cap[i].clock = 10000 + i;
        m.cap[i].block = new_block((uint16_t)i, 10000 + i);
    }
    uint64_t heap = 8 << 20, buffered = 0;
    while (m.written + buffered < size) {
        for (unsigned i = 0; i < m.cap_count; i++) {
            cap_state *c = &m.cap[i];
            for (unsigned turns = 12 + roll(&m, 24); turns > 0; turns--)
                run_thread(&m, c, turns == 1);
        }
        heap = (8 << 20) + (heap + roll(&m, 1 << 20)) % (64 << 20);
        collect(&m, heap);
        buffered = 0;
        for (unsigned i = 0; i < m.cap_count; i++)
            buffered += m.cap[i].block.used;
    }
    stop_program(&m);
    uint8_t end[2];
    write_out(&m, end, hectic_encode_data_end(end, sizeof end));
    if (fclose(m.out) != 0) die("cannot write");
    return 0;
}
