/* groups.c — see groups.h.
 *
 * A run is an area of lines. The lines of a key are linked, and found through a map. When
 * the area is full, or there are many keys, the run is written to the spool: for each key, in
 * order, the key, the length of its text, and the text. The merge takes the lowest key of all runs;
 * of equal keys, that of the earliest run, whose lines were added first.
 */
#include "tool/files/groups.h"

#include "base/map.h"
#include "read/spool.h"
#include "tool/cli/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    AREA_SIZE = 8 << 20,
    KEYS_MAX = 1 << 15, /* in one run */
    READ_MIN = 4096,    /* bytes of buffer for each run in the merge */
    WRITE_SIZE = 256 << 10,
};

struct line {
    uint32_t next; /* offset of the next line of its key in the area, or NO_LINE */
    uint32_t length;
};
#define NO_LINE UINT32_MAX

struct group {
    uint64_t key;
    uint64_t size; /* of its text */
    uint32_t first, last;
};

/* Precedes a group's text in the spool. */
struct group_head {
    uint64_t key, size;
};

struct run {
    uint64_t position, end; /* of the unread part in the spool */
    char *buffer;
    size_t used, filled;
    struct group_head head; /* of the next group */
};

struct groups {
    char *area;
    size_t used;
    struct group group[KEYS_MAX];
    uint32_t count;
    map places;

    spool spool; /* fd -1: none yet */
    struct run *run;
    size_t runs;
};

struct groups *groups_new(void)
{
    struct groups *groups = calloc(1, sizeof *groups);
    if (groups) groups->area = malloc(AREA_SIZE);
    if (groups == NULL || groups->area == NULL) {
        tool_message("out of memory");
        free(groups);
        return NULL;
    }
    groups->spool.fd = -1;
    return groups;
}

void groups_free(struct groups *groups)
{
    if (groups == NULL) return;
    if (groups->spool.fd >= 0) close(groups->spool.fd);
    map_clear(&groups->places);
    free(groups->area);
    free(groups->run);
    free(groups);
}

/* --- A run in memory ------------------------------------------------------------------------- */

static void put_line(char *area, uint32_t at, struct line line)
{
    memcpy(area + at, &line, sizeof line);
}

static struct line get_line(const char *area, uint32_t at)
{
    struct line line;
    memcpy(&line, area + at, sizeof line);
    return line;
}

/* NULL after a message. */
static struct group *group_of(struct groups *groups, uint64_t key)
{
    const uint64_t place = map_value_of(&groups->places, key);
    if (place) return &groups->group[place - 1];
    if (!map_set_value(&groups->places, key, groups->count + 1))
        return tool_message("out of memory"), NULL;
    groups->group[groups->count] = (struct group){key, 0, NO_LINE, NO_LINE};
    return &groups->group[groups->count++];
}

static int by_key(const void *a, const void *b)
{
    const struct group *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

/* Sorts the run's groups, which invalidates the table. */
static void run_sort(struct groups *groups)
{
    qsort(groups->group, groups->count, sizeof *groups->group, by_key);
}

static void run_clear(struct groups *groups)
{
    groups->used = 0;
    groups->count = 0;
    map_clear(&groups->places);
}

/* --- The spool ------------------------------------------------------------------------------- */

/* Returns `done`; false after a message. */
static bool is_spooled(bool done, const hectic_error *error)
{
    if (!done) tool_log_error("the list of events", error);
    return done;
}

static bool write_out(struct groups *groups, const char *bytes, size_t size)
{
    hectic_error error;
    return is_spooled(spool_write(&groups->spool, bytes, size, &error), &error);
}

struct spool_buffer {
    struct groups *groups;
    char *bytes;
    size_t used;
};

static bool spool_flush(struct spool_buffer *buffer)
{
    const size_t used = buffer->used;
    buffer->used = 0;
    return write_out(buffer->groups, buffer->bytes, used);
}

static bool spool_put(struct spool_buffer *buffer, const void *bytes, size_t size)
{
    if (size > WRITE_SIZE - buffer->used && !spool_flush(buffer)) return false;
    if (size > WRITE_SIZE) return write_out(buffer->groups, bytes, size);
    memcpy(buffer->bytes + buffer->used, bytes, size);
    buffer->used += size;
    return true;
}

static bool spool_put_groups(struct spool_buffer *buffer)
{
    const struct groups *groups = buffer->groups;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->group[i];
        const struct group_head head = {group->key, group->size};
        if (!spool_put(buffer, &head, sizeof head)) return false;
        for (uint32_t at = group->first; at != NO_LINE;) {
            const struct line line = get_line(groups->area, at);
            if (!spool_put(buffer, groups->area + at + sizeof line, line.length)) return false;
            at = line.next;
        }
    }
    return spool_flush(buffer);
}

/* Writes the run to the spool, and begins another. */
static bool run_spool(struct groups *groups)
{
    hectic_error error;
    if (groups->spool.fd < 0 &&
        !is_spooled(spool_open(&groups->spool, tool_spool_limit(), &error), &error))
        return false;
    struct run *grown = realloc(groups->run, (groups->runs + 1) * sizeof *grown);
    if (grown) groups->run = grown;
    struct spool_buffer buffer = {.groups = groups, .bytes = malloc(WRITE_SIZE)};
    if (grown == NULL || buffer.bytes == NULL) {
        tool_message("out of memory");
        free(buffer.bytes);
        return false;
    }
    run_sort(groups);
    const uint64_t position = groups->spool.size;
    const bool done = spool_put_groups(&buffer);
    free(buffer.bytes);
    groups->run[groups->runs++] = (struct run){.position = position, .end = groups->spool.size};
    run_clear(groups);
    return done;
}

bool groups_add(struct groups *groups, uint64_t key, const char *text, size_t length)
{
    const size_t size = sizeof(struct line) + length;
    if ((size > AREA_SIZE - groups->used || groups->count == KEYS_MAX) && !run_spool(groups))
        return false;
    struct group *group = group_of(groups, key);
    if (!group) return false;
    const uint32_t at = (uint32_t)groups->used;
    put_line(groups->area, at, (struct line){NO_LINE, (uint32_t)length});
    memcpy(groups->area + at + sizeof(struct line), text, length);
    groups->used += size;
    if (group->first == NO_LINE) {
        group->first = at;
    } else {
        struct line last = get_line(groups->area, group->last);
        last.next = at;
        put_line(groups->area, group->last, last);
    }
    group->last = at;
    group->size += length;
    return true;
}

/* --- The merge ------------------------------------------------------------------------------- */

/* Fills the buffer of the run. False at the end of the spool, or on failure. */
static bool run_fill(const struct groups *groups, struct run *run, size_t capacity)
{
    const uint64_t left = run->end - run->position;
    const size_t wanted = left < capacity ? (size_t)left : capacity;
    ssize_t size;
    do
        size = pread(groups->spool.fd, run->buffer, wanted, (off_t)run->position);
    while (size < 0 && errno == EINTR);
    if (size < 0) {
        const hectic_error error = {.kind = HECTIC_SPOOL, .number = (uint64_t)errno};
        return is_spooled(false, &error);
    }
    run->position += (uint64_t)size;
    run->used = 0;
    run->filled = (size_t)size;
    return size > 0;
}

/* Reads the head of the run's next group. False if there is none, or on failure. */
static bool run_next(const struct groups *groups, struct run *run, size_t capacity)
{
    char *head = (char *)&run->head;
    for (size_t got = 0; got < sizeof run->head;) {
        if (run->used == run->filled && !run_fill(groups, run, capacity)) return false;
        size_t size = run->filled - run->used;
        if (size > sizeof run->head - got) size = sizeof run->head - got;
        memcpy(head + got, run->buffer + run->used, size);
        run->used += size;
        got += size;
    }
    return true;
}

static bool run_copy(const struct groups *groups, struct run *run, size_t capacity,
                     struct sink *sink)
{
    for (uint64_t left = run->head.size; left > 0;) {
        if (run->used == run->filled && !run_fill(groups, run, capacity)) return false;
        size_t size = run->filled - run->used;
        if (size > left) size = (size_t)left;
        sink_text(sink, run->buffer + run->used, size);
        run->used += size;
        left -= size;
    }
    return true;
}

static bool is_before(const struct run *a, const struct run *b)
{
    return a->head.key != b->head.key ? a->head.key < b->head.key : a < b;
}

/* Restores the heap of runs, the lowest first, after a change of the one at `i`. */
static void heap_settle(struct run **heap, size_t count, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (is_before(heap[child], heap[least])) least = child;
        if (least == i) return;
        struct run *run = heap[i];
        heap[i] = heap[least];
        heap[least] = run;
        i = least;
    }
}

static bool merge(struct groups *groups, struct run **heap, char *memory, size_t capacity,
                  struct sink *sink, void (*heading)(struct sink *sink, uint64_t key))
{
    size_t count = 0;
    for (size_t i = 0; i < groups->runs; i++) {
        struct run *run = &groups->run[i];
        run->buffer = memory + i * capacity;
        if (!run_next(groups, run, capacity)) return false;
        heap[count++] = run;
    }
    for (size_t i = count; i-- > 0;)
        heap_settle(heap, count, i);
    for (uint64_t key = 0, begun = 0; count > 0 && !sink_failed(sink); begun = 1) {
        struct run *run = heap[0];
        if (!begun || run->head.key != key) heading(sink, run->head.key);
        key = run->head.key;
        if (!run_copy(groups, run, capacity, sink)) return false;
        const bool ended = run->used == run->filled && run->position == run->end;
        if (ended)
            heap[0] = heap[--count];
        else if (!run_next(groups, run, capacity))
            return false;
        heap_settle(heap, count, 0);
    }
    return true;
}

static bool write_spooled(struct groups *groups, struct sink *sink,
                          void (*heading)(struct sink *sink, uint64_t key))
{
    if (groups->count > 0 && !run_spool(groups)) return false;
    size_t capacity = AREA_SIZE / groups->runs;
    char *memory = groups->area;
    if (capacity < READ_MIN) {
        capacity = READ_MIN;
        memory = malloc(capacity * groups->runs);
    }
    struct run **heap = malloc(groups->runs * sizeof(struct run *));
    const bool have_memory = memory != NULL && heap != NULL;
    if (!have_memory) tool_message("out of memory");
    const bool done = have_memory && merge(groups, heap, memory, capacity, sink, heading);
    free(heap);
    if (memory != groups->area) free(memory);
    groups->runs = 0;
    close(groups->spool.fd);
    groups->spool.fd = -1;
    return done;
}

static void write_area(struct groups *groups, struct sink *sink,
                       void (*heading)(struct sink *sink, uint64_t key))
{
    run_sort(groups);
    for (uint32_t i = 0; i < groups->count; i++) {
        heading(sink, groups->group[i].key);
        for (uint32_t at = groups->group[i].first; at != NO_LINE;) {
            const struct line line = get_line(groups->area, at);
            sink_text(sink, groups->area + at + sizeof line, line.length);
            at = line.next;
        }
    }
    run_clear(groups);
}

bool groups_write(struct groups *groups, struct sink *sink,
                  void (*heading)(struct sink *sink, uint64_t key))
{
    if (groups->runs > 0) return write_spooled(groups, sink, heading);
    write_area(groups, sink, heading);
    return true;
}
