/* The survey: see survey.h.
 *
 * The log is divided into pieces, which several threads survey concurrently. A piece begins at a
 * block marker, so it is independent of earlier pieces, and extends to the first marker after its
 * nominal end. The beginning of every piece except the first is a guess: the first plausible
 * marker. The guess was right if the previous piece ended exactly there; otherwise the results from
 * there on are discarded, and the survey is repeated from the actual end of the previous piece. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "read/survey.h"
#include "format/gap_message.h"
#include "read/state_blocks.h"

#include <hectic/read_events.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef PIECE_SIZE /* tests set smaller values */
#define PIECE_SIZE (1 << 25)
#define CHUNK_SIZE (1 << 15)
#define CHUNKS_MAX (1 << 17)
#endif
#ifndef SKIPS_FROM
#define SKIPS_FROM (1 << 26) /* bytes: a smaller input is read in a moment */
#endif

enum {
    BUFFER_SIZE = 1 << 18, /* several times the largest event; sufficient for most headers */
    PEEK_SIZE = 1 << 12,   /* read first after a jump: often only a marker is needed */
    THREADS_MAX = 4,
    LANDMARKS_MAX = 100000,
    NUMBERS = 1 << 16,
    STAMPED_EARLY = 1000000000, /* ns: how much earlier than its writing an event's time may be */
    CHUNK_SIZE_MAX = 1 << 28,
};

/* How to process events of a type; other values: the size of a fixed-size event. */
enum { PLAN_UNDECLARED = STEP_UNDECLARED, PLAN_VARIABLE = STEP_VARIABLE, PLAN_INSPECT = 2 };

enum ending { AT_MARKER, AT_HEADER, AT_INPUT_END, NOWHERE, FAILED };

typedef struct piece {
    /* input */
    const hectic_input *input;
    const hectic_header *header;
    const uint32_t *plan; /* by number, below HEADER_LOW */
    uint64_t start;       /* of the first event; for a guess: where to begin the search */
    uint64_t stop;        /* the piece ends at the first block marker from here on */
    uint64_t end;         /* no byte from here on is read */
    uint64_t from;        /* skip blocks that end before this time */
    bool lists;           /* skip all finished blocks of caps, and list them */
    uint64_t chunk_size;
    bool guess;
    bool check;
    /* results */
    enum ending ending;
    hectic_error error;
    uint64_t first_time, last_time;
    uint64_t events, blocks, unfinished_blocks, block_bytes_max, block_ns, block_ns_max;
    uint64_t lost, tail, damage_count, messages;
    list chunks, damage, landmarks;
    list listed;                    /* of struct block */
    uint8_t read_caps[NUMBERS / 8]; /* with blocks that were not listed */
    uint8_t processes;              /* capsets of processes, at most 2 */
    uint32_t count[HEADER_LOW];     /* by number */
    uint32_t *high_count;           /* by the type's index in the header; NULL: no such types */
    uint8_t caps[NUMBERS / 8];
    struct coverage coverage;
    /* For lost_messages: of the piece since its first lost bytes of which the cap is not known; of
     * the piece before these, which begin at lost_first. 0: it has none. */
    cap_times lost_caps, lost_before;
    uint64_t lost_first;
    uint64_t lost_places;
    bool complete;              /* the last item but block markers was an end marker */
    hectic_header *next_header; /* AT_HEADER: the header at the end of the piece */
    size_t next_header_length;
    /* state */
    uint8_t *buffer;
    const uint8_t *p, *limit; /* the rest of the buffer */
    uint64_t position;        /* of p */
    size_t read_next;         /* size of the next read */
    stepper at;
    uint64_t block_position, block_end_time; /* of the current block; end time 0: unknown */
    struct block_reach reach;
    uint64_t expected_time; /* the block's beginning, or the latest event outside blocks */
    chunk open;             /* the current chunk */
} piece;

void *list_add(list *l, size_t size)
{
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 16;
        void *items = realloc(l->items, capacity * size);
        if (!items) return NULL;
        l->items = items;
        l->capacity = capacity;
    }
    return (uint8_t *)l->items + l->count++ * size;
}

/* Records a failure of the whole piece. */
static void fail(piece *x, hectic_error_kind kind)
{
    x->error = (hectic_error){.kind = kind, .position = x->position};
}

static void add_damage(piece *x, hectic_error_kind kind, uint64_t position, uint64_t number)
{
    if (x->damage_count++ >= DAMAGE_KEPT) return;
    hectic_damage *damage = list_add(&x->damage, sizeof *damage);
    if (!damage) {
        fail(x, HECTIC_NO_MEMORY);
        return;
    }
    *damage = (hectic_damage){.error = {.kind = kind, .position = position, .number = number}};
}

/* Reads more input into the buffer; unprocessed bytes are kept. False: end of input. */
static bool refill(piece *x)
{
    size_t rest = (size_t)(x->limit - x->p);
    if (rest) memmove(x->buffer, x->p, rest);
    size_t size = x->read_next < BUFFER_SIZE - rest ? x->read_next : BUFFER_SIZE - rest;
    if (size > x->end - x->position - rest) size = (size_t)(x->end - x->position - rest);
    ptrdiff_t n =
        hectic_input_pread(x->input, x->position + rest, x->buffer + rest, size, &x->error);
    x->p = x->buffer;
    x->limit = x->buffer + rest + (n > 0 ? (size_t)n : 0);
    x->read_next = BUFFER_SIZE;
    return n > 0;
}

/* Moves to a position. Its bytes in the buffer are kept. */
static void jump(piece *x, uint64_t position)
{
    const uint64_t ahead = position - x->position;
    const uint64_t rest = (uint64_t)(x->limit - x->p);
    x->p = ahead <= rest ? x->p + ahead : x->buffer;
    if (ahead > rest) x->limit = x->buffer;
    if (ahead > rest) x->read_next = PEEK_SIZE;
    x->position = position;
}

static void pass(piece *x, size_t length)
{
    x->p += length;
    x->position += length;
}

static void open_chunk(piece *x)
{
    x->open = (chunk){.position = x->position,
                      .first = UINT64_MAX,
                      .remaining = x->at.remaining,
                      .cap = x->at.cap};
}

static void close_chunk(piece *x)
{
    if (x->position > x->open.position) {
        chunk *c = list_add(&x->chunks, sizeof *c);
        if (!c) {
            fail(x, HECTIC_NO_MEMORY);
            return;
        }
        *c = x->open;
        c->length = x->position - c->position;
    }
    open_chunk(x);
}

/* Bytes to the end of the current block; SIZE_MAX outside blocks, and in an unfinished block. */
static size_t block_rest(const piece *x)
{
    return x->at.remaining > 0 && x->at.remaining != INT64_MAX ? (size_t)x->at.remaining : SIZE_MAX;
}

/* At the end of a block's events: records it if the block's size is larger. Since GHC 9.2 the size
 * of the last block includes the end marker. */
static void check_block_end(piece *x, hectic_error_kind kind)
{
    size_t rest = block_rest(x);
    if (x->check && rest != SIZE_MAX && rest > (x->complete ? 2 : 0))
        add_damage(x, kind, x->position, rest);
}

/* Records that `length` bytes of events from x->p on were processed, with the given minimum and
 * maximum time; the last event has type `type` and begins `last` bytes after x->p. */
static void passed(piece *x, size_t length, size_t last, uint16_t type, uint64_t least,
                   uint64_t most)
{
    if (least < x->open.first) x->open.first = least;
    if (least < x->first_time) x->first_time = least;
    if (most > x->last_time) x->last_time = most;
    reach_event(&x->reach, x->at.cap, most);
    /* A restarted program's header may follow in a block of its own. */
    if (type != HECTIC_EVENT_BLOCK_MARKER) x->complete = false;
    if (x->check) {
        if (length > block_rest(x)) add_damage(x, HECTIC_BLOCK_CROSSED, x->position + last, type);
        /* Once per block: usually many events have the same defect. */
        if (x->at.remaining > 0 && x->block_end_time && most > x->block_end_time) {
            add_damage(x, HECTIC_LATE_EVENT, x->block_position, most - x->block_end_time);
            x->block_end_time = 0;
        }
        if (least < x->expected_time && x->expected_time - least > STAMPED_EARLY) {
            add_damage(x, HECTIC_TIME_BACK, x->position, x->expected_time - least);
            x->expected_time = 0;
        }
        if (x->at.remaining <= 0 && most > x->expected_time) x->expected_time = most;
    }
    step_advance(&x->at, length);
    pass(x, length);
}

/* How the hot loop processes events of a type. */
static uint32_t plan_of(const hectic_event_type *type, bool check)
{
    const hectic_shape *shape = type ? type->shape : NULL;
    /* A single text or byte string can have any length. */
    const bool can_be_malformed =
        shape && shape->variable && (shape->size > 0 || shape->field_count > 1);
    const bool looks = shape && (shape->number == HECTIC_EVENT_BLOCK_MARKER ||
                                 shape->number == HECTIC_EVENT_CAP_DELETE ||
                                 shape->number == HECTIC_EVENT_SHUTDOWN || is_landmark(shape) ||
                                 (check && can_be_malformed));
    return looks ? PLAN_INSPECT : step_of(type);
}

static uint32_t plan_of_high(const piece *x, uint16_t number)
{
    return plan_of(header_high(x->header, number), x->check);
}

static inline void count(piece *x, uint16_t number)
{
    if (number < HEADER_LOW)
        x->count[number]++;
    else
        x->high_count[header_high(x->header, number) - x->header->types]++;
}

/* The hot loop: steps over complete events in the buffer that need no inspection, up to the end of
 * the chunk and of the block. Its time is determined by the chain of loads from one event's type to
 * the next; all other work runs in parallel to that. */
static void stretch(piece *x)
{
    const uint32_t *plan = x->plan;
    const uint8_t *start = x->p;
    size_t left = (size_t)(x->limit - start);
    if (left < VARIABLE_HEAD) return;
    left -= VARIABLE_HEAD - 1;
    uint64_t chunk_rest = x->open.position + x->chunk_size - x->position;
    if (chunk_rest < left) left = (size_t)chunk_rest;
    if (block_rest(x) < left) left = block_rest(x);
    const stepper at = x->at;
    const uint8_t *stop = start + left;
    const uint8_t *end =
        block_rest(x) < (size_t)(x->limit - start) ? start + block_rest(x) : x->limit;
    const uint8_t *p = start;
    const uint8_t *last = p;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint64_t events = 0;
    if (step_is_doubtful(&at, p)) return;
    while (p < stop) {
        uint16_t type = load16(p);
        size_t length = type < HEADER_LOW ? plan[type] : plan_of_high(x, type);
        if (length <= PLAN_INSPECT) {
            if (length != PLAN_VARIABLE) break;
            length = VARIABLE_HEAD + (size_t)load16(p + EVENT_HEAD);
        }
        /* The rest is left to step_next: what may be damaged, and the last event. */
        if (length + EVENT_HEAD > (size_t)(end - p) || step_is_doubtful(&at, p + length)) break;
        const uint16_t next = load16(p + length);
        if ((next < HEADER_LOW ? plan[next] : plan_of_high(x, next)) == PLAN_UNDECLARED) break;
        const uint64_t time = load64(p + 2);
        least = time < least ? time : least;
        most = time > most ? time : most;
        count(x, type);
        events++;
        last = p;
        p += length;
    }
    if (p == start) return;
    x->events += events;
    passed(x, (size_t)(p - start), (size_t)(last - start), load16(last), least, most);
}

/* The blocks of a cap extend up to `time`. */
static void note_written(piece *x, uint16_t cap, uint64_t time)
{
    if (cap == HECTIC_CAP_NONE) return;
    if (!coverage_block(&x->coverage, cap, time) || !cap_times_raise_one(&x->lost_caps, cap, time))
        fail(x, HECTIC_NO_MEMORY);
}

static void end_block(piece *x)
{
    const uint16_t cap = x->reach.cap;
    note_written(x, cap, reach_end(&x->reach, x->position));
}

/* Can reading continue after the block at x->p, without its events? A restarted program writes its
 * next header into a block of global events. */
static bool can_skip(piece *x, uint32_t size, uint64_t end_time)
{
    if (size < HECTIC_BLOCK_MARKER_SIZE || end_time == 0) return false;
    if (load16(x->p + EVENT_HEAD + 12) == HECTIC_CAP_NONE) return false;
    uint8_t next[PLAUSIBLE_MAX];
    uint64_t position = x->position + size;
    ptrdiff_t n = hectic_input_pread(x->input, position, next, sizeof next, &x->error);
    bool at_end_mark = n >= 2 && load16(next) == HECTIC_DATA_END;
    return n >= 2 && (at_end_mark || is_plausible(x->header, next, (size_t)n));
}

/* Skips a block, of which only the marker was read. */
static bool skip_block(piece *x, uint32_t size, uint64_t end_time)
{
    if (end_time >= x->from || !can_skip(x, size, end_time)) return false;
    note_written(x, load16(x->p + EVENT_HEAD + 12), end_time);
    close_chunk(x);
    jump(x, x->position + size);
    x->at = step_outside(x->header);
    open_chunk(x);
    return true;
}

/* Skips a block, and lists it for a later choice. */
static bool list_block(piece *x, uint64_t time, uint32_t size, uint64_t end_time)
{
    const uint16_t cap = load16(x->p + EVENT_HEAD + 12);
    if (!x->lists || cap == HECTIC_CAP_NONE) return false;
    const struct block found = {x->position, time, end_time, size, cap};
    if (!skip_block(x, size, end_time)) {
        x->read_caps[cap / 8] |= (uint8_t)(1u << cap % 8);
        return false;
    }
    struct block *block = list_add(&x->listed, sizeof *block);
    if (!block) {
        fail(x, HECTIC_NO_MEMORY);
        return true;
    }
    *block = found;
    if (time < x->first_time) x->first_time = time;
    if (time > x->last_time) x->last_time = time;
    x->caps[cap / 8] |= (uint8_t)(1u << cap % 8);
    return true;
}

/* Processes a block marker. False: the piece ends here. */
static bool process_block(piece *x, size_t length)
{
    check_block_end(x, HECTIC_BLOCK_OVERLAPPED);
    end_block(x);
    if (x->position >= x->stop) {
        x->ending = AT_MARKER;
        return false;
    }
    /* A chunk with two caps' blocks spans the times of both, and is in memory as long. */
    if (x->position - x->open.position >= x->chunk_size / 4) close_chunk(x);
    uint64_t time = load64(x->p + 2);
    uint32_t size = load32(x->p + EVENT_HEAD);
    uint64_t end_time = load64(x->p + EVENT_HEAD + 4);
    if (list_block(x, time, size, end_time) || skip_block(x, size, end_time)) return true;
    x->blocks++;
    if (size < HECTIC_BLOCK_MARKER_SIZE || end_time == 0) {
        x->unfinished_blocks++;
    } else {
        uint64_t lasted = end_time > time ? end_time - time : 0;
        x->block_ns += lasted;
        if (lasted > x->block_ns_max) x->block_ns_max = lasted;
        if (size > x->block_bytes_max) x->block_bytes_max = size;
    }
    x->count[HECTIC_EVENT_BLOCK_MARKER]++;
    x->events++;
    x->at = step_outside(x->header);
    x->block_position = x->position;
    x->block_end_time = end_time;
    x->expected_time = 0; /* blocks of different caps are in any order */
    const uint8_t *marker = x->p;
    const hectic_event_block_marker fields = step_marker(marker);
    passed(x, length, 0, HECTIC_EVENT_BLOCK_MARKER, time, time);
    step_block(&x->at, marker);
    reach_begin(&x->reach, x->block_position, time, &fields);
    x->expected_time = time;
    if (x->at.cap != HECTIC_CAP_NONE) x->caps[x->at.cap / 8] |= (uint8_t)(1u << x->at.cap % 8);
    return true;
}

/* Keeps messages that report gaps, and replays of events that would be kept; since these may be
 * repeated, they get only half of the space. */
static bool is_kept(const piece *x, const hectic_event *event)
{
    hectic_event replayed;
    uint64_t number;
    if (x->landmarks.count >= LANDMARKS_MAX) return false;
    if (event->type == HECTIC_EVENT_LOG_MSG)
        return gap_message(event->payload, event->size, &number) != GAP_NONE;
    if (event->type != HECTIC_EVENT_SYNC) return is_landmark(event->declared->shape);
    if (x->landmarks.count >= LANDMARKS_MAX / 2 || !hectic_read_replayed(event, &replayed))
        return false;
    const hectic_shape *shape = hectic_shape_by_number(replayed.type);
    return shape && is_landmark(shape);
}

static bool creates_process(const hectic_event *event)
{
    enum { OS_PROCESS = 2 };
    hectic_event_capset_create created;
    return event->type == HECTIC_EVENT_CAPSET_CREATE &&
           hectic_read_capset_create(event, &created) && created.capset_type == OS_PROCESS;
}

/* Inspects the payload of an event with PLAN_INSPECT. */
static void inspect_payload(piece *x, size_t length)
{
    hectic_event event;
    step_view(x->header, x->p, length, x->position, x->at.cap, &event);
    const hectic_shape *shape = event.declared->shape;
    if (x->check && hectic_shape_malformed(shape, event.payload, event.size))
        add_damage(x, HECTIC_MALFORMED_EVENT, x->position, event.type);
    if (creates_process(&event) && x->processes < 2) x->processes++;
    if (coverage_needs(shape) && !coverage_event(&x->coverage, &event)) fail(x, HECTIC_NO_MEMORY);
    if (!is_kept(x, &event)) return;
    uint64_t *landmark = list_add(&x->landmarks, sizeof *landmark);
    if (landmark)
        *landmark = x->position;
    else
        fail(x, HECTIC_NO_MEMORY);
}

/* Processes a complete event that needs inspection. False: the piece ends here. */
static bool inspect(piece *x, size_t length)
{
    uint16_t type = load16(x->p);
    if (type == HECTIC_EVENT_BLOCK_MARKER && x->header->has_blocks) return process_block(x, length);
    uint64_t time = load64(x->p + 2);
    const uint32_t plan = type < HEADER_LOW ? x->plan[type] : plan_of_high(x, type);
    if (plan == PLAN_INSPECT) inspect_payload(x, length);
    count(x, type);
    x->events++;
    passed(x, length, 0, type, time, time);
    return true;
}

/* Moves to the next plausible place in the buffer or after it. False: none. */
static bool search(piece *x, uint64_t stop)
{
    bool at_end = false;
    while (x->position < stop) {
        size_t length = (size_t)(x->limit - x->p);
        size_t passed_over = resync_next(x->header, x->p, length, at_end);
        pass(x, passed_over);
        if (passed_over < length && is_plausible(x->header, x->p, (size_t)(x->limit - x->p)) &&
            (at_end || length - passed_over >= PLAUSIBLE_MAX))
            return true;
        if (at_end) return false;
        at_end = !refill(x);
    }
    return false;
}

/* Where to list a message that stands for lost bytes from `position` on. */
struct lost_list {
    list *chunks;
    struct coverage *coverage;
    uint64_t position, *last_time, *messages;
};

static bool list_message(void *user, const struct lost_message *message)
{
    const struct lost_list *l = user;
    chunk *c = list_add(l->chunks, sizeof *c);
    if (!c) return false;
    *c = (chunk){.position = l->position,
                 .remaining = (int64_t)message->bytes,
                 .first = message->time,
                 .cap = message->cap};
    if (message->time > *l->last_time) *l->last_time = message->time;
    ++*l->messages;
    return coverage_block(l->coverage, message->cap, message->time);
}

/* Lists the messages about lost bytes that end at x->p. */
static void list_lost(piece *x, const struct lost *lost, bool is_found)
{
    struct lost_list told = {&x->chunks, &x->coverage, lost->position, &x->last_time, &x->messages};
    const bool is_event = is_found && load16(x->p) == HECTIC_EVENT_BLOCK_MARKER;
    if (!lost_is_told(x->header)) return;
    x->lost_places++;
    if (!lost_is_of_one(lost, x->position) && x->lost_first == 0) {
        /* Caps of earlier pieces are lost, too: their messages wait until the pieces are merged. */
        const cap_times none = x->lost_before;
        x->lost_first = lost->position;
        x->lost_before = x->lost_caps;
        x->lost_caps = none;
    }
    if (!lost_messages(lost, x->position, is_event ? event_time_at(x->p) : 0, &x->lost_caps,
                       list_message, &told))
        fail(x, HECTIC_NO_MEMORY);
}

/* At bytes without an event, at least `length` of them: skips to the next plausible place, if any.
 */
static void lose(piece *x, hectic_error error, size_t length)
{
    close_chunk(x);
    const struct lost lost = lost_begin(x->position, x->at.remaining, &x->reach);
    end_block(x);
    jump(x, lost.position + length);
    const bool is_found = search(x, UINT64_MAX);
    const uint64_t skipped = x->position - lost.position;
    x->lost += skipped;
    list_lost(x, &lost, is_found);
    add_damage(x, error.kind, lost.position, error.number);
    if (x->damage.count == x->damage_count) {
        hectic_damage *damage = (hectic_damage *)x->damage.items + x->damage.count - 1;
        damage->error.expected = error.expected;
        damage->skipped = skipped;
    }
    x->at = step_outside(x->header);
    x->block_end_time = x->expected_time = 0;
    open_chunk(x);
}

/* The available bytes of the header at x->p. */
struct beginning {
    const uint8_t *bytes;
    size_t length;
    size_t cursor;  /* the position up to which its types are valid */
    uint8_t *large; /* its own memory, if it is larger than the buffer; or NULL */
};

/* Reads until the header is complete. Returns its length, or 0 with *error; HECTIC_OK: the input
 * ends inside it. */
static size_t measure_header(piece *x, struct beginning *b, hectic_error *error)
{
    size_t whole;
    do {
        b->bytes = x->p;
        b->length = (size_t)(x->limit - x->p);
        whole = header_measure(b->bytes, b->length, &b->cursor, error);
    } while (whole == 0 && error->kind == HECTIC_OK && refill(x));
    if (b->length < BUFFER_SIZE) return whole;
    for (size_t size = BUFFER_SIZE; whole == 0 && error->kind == HECTIC_OK && b->length == size;) {
        size *= 4;
        free(b->large);
        b->large = malloc(size);
        *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
        const ptrdiff_t n =
            b->large ? hectic_input_pread(x->input, x->position, b->large, size, error) : -1;
        if (n < 0) return 0;
        b->bytes = b->large;
        b->length = (size_t)n;
        whole = header_measure(b->bytes, b->length, &b->cursor, error);
    }
    return whole;
}

/* Reads the header at x->p into x->next_header. False with *error, and *sound: how many bytes of
 * its types are valid. */
static bool read_header(piece *x, size_t *sound, hectic_error *error)
{
    struct beginning b = {0};
    const size_t whole = measure_header(x, &b, error);
    if (whole)
        hectic_header_parse(&x->next_header, b.bytes, whole, error);
    else if (error->kind == HECTIC_OK)
        *error = (hectic_error){.kind = HECTIC_HEADER_TRUNCATED, .number = b.length};
    free(b.large);
    error->position += x->position;
    x->next_header_length = whole;
    *sound = b.cursor;
    return x->next_header != NULL;
}

/* Processes bytes that are not an event of this header. False: the piece ends here. */
static bool process_unknown(piece *x)
{
    while ((size_t)(x->limit - x->p) < HEADER_BEGIN && refill(x))
        ;
    size_t length = 1;
    hectic_error error = step_error(&x->at, x->p, x->position);
    if (may_begin_header(x->p, (size_t)(x->limit - x->p))) {
        const bool is_whole = read_header(x, &length, &error);
        if (is_whole || error.kind == HECTIC_HEADER_TRUNCATED) {
            x->ending = is_whole ? AT_HEADER : AT_INPUT_END;
            x->tail = is_whole ? 0 : error.number;
            return false;
        }
        if (error.kind == HECTIC_NO_MEMORY || error.kind == HECTIC_IO) {
            x->error = error; /* not a damage of the log */
            return false;
        }
        if (length == 0) length = 1;
    }
    lose(x, error, length);
    return true;
}

/* Surveys the piece. */
static void *run(void *argument)
{
    piece *x = argument;
    jump(x, x->start);
    x->at = step_outside(x->header);
    x->read_next = BUFFER_SIZE;
    if (x->guess && !search(x, x->stop)) {
        x->ending = NOWHERE;
        return NULL;
    }
    x->start = x->position;
    open_chunk(x);
    bool go_on = true;
    while (go_on && x->error.kind == HECTIC_OK) {
        if (x->position - x->open.position >= x->chunk_size) close_chunk(x);
        stretch(x);
        size_t length = step_next(&x->at, x->p, (size_t)(x->limit - x->p));
        const bool needs_more = length == STEP_NEED_MORE;
        if (needs_more && (go_on = refill(x))) continue;
        /* At the end nothing follows an event. */
        if (needs_more) length = step_size(x->header, x->p, (size_t)(x->limit - x->p));
        if (length == STEP_NEED_MORE) {
            x->ending = AT_INPUT_END;
        } else if (length == STEP_END_MARK) {
            x->complete = true;
            pass(x, 2);
        } else if (length == STEP_UNKNOWN) {
            go_on = process_unknown(x);
        } else {
            go_on = inspect(x, length);
        }
    }
    close_chunk(x);
    end_block(x);
    if (x->ending == AT_INPUT_END) {
        if (x->tail == 0) x->tail = (uint64_t)(x->limit - x->p);
        check_block_end(x, HECTIC_BLOCK_TRUNCATED);
    }
    if (x->error.kind != HECTIC_OK) x->ending = FAILED;
    return NULL;
}

static bool piece_init(piece *x, const hectic_input *input)
{
    x->input = input;
    x->end = UINT64_MAX;
    x->read_next = BUFFER_SIZE;
    x->p = x->limit = x->buffer = aligned_alloc(HECTIC_INPUT_ALIGNMENT, BUFFER_SIZE);
    return x->buffer != NULL;
}

static void piece_free(piece *x)
{
    free(x->buffer);
    free(x->high_count);
    free(x->chunks.items);
    free(x->damage.items);
    free(x->landmarks.items);
    free(x->listed.items);
    coverage_clear(&x->coverage);
    cap_times_clear(&x->lost_caps);
    cap_times_clear(&x->lost_before);
    hectic_header_free(x->next_header);
}

/* Resets the results. The buffer and the lists keep their memory. */
static void piece_clear(piece *x)
{
    x->ending = AT_INPUT_END;
    x->error = (hectic_error){0};
    x->first_time = UINT64_MAX;
    x->last_time = 0;
    x->events = x->blocks = x->unfinished_blocks = x->block_bytes_max = x->block_ns = 0;
    x->block_ns_max = x->lost = x->tail = x->damage_count = x->messages = 0;
    x->lost_first = x->lost_places = 0;
    x->chunks.count = x->damage.count = x->landmarks.count = x->listed.count = 0;
    x->end = UINT64_MAX;
    x->processes = 0;
    memset(x->read_caps, 0, sizeof x->read_caps);
    x->complete = false;
    x->block_end_time = x->expected_time = 0;
    memset(x->count, 0, sizeof x->count);
    memset(x->caps, 0, sizeof x->caps);
    coverage_clear(&x->coverage);
    cap_times_empty(&x->lost_caps);
    cap_times_empty(&x->lost_before);
    x->reach = (struct block_reach){.cap = HECTIC_CAP_NONE};
    if (x->high_count) memset(x->high_count, 0, x->header->count * sizeof *x->high_count);
    hectic_header_free(x->next_header);
    x->next_header = NULL;
}

/* Begins a section. False: out of memory. */
static bool piece_begin(piece *x, const hectic_header *header, const uint32_t *plan, bool check)
{
    x->header = header;
    x->plan = plan;
    x->check = check;
    free(x->high_count);
    x->high_count = header->highs ? calloc(header->count, sizeof *x->high_count) : NULL;
    return !header->highs || x->high_count;
}

/* Joins pairs of adjacent chunks if a section has too many. Chunks with skipped or lost bytes
 * between them are not joined. */
static void coalesce(survey *s, size_t begin)
{
    chunk *chunks = s->chunks.items;
    const size_t count = s->chunks.count - begin;
    size_t kept = begin;
    for (size_t i = begin; i < s->chunks.count; i++) {
        chunk c = chunks[i];
        chunk *next = i + 1 < s->chunks.count ? &chunks[i + 1] : NULL;
        if (next && c.length > 0 && next->length > 0 && c.position + c.length == next->position) {
            c.length += next->length;
            if (next->first < c.first) c.first = next->first;
            i++;
        }
        chunks[kept++] = c;
    }
    s->chunks.count = kept;
    if (kept - begin <= count / 4 * 3 && s->chunk_size < CHUNK_SIZE_MAX) s->chunk_size *= 2;
}

static bool append(list *to, const list *from, size_t size, size_t limit)
{
    for (size_t i = 0; i < from->count && to->count < limit; i++) {
        void *item = list_add(to, size);
        if (!item) return false;
        memcpy(item, (const uint8_t *)from->items + i * size, size);
    }
    return true;
}

/* Lists the messages about the caps of which the first bytes of a piece with an unknown cap may
 * have events, and adds its caps to those of the section. */
static bool merge_lost(survey *s, const piece *x, uint64_t *last_time)
{
    struct lost_list told = {&s->chunks, &s->coverage, x->lost_first, last_time, &s->messages};
    return (x->lost_first == 0 || (cap_times_raise(&s->lost_caps, &x->lost_before) &&
                                   lost_caps_messages(&s->lost_caps, list_message, &told))) &&
           cap_times_raise(&s->lost_caps, &x->lost_caps);
}

/* Adds the results of a piece to the survey and its last section. */
static bool merge(survey *s, const piece *x)
{
    hectic_section *section = (hectic_section *)s->sections.items + s->sections.count - 1;
    size_t *ends = s->section_chunks.items;
    size_t begin = s->sections.count > 1 ? ends[s->sections.count - 2] : 0;
    hectic_survey *found = &s->found;
    section->events += x->events;
    if (x->first_time < section->first_time) section->first_time = x->first_time;
    if (x->last_time > section->last_time) section->last_time = x->last_time;
    section->complete = x->complete;
    found->events += x->events;
    found->blocks += x->blocks;
    found->unfinished_blocks += x->unfinished_blocks;
    found->block_ns += x->block_ns;
    if (x->block_ns_max > found->block_ns_max) found->block_ns_max = x->block_ns_max;
    if (x->block_bytes_max > found->block_bytes_max) found->block_bytes_max = x->block_bytes_max;
    found->lost += x->lost;
    found->tail = x->tail;
    for (size_t i = 0; i < HEADER_LOW; i++)
        s->count[i] += x->count[i];
    for (size_t i = 0; i < x->header->highs; i++) {
        const uint32_t place = x->header->high[i];
        s->count[x->header->types[place].number] += x->high_count[place];
    }
    for (size_t i = 0; i < NUMBERS / 8; i++)
        s->caps[i] |= x->caps[i];
    s->damage_count += x->damage_count;
    s->messages += x->messages;
    s->lost_places += x->lost_places;
    bool done = append(&s->damage, &x->damage, sizeof(hectic_damage), DAMAGE_KEPT) &&
                append(&s->landmarks, &x->landmarks, sizeof(uint64_t), LANDMARKS_MAX) &&
                append(&s->chunks, &x->chunks, sizeof(chunk), SIZE_MAX) &&
                merge_lost(s, x, &section->last_time) && coverage_join(&s->coverage, &x->coverage);
    if (s->chunks.count - begin > CHUNKS_MAX) coalesce(s, begin);
    ends[s->sections.count - 1] = s->chunks.count;
    return done;
}

/* Checks a header for defects that make its events unreadable. */
static bool check_header(survey *s, const hectic_header *header, uint64_t position)
{
    piece found = {.position = position};
    hectic_error defect;
    for (size_t next = 0; header_defect(header, position, &next, &defect);)
        add_damage(&found, defect.kind, defect.position, defect.number);
    s->damage_count += found.damage_count;
    bool done = found.error.kind == HECTIC_OK &&
                append(&s->damage, &found.damage, sizeof(hectic_damage), DAMAGE_KEPT);
    free(found.damage.items);
    return done;
}

/* Adds the section whose header begins at `position`. */
static bool add_section(survey *s, const hectic_header *header, bool check, uint64_t position)
{
    hectic_section *section = list_add(&s->sections, sizeof *section);
    if (!section) return false;
    size_t *end = list_add(&s->section_chunks, sizeof *end);
    if (!end) {
        s->sections.count--;
        return false;
    }
    *section = (hectic_section){
        .position = position, .header_length = header->length, .first_time = UINT64_MAX};
    *end = s->chunks.count;
    s->chunk_size = CHUNK_SIZE;
    coverage_clear(&s->coverage);
    cap_times_empty(&s->lost_caps);
    return !check || check_header(s, header, position);
}

/* Surveys the pieces, each in a thread; accepts those whose beginnings were guessed correctly. The
 * last accepted piece becomes the first one of the next round, which continues at its end. */
static enum ending survey_round(survey *s, piece *pieces, unsigned threads, hectic_error *error)
{
    pthread_t thread[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    for (unsigned i = 1; i < threads; i++)
        started[i] = pthread_create(&thread[i], NULL, run, &pieces[i]) == 0;
    run(&pieces[0]);
    for (unsigned i = 1; i < threads; i++) {
        if (started[i])
            pthread_join(thread[i], NULL);
        else
            pieces[i].ending = NOWHERE;
    }
    enum ending ending = AT_MARKER;
    unsigned last = 0;
    for (unsigned i = 0; i < threads && ending == AT_MARKER; i++) {
        if (i > 0 && (pieces[i].ending == NOWHERE || pieces[i].start != pieces[last].position))
            break;
        last = i;
        ending = pieces[i].ending;
        *error = pieces[i].error;
        if (ending != FAILED && !merge(s, &pieces[i])) {
            *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
            ending = FAILED;
        }
    }
    if (last > 0) {
        const piece accepted = pieces[last];
        pieces[last] = pieces[0];
        pieces[0] = accepted;
    }
    return ending;
}

/* The number of processors that this process may use. */
static unsigned processor_count(void)
{
#ifdef CPU_COUNT
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return (unsigned)CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* Blocks can only be skipped sequentially. */
static bool is_sequential(const survey *s, const hectic_log_options *options)
{
    return options->from || s->skips;
}

static unsigned thread_count(const survey *s, const hectic_log_options *options)
{
    if (is_sequential(s, options)) return 1;
    unsigned count = options->threads ? options->threads : processor_count();
    return count < THREADS_MAX ? count : THREADS_MAX;
}

static void report(const hectic_log_options *options, uint64_t done, uint64_t size)
{
    if (options->progress && size > 0)
        options->progress(options->progress_user, (double)done / (double)size);
}

/* The state of the pass over all sections. */
struct pass {
    survey *s;
    const hectic_log_options *options;
    piece *pieces;  /* THREADS_MAX; the first is at the position of the pass */
    unsigned ready; /* pieces with a buffer */
    hectic_header *header;
    uint32_t plan[HEADER_LOW];
    uint64_t size; /* of the input */
};

/* Prepares one piece per thread, from the position of the pass on. False: out of memory. */
static bool divide(struct pass *pass, unsigned threads)
{
    const uint64_t position = pass->pieces[0].position;
    const uint64_t rest = pass->size > position ? pass->size - position : 0;
    /* Pieces of equal size keep all threads busy to the end. */
    const uint64_t rounds = rest / ((uint64_t)threads * PIECE_SIZE) + 1;
    const uint64_t piece_size = rest / (threads * rounds) + 1;
    for (; pass->ready < threads; pass->ready++)
        if (!piece_init(&pass->pieces[pass->ready], pass->pieces[0].input)) return false;
    for (unsigned i = 0; i < threads; i++) {
        piece *x = &pass->pieces[i];
        if (!piece_begin(x, pass->header, pass->plan, pass->options->check)) return false;
        piece_clear(x);
        x->start = position + i * piece_size;
        x->stop = is_sequential(pass->s, pass->options) ? UINT64_MAX : x->start + piece_size;
        x->lists = pass->s->skips;
        x->from = x->lists ? UINT64_MAX : pass->options->from;
        x->chunk_size = pass->s->chunk_size;
        x->guess = i > 0;
    }
    return true;
}

/* --- Intervals of large logs ----------------------------------------------------------------- */

/* Removes the chunks' events before a position, which is that of an event of a cap's block. */
static void trim(list *chunks, const struct block_part *part)
{
    chunk *c = chunks->items;
    size_t kept = 0;
    for (size_t i = 0; i < chunks->count; i++) {
        if (c[i].position + c[i].length <= part->from) continue;
        c[kept] = c[i];
        if (c[kept].position < part->from) {
            c[kept].length -= part->from - c[kept].position;
            c[kept].position = part->from;
            c[kept].remaining = (int64_t)(part->block.position + part->block.size - part->from);
            c[kept].cap = part->block.cap;
        }
        kept++;
    }
    chunks->count = kept;
}

/* Surveys a part of a block that was skipped. */
static bool read_part(struct pass *pass, piece *x, const struct block_part *part)
{
    piece_clear(x);
    x->start = part->block.position;
    x->end = part->to;
    x->stop = x->from = 0;
    x->lists = x->guess = false;
    x->stop = UINT64_MAX;
    x->chunk_size = pass->s->chunk_size;
    x->position = x->start;
    x->p = x->limit = x->buffer;
    run(x);
    trim(&x->chunks, part);
    return x->ending != FAILED;
}

static int compare_landmarks(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Surveys what the interval needs of the blocks that were skipped in this section. */
static bool read_parts(struct pass *pass, const struct state_blocks *found, hectic_error *error)
{
    survey *s = pass->s;
    piece *x = &pass->pieces[1];
    const struct block_part *part = found->parts.items;
    const hectic_section *section = (hectic_section *)s->sections.items + s->sections.count - 1;
    const bool is_complete = section->complete;
    const uint64_t tail = s->found.tail;
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    if (!x->buffer && !piece_init(x, pass->pieces[0].input)) return false;
    if (pass->ready < 2) pass->ready = 2;
    if (!piece_begin(x, pass->header, pass->plan, false)) return false;
    for (size_t i = 0; i < found->parts.count; i++) {
        const bool done = read_part(pass, x, &part[i]);
        if (!done) *error = x->error;
        if (!done || !merge(s, x)) return false;
    }
    ((hectic_section *)s->sections.items)[s->sections.count - 1].complete = is_complete;
    s->found.tail = tail;
    if (s->landmarks.count)
        qsort(s->landmarks.items, s->landmarks.count, sizeof(uint64_t), compare_landmarks);
    for (size_t i = 0; i < STATE_TYPES; i++)
        s->count[i] += found->occurs[i] && s->count[i] == 0;
    return true;
}

/* At the end of a section whose blocks were listed. False with *error: failed. */
static bool read_interval(struct pass *pass, hectic_error *error)
{
    const piece *first = &pass->pieces[0];
    survey *s = pass->s;
    struct state_blocks found = {
        .input = first->input,
        .header = pass->header,
        .from = pass->options->interval_from,
        .to = pass->options->to ? pass->options->to : UINT64_MAX,
        .block = first->listed.items,
        .count = first->listed.count,
        .read_caps = first->read_caps,
    };
    s->is_unfit = first->processes > 1 || s->count[HECTIC_EVENT_SYNC] > 0 || s->lost_places > 0;
    if (s->is_unfit) return true;
    const bool done = state_blocks_find(&found, error);
    s->is_unfit = found.is_unfit;
    const bool is_read = done && (s->is_unfit || read_parts(pass, &found, error));
    s->is_unfit |= s->lost_places > 0;
    state_blocks_clear(&found);
    return is_read;
}

static hectic_section *last_section(const survey *s)
{
    return (hectic_section *)s->sections.items + s->sections.count - 1;
}

/* Surveys one section, after its header. */
static enum ending survey_section(struct pass *pass, hectic_error *error)
{
    enum ending ending = AT_MARKER;
    for (uint16_t number = 0; number < HEADER_LOW; number++)
        pass->plan[number] =
            plan_of(hectic_header_type(pass->header, number), pass->options->check);
    while (ending == AT_MARKER) {
        const uint64_t position = pass->pieces[0].position;
        const uint64_t rest = pass->size > position ? pass->size - position : 0;
        /* For a small input, starting threads takes longer than reading it. */
        const unsigned threads = rest < PIECE_SIZE / 8 ? 1 : thread_count(pass->s, pass->options);
        *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
        if (!divide(pass, threads)) return FAILED;
        ending = survey_round(pass->s, pass->pieces, threads, error);
        report(pass->options, pass->pieces[0].position, pass->size);
    }
    if (ending != FAILED && pass->s->skips && !read_interval(pass, error)) return FAILED;
    coverage_set(&pass->s->coverage, last_section(pass->s));
    return ending;
}

/* Surveys all sections. False with *error: failed. */
static bool survey_sections(struct pass *pass, hectic_error *error)
{
    piece *first = &pass->pieces[0];
    size_t sound;
    enum ending ending = read_header(first, &sound, error) ? AT_HEADER : FAILED;
    while (ending == AT_HEADER && !pass->s->is_unfit) {
        hectic_header_free(pass->header);
        pass->header = first->next_header;
        first->next_header = NULL;
        if (!add_section(pass->s, pass->header, pass->options->check, first->position)) {
            *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
            return false;
        }
        jump(first, first->position + first->next_header_length);
        ending = survey_section(pass, error);
    }
    return ending == AT_INPUT_END || pass->s->is_unfit;
}

static bool survey_once(survey *s, const hectic_input *input, const hectic_log_options *options,
                        bool skips, hectic_error *error)
{
    *s = (survey){.chunk_size = CHUNK_SIZE, .skips = skips};
    s->count = calloc(NUMBERS, sizeof *s->count);
    s->caps = calloc(NUMBERS / 8, 1);
    piece *pieces = calloc(THREADS_MAX, sizeof *pieces);
    struct pass pass = {
        .s = s, .options = options, .pieces = pieces, .size = input_size(input), .ready = 1};
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    const bool ready = s->count && s->caps && pieces && piece_init(&pieces[0], input);
    const bool done = ready && survey_sections(&pass, error);
    if (ready) s->found.bytes = pieces[0].position + s->found.tail;
    s->found.section = s->sections.items;
    s->found.sections = s->sections.count;
    s->found.count = s->count;
    s->found.caps = s->caps;
    s->found.landmark = s->landmarks.items;
    s->found.landmarks = s->landmarks.count;
    for (unsigned i = 0; pieces && i < THREADS_MAX; i++)
        piece_free(&pieces[i]);
    free(pieces);
    hectic_header_free(pass.header);
    if (!options->has_no_counts) return done;
    free(s->count);
    s->count = NULL;
    s->found.count = NULL;
    return done;
}

bool survey_run(survey *s, const hectic_input *input, const hectic_log_options *options,
                hectic_error *error)
{
    const bool skips = options->interval_from && input_size(input) >= SKIPS_FROM;
    if (skips && !survey_once(s, input, options, true, error)) return false;
    if (skips && !s->is_unfit) return true;
    if (skips) survey_free(s);
    return survey_once(s, input, options, false, error);
}

void survey_free(survey *s)
{
    free(s->sections.items);
    free(s->section_chunks.items);
    free(s->chunks.items);
    free(s->damage.items);
    free(s->landmarks.items);
    free(s->count);
    free(s->caps);
    coverage_clear(&s->coverage);
    cap_times_clear(&s->lost_caps);
}
