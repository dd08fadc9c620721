/* excerpt.c — see excerpt.h. */
#include "view/excerpt.h"

#include "analysis/ids.h"
#include "format/per_cap.h"
#include "format/wire.h"
#include "read/step.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES_MAX = 1 << 22,
    SEGMENT = 1 << 20, /* bytes of payloads that are allocated at once */
    SEGMENTS_MAX = 64,
    RECENT = 1 << 16, /* payloads that are kept only once */
    BUFFER = 1 << 18,
    TIME_BITS = 56, /* two years */
    STARTERS_MAX = 1 << 20,
    STATUS_FINISHED = 5,
};

#define BIT(type) (UINT64_C(1) << (type))

/* Is it one of the types of an excerpt? */
static bool is_kept_type(uint16_t type)
{
    static const uint64_t types =
        BIT(HECTIC_EVENT_RUN_THREAD) | BIT(HECTIC_EVENT_STOP_THREAD) | BIT(HECTIC_EVENT_GC_START) |
        BIT(HECTIC_EVENT_GC_END) | BIT(HECTIC_EVENT_REQUEST_SEQ_GC) |
        BIT(HECTIC_EVENT_REQUEST_PAR_GC) | BIT(HECTIC_EVENT_GC_STATS_GHC) |
        BIT(HECTIC_EVENT_HEAP_SIZE) | BIT(HECTIC_EVENT_HEAP_LIVE) | BIT(HECTIC_EVENT_USER_MSG) |
        BIT(HECTIC_EVENT_USER_MARKER);
    return type < 64 ? types >> type & 1 : type == HECTIC_EVENT_SYNC;
}

/* The types fit into a byte of an entry's key. */
static uint8_t type_code(uint16_t type)
{
    return type < UINT8_MAX ? (uint8_t)type : UINT8_MAX;
}

static uint16_t type_of(uint64_t key)
{
    return (uint8_t)key == UINT8_MAX ? HECTIC_EVENT_SYNC : (uint8_t)key;
}

struct entry {
    uint64_t key;     /* its time, then its type */
    uint32_t place;   /* its position in the log / 8: an event takes more */
    uint32_t payload; /* its place among the payloads, plus 1; 0: empty */
};

/* An event of which it is not known yet whether it is kept. */
struct doubtful {
    struct entry entry; /* without its payload */
    uint16_t size;
    uint8_t payload[10];
};

/* The events of a cap, in order. */
struct lane {
    struct entry *entry;
    size_t count, capacity;
    uint64_t time; /* the last one */
    uint16_t cap;
    bool expects_run; /* the next run is kept */
    bool runs;
    uint32_t thread; /* that runs */
    unsigned doubts;
    struct doubtful doubt[2]; /* RUN_THREAD and STOP_THREAD, the last ones */
};

struct excerpt {
    uint64_t position; /* of the log, up to which it was read */
    uint64_t bytes;    /* that were read */
    stepper at;        /* there */
    uint8_t *buffer;
    struct lane *lane;
    uint32_t lanes, lane_capacity;
    per_cap place; /* index in lane[], plus 1 */
    size_t entries;
    uint8_t *segment[SEGMENTS_MAX];
    size_t used;      /* bytes of all segments */
    uint32_t *recent; /* by hash: a payload */
    struct ids starters;
    uint32_t starters_count;
    uint16_t last_cap;
    bool is_impossible, no_memory;
};

struct excerpt *excerpt_new(void)
{
    struct excerpt *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->last_cap = HECTIC_CAP_NONE;
    x->buffer = malloc(BUFFER);
    x->recent = calloc(RECENT, sizeof *x->recent);
    if (ids_init(&x->starters) && x->buffer && x->recent) return x;
    excerpt_free(x);
    return NULL;
}

static void clear(struct excerpt *x)
{
    for (uint32_t i = 0; i < x->lanes; i++)
        free(x->lane[i].entry);
    free(x->lane);
    x->lane = NULL;
    x->lanes = 0;
    for (size_t i = 0; i < SEGMENTS_MAX; i++) {
        free(x->segment[i]);
        x->segment[i] = NULL;
    }
}

void excerpt_free(struct excerpt *x)
{
    if (!x) return;
    clear(x);
    per_cap_clear(&x->place);
    ids_free(&x->starters);
    free(x->buffer);
    free(x->recent);
    free(x);
}

/* --- Payloads -------------------------------------------------------------------------------- */

static const uint8_t *payload_at(const struct excerpt *x, uint32_t payload, uint16_t *size)
{
    const size_t at = (size_t)(payload - 1) * 4;
    const uint8_t *p = x->segment[at / SEGMENT] + at % SEGMENT;
    memcpy(size, p, sizeof *size);
    return p + sizeof *size;
}

static uint32_t hash_of(const uint8_t *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return (hash ^ hash >> 16) % RECENT;
}

/* Sets *payload. False: out of memory, or too many. */
static bool add_payload(struct excerpt *x, const uint8_t *bytes, uint16_t size, uint32_t *payload)
{
    *payload = 0;
    if (size == 0) return true;
    uint32_t *recent = &x->recent[hash_of(bytes, size)];
    uint16_t recent_size;
    const uint8_t *known = *recent ? payload_at(x, *recent, &recent_size) : NULL;
    if (known && recent_size == size && memcmp(known, bytes, size) == 0) {
        *payload = *recent;
        return true;
    }
    const size_t room = (sizeof size + size + 3u) / 4 * 4;
    if (SEGMENT - x->used % SEGMENT < room) x->used += SEGMENT - x->used % SEGMENT;
    const size_t index = x->used / SEGMENT;
    if (index >= SEGMENTS_MAX) return false;
    if (!x->segment[index]) x->segment[index] = malloc(SEGMENT);
    if (!x->segment[index]) return x->no_memory = true, false;
    uint8_t *to = x->segment[index] + x->used % SEGMENT;
    memcpy(to, &size, sizeof size);
    memcpy(to + sizeof size, bytes, size);
    *payload = *recent = (uint32_t)(x->used / 4) + 1;
    x->used += room;
    return true;
}

/* --- Lanes ----------------------------------------------------------------------------------- */

static struct lane *lane_of(struct excerpt *x, uint16_t cap)
{
    uint32_t *place = per_cap_at(&x->place, cap);
    if (place && *place) return &x->lane[*place - 1];
    if (place && x->lanes == x->lane_capacity) {
        const uint32_t capacity = x->lane_capacity ? 2 * x->lane_capacity : 8;
        struct lane *grown = realloc(x->lane, capacity * sizeof *grown);
        if (grown) x->lane = grown;
        if (grown) x->lane_capacity = capacity;
        if (!grown) place = NULL;
    }
    if (!place) return x->no_memory = true, NULL;
    x->lane[x->lanes] = (struct lane){.cap = cap};
    *place = ++x->lanes;
    return &x->lane[*place - 1];
}

static bool keep(struct excerpt *x, struct lane *lane, struct entry entry, const uint8_t *bytes,
                 uint16_t size)
{
    const uint64_t time = entry.key >> 8;
    if (time < lane->time || x->entries == ENTRIES_MAX) return false;
    if (lane->count == lane->capacity) {
        const size_t capacity = lane->capacity ? 2 * lane->capacity : 16;
        struct entry *grown = realloc(lane->entry, capacity * sizeof *grown);
        if (!grown) return x->no_memory = true, false;
        lane->entry = grown;
        lane->capacity = capacity;
    }
    if (!add_payload(x, bytes, size, &entry.payload)) return false;
    lane->entry[lane->count++] = entry;
    lane->time = time;
    x->entries++;
    return true;
}

static bool keep_doubtful(struct excerpt *x, struct lane *lane)
{
    const unsigned doubts = lane->doubts;
    lane->doubts = 0;
    for (unsigned i = 0; i < doubts; i++)
        if (!keep(x, lane, lane->doubt[i].entry, lane->doubt[i].payload, lane->doubt[i].size))
            return false;
    return true;
}

/* Replaces the last one of its type. */
static void doubt(struct lane *lane, const struct entry *entry, const uint8_t *bytes, uint16_t size)
{
    if (lane->doubts > 0 && (uint8_t)lane->doubt[0].entry.key == (uint8_t)entry->key)
        lane->doubt[0] = lane->doubt[--lane->doubts];
    else if (lane->doubts == 2)
        lane->doubts--;
    struct doubtful *doubtful = &lane->doubt[lane->doubts++];
    doubtful->entry = *entry;
    doubtful->size = size < sizeof doubtful->payload ? size : sizeof doubtful->payload;
    memcpy(doubtful->payload, bytes, doubtful->size);
}

static bool is_start(const uint8_t *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "START ", 6) == 0;
}

/* Remembers that the thread has started a span. */
static bool note_starter(struct excerpt *x, const struct lane *lane)
{
    if (!lane->runs || ids_slot(&x->starters, lane->thread)->place) return true;
    if (x->starters_count == STARTERS_MAX) return false;
    if (!ids_add(&x->starters, lane->thread, x->starters_count++))
        return x->no_memory = true, false;
    return true;
}

static bool take_run(struct excerpt *x, struct lane *lane, const struct entry *entry,
                     const uint8_t *bytes, uint16_t size)
{
    const bool is_run = (uint8_t)entry->key == HECTIC_EVENT_RUN_THREAD;
    const bool ends = !is_run && size >= 6 && load16(bytes + 4) == STATUS_FINISHED;
    lane->runs = is_run && size >= 4;
    if (lane->runs) lane->thread = load32(bytes);
    const bool is_first = lane->count == 0 && lane->doubts == 0;
    const bool is_kept = is_first || (is_run && lane->expects_run) ||
                         (ends && ids_slot(&x->starters, load32(bytes))->place);
    if (entry->key >> 8 < lane->time) return false;
    if (!is_kept) {
        doubt(lane, entry, bytes, size);
        return true;
    }
    if (is_run) lane->expects_run = false;
    return keep_doubtful(x, lane) && keep(x, lane, *entry, bytes, size);
}

static bool fits(uint64_t time, uint64_t position)
{
    return time >> TIME_BITS == 0 && position / 8 <= UINT32_MAX;
}

static struct entry entry_of(uint16_t type, uint64_t time, uint64_t position)
{
    return (struct entry){.key = time << 8 | type_code(type), .place = (uint32_t)(position / 8)};
}

/* Takes an event of one of its types. False: there can be no excerpt, or out of memory. */
static bool take(struct excerpt *x, uint16_t cap, uint16_t type, uint64_t time, uint64_t position,
                 const uint8_t *bytes, uint16_t size)
{
    struct lane *lane = lane_of(x, cap);
    const struct entry entry = entry_of(type, time, position);
    if (!lane || !fits(time, position)) return false;
    if (type == HECTIC_EVENT_RUN_THREAD || type == HECTIC_EVENT_STOP_THREAD)
        return take_run(x, lane, &entry, bytes, size);
    lane->expects_run = true;
    return keep_doubtful(x, lane) && keep(x, lane, entry, bytes, size) &&
           (type != HECTIC_EVENT_USER_MSG || !is_start(bytes, size) || note_starter(x, lane));
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Keeps the first event of a cap, of any type: the cap exists from then on. */
static bool note_cap(struct excerpt *x, uint16_t cap, uint16_t type, uint64_t time,
                     uint64_t position)
{
    x->last_cap = cap;
    if (per_cap_get(&x->place, cap)) return true;
    struct lane *lane = lane_of(x, cap);
    if (lane && (is_kept_type(type) || type >= UINT8_MAX)) return true;
    return lane && fits(time, position) && keep(x, lane, entry_of(type, time, position), NULL, 0);
}

/* Takes the complete events of some bytes. Returns the length of these, or 0: they cannot be read;
 * SIZE_MAX: there can be no excerpt. */
static size_t scan(struct excerpt *x, const hectic_header *header, const uint8_t *bytes,
                   size_t available)
{
    size_t at = 0;
    while (at < available) {
        const size_t length = step_length(header, bytes + at, available - at);
        if (length == STEP_NEED_MORE || length == STEP_UNKNOWN) break;
        if (length == STEP_END_MARK) {
            at += 2;
            continue;
        }
        const uint8_t *p = bytes + at;
        const uint16_t type = load16(p), cap = step_over(&x->at, p, length);
        if (cap != x->last_cap && !note_cap(x, cap, type, load64(p + 2), x->position + at))
            return SIZE_MAX;
        if (is_kept_type(type)) {
            const bool is_variable = header_declared(header, type)->size == HECTIC_VARIABLE;
            const size_t head = is_variable ? VARIABLE_HEAD : EVENT_HEAD;
            if (!take(x, cap, type, load64(p + 2), x->position + at, p + head,
                      (uint16_t)(length - head)))
                return SIZE_MAX;
        }
        at += length;
    }
    return at;
}

/* The first chunk that was not read completely; chunks->count: none. */
static size_t next_chunk(const struct excerpt *x, const struct chunks *chunks)
{
    size_t low = 0, high = chunks->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (chunks->chunk[middle].position + chunks->chunk[middle].length > x->position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static range_result read_some(struct excerpt *x, const struct timeline_chunk *chunk,
                              const hectic_header *header, const hectic_timeline_source *source)
{
    if (x->position <= chunk->position) {
        x->position = chunk->position;
        x->at.remaining = chunk->remaining;
        x->at.cap = chunk->cap;
    }
    x->at.header = header;
    const uint64_t rest = chunk->position + chunk->length - x->position;
    const size_t size = rest < BUFFER ? (size_t)rest : BUFFER;
    if (!source->read(source->user, x->position, x->buffer, size)) return RANGE_FAILED;
    const size_t length = scan(x, header, x->buffer, size);
    if (length == SIZE_MAX) {
        x->is_impossible = !x->no_memory;
        return x->no_memory ? RANGE_FAILED : RANGE_STOPPED;
    }
    if (length == 0) return RANGE_FAILED;
    x->position += length;
    x->bytes += length;
    return RANGE_MORE;
}

range_result excerpt_step(struct excerpt *x, const struct chunks *chunks,
                          const hectic_header *header, const hectic_timeline_source *source,
                          uint64_t bytes)
{
    const uint64_t until = x->bytes + bytes;
    range_result result = RANGE_MORE;
    if (x->no_memory) return RANGE_FAILED;
    if (x->is_impossible) return RANGE_STOPPED;
    for (size_t i = next_chunk(x, chunks); i < chunks->count; i = next_chunk(x, chunks)) {
        if (x->bytes >= until) return RANGE_MORE;
        result = read_some(x, &chunks->chunk[i], header, source);
        if (result == RANGE_STOPPED) clear(x);
        if (result != RANGE_MORE) return result;
    }
    return RANGE_END;
}

double excerpt_progress(const struct excerpt *x, const struct chunks *chunks)
{
    if (chunks->count == 0) return 1;
    const struct timeline_chunk *first = chunks->chunk, *last = &first[chunks->count - 1];
    const uint64_t begin = first->position, end = last->position + last->length;
    return x->position <= begin ? 0 : (double)(x->position - begin) / (double)(end - begin);
}

/* --- Delivery -------------------------------------------------------------------------------- */

/* The next entry of a lane. */
struct next {
    uint64_t time;
    uint32_t place, lane;
};

static bool is_before(const struct next *a, const struct next *b)
{
    return a->time != b->time ? a->time < b->time : a->place < b->place;
}

static void sift_down(struct next *heap, size_t count, size_t at)
{
    const struct next moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static struct next next_of(const struct lane *lane, size_t index, uint32_t number)
{
    const struct entry *entry = &lane->entry[index];
    return (struct next){entry->key >> 8, entry->place, number};
}

static bool deliver(const struct excerpt *x, const hectic_header *header, const struct lane *lane,
                    const struct entry *entry, range_take take, void *user)
{
    const uint16_t type = type_of(entry->key);
    hectic_event event = {.time = entry->key >> 8,
                          .position = (uint64_t)entry->place * 8,
                          .payload = (const uint8_t *)"",
                          .declared = header_declared(header, type),
                          .type = type,
                          .cap = lane->cap};
    if (entry->payload) event.payload = payload_at(x, entry->payload, &event.size);
    return take(user, &event);
}

range_result excerpt_read(const struct excerpt *x, const hectic_header *header, uint64_t to,
                          range_take take, void *user)
{
    struct next *heap = malloc((x->lanes + 1) * sizeof *heap);
    size_t *at = calloc(x->lanes + 1, sizeof *at);
    size_t count = 0;
    bool is_wanted = true;
    for (uint32_t i = 0; i < x->lanes && heap && at; i++)
        if (x->lane[i].count > 0) heap[count++] = next_of(&x->lane[i], 0, i);
    for (size_t i = count / 2; i-- > 0;)
        sift_down(heap, count, i);
    while (count > 0 && heap->time < to && is_wanted) {
        const uint32_t number = heap->lane;
        const struct lane *lane = &x->lane[number];
        is_wanted = deliver(x, header, lane, &lane->entry[at[number]], take, user);
        if (++at[number] < lane->count)
            *heap = next_of(lane, at[number], number);
        else
            *heap = heap[--count];
        if (count > 0) sift_down(heap, count, 0);
    }
    const bool done = heap && at;
    free(heap);
    free(at);
    return !done ? RANGE_FAILED : is_wanted ? RANGE_END : RANGE_STOPPED;
}
