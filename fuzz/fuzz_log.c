/* An ordered log is exactly a stable sort, by time, of the decoder's events, section by section. */
#define _GNU_SOURCE
#include "memory_file.h"

typedef struct {
    hectic_event event; /* its payload and declared type are no longer valid */
    size_t section;
} entry;

typedef struct {
    entry *entries;
    size_t count, capacity, sections;
    uint64_t errors;
    /* The input ends during a resync. The decoder keeps an undecided rest, waiting for more; a
     * log is complete, and may accept it. */
    bool undecided;
} expectation;

static void add(expectation *e, const hectic_event *event)
{
    entry it = {.event = *event, .section = e->sections};
    APPEND(e->entries, e->count, e->capacity, it);
}

/* By section, time, position: positions are all different, so any sort by them is stable. */
static int compare(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->section != b->section) return a->section < b->section ? -1 : 1;
    if (a->event.time != b->event.time) return a->event.time < b->event.time ? -1 : 1;
    return a->event.position < b->event.position ? -1 : a->event.position > b->event.position;
}

static expectation expect(const uint8_t *data, size_t length)
{
    expectation e = {0};
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_event event;
    hectic_result result;
    REQUIRE(decoder);
    hectic_decoder_push(decoder, data, length);
    while ((result = pull_to_end(decoder, &event)) != HECTIC_PARTIAL) {
        e.undecided = result == HECTIC_ERROR;
        if (result == HECTIC_HEADER) e.sections++;
        if (result == HECTIC_GOT_EVENT) add(&e, &event);
        if (result != HECTIC_ERROR) continue;
        e.errors++;
        if (!hectic_decoder_header(decoder)) break;
        hectic_decoder_resync(decoder);
    }
    hectic_decoder_free(decoder);
    if (e.count) qsort(e.entries, e.count, sizeof *e.entries, compare);
    return e;
}

static void require_event(const entry *expected, const hectic_event *event, const uint8_t *data)
{
    const hectic_event *e = &expected->event;
    REQUIRE(event->position == e->position && event->time == e->time);
    REQUIRE(event->type == e->type && event->size == e->size && event->cap == e->cap);
    size_t head = event->declared->size == HECTIC_VARIABLE ? 12 : 10;
    REQUIRE(memcmp(event->payload, data + event->position + head, event->size) == 0);
}

static hectic_log *open_log(const uint8_t *data, size_t length, hectic_log_options options)
{
    hectic_error error;
    return hectic_log_open(memory_input(data, length), &options, &error);
}

/* The message that bytes were lost is not in the log. */
static bool stands_for_lost(const expectation *e, size_t next, const hectic_event *event)
{
    static const char begin[] = "hectic: ";
    if (next < e->count && event->position == e->entries[next].event.position) return false;
    REQUIRE(e->errors > 0 && event->type == HECTIC_EVENT_LOG_MSG && event->size > sizeof begin);
    return memcmp(event->payload, begin, sizeof begin - 1) == 0;
}

static void check_all(const expectation *e, const uint8_t *data, size_t length)
{
    hectic_log *log = open_log(data, length, (hectic_log_options){.threads = length % 2 + 1});
    REQUIRE((log != NULL) == (e->sections > 0));
    if (!log) return;
    size_t kept, next = 0, section = 0;
    uint64_t damages;
    hectic_log_damage(log, &kept, &damages);
    REQUIRE(damages == e->errors && kept <= damages);
    hectic_event event;
    hectic_result result;
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER) {
        if (result == HECTIC_HEADER)
            section++;
        else if (stands_for_lost(e, next, &event))
            continue;
        else
            REQUIRE(next < e->count && e->entries[next].section == section);
        if (result == HECTIC_GOT_EVENT) require_event(&e->entries[next++], &event, data);
    }
    REQUIRE(result != HECTIC_ERROR);
    REQUIRE(section == e->sections && next == e->count);
    hectic_log_free(log);
}

/* A part of a log is found by the sizes and times of its blocks: if these are wrong, it may be
 * another part. But it is in order, and within its limits. */
static void check_part(const uint8_t *data, size_t length, uint64_t from, uint64_t to)
{
    hectic_log *log = open_log(data, length, (hectic_log_options){.from = from, .to = to});
    if (!log) return;
    hectic_event event;
    hectic_result result;
    uint64_t time = from, position = 0;
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER) {
        if (result == HECTIC_HEADER) {
            time = from;
            position = 0;
            continue;
        }
        REQUIRE(event.time > time || (event.time == time && event.position >= position));
        REQUIRE(to == 0 || event.time < to);
        time = event.time;
        position = event.position;
    }
    REQUIRE(result != HECTIC_ERROR);
    hectic_log_free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (is_compressed(data, length)) return 0;
    expectation e = expect(data, length);
    if (!e.undecided) check_all(&e, data, length);
    if (e.count) {
        const uint64_t middle = e.entries[e.count / 2].event.time;
        check_part(data, length, middle, 0);
        check_part(data, length, middle / 2, middle);
    }
    free(e.entries);
    return 0;
}
