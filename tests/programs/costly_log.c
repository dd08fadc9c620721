/* Logs that cost a reader much time or memory: each kind repeats a costly pattern up to a size.
 * `costly_log --list` prints the kinds, `costly_log KIND BYTES` writes a log.
 * tests/support/budgets.py runs the verbs on them. */
#include "profiles/symbols.h"

#include <hectic/hectic.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBERS = 65536,
    CAPS = 65534,
    SHAPES_MAX = 512,
    ROOM = 1 << 22,
    GLOBAL = HECTIC_CAP_NONE,
    TICK = 1000, /* ns between events */
};

/* The log being written, through one buffer. */
struct log {
    uint8_t *room;
    size_t used;
    size_t block; /* position of the open block's marker */
    uint64_t begin, end;
    uint16_t cap;
    bool in_block;
    uint64_t written, limit;
    uint64_t time; /* of the next event */
    uint64_t seed;
    uint64_t candidate; /* the last number that was tried */
    bool is_random;
    hectic_event_type type[SHAPES_MAX];
    size_t types;
    const hectic_event_type *of[NUMBERS];
};

static void put_out(struct log *log)
{
    if (fwrite(log->room, 1, log->used, stdout) != log->used) exit(1);
    log->written += log->used;
    log->used = 0;
}

static void end_block(struct log *log)
{
    if (log->in_block)
        hectic_encode_block_marker(log->room + log->block, HECTIC_BLOCK_MARKER_SIZE, log->begin,
                                   (uint32_t)(log->used - log->block), log->end, log->cap);
    log->in_block = false;
}

static void block(struct log *log, uint16_t cap)
{
    end_block(log);
    if (log->used > ROOM / 2) put_out(log);
    log->block = log->used;
    log->begin = log->end = log->time;
    log->cap = cap;
    log->in_block = true;
    log->used += HECTIC_BLOCK_MARKER_SIZE;
}

static void bytes(struct log *log, const void *data, size_t size)
{
    end_block(log);
    if (log->used + size > ROOM) put_out(log);
    memcpy(log->room + log->used, data, size);
    log->used += size;
}

static bool is_full(const struct log *log)
{
    return log->written + log->used >= log->limit;
}

static void put_values(struct log *log, uint16_t number, const hectic_value *value, size_t count)
{
    if (log->used + HECTIC_EVENT_MAX > ROOM) {
        const uint16_t cap = log->cap;
        const bool in_block = log->in_block;
        end_block(log);
        put_out(log);
        if (in_block) block(log, cap);
    }
    const size_t size = hectic_encode_fields(log->room + log->used, ROOM - log->used,
                                             log->of[number], log->time, value, count);
    if (size == 0) abort(); /* an invalid kind */
    log->used += size;
    if (log->time > log->end) log->end = log->time;
    log->time += TICK;
}

/* An event of numbers; all other fields are empty. */
static void put(struct log *log, uint16_t number, uint64_t a, uint64_t b, uint64_t c)
{
    const hectic_value value[HECTIC_MAX_FIELDS] = {{.number = a}, {.number = b}, {.number = c}};
    put_values(log, number, value, log->of[number]->shape->field_count);
}

/* An event of a number, if it has one, and a text. */
static void put_text(struct log *log, uint16_t number, uint64_t a, const char *text, size_t length)
{
    const hectic_value words = {.bytes = (const uint8_t *)text, .length = (uint32_t)length};
    const size_t fields = log->of[number]->shape->field_count;
    hectic_value value[HECTIC_MAX_FIELDS] = {{.number = a}};
    value[fields - 1] = words;
    put_values(log, number, value, fields);
}

static void put_message(struct log *log, const char *format, unsigned long long number)
{
    char text[100];
    const int length = snprintf(text, sizeof text, format, number);
    put_text(log, HECTIC_EVENT_USER_MSG, 0, text, (size_t)length);
}

static uint64_t any(struct log *log) /* splitmix64 */
{
    uint64_t z = log->seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void put_header(struct log *log, const hectic_event_type *types, size_t count)
{
    const size_t size = hectic_encode_header(NULL, 0, types, count);
    uint8_t *header = malloc(size);
    if (!header) exit(1);
    hectic_encode_header(header, size, types, count);
    bytes(log, header, size);
    free(header);
}

/* The layout of every known event. */
static void learn_types(struct log *log)
{
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        if (hectic_shape_by_number(shape[i].number) == &shape[i] && log->types < SHAPES_MAX) {
            log->type[log->types] = hectic_type_of(shape[i].number);
            log->of[shape[i].number] = &log->type[log->types];
            log->types++;
        }
}

static void full_header(struct log *log)
{
    put_header(log, log->type, log->types);
}

/* --- Kinds: the `i`th step of each -------------------------------------------------------------
 */

static bool in_first_half(const struct log *log)
{
    return log->written + log->used < log->limit / 2;
}

static void run_and_stop(struct log *log, uint32_t thread)
{
    put(log, HECTIC_EVENT_RUN_THREAD, thread, 0, 0);
    put(log, HECTIC_EVENT_STOP_THREAD, thread, 3, 0);
}

static void collect(struct log *log)
{
    put(log, HECTIC_EVENT_REQUEST_PAR_GC, 0, 0, 0);
    put(log, HECTIC_EVENT_GC_START, 0, 0, 0);
    put(log, HECTIC_EVENT_GC_GLOBAL_SYNC, 0, 0, 0);
    put(log, HECTIC_EVENT_GC_STATS_GHC, 0, 0, 100);
    put(log, HECTIC_EVENT_GC_END, 0, 0, 0);
}

static void caps(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
    run_and_stop(log, (uint32_t)i);
}

static void caps_collect(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
    collect(log);
    put(log, HECTIC_EVENT_HEAP_ALLOCATED, 0, i * 1000, 0);
}

/* Other caps are in a collection that one cap leads repeatedly. */
static void caps_in_collection(struct log *log, uint64_t i)
{
    block(log, in_first_half(log) ? (uint16_t)(i % (CAPS - 1) + 1) : 0);
    if (log->cap == 0) {
        collect(log);
    } else {
        put(log, HECTIC_EVENT_GC_START, 0, 0, 0);
        put(log, HECTIC_EVENT_GC_IDLE, 0, 0, 0);
    }
}

static void caps_past_collection(struct log *log, uint64_t i)
{
    block(log, in_first_half(log) ? (uint16_t)(i % (CAPS - 1) + 1) : 0);
    if (log->cap == 0) {
        collect(log);
    } else {
        put(log, HECTIC_EVENT_GC_START, 0, 0, 0);
        put(log, HECTIC_EVENT_GC_END, 0, 0, 0);
    }
}

/* Other caps run threads meanwhile. */
static void caps_that_run(struct log *log, uint64_t i)
{
    block(log, in_first_half(log) ? (uint16_t)(i % (CAPS - 1) + 1) : 0);
    if (log->cap == 0)
        collect(log);
    else
        put(log, HECTIC_EVENT_RUN_THREAD, i, 0, 0);
}

static void caps_created(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, i / CAPS % 2 ? HECTIC_EVENT_CAP_DELETE : HECTIC_EVENT_CAP_CREATE, i % CAPS, 0, 0);
}

static void caps_flip(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, i % 2 ? HECTIC_EVENT_CAP_DELETE : HECTIC_EVENT_CAP_CREATE, i / 2 % CAPS, 0, 0);
}

/* One second passes with every event. */
static void caps_seconds(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
    run_and_stop(log, (uint32_t)i);
    log->time += 1000000000;
}

/* The same; nothing is known of the caps but that they exist. */
static void caps_that_say(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
    put_text(log, HECTIC_EVENT_USER_MSG, 0, "x", 1);
    log->time += 1000000000;
}

static void caps_startup(struct log *log, uint64_t i)
{
    (void)i;
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_STARTUP, CAPS, 0, 0);
}

static void caps_far(struct log *log, uint64_t i)
{
    block(log, CAPS - 1);
    put(log, HECTIC_EVENT_SPARK_STEAL, CAPS - 1, 0, 0);
    put(log, HECTIC_EVENT_MIGRATE_THREAD, i, CAPS - 1, 0);
    put(log, HECTIC_EVENT_SPARK_COUNTERS, i, i, i);
}

static void capsets(struct log *log, uint64_t i)
{
    enum { EACH = 8 };
    if (!log->in_block) block(log, GLOBAL);
    if (i % EACH == 0) {
        put(log, HECTIC_EVENT_CAPSET_CREATE, i / EACH, 2, 0);
        put(log, HECTIC_EVENT_OSPROCESS_PID, i / EACH, i, 0);
    }
    put(log, HECTIC_EVENT_CAPSET_ASSIGN_CAP, i / EACH, i * 7 % CAPS, 0);
}

static void capsets_of_one_cap(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_CAPSET_CREATE, i, 2, 0);
    put(log, HECTIC_EVENT_CAPSET_ASSIGN_CAP, i, 0, 0);
    put_text(log, HECTIC_EVENT_PROGRAM_ARGS, i, "program", 7);
}

static void processes(struct log *log, uint64_t i)
{
    if (in_first_half(log)) {
        if (!log->in_block) block(log, GLOBAL);
        put(log, HECTIC_EVENT_CAPSET_CREATE, i, 2, 0);
        put(log, HECTIC_EVENT_CAPSET_ASSIGN_CAP, i, i % CAPS, 0);
        return;
    }
    block(log, (uint16_t)(i % CAPS));
    collect(log);
}

static void threads(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_THREAD, i, 0, 0);
}

static void threads_end(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_THREAD, i, 0, 0);
    put(log, HECTIC_EVENT_RUN_THREAD, i, 0, 0);
    put(log, HECTIC_EVENT_STOP_THREAD, i, 5, 0);
}

/* Some live forever, others end. */
static void threads_half_end(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_THREAD, i, 0, 0);
    if (!in_first_half(log)) put(log, HECTIC_EVENT_STOP_THREAD, i, 5, 0);
}

static void threads_far(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, CAPS - 1);
    run_and_stop(log, (uint32_t)i);
}

static void threads_random(struct log *log, uint64_t i)
{
    if (i % 16 == 0) block(log, (uint16_t)(any(log) % CAPS));
    run_and_stop(log, (uint32_t)any(log));
    put(log, HECTIC_EVENT_THREAD_WAKEUP, any(log) >> 32, any(log) % CAPS, 0);
}

static void thread_everywhere(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
    run_and_stop(log, 1);
    put(log, HECTIC_EVENT_MIGRATE_THREAD, 1, (i + 1) % CAPS, 0);
}

static void again(struct log *log, uint64_t i)
{
    const uint8_t create[8] = {
        0, 0, 0, 0, (uint8_t)(i >> 24), (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
    if (!log->in_block) block(log, GLOBAL);
    hectic_value value[] = {{.number = HECTIC_EVENT_CREATE_THREAD},
                            {.number = i % CAPS},
                            {.bytes = create + 4, .length = 4}};
    put_values(log, HECTIC_EVENT_SYNC, value, 3);
}

static char long_text[65536];

static void labels_long(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_THREAD, i, 0, 0);
    put_text(log, HECTIC_EVENT_THREAD_LABEL, i, long_text, 65000);
    log->time += 1000000;
}

/* A thread with a long label is woken often. */
static void label_everywhere(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    if (i == 0) put_text(log, HECTIC_EVENT_THREAD_LABEL, 1, long_text, 65000);
    run_and_stop(log, 1);
    put(log, HECTIC_EVENT_THREAD_WAKEUP, 1, 0, 0);
}

static void label_again(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put_text(log, HECTIC_EVENT_THREAD_LABEL, 1, long_text, 1 + i % 1000);
}

static void messages_long(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put_text(log, i % 2 ? HECTIC_EVENT_USER_MSG : HECTIC_EVENT_USER_MARKER, 0, long_text, 65535);
}

static void args_long(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put_text(log, i % 2 ? HECTIC_EVENT_PROGRAM_ARGS : HECTIC_EVENT_RTS_IDENTIFIER, i % 4, long_text,
             65000);
}

static void args_again(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put_text(log, HECTIC_EVENT_PROGRAM_ARGS, i % 4, "a", 1);
    put(log, HECTIC_EVENT_OSPROCESS_PID, 0, i, 0);
}

static void spans_open(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, (uint16_t)(i % 8));
    put_message(log, "START w", i);
}

static void spans_nested(struct log *log, uint64_t i)
{
    (void)i;
    if (!log->in_block) block(log, 0);
    put_message(log, in_first_half(log) ? "START w" : "STOP w", i);
}

/* In the order in which they were started. */
static void spans_crossed(struct log *log, uint64_t i)
{
    static uint64_t begun, ended;
    (void)i;
    if (!log->in_block) block(log, 0);
    if (in_first_half(log))
        put_message(log, "START %llu w", begun++);
    else
        put_message(log, "STOP %llu w", ended++);
}

static void spans_labels(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put_message(log, "START w%llu", i);
    put_message(log, "STOP w%llu", i);
}

static void spans_collect(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    if (in_first_half(log))
        put_message(log, "START w", i);
    else
        collect(log);
}

static void spans_threads(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
    put(log, HECTIC_EVENT_RUN_THREAD, i, 0, 0);
    put_message(log, i % 3 ? "START w" : "STOP w", i);
}

static void markers(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put_text(log, HECTIC_EVENT_USER_MARKER, 0, i % 2 ? "B" : "A", 1);
}

static void markers_distinct(struct log *log, uint64_t i)
{
    char text[24];
    if (!log->in_block) block(log, 0);
    put_text(log, HECTIC_EVENT_USER_MARKER, 0, text,
             (size_t)snprintf(text, sizeof text, "m%llu", (unsigned long long)i));
}

static void tasks(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_TASK_CREATE, i * 4096, CAPS - 1, i);
}

static void tasks_end(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_TASK_CREATE, i << 32, i % CAPS, i);
    put(log, HECTIC_EVENT_TASK_MIGRATE, i << 32, i % CAPS, CAPS - 1);
    put(log, HECTIC_EVENT_TASK_DELETE, i << 32, 0, 0);
}

static void task_everywhere(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_TASK_MIGRATE, 1, i % CAPS, (i + 1) % CAPS);
}

static void sparks(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_SPARK_THREAD, i, 0, 0);
    put(log, HECTIC_EVENT_RUN_THREAD, i, 0, 0);
    put(log, HECTIC_EVENT_SPARK_CREATE, 0, 0, 0);
    put(log, HECTIC_EVENT_SPARK_RUN, 0, 0, 0);
}

static void sparks_of_caps(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
    put(log, HECTIC_EVENT_SPARK_CREATE, 0, 0, 0);
    put(log, HECTIC_EVENT_SPARK_STEAL, (i * 31) % CAPS, 0, 0);
    put(log, HECTIC_EVENT_SPARK_COUNTERS, i, i, i);
    log->time += 1000000;
}

static void blocks_empty(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % CAPS));
}

static void blocks_of_one_time(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % 2));
    put(log, HECTIC_EVENT_USER_MSG, 0, 0, 0);
    log->time -= TICK;
}

static void no_blocks(struct log *log, uint64_t i)
{
    put(log, HECTIC_EVENT_RUN_THREAD, i, 0, 0);
    if (log->used > ROOM / 2) put_out(log);
}

static void times_edge(struct log *log, uint64_t i)
{
    if (i % 64 == 0) block(log, (uint16_t)(i / 64 % 4));
    log->time = i % 3 ? UINT64_MAX - i % 2 : i % 5;
    run_and_stop(log, (uint32_t)i);
    log->time = UINT64_MAX;
    put(log, HECTIC_EVENT_HEAP_ALLOCATED, 0, UINT64_MAX - i % 7, 0);
    log->time = UINT64_MAX - 1;
}

static void times_random(struct log *log, uint64_t i)
{
    if (i % 64 == 0) block(log, (uint16_t)(i / 64 % 4));
    log->time = any(log) >> any(log) % 64;
    run_and_stop(log, (uint32_t)i);
    log->time = any(log) >> any(log) % 64;
    collect(log);
}

static void times_back(struct log *log, uint64_t i)
{
    if (i % 64 == 0) block(log, (uint16_t)(i / 64 % 4));
    if (i == 0) log->time = UINT64_C(1) << 62;
    run_and_stop(log, (uint32_t)(i % 100));
    log->time -= 1000000000;
}

/* Every piece of the file has the earliest and the latest time. */
static void times_overlap(struct log *log, uint64_t i)
{
    if (i % 64 == 0) block(log, (uint16_t)(i / 64 % 4));
    log->time = i % 1000 ? UINT64_C(1000000000) + i : i;
    put(log, HECTIC_EVENT_RUN_THREAD, i % 100, 0, 0);
}

/* Two events with a very long time between them. */
static void times_far(struct log *log, uint64_t i)
{
    if (i % 64 == 0) block(log, 0);
    put(log, HECTIC_EVENT_RUN_THREAD, i % 100, 0, 0);
    if (i == 10) log->time = UINT64_C(1) << 60;
}

static void times_seconds(struct log *log, uint64_t i)
{
    if (i % 64 == 0) block(log, (uint16_t)(i / 64 % 8));
    put(log, HECTIC_EVENT_RUN_THREAD, i % 100, 0, 0);
    log->time += 2000000000;
}

static void stacks(struct log *log, uint64_t i)
{
    uint8_t stack[255 * 4];
    if (!log->in_block) block(log, GLOBAL);
    for (size_t at = 0; at < sizeof stack; at++)
        stack[at] = (uint8_t)(at % 4 == 3 ? i + at : 0);
    const hectic_value value[] = {
        {.number = 0}, {.number = i}, {.bytes = stack, .length = sizeof stack, .number = 255}};
    if (i % 512 == 0) put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, i, 0, 0);
    put_values(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, value, 3);
    put_values(log, HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE, value, 3);
    if (i % 512 == 511) put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_END, i, 0, 0);
}

enum { DEPTH = 255 };

/* A few cost centres with long names, then samples with different deep stacks of them, which differ
 * in 8 frames from `first` on: innermost or outermost. */
static void samples_of_long_labels(struct log *log, uint64_t i, size_t first)
{
    enum { LABELS = 8 };
    const hectic_value label = {.bytes = (const uint8_t *)long_text, .length = 50000};
    const hectic_value word = {.bytes = (const uint8_t *)"x", .length = 1};
    if (!log->in_block) block(log, GLOBAL);
    if (i < LABELS) {
        const hectic_value value[] = {{.number = i}, label, word, word, {.number = 0}};
        put_values(log, HECTIC_EVENT_HEAP_PROF_COST_CENTRE, value, 5);
        return;
    }
    uint8_t stack[DEPTH * 4] = {0};
    for (size_t at = 0; at < DEPTH; at++)
        stack[4 * at + 3] = (uint8_t)((at - first < 8 ? i >> 3 * (at - first) : at) % LABELS);
    const hectic_value value[] = {
        {.number = 0}, {.number = i}, {.bytes = stack, .length = sizeof stack, .number = DEPTH}};
    if (i % 64 == LABELS) put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, i, 0, 0);
    put_values(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, value, 3);
    put_values(log, HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE, value, 3);
    if (i % 64 == LABELS - 1) put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_END, i, 0, 0);
}

static void stacks_of_long_labels(struct log *log, uint64_t i)
{
    samples_of_long_labels(log, i, 0);
}

static void roots_of_long_labels(struct log *log, uint64_t i)
{
    samples_of_long_labels(log, i, DEPTH - 8);
}

/* Every second, samples of a cost centre, a counter and a band with long names. */
static void slices_of_long_labels(struct log *log, uint64_t i)
{
    static const uint8_t stack[4] = {0, 0, 0, 1};
    const hectic_value label = {.bytes = (const uint8_t *)long_text, .length = 50000};
    const hectic_value word = {.bytes = (const uint8_t *)"x", .length = 1};
    const hectic_value centre[] = {{.number = 1}, label, word, word, {.number = 0}};
    const hectic_value counter[] = {{.number = 1}, {.number = 1}, word, label};
    const hectic_value sample[] = {
        {.number = 0}, {.number = i}, {.bytes = stack, .length = sizeof stack, .number = 1}};
    if (!log->in_block) block(log, GLOBAL);
    if (i == 0) {
        put_values(log, HECTIC_EVENT_HEAP_PROF_COST_CENTRE, centre, 5);
        put_values(log, HECTIC_EVENT_TICKY_COUNTER_DEF, counter, 4);
    }
    put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, i, 0, 0);
    put_values(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, sample, 3);
    put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_END, i, 0, 0);
    put_values(log, HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE, sample, 3);
    put(log, HECTIC_EVENT_TICKY_COUNTER_SAMPLE, 1, 1, 1);
    log->time += 1000000000;
}

static void cost_centres(struct log *log, uint64_t i)
{
    const hectic_value text = {.bytes = (const uint8_t *)"label", .length = 5};
    if (!log->in_block) block(log, GLOBAL);
    const hectic_value value[] = {{.number = i}, text, text, text, {.number = 1}};
    put_values(log, HECTIC_EVENT_HEAP_PROF_COST_CENTRE, value, 5);
}

static void definitions_again(struct log *log, uint64_t i)
{
    char name[24];
    const hectic_value text = {
        .bytes = (const uint8_t *)name,
        .length = (uint32_t)snprintf(name, sizeof name, "%llu", (unsigned long long)i)};
    if (!log->in_block) block(log, GLOBAL);
    const hectic_value value[] = {{.number = i % 3}, text, text, text, {.number = 1}};
    put_values(log, HECTIC_EVENT_HEAP_PROF_COST_CENTRE, value, 5);
}

static void bands(struct log *log, uint64_t i)
{
    char name[24];
    if (!log->in_block) block(log, GLOBAL);
    if (i % 4096 == 0) put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, i, 0, 0);
    put_text(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING, 0, name,
             (size_t)snprintf(name, sizeof name, "%llu", (unsigned long long)i));
    if (i % 8192 == 8191) put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_END, i, 0, 0);
}

static void samples(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, i, 0, 0);
    put(log, HECTIC_EVENT_HEAP_PROF_SAMPLE_END, i, 0, 0);
}

static void machines(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_CREATE_MACHINE, i, i, 0);
    put(log, HECTIC_EVENT_CREATE_PROCESS, i, 0, 0);
}

/* --- Sections --------------------------------------------------------------------------------- */

static void sections_bare(struct log *log, uint64_t i)
{
    (void)i;
    put_header(log, NULL, 0);
}

static void sections_full(struct log *log, uint64_t i)
{
    if (i > 0) full_header(log);
    log->time = 0;
    block(log, (uint16_t)(i % 4));
    run_and_stop(log, 1);
    end_block(log);
}

/* The smallest section with a block and an event. */
static void small_section(struct log *log, uint16_t event)
{
    hectic_event_type type[] = {*log->of[HECTIC_EVENT_BLOCK_MARKER], *log->of[event]};
    for (size_t i = 0; i < 2; i++)
        type[i].description_length = 0;
    put_header(log, type, 2);
    log->time = 0;
}

static void sections_small(struct log *log, uint64_t i)
{
    small_section(log, HECTIC_EVENT_RUN_THREAD);
    block(log, CAPS - 1);
    put(log, HECTIC_EVENT_RUN_THREAD, i, 0, 0);
    end_block(log);
}

static void sections_startup(struct log *log, uint64_t i)
{
    (void)i;
    small_section(log, HECTIC_EVENT_STARTUP);
    block(log, GLOBAL);
    put(log, HECTIC_EVENT_STARTUP, CAPS, 0, 0);
    end_block(log);
}

static void sections_collect(struct log *log, uint64_t i)
{
    (void)i;
    small_section(log, HECTIC_EVENT_GC_START);
    block(log, CAPS - 1);
    put(log, HECTIC_EVENT_GC_START, 0, 0, 0);
    end_block(log);
}

/* No two headers are the same, and their type numbers are as high as possible. */
static void sections_distinct(struct log *log, uint64_t i)
{
    char name[24];
    const hectic_event_type type = {
        .number = (uint16_t)(65000 + i % 500),
        .size = 4,
        .description = name,
        .description_length = (uint32_t)snprintf(name, sizeof name, "%llu", (unsigned long long)i)};
    put_header(log, &type, 1);
}

/* A header of very many types, and events of those. */
static void types_many(struct log *log, uint64_t i)
{
    enum { TYPES = 60000 };
    if (i == 0) {
        hectic_event_type *type = calloc(TYPES, sizeof *type);
        if (!type) exit(1);
        for (size_t k = 0; k < TYPES; k++)
            type[k] = (hectic_event_type){.number = (uint16_t)(k + 1000), .size = 4};
        put_header(log, type, TYPES);
        free(type);
    }
    const uint16_t number = (uint16_t)(1000 + any(log) % TYPES);
    const uint8_t event[14] = {(uint8_t)(number >> 8), (uint8_t)number,   0,         0, 0, 0, 0,
                               (uint8_t)(i >> 16),     (uint8_t)(i >> 8), (uint8_t)i};
    bytes(log, event, sizeof event);
}

/* --- Damage ----------------------------------------------------------------------------------- */

static void damage_noise(struct log *log, uint64_t i)
{
    const uint64_t noise = any(log) | UINT64_C(0xff) << 56;
    (void)i;
    bytes(log, &noise, 8);
}

/* The beginning of a marker. */
static void damage_markers(struct log *log, uint64_t i)
{
    static const uint8_t marker[3] = {0xfe, 0, 18};
    (void)i;
    bytes(log, marker, sizeof marker);
}

static void damage_often(struct log *log, uint64_t i)
{
    block(log, (uint16_t)(i % 4));
    put(log, HECTIC_EVENT_RUN_THREAD, i, 0, 0);
    bytes(log, "\xfe\xfe", 2);
}

static void damage_headers(struct log *log, uint64_t i)
{
    (void)i;
    bytes(log, "\xfe\xfehdrbhetb", 10);
}

/* Each is a header up to its last type, whose description has no end. */
static void damage_headers_long(struct log *log, uint64_t i)
{
    static const uint8_t head[] = {0xfe, 'h', 'd', 'r', 'b', 'h', 'e', 't', 'b',  'e', 't',
                                   'b',  0,   0,   1,   0,   4,   0,   0,   0xff, 0xff};
    (void)i;
    bytes(log, head, sizeof head);
}

/* Headers of very many types, each of which begins within the previous one. */
static void damage_headers_nested(struct log *log, uint64_t i)
{
    static const uint8_t head[] = {'h', 'd', 'r', 'b', 'h', 'e', 't', 'b'};
    static const uint8_t type[] = {'e', 't', 'b', 0,   0,   1,   0, 4, 0, 0, 0,   8,   'h', 'd',
                                   'r', 'b', 'h', 'e', 't', 'b', 0, 0, 0, 0, 'e', 't', 'e', 0};
    if (i == 0) bytes(log, head, sizeof head);
    bytes(log, type, sizeof type);
}

/* --- Numbers that collide ----------------------------------------------------------------------
 *
 * They collided in the hash tables of earlier versions. A kind "random-…" has random numbers in
 * their place. */

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static uint64_t middle_bits(uint64_t number)
{
    return number * GOLDEN >> 32;
}

static uint64_t top_bits(uint64_t number)
{
    return number * GOLDEN >> 44;
}

static uint64_t of_two(uint64_t number, uint64_t second)
{
    const uint64_t hash = (number ^ second * GOLDEN) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static uint64_t of_a_number(uint64_t number)
{
    return of_two(number, 1);
}

static uint64_t of_an_info_table(uint64_t number)
{
    return of_two(number, 1 + (uint64_t)HECTIC_SYMBOL_INFO_TABLE);
}

static uint64_t of_a_label(uint64_t number)
{
    char text[24];
    uint32_t hash = 2166136261u;
    snprintf(text, sizeof text, "x%llu", (unsigned long long)number);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash ^ hash >> 15;
}

static uint64_t colliding(struct log *log, uint64_t (*home)(uint64_t number))
{
    enum { PLACES = 1 << 20, USED = 1 << 12 };
    if (log->is_random) return any(log) >> 34;
    do
        log->candidate++;
    while ((home(log->candidate) & (PLACES - 1)) >= USED);
    return log->candidate;
}

static void collide_threads(struct log *log, uint64_t i)
{
    (void)i;
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_THREAD, colliding(log, middle_bits), 0, 0);
}

static void collide_keys(struct log *log, uint64_t i)
{
    (void)i;
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_THREAD, colliding(log, top_bits), 0, 0);
}

static void collide_live(struct log *log, uint64_t i)
{
    (void)i;
    if (!log->in_block) block(log, 0);
    put(log, HECTIC_EVENT_CREATE_THREAD, colliding(log, of_a_number), 0, 0);
}

static void collide_counters(struct log *log, uint64_t i)
{
    if (!log->in_block) block(log, GLOBAL);
    if (i == 0) put(log, HECTIC_EVENT_TICKY_BEGIN_SAMPLE, 0, 0, 0);
    put(log, HECTIC_EVENT_TICKY_COUNTER_SAMPLE, colliding(log, of_a_number), 1, 1);
}

static void collide_info_tables(struct log *log, uint64_t i)
{
    (void)i;
    if (!log->in_block) block(log, GLOBAL);
    put(log, HECTIC_EVENT_IPE, colliding(log, of_an_info_table), 0, 0);
}

static void collide_labels(struct log *log, uint64_t i)
{
    (void)i;
    if (!log->in_block) block(log, 0);
    put_message(log, "START x%llu", colliding(log, of_a_label));
}

/* --------------------------------------------------------------------------------------------- */

static const struct kind {
    const char *name;
    void (*step)(struct log *log, uint64_t i);
    bool own_header; /* it begins with its own header */
} kinds[] = {
    {"caps", caps, false},
    {"caps-collect", caps_collect, false},
    {"caps-in-collection", caps_in_collection, false},
    {"caps-past-collection", caps_past_collection, false},
    {"caps-that-run", caps_that_run, false},
    {"caps-created", caps_created, false},
    {"caps-flip", caps_flip, false},
    {"caps-seconds", caps_seconds, false},
    {"caps-that-say", caps_that_say, false},
    {"caps-startup", caps_startup, false},
    {"caps-far", caps_far, false},
    {"capsets", capsets, false},
    {"capsets-of-one-cap", capsets_of_one_cap, false},
    {"processes", processes, false},
    {"threads", threads, false},
    {"threads-end", threads_end, false},
    {"threads-half-end", threads_half_end, false},
    {"threads-far", threads_far, false},
    {"threads-random", threads_random, false},
    {"thread-everywhere", thread_everywhere, false},
    {"again", again, false},
    {"labels-long", labels_long, false},
    {"label-everywhere", label_everywhere, false},
    {"label-again", label_again, false},
    {"messages-long", messages_long, false},
    {"args-long", args_long, false},
    {"args-again", args_again, false},
    {"spans-open", spans_open, false},
    {"spans-nested", spans_nested, false},
    {"spans-crossed", spans_crossed, false},
    {"spans-labels", spans_labels, false},
    {"spans-collect", spans_collect, false},
    {"spans-threads", spans_threads, false},
    {"markers", markers, false},
    {"markers-distinct", markers_distinct, false},
    {"tasks", tasks, false},
    {"tasks-end", tasks_end, false},
    {"task-everywhere", task_everywhere, false},
    {"sparks", sparks, false},
    {"sparks-of-caps", sparks_of_caps, false},
    {"blocks-empty", blocks_empty, false},
    {"blocks-of-one-time", blocks_of_one_time, false},
    {"no-blocks", no_blocks, false},
    {"times-edge", times_edge, false},
    {"times-random", times_random, false},
    {"times-back", times_back, false},
    {"times-overlap", times_overlap, false},
    {"times-far", times_far, false},
    {"times-seconds", times_seconds, false},
    {"stacks", stacks, false},
    {"stacks-of-long-labels", stacks_of_long_labels, false},
    {"roots-of-long-labels", roots_of_long_labels, false},
    {"slices-of-long-labels", slices_of_long_labels, false},
    {"cost-centres", cost_centres, false},
    {"definitions-again", definitions_again, false},
    {"bands", bands, false},
    {"samples", samples, false},
    {"machines", machines, false},
    {"collide-threads", collide_threads, false},
    {"collide-keys", collide_keys, false},
    {"collide-live", collide_live, false},
    {"collide-counters", collide_counters, false},
    {"collide-info-tables", collide_info_tables, false},
    {"collide-labels", collide_labels, false},
    {"sections-bare", sections_bare, true},
    {"sections-full", sections_full, false},
    {"sections-small", sections_small, true},
    {"sections-startup", sections_startup, true},
    {"sections-collect", sections_collect, true},
    {"sections-distinct", sections_distinct, true},
    {"types-many", types_many, true},
    {"damage-noise", damage_noise, false},
    {"damage-markers", damage_markers, false},
    {"damage-often", damage_often, false},
    {"damage-headers", damage_headers, false},
    {"damage-headers-long", damage_headers_long, false},
    {"damage-headers-nested", damage_headers_nested, false},
};

/* "random-x" of "collide-x" */
static bool is_random_of(const char *name, const char *kind)
{
    return strncmp(name, "random-", 7) == 0 && strncmp(kind, "collide-", 8) == 0 &&
           strcmp(name + 7, kind + 8) == 0;
}

static void write_log(struct log *log, const struct kind *kind)
{
    if (!kind->own_header) full_header(log);
    for (uint64_t i = 0; !is_full(log); i++)
        kind->step(log, i);
    end_block(log);
    /* Without an end marker, the analyses would end where the first cap does. */
    bytes(log, "\xff\xff", 2);
    put_out(log);
}

int main(int argc, char **argv)
{
    static struct log log;
    const size_t count = sizeof kinds / sizeof *kinds;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++)
            puts(kinds[i].name);
        return 0;
    }
    for (size_t i = 0; argc == 3 && i < count; i++) {
        const bool is_random = is_random_of(argv[1], kinds[i].name);
        if (!is_random && strcmp(kinds[i].name, argv[1]) != 0) continue;
        log.room = malloc(ROOM);
        if (!log.room) return 1;
        log.limit = strtoull(argv[2], NULL, 10);
        log.is_random = is_random;
        memset(long_text, '\t', sizeof long_text);
        learn_types(&log);
        write_log(&log, &kinds[i]);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    fprintf(stderr, "usage: costly_log --list | costly_log KIND BYTES >LOG\n");
    return 64;
}
