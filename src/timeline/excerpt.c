/* excerpt.c — see excerpt.h. */
#include "timeline/excerpt.h"

#include "base/array.h"
#include "base/map.h"
#include "format/per_cap.h"
#include "read/decode/step.h"
#include "timeline/fork.h"

#include <stdlib.h>
#include <string.h>

enum {
    BYTES_MAX = 96 << 20, /* of events and payloads */
    SEGMENT = 1 << 20,    /* bytes of payloads, or of events, that are allocated at once */
    SEGMENTS_MAX = BYTES_MAX / SEGMENT,
    RECENT = 1 << 14, /* payloads that are kept only once */
    RECORD_MAX = 40,
    PIECE_MIN = 256,
    PIECE_MAX = 1 << 16,
    HELD = 16,  /* events of a cap that are put in order: times step back a little in valid logs */
    FEW = 4096, /* bytes of a lane: the log may begin without requests */
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

/* How a record ends, after its type, and the differences of its time and place from those of the
 * one before: all are numbers of 7 bits a byte, the lowest first. */
enum form {
    FORM_EMPTY,   /* no payload */
    FORM_THREAD,  /* the thread, of RUN_THREAD */
    FORM_STOP,    /* the thread and the status, of STOP_THREAD */
    FORM_PAYLOAD, /* the place of the payload, in units of 4 bytes */
    FORM_BITS = 2
};

/* The types fit into the other bits of a byte. */
enum { CODE_SYNC = 63, CODE_OTHER = 62 };
_Static_assert((int)HECTIC_EVENT_USER_MARKER < CODE_OTHER, "types have codes");

static uint8_t code_of(uint16_t type)
{
    return type < CODE_OTHER ? (uint8_t)type : type == HECTIC_EVENT_SYNC ? CODE_SYNC : CODE_OTHER;
}

static uint16_t type_of(uint8_t code)
{
    return code == CODE_SYNC ? HECTIC_EVENT_SYNC : code;
}

/* The last RUN_THREAD or STOP_THREAD of a cap. */
struct course {
    uint64_t time, place;
    uint32_t thread;
    uint16_t status;
    bool is_known, is_run, is_kept;
};

/* An event that is kept. */
struct record {
    uint64_t time, place;
    uint32_t payload, thread;
    uint16_t status;
    uint8_t head; /* its type and form */
};

/* Some bytes of a lane, of complete records. They are not moved when the lane grows: the memory of
 * WebAssembly never shrinks, and both copies would count. Pieces are parts of blocks of one size,
 * as that memory grows slowly in small steps. */
struct piece {
    struct piece *next;
    uint32_t used, capacity;
    uint8_t bytes[];
};

struct block {
    struct block *next;
    size_t used;
    _Alignas(struct piece) uint8_t bytes[SEGMENT];
};

/* The events of a cap, in order. */
struct lane {
    struct piece *first_piece, *last_piece;
    size_t used;          /* bytes of all pieces */
    uint64_t time, place; /* of the last one of these bytes */
    unsigned first, held;
    struct record record[HELD]; /* they follow: a ring */
    uint16_t cap;
    bool in_gc, leads; /* its next run is kept: it ends the collection */
    bool is_new;       /* it has had no event yet: its first run is kept, too */
    struct course course;
};

/* A payload, by its hash. */
struct recent {
    uint32_t mark, payload; /* more of the hash; its place in units of 4 bytes, plus 1. 0: none */
};

/* Segments have numbers of which each fork uses its own: the place of a payload is the same in all.
 */
struct segments {
    unsigned number; /* of the fork; 0: of the excerpt itself */
    size_t count;    /* that were allocated */
    size_t at;       /* where the next payload goes, in all segments */
    uint8_t
        *bytes[SEGMENTS_MAX * TIMELINE_PARTS_MAX]; /* those of forks, too, once they were joined */
};

struct excerpt {
    const hectic_header *header;
    uint64_t taken;           /* bytes of the log */
    uint8_t pass[HEADER_LOW]; /* by type */
    struct lane *lane;
    uint32_t lanes, lane_capacity;
    per_cap place;       /* index in lane[], plus 1 */
    size_t kept;         /* bytes of all lanes, and of segments */
    size_t kept_before;  /* of a fork: those of the excerpt when it was forked */
    struct block *block; /* the last one */
    struct segments segments;
    struct recent *recent;
    map starters;
    uint32_t starters_count;
    uint16_t last_cap;
    bool has_requests;
    bool is_forked; /* other parts of the log are taken by forks meanwhile */
    bool is_impossible, no_memory;
    struct excerpt *fork[TIMELINE_PARTS_MAX]; /* by number; NULL: not needed so far */
};

struct excerpt *excerpt_new(void)
{
    struct excerpt *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->last_cap = HECTIC_CAP_NONE;
    x->recent = calloc(RECENT, sizeof *x->recent);
    if (x->recent) return x;
    excerpt_free(x);
    return NULL;
}

/* The segments of a fork become the excerpt's, too. */
static void share_segments(struct excerpt *x, const struct excerpt *fork)
{
    for (size_t i = fork->segments.number; i < SEGMENTS_MAX * TIMELINE_PARTS_MAX;
         i += TIMELINE_PARTS_MAX)
        x->segments.bytes[i] = fork->segments.bytes[i];
}

static void free_forks(struct excerpt *x)
{
    for (size_t i = 0; i < TIMELINE_PARTS_MAX; i++) {
        struct excerpt *fork = x->fork[i];
        if (!fork) continue;
        share_segments(x, fork);
        memset(fork->segments.bytes, 0, sizeof fork->segments.bytes);
        excerpt_free(fork);
        x->fork[i] = NULL;
    }
}

static void clear(struct excerpt *x)
{
    free_forks(x);
    for (struct block *block = x->block, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    x->block = NULL;
    free(x->lane);
    x->lane = NULL;
    x->lanes = 0;
    for (size_t i = 0; i < SEGMENTS_MAX * TIMELINE_PARTS_MAX; i++) {
        free(x->segments.bytes[i]);
        x->segments.bytes[i] = NULL;
    }
}

void excerpt_free(struct excerpt *x)
{
    if (!x) return;
    clear(x);
    per_cap_clear(&x->place);
    map_clear(&x->starters);
    free(x->recent);
    free(x);
}

/* --- Payloads -------------------------------------------------------------------------------- */

static const uint8_t *payload_at(const struct excerpt *x, uint32_t payload, uint16_t *size)
{
    const size_t at = (size_t)(payload - 1) * 4;
    const uint8_t *p = x->segments.bytes[at / SEGMENT] + at % SEGMENT;
    memcpy(size, p, sizeof *size);
    return p + sizeof *size;
}

static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i < size; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < sizeof word ? size - i : sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* At segments.at: so many bytes. NULL: out of memory, or too many. */
static uint8_t *payload_room(struct excerpt *x, size_t room)
{
    struct segments *s = &x->segments;
    if (s->at % SEGMENT == 0 || SEGMENT - s->at % SEGMENT < room) {
        const size_t index = s->count * TIMELINE_PARTS_MAX + s->number;
        if (s->count == SEGMENTS_MAX || x->kept + SEGMENT > BYTES_MAX) return NULL;
        s->bytes[index] = malloc(SEGMENT);
        if (!s->bytes[index]) return x->no_memory = true, NULL;
        s->at = index * SEGMENT;
        s->count++;
        x->kept += SEGMENT;
    }
    return s->bytes[s->at / SEGMENT] + s->at % SEGMENT;
}

/* Sets *payload. False: out of memory, or too many. */
static bool add_payload(struct excerpt *x, const uint8_t *bytes, uint16_t size, uint32_t *payload)
{
    *payload = 0;
    if (size == 0) return true;
    const uint64_t hash = hash_of(bytes, size);
    const uint32_t mark = (uint32_t)(hash >> 32);
    struct recent *recent = &x->recent[hash % RECENT];
    if (recent->payload && recent->mark == mark) { /* otherwise the payload is another one */
        uint16_t recent_size;
        const uint8_t *known = payload_at(x, recent->payload, &recent_size);
        *payload = recent->payload;
        if (recent_size == size && memcmp(known, bytes, size) == 0) return true;
    }
    const size_t room = (sizeof size + size + 3u) / 4 * 4;
    uint8_t *to = payload_room(x, room);
    if (!to) return false;
    memcpy(to, &size, sizeof size);
    memcpy(to + sizeof size, bytes, size);
    *payload = (uint32_t)(x->segments.at / 4) + 1;
    *recent = (struct recent){mark, *payload};
    x->segments.at += room;
    return true;
}

/* --- Lanes ----------------------------------------------------------------------------------- */

static struct lane *lane_of(struct excerpt *x, uint16_t cap)
{
    uint32_t *place = per_cap_at(&x->place, cap);
    if (place && *place) return &x->lane[*place - 1];
    if (!place || !array_reserve(x->lane, x->lane_capacity, x->lanes + 1))
        return x->no_memory = true, NULL;
    x->lane[x->lanes] = (struct lane){.cap = cap, .is_new = true};
    *place = ++x->lanes;
    return &x->lane[*place - 1];
}

static uint8_t *put_number(uint8_t *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (uint8_t)(number | 0x80);
    *to++ = (uint8_t)number;
    return to;
}

/* A piece of about `size` bytes. NULL: out of memory. */
static struct piece *new_piece(struct excerpt *x, size_t size)
{
    struct block *block = x->block;
    if (!block || SEGMENT - block->used < PIECE_MIN) {
        block = malloc(sizeof *block);
        if (!block) return x->no_memory = true, NULL;
        block->next = x->block;
        block->used = 0;
        x->block = block;
    }
    size = size / PIECE_MIN * PIECE_MIN;
    if (size > SEGMENT - block->used) size = SEGMENT - block->used;
    struct piece *piece = (void *)(block->bytes + block->used);
    *piece = (struct piece){.capacity = (uint32_t)(size - sizeof *piece)};
    block->used += size;
    return piece;
}

/* Makes room for a record in the last piece. */
static bool reserve(struct excerpt *x, struct lane *lane)
{
    struct piece *last = lane->last_piece;
    if (last && last->used + RECORD_MAX <= last->capacity) return true;
    const size_t half = lane->used / 2;
    const size_t size = half < PIECE_MIN ? PIECE_MIN : half;
    struct piece *piece = new_piece(x, size < PIECE_MAX ? size : PIECE_MAX);
    if (!piece) return false;
    *(last ? &last->next : &lane->first_piece) = piece;
    lane->last_piece = piece;
    return true;
}

/* Writes a record that follows `time` and `place`, which become its own. Returns the end. */
static uint8_t *put_record(uint8_t *to, const struct record *record, uint64_t *time,
                           uint64_t *place)
{
    const enum form form = record->head & ((1 << FORM_BITS) - 1);
    /* Of the same time, places are in order; otherwise they may step back: a sign follows. */
    const bool is_back = record->place < *place;
    const uint64_t distance = is_back ? *place - record->place : record->place - *place;
    *to++ = record->head;
    to = put_number(to, record->time - *time);
    to = put_number(to, distance << 1 | is_back);
    if (form == FORM_PAYLOAD) to = put_number(to, record->payload);
    if (form == FORM_THREAD || form == FORM_STOP) to = put_number(to, record->thread);
    if (form == FORM_STOP) to = put_number(to, record->status);
    *time = record->time;
    *place = record->place;
    return to;
}

static struct record *held_at(struct lane *lane, unsigned i)
{
    return &lane->record[(lane->first + i) % HELD];
}

/* Moves the first of the held records to the bytes. */
static bool write_first(struct excerpt *x, struct lane *lane)
{
    if (x->kept > BYTES_MAX || !reserve(x, lane)) return false;
    struct piece *piece = lane->last_piece;
    uint8_t *begin = piece->bytes + piece->used;
    const size_t size =
        (size_t)(put_record(begin, held_at(lane, 0), &lane->time, &lane->place) - begin);
    piece->used += (uint32_t)size;
    lane->used += size;
    x->kept += size;
    lane->first = (lane->first + 1) % HELD;
    lane->held--;
    return true;
}

static bool is_later(const struct record *a, const struct record *b)
{
    return a->time != b->time ? a->time > b->time : a->place > b->place;
}

static bool keep(struct excerpt *x, struct lane *lane, const struct record *record)
{
    if (record->time < lane->time || (lane->held == HELD && !write_first(x, lane))) return false;
    if (record->time < lane->time) return false;
    unsigned at = lane->held++;
    for (; at > 0 && is_later(held_at(lane, at - 1), record); at--)
        *held_at(lane, at) = *held_at(lane, at - 1);
    *held_at(lane, at) = *record;
    return true;
}

static uint8_t head_of(uint16_t type, enum form form)
{
    return (uint8_t)((unsigned)code_of(type) << FORM_BITS | form);
}

/* An event takes more than 8 bytes. */
static uint64_t place_of(const hectic_event *event)
{
    return event->position / 8;
}

static bool keep_event(struct excerpt *x, struct lane *lane, const hectic_event *event)
{
    const enum form form = event->size == 0 ? FORM_EMPTY : FORM_PAYLOAD;
    struct record record = {
        .time = event->time, .place = place_of(event), .head = head_of(event->type, form)};
    return add_payload(x, event->payload, event->size, &record.payload) && keep(x, lane, &record);
}

static void store(uint8_t *to, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(number >> 8 * (size - 1 - i));
}

/* Keeps the last run or stop of the cap. What comes between it and the present does not depend on
 * it: it may get a later time. */
static bool keep_course(struct excerpt *x, struct lane *lane)
{
    struct course *course = &lane->course;
    if (course->is_kept || !course->is_known) return true;
    course->is_kept = true;
    const struct record record = {.time = course->time < lane->time ? lane->time : course->time,
                                  .place = course->place,
                                  .thread = course->thread,
                                  .status = course->status,
                                  .head = course->is_run
                                              ? head_of(HECTIC_EVENT_RUN_THREAD, FORM_THREAD)
                                              : head_of(HECTIC_EVENT_STOP_THREAD, FORM_STOP)};
    return keep(x, lane, &record);
}

static bool is_start(const uint8_t *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "START ", 6) == 0;
}

/* Remembers that the thread has started a span. */
static bool note_starter(struct excerpt *x, const struct lane *lane)
{
    const struct course *course = &lane->course;
    if (!course->is_run || map_value_of(&x->starters, course->thread)) return true;
    if (x->starters_count == STARTERS_MAX) return false;
    if (!map_set_value(&x->starters, course->thread, ++x->starters_count))
        return x->no_memory = true, false;
    return true;
}

/* Reads a run or stop of a thread. False: its payload is too short. */
static inline bool read_course(const hectic_event *event, struct course *course)
{
    const bool is_run = event->type == HECTIC_EVENT_RUN_THREAD;
    hectic_event_stop_thread fields = {0};
    if (!(is_run ? hectic_read_thread(event, &fields.thread)
                 : hectic_read_stop_thread(event, &fields)))
        return false;
    *course = (struct course){.time = event->time,
                              .place = place_of(event),
                              .thread = fields.thread,
                              .status = fields.status,
                              .is_known = true,
                              .is_run = is_run};
    return true;
}

static bool take_course(struct excerpt *x, struct lane *lane, const hectic_event *event)
{
    struct course course;
    if (!read_course(event, &course)) return false;
    const bool is_run = course.is_run;
    /* The thread may have started a span in another part of the log. */
    const bool is_end = !is_run && course.status == STATUS_FINISHED &&
                        (x->is_forked || map_value_of(&x->starters, course.thread));
    const bool is_kept = lane->is_new || is_end || (is_run && (lane->in_gc || lane->leads));
    lane->course = course;
    lane->is_new = false;
    if (is_run) lane->in_gc = lane->leads = false;
    return event->time >= lane->time && (!is_kept || keep_course(x, lane));
}

/* Does the event depend on what the cap ran? Collections do where their leaders do not request
 * them; and a run is not moved behind one. */
static bool needs_course(const struct excerpt *x, const struct lane *lane, uint16_t type)
{
    switch (type) {
    case HECTIC_EVENT_GC_START:
    case HECTIC_EVENT_GC_END:
    case HECTIC_EVENT_HEAP_SIZE:
    case HECTIC_EVENT_HEAP_LIVE: return lane->course.is_run || !x->has_requests || lane->used < FEW;
    default: return true;
    }
}

/* Takes an event of one of its types. False: there can be no excerpt, or out of memory. */
static bool take(struct excerpt *x, const hectic_event *event)
{
    struct lane *lane = lane_of(x, event->cap);
    if (!lane || event->time >> TIME_BITS) return false;
    switch (event->type) {
    case HECTIC_EVENT_RUN_THREAD:
    case HECTIC_EVENT_STOP_THREAD: return take_course(x, lane, event);
    case HECTIC_EVENT_GC_START: lane->in_gc = true; break;
    case HECTIC_EVENT_GC_END: lane->in_gc = false; break;
    case HECTIC_EVENT_REQUEST_SEQ_GC:
    case HECTIC_EVENT_REQUEST_PAR_GC: x->has_requests = lane->leads = true; break;
    case HECTIC_EVENT_GC_STATS_GHC: lane->leads = true; break;
    default: break;
    }
    lane->is_new = false;
    return (!needs_course(x, lane, event->type) || keep_course(x, lane)) &&
           keep_event(x, lane, event) &&
           (event->type != HECTIC_EVENT_USER_MSG || !is_start(event->payload, event->size) ||
            note_starter(x, lane));
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Keeps the first event of a cap, of any type: the cap exists from then on. */
static bool note_cap(struct excerpt *x, const hectic_event *event)
{
    if (event->cap == x->last_cap) return true;
    x->last_cap = event->cap;
    if (per_cap_get(&x->place, event->cap)) return true;
    struct lane *lane = lane_of(x, event->cap);
    if (!lane || event->time >> TIME_BITS) return false;
    return is_kept_type(event->type) ||
           keep(x, lane,
                &(struct record){.time = event->time,
                                 .place = place_of(event),
                                 .head = head_of(CODE_OTHER, FORM_EMPTY)});
}

/* How events are passed over: the length of a fixed one, and of RUN_THREAD and STOP_THREAD which
 * they are. What has a longer one, or none, is looked at. */
enum { PASS_RUN = 1 << 6, PASS_STOP = 1 << 7, PASS_LENGTH = PASS_RUN - 1, PASS_NOT = 0 };

static void set_passes(struct excerpt *x, const hectic_header *header)
{
    x->header = header;
    for (unsigned type = 0; type < HEADER_LOW; type++) {
        const uint32_t step = header_step(header, (uint16_t)type);
        const bool is_run = type == HECTIC_EVENT_RUN_THREAD,
                   is_stop = type == HECTIC_EVENT_STOP_THREAD,
                   is_fixed = step >= STEP_FIXED && step <= PASS_LENGTH;
        unsigned pass = is_fixed && !is_kept_type((uint16_t)type) ? step : PASS_NOT;
        if (is_fixed && is_run && header_declared(header, (uint16_t)type)->shape)
            pass = PASS_RUN | step;
        if (is_fixed && is_stop && header_declared(header, (uint16_t)type)->shape)
            pass = PASS_STOP | step;
        x->pass[type] = (uint8_t)(type == HECTIC_EVENT_BLOCK_MARKER ? PASS_NOT : pass);
    }
}

/* Is a STOP_THREAD of fixed length the end of the thread? */
static inline bool is_finish(const uint8_t *p, size_t length)
{
    const hectic_event event = {.payload = p + EVENT_HEAD, .size = (uint16_t)(length - EVENT_HEAD)};
    hectic_event_stop_thread fields;
    return hectic_read_stop_thread(&event, &fields) && fields.status == STATUS_FINISHED;
}

/* Passes over events of a cap that need not be looked at: most of a log. Of its runs and stops, it
 * notes the last one. Returns their length; SIZE_MAX: there can be no excerpt. */
static size_t pass(const struct excerpt *x, struct lane *lane, uint64_t position,
                   const uint8_t *bytes, size_t length)
{
    const bool is_awaited = lane->is_new || lane->in_gc || lane->leads;
    const unsigned looked_at = (is_awaited ? PASS_RUN : 0u) | (lane->is_new ? PASS_STOP : 0u);
    const uint64_t earliest = lane->time;
    const uint8_t *const end = bytes + length, *p = bytes, *course = NULL;
    uint64_t times = 0;
    while (p < end) {
        const unsigned how = x->pass[p[1]];
        if (p[0] != 0 || how == PASS_NOT || how & looked_at) break;
        if (how & (PASS_RUN | PASS_STOP)) {
            const uint64_t time = event_time_at(p);
            if (time < earliest) return SIZE_MAX;
            if (how & PASS_STOP && is_finish(p, how & PASS_LENGTH)) break;
            times |= time;
            course = p;
        }
        p += how & PASS_LENGTH;
    }
    if (times >> TIME_BITS) return SIZE_MAX;
    if (course) {
        const size_t size = x->pass[event_type_at(course)] & PASS_LENGTH;
        hectic_event event;
        step_view(x->header, course, size, position + (size_t)(course - bytes), lane->cap, &event);
        read_course(&event, &lane->course);
    }
    return (size_t)(p - bytes);
}

/* Takes any event. False: there can be no excerpt, or out of memory. */
static bool look(struct excerpt *x, const hectic_event *event)
{
    return note_cap(x, event) && (!is_kept_type(event->type) || take(x, event));
}

/* Takes complete events of a cap. */
static bool scan(struct excerpt *x, uint16_t cap, uint64_t position, const uint8_t *bytes,
                 size_t length)
{
    for (size_t at = 0; at < length;) {
        const uint8_t *p = bytes + at;
        const uint32_t place = cap == x->last_cap ? per_cap_get(&x->place, cap) : 0;
        const size_t passed =
            place ? pass(x, &x->lane[place - 1], position + at, p, length - at) : 0;
        if (passed == SIZE_MAX) return false;
        at += passed;
        if (passed > 0) continue;
        const size_t one = step_size(x->header, p, length - at);
        if (one <= STEP_UNKNOWN) return false;
        hectic_event event;
        step_view(x->header, p, one, position + at, cap, &event);
        if (!look(x, &event)) return false;
        at += one;
    }
    return true;
}

/* What becomes of an excerpt. False: out of memory. */
static bool settle(struct excerpt *x, bool is_taken)
{
    if (is_taken) return true;
    if (x->no_memory) return false;
    x->is_impossible = true;
    if (!x->is_forked) clear(x);
    return true;
}

bool excerpt_take_run(struct excerpt *x, const hectic_header *header, uint16_t cap,
                      uint64_t position, const uint8_t *bytes, size_t length)
{
    if (x->is_impossible) return true;
    if (x->header != header) set_passes(x, header);
    x->taken += length;
    return settle(x, scan(x, cap, position, bytes, length));
}

bool excerpt_take_event(struct excerpt *x, const hectic_event *event)
{
    if (x->is_impossible) return true;
    x->taken += EVENT_HEAD + event->size;
    return settle(x, look(x, event));
}

bool excerpt_is_possible(const struct excerpt *x)
{
    return !x->is_impossible;
}

uint64_t excerpt_taken(const struct excerpt *x)
{
    return x->taken;
}

/* --- Forks ----------------------------------------------------------------------------------- */

/* Copies the lanes of the caps that a part owns. False: out of memory. */
static bool copy_lanes(struct excerpt *to, const struct excerpt *from, const uint8_t *owner,
                       unsigned number)
{
    for (uint32_t i = 0; i < from->lanes; i++) {
        const uint16_t cap = from->lane[i].cap;
        if (cap == HECTIC_CAP_NONE || owner[cap] != number) continue;
        struct lane *lane = lane_of(to, cap);
        if (!lane) return false;
        *lane = from->lane[i];
    }
    return true;
}

struct excerpt *excerpt_fork(struct excerpt *x, const uint8_t *owner, unsigned number)
{
    struct excerpt *fork = x->fork[number] ? x->fork[number] : excerpt_new();
    x->fork[number] = fork;
    if (!fork) return NULL;
    x->is_forked = fork->is_forked = true;
    fork->segments.number = number;
    fork->last_cap = HECTIC_CAP_NONE;
    fork->kept = fork->kept_before = x->kept;
    fork->taken = 0;
    fork->has_requests = x->has_requests;
    fork->is_impossible = x->is_impossible;
    return copy_lanes(fork, x, owner, number) ? fork : NULL;
}

/* The segments and starters of a fork are the excerpt's from now on. */
static bool join(struct excerpt *x, struct excerpt *fork, const uint8_t *owner)
{
    share_segments(x, fork);
    for (const struct map_value *m = NULL; (m = map_next(&fork->starters, m));)
        if (!map_value_of(&x->starters, m->number) &&
            !map_set_value(&x->starters, m->number, ++x->starters_count))
            return false;
    map_clear(&fork->starters);
    fork->starters_count = 0;
    x->kept += fork->kept - fork->kept_before;
    x->taken += fork->taken;
    x->has_requests |= fork->has_requests;
    x->is_impossible |= fork->is_impossible;
    return !fork->no_memory && copy_lanes(x, fork, owner, fork->segments.number);
}

bool excerpt_join(struct excerpt *x, const uint8_t *owner, size_t parts)
{
    bool done = true;
    for (size_t i = 1; i < parts && done; i++)
        done = join(x, x->fork[i], owner);
    x->is_forked = false;
    if (x->is_impossible) clear(x);
    return done;
}

/* --- Delivery -------------------------------------------------------------------------------- */

/* A lane that is read. */
struct cursor {
    uint32_t lane;        /* its index */
    bool is_held;         /* at the records that were held */
    uint8_t head;         /* of the next event: its type and form */
    uint64_t time, place; /* of the next event */
    const struct piece *piece;
    size_t at;          /* in the piece, or in the copies of the records that were held */
    size_t passed, end; /* of the lane's bytes: those of earlier pieces, and all */
    size_t held_at, held_end;
};

struct excerpt_reader {
    const struct excerpt *excerpt;
    const hectic_header *header;
    uint64_t last;     /* the time up to which events are read */
    size_t size, done; /* bytes of events */
    struct cursor *cursor;
    uint8_t *held;  /* copies of the records that were held */
    uint32_t *heap; /* indices of cursors, the earliest event first */
    size_t count;
};

static bool is_before(const struct cursor *a, const struct cursor *b)
{
    return a->time != b->time ? a->time < b->time : a->place < b->place;
}

static void sift_down(struct excerpt_reader *r, size_t at)
{
    uint32_t *heap = r->heap;
    const struct cursor *cursor = r->cursor;
    const uint32_t moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < r->count; at = child) {
        if (child + 1 < r->count && is_before(&cursor[heap[child + 1]], &cursor[heap[child]]))
            child++;
        if (!is_before(&cursor[heap[child]], &cursor[moved])) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static uint64_t get_number(const uint8_t *bytes, struct cursor *c)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = bytes[c->at++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return number;
    }
}

static const uint8_t *bytes_of(const struct excerpt_reader *r, const struct cursor *c)
{
    return c->is_held ? r->held : c->piece->bytes;
}

/* How many of the lane's bytes were read. */
static size_t read_bytes(const struct cursor *c)
{
    return c->is_held ? c->end : c->passed + c->at;
}

/* Reads the beginning of the next event. False: there is none. */
static bool advance(const struct excerpt_reader *r, struct cursor *c)
{
    if (!c->is_held && read_bytes(c) == c->end) {
        c->is_held = true;
        c->at = c->held_at;
    }
    if (c->is_held && c->at == c->held_end) return false;
    if (!c->is_held && c->at == c->piece->used) {
        c->passed += c->at;
        c->piece = c->piece->next;
        c->at = 0;
    }
    const uint8_t *bytes = bytes_of(r, c);
    c->head = bytes[c->at++];
    c->time += get_number(bytes, c);
    const uint64_t distance = get_number(bytes, c);
    c->place += distance & 1 ? 0 - (distance >> 1) : distance >> 1;
    return true;
}

static size_t copy_held(struct excerpt_reader *r, const struct lane *lane, size_t at)
{
    uint64_t time = lane->time, place = lane->place;
    uint8_t *to = r->held + at;
    for (unsigned i = 0; i < lane->held; i++)
        to = put_record(to, &lane->record[(lane->first + i) % HELD], &time, &place);
    return (size_t)(to - r->held);
}

struct excerpt_reader *excerpt_open(const struct excerpt *x, const struct chunks *chunks,
                                    const hectic_header *header, uint64_t to)
{
    size_t held = 0;
    struct excerpt_reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (struct excerpt_reader){.excerpt = x, .header = header, .last = chunks_last(chunks, to)};
    r->heap = malloc((x->lanes + 1) * sizeof *r->heap);
    r->cursor = malloc((x->lanes + 1) * sizeof *r->cursor);
    for (uint32_t i = 0; i < x->lanes; i++)
        held += x->lane[i].held;
    r->held = malloc(held * RECORD_MAX + 1);
    if (!r->heap || !r->cursor || !r->held) return excerpt_close(r), NULL;
    for (uint32_t i = 0, at = 0; i < x->lanes; i++) {
        const size_t end = copy_held(r, &x->lane[i], at);
        r->cursor[i] = (struct cursor){.lane = i,
                                       .piece = x->lane[i].first_piece,
                                       .end = x->lane[i].used,
                                       .held_at = at,
                                       .held_end = end};
        at = (uint32_t)end;
        r->size += x->lane[i].used;
        if (advance(r, &r->cursor[i])) r->heap[r->count++] = i;
    }
    for (size_t i = r->count / 2; i-- > 0;)
        sift_down(r, i);
    return r;
}

void excerpt_close(struct excerpt_reader *r)
{
    if (!r) return;
    free(r->heap);
    free(r->cursor);
    free(r->held);
    free(r);
}

static bool deliver(const struct excerpt_reader *r, struct cursor *c, range_take take, void *user)
{
    const uint8_t *bytes = bytes_of(r, c);
    const enum form form = c->head & ((1 << FORM_BITS) - 1);
    const uint16_t type = type_of(c->head >> FORM_BITS);
    uint8_t room[6];
    hectic_event event = {.time = c->time,
                          .position = c->place * 8,
                          .payload = room,
                          .declared = header_declared(r->header, type),
                          .type = type,
                          .cap = r->excerpt->lane[c->lane].cap};
    if (form == FORM_PAYLOAD)
        event.payload = payload_at(r->excerpt, (uint32_t)get_number(bytes, c), &event.size);
    if (form == FORM_THREAD || form == FORM_STOP) store(room, get_number(bytes, c), event.size = 4);
    if (form == FORM_STOP) store(room + 4, get_number(bytes, c), 2), event.size = 6;
    return take(user, &event);
}

range_result excerpt_deliver(struct excerpt_reader *r, size_t events, range_take take, void *user)
{
    if (r->excerpt->is_impossible) return RANGE_FAILED;
    for (; r->count > 0 && r->cursor[*r->heap].time <= r->last; events--) {
        struct cursor *first = &r->cursor[*r->heap];
        const size_t before = read_bytes(first);
        if (events == 0) return RANGE_MORE;
        if (!deliver(r, first, take, user)) return RANGE_STOPPED;
        if (!advance(r, first)) *r->heap = r->heap[--r->count];
        r->done += read_bytes(first) - before;
        if (r->count > 0) sift_down(r, 0);
    }
    return RANGE_END;
}

double excerpt_delivered(const struct excerpt_reader *r)
{
    return r->size ? (double)r->done / (double)r->size : 1;
}
