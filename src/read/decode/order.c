/* The order: see order.h. */
#include "read/decode/order.h"
#include "read/decode/lost.h"

#include <stdlib.h>

/* The sort key of an event. */
typedef struct place {
    uint64_t time;
    uint64_t position;
} place;

static const place nowhere = {UINT64_MAX, UINT64_MAX};

/* One event of a chunk. */
typedef struct entry {
    uint64_t time;
    uint32_t offset; /* in the chunk; ascending in the order of the file */
    uint16_t cap;
    uint16_t type;
} entry;

struct loaded {
    loaded *next; /* in a list of free or used ones */
    uint64_t position;
    uint8_t *bytes;
    size_t byte_capacity;
    entry *entries; /* sorted */
    size_t count;
    size_t entry_capacity;
    size_t at; /* index of the next one */
};

/* A loaded chunk in the heap, with its next event's key, so that comparisons need no other memory.
 */
typedef struct slot {
    place place;
    loaded *loaded;
} slot;

struct order {
    order_source source;
    const hectic_header *header;
    const chunk *chunks;
    size_t count;
    size_t next; /* index of the first chunk that is not loaded yet */
    uint64_t from, last;
    const type_set *types; /* NULL: all */
    uint64_t allowed;      /* bytes to load before a pause */
    uint64_t loaded;
    bool is_paused;
    slot *heap; /* the chunk with the next event first */
    size_t heap_count;
    size_t heap_capacity;
    loaded *used; /* what was delivered last may be in them */
    loaded *free;
    bool (*take)(void *user, loaded **l, hectic_error *error); /* NULL: order_load */
    void *take_user;
    entry *scratch; /* for sorting */
    size_t scratch_capacity;
};

static bool before(place a, place b)
{
    return a.time != b.time ? a.time < b.time : a.position < b.position;
}

static place place_of(const loaded *l)
{
    const entry *e = &l->entries[l->at];
    return (place){e->time, l->position + e->offset};
}

static int compare_chunks(const void *a, const void *b)
{
    const chunk *x = a, *y = b;
    place p = {x->first, x->position}, q = {y->first, y->position};
    return before(p, q) ? -1 : before(q, p);
}

order *order_new(order_source source, uint64_t from, uint64_t last)
{
    order *o = calloc(1, sizeof *o);
    if (o) *o = (order){.source = source, .from = from, .last = last, .allowed = UINT64_MAX};
    return o;
}

void order_want(order *o, const type_set *types)
{
    o->types = types;
}

void order_allow(order *o, uint64_t bytes)
{
    o->allowed = bytes;
    o->is_paused = false;
}

bool order_is_paused(const order *o)
{
    return o->is_paused;
}

uint64_t order_loaded(const order *o)
{
    return o->loaded;
}

size_t order_next(const order *o)
{
    return o->next;
}

static void put(loaded **list, loaded *l)
{
    l->next = *list;
    *list = l;
}

static void reuse(order *o)
{
    while (o->used) {
        loaded *l = o->used;
        o->used = l->next;
        put(&o->free, l);
    }
}

size_t order_begin(order *o, const hectic_header *header, chunk *chunks, size_t count)
{
    if (count) qsort(chunks, count, sizeof *chunks, compare_chunks);
    while (o->heap_count)
        put(&o->free, o->heap[--o->heap_count].loaded);
    reuse(o);
    o->header = header;
    o->chunks = chunks;
    o->count = o->next = 0;
    /* Sorted by their earliest times: later ones are not needed. */
    while (o->count < count && chunks[o->count].first <= o->last)
        o->count++;
    return o->count;
}

void loaded_free(loaded *l)
{
    if (!l) return;
    free(l->bytes);
    free(l->entries);
    free(l);
}

void order_free(order *o)
{
    if (!o) return;
    order_begin(o, NULL, NULL, 0);
    while (o->free) {
        loaded *l = o->free;
        o->free = l->next;
        loaded_free(l);
    }
    free(o->heap);
    free(o->scratch);
    free(o);
}

/* --- Loading --------------------------------------------------------------------------------- */

/* Moves e[i] to its place among the sorted e[0 … i-1]. Returns how far. */
static size_t insert(entry *e, size_t i)
{
    const entry moved = e[i];
    size_t j = i;
    for (; j > 0 && e[j - 1].time > moved.time; j--)
        e[j] = e[j - 1];
    e[j] = moved;
    return i - j;
}

/* Merges sorted e[0 … middle-1] and e[middle … count-1], copying those of the former that move to
 * `scratch`. */
static void merge(entry *e, size_t middle, size_t count, entry *scratch)
{
    size_t out = middle;
    while (middle < count && out > 0 && e[out - 1].time > e[middle].time)
        out--;
    const size_t moved = middle - out;
    memcpy(scratch, e + out, moved * sizeof *e);
    for (size_t a = 0, b = middle; a < moved; out++)
        e[out] = b < count && e[b].time < scratch[a].time ? e[b++] : scratch[a++];
}

/* A stable sort by time, linear for nearly sorted entries, such as the events of one block. */
static void sort(entry *e, size_t count, entry *scratch)
{
    enum { RUN = 16 };
    for (size_t i = 0; i < count; i++)
        insert(e + i / RUN * RUN, i % RUN);
    for (size_t width = RUN; width < count; width *= 2)
        for (size_t i = 0; i + width < count; i += 2 * width)
            merge(e + i, width, count - i < 2 * width ? count - i : 2 * width, scratch);
}

static bool reserve(void **items, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity) return true;
    void *more = realloc(*items, wanted * size);
    if (!more) return false;
    *items = more;
    *capacity = wanted;
    return true;
}

/* Finds the events in the loaded bytes, and sorts them. False: they differ from those of the
 * survey.
 */
static bool find_entries(const order *o, loaded *l, const chunk *c)
{
    enum {
        MOVES = 4
    }; /* at most, for each event: with more, it is faster to sort all at the end */
    stepper at = {.header = o->header, .remaining = c->remaining, .cap = c->cap};
    size_t count = 0, moves = 0;
    uint64_t latest = 0;
    bool sorted = true;
    for (size_t i = 0; i < c->length;) {
        size_t length = step_size(o->header, l->bytes + i, (size_t)c->length - i);
        if (length == STEP_END_MARK) {
            i += 2;
            continue;
        }
        if (length <= STEP_UNKNOWN) return false;
        uint64_t time = load64(l->bytes + i + 2);
        uint16_t cap = step_over(&at, l->bytes + i, length);
        const uint16_t type = load16(l->bytes + i);
        if (time >= o->from && time <= o->last && (!o->types || type_set_has(o->types, type))) {
            l->entries[count] = (entry){time, (uint32_t)i, cap, type};
            if (time >= latest)
                latest = time;
            else if (moves < MOVES * count)
                moves += insert(l->entries, count);
            else
                sorted = false;
            count++;
        }
        i += length;
    }
    l->count = count;
    if (!sorted) sort(l->entries, count, o->scratch);
    return true;
}

/* Makes a message that stands for bytes that cannot be read: the only event of the chunk. */
static void make_lost(const order *o, loaded *l, const chunk *c)
{
    const uint16_t type = HECTIC_EVENT_LOG_MSG;
    char text[LOST_TEXT];
    const uint16_t size = lost_text(text, (uint64_t)c->remaining);
    store16(l->bytes, type);
    store64(l->bytes + 2, c->first);
    store16(l->bytes + EVENT_HEAD, size);
    memcpy(l->bytes + VARIABLE_HEAD, text, size);
    l->entries[0] = (entry){c->first, 0, c->cap, type};
    l->count = lost_is_told(o->header) && c->first >= o->from && c->first <= o->last &&
               (!o->types || type_set_has(o->types, type));
}

bool order_load(order *o, size_t index, loaded **unused, hectic_error *error)
{
    const chunk *c = &o->chunks[index];
    const bool is_lost = c->length == 0;
    const size_t length = is_lost ? VARIABLE_HEAD + LOST_TEXT : (size_t)c->length;
    const size_t most = length / EVENT_HEAD + 1; /* the smallest event takes 10 bytes */
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY, .position = c->position};
    if (!*unused) *unused = calloc(1, sizeof **unused);
    loaded *l = *unused;
    if (!l || !reserve((void **)&l->bytes, &l->byte_capacity, length, 1) ||
        !reserve((void **)&l->entries, &l->entry_capacity, most, sizeof *l->entries) ||
        !reserve((void **)&o->scratch, &o->scratch_capacity, most, sizeof *o->scratch))
        return false;
    l->position = c->position;
    l->at = 0;
    if (is_lost) {
        make_lost(o, l, c);
        error->kind = HECTIC_OK;
        return true;
    }
    const ptrdiff_t got = o->source.read(o->source.user, c->position, l->bytes, length, error);
    if (got < 0) return false;
    const bool is_same = got == (ptrdiff_t)length && find_entries(o, l, c);
    error->kind = is_same ? HECTIC_OK : HECTIC_CHANGED;
    return is_same;
}

void order_take_from(order *o, bool (*take)(void *user, loaded **l, hectic_error *error),
                     void *user)
{
    o->take = take;
    o->take_user = user;
}

/* --- The heap -------------------------------------------------------------------------------- */

static bool heap_push(order *o, loaded *l)
{
    if (o->heap_count == o->heap_capacity &&
        !reserve((void **)&o->heap, &o->heap_capacity, 2 * o->heap_count + 16, sizeof *o->heap))
        return false;
    size_t i = o->heap_count++;
    slot pushed = {place_of(l), l};
    for (; i > 0 && before(pushed.place, o->heap[(i - 1) / 2].place); i = (i - 1) / 2)
        o->heap[i] = o->heap[(i - 1) / 2];
    o->heap[i] = pushed;
    return true;
}

/* Replaces the top of the heap by `sunk`, and restores the heap. */
static void heap_sink(order *o, slot sunk)
{
    slot *heap = o->heap;
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < o->heap_count; i = child) {
        if (child + 1 < o->heap_count) child += before(heap[child + 1].place, heap[child].place);
        if (!before(heap[child].place, sunk.place)) break;
        heap[i] = heap[child];
    }
    heap[i] = sunk;
}

/* The key of the i-th in the heap, if there is one. */
static place heap_place(const order *o, size_t i)
{
    return i < o->heap_count ? o->heap[i].place : nowhere;
}

/* The smallest key that the first chunk not loaded yet may have. */
static place next_chunk(const order *o)
{
    if (o->next == o->count) return nowhere;
    return (place){o->chunks[o->next].first, o->chunks[o->next].position};
}

/* Takes the next chunk. False with *error: failed. */
static bool take_chunk(order *o, hectic_error *error)
{
    const uint64_t length = o->chunks[o->next].length;
    loaded *l = o->free;
    if (l) o->free = l->next;
    o->allowed = o->allowed > length ? o->allowed - length : 0;
    o->loaded += length;
    bool done = o->take ? o->take(o->take_user, &l, error) : order_load(o, o->next, &l, error);
    o->next++;
    if (done && l->count > 0) {
        if (heap_push(o, l)) return true;
        *error = (hectic_error){.kind = HECTIC_NO_MEMORY, .position = l->position};
        done = false;
    }
    if (l) put(&o->free, l); /* not needed */
    return done;
}

/* Takes all chunks that may have the next event. False: paused, or *error is set. */
static bool take_chunks(order *o, hectic_error *error)
{
    while (o->next < o->count && before(next_chunk(o), heap_place(o, 0))) {
        o->is_paused = o->allowed == 0;
        if (o->is_paused || !take_chunk(o, error)) return false;
    }
    return true;
}

/* --- Merging --------------------------------------------------------------------------------- */

static void view(const order *o, const loaded *l, const entry *e, hectic_event *event)
{
    const uint8_t *p = l->bytes + e->offset;
    const hectic_event_type *declared = header_declared(o->header, e->type);
    const bool variable = declared->size == HECTIC_VARIABLE;
    event->time = e->time;
    event->position = l->position + e->offset;
    event->payload = p + (variable ? VARIABLE_HEAD : EVENT_HEAD);
    event->declared = declared;
    event->type = e->type;
    event->size = variable ? load16(p + EVENT_HEAD) : declared->size;
    event->cap = e->cap;
}

/* The key that ends a run of the first chunk. */
static place limit(const order *o)
{
    const place chunk = next_chunk(o), left = heap_place(o, 1), right = heap_place(o, 2);
    const place other = before(right, left) ? right : left;
    return before(chunk, other) ? chunk : other;
}

/* Stores a chunk's next event, and those that precede `limit`, at most `capacity`. Returns their
 * number. Only messages about the same lost bytes have the same place. */
static size_t follow(const order *o, loaded *l, place limit, hectic_event *event, size_t capacity)
{
    const size_t begin = l->at;
    const size_t end = l->count - begin < capacity ? l->count : begin + capacity;
    size_t at = begin;
    for (; at < end; at++) {
        const entry *e = &l->entries[at];
        if (at > begin && !before((place){e->time, l->position + e->offset}, limit)) break;
        view(o, l, e, &event[at - begin]);
    }
    l->at = at;
    return at - begin;
}

size_t order_fill(order *o, hectic_event *event, size_t capacity, hectic_error *error)
{
    size_t filled = 0;
    reuse(o);
    error->kind = HECTIC_OK;
    while (filled < capacity && take_chunks(o, error) && o->heap_count > 0) {
        loaded *first = o->heap[0].loaded;
        filled += follow(o, first, limit(o), event + filled, capacity - filled);
        if (first->at < first->count) {
            heap_sink(o, (slot){place_of(first), first});
        } else {
            put(&o->used, first);
            o->heap_count--;
            if (o->heap_count) heap_sink(o, o->heap[o->heap_count]);
        }
    }
    return filled;
}
