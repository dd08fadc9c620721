/* The order: see order.h. */
#include "read/order.h"

#include <stdlib.h>

/* The sort key of an event. */
typedef struct place {
    uint64_t time;
    uint64_t position;
} place;

static const place nowhere = {UINT64_MAX, UINT64_MAX};

/* One event of a loaded chunk. */
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
    size_t at; /* index of the next that is not in the batch */
};

/* An event of the batch. */
typedef struct item {
    uint64_t time;
    uint32_t run;   /* index of its chunk in run[] */
    uint32_t index; /* in the chunk's entries */
} item;

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
    slot *heap; /* the chunk with the next event first; without those of the batch */
    size_t heap_count;
    size_t heap_capacity;
    loaded **run; /* the chunks that have events in the batch, in the order of the file */
    size_t runs;
    size_t run_capacity;
    size_t *bound; /* while they are merged: where the events of each run begin, and their end */
    size_t bound_capacity;
    item *batch; /* sorted: the events that precede all others */
    size_t batch_count;
    size_t batch_at; /* index of the next to deliver */
    size_t batch_capacity;
    item *spare; /* to merge into; as large as the batch */
    size_t spare_capacity;
    loaded *free;
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

static void put(loaded **list, loaded *l)
{
    l->next = *list;
    *list = l;
}

void order_begin(order *o, const hectic_header *header, chunk *chunks, size_t count)
{
    if (count) qsort(chunks, count, sizeof *chunks, compare_chunks);
    while (o->heap_count)
        put(&o->free, o->heap[--o->heap_count].loaded);
    while (o->runs)
        put(&o->free, o->run[--o->runs]);
    o->batch_count = o->batch_at = 0;
    o->header = header;
    o->chunks = chunks;
    o->count = o->next = 0;
    /* Sorted by their earliest times: later ones are not needed. */
    while (o->count < count && chunks[o->count].first <= o->last)
        o->count++;
}

static void loaded_free(loaded *l)
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
    free(o->run);
    free(o->bound);
    free(o->batch);
    free(o->spare);
    free(o->scratch);
    free(o);
}

static void insertion_sort(entry *e, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        entry moved = e[i];
        size_t j = i;
        for (; j > 0 && e[j - 1].time > moved.time; j--)
            e[j] = e[j - 1];
        e[j] = moved;
    }
}

/* Merges sorted e[0 … middle-1] and e[middle … count-1], copying the former to `scratch`. */
static void merge(entry *e, size_t middle, size_t count, entry *scratch)
{
    if (middle >= count || e[middle - 1].time <= e[middle].time) return;
    memcpy(scratch, e, middle * sizeof *e);
    size_t a = 0, b = middle, out = 0;
    while (a < middle && b < count)
        e[out++] = e[b].time < scratch[a].time ? e[b++] : scratch[a++];
    memcpy(e + out, scratch + a, (middle - a) * sizeof *e);
}

/* A stable sort by time, linear for nearly sorted entries, such as the events of one block. */
static void sort(entry *e, size_t count, entry *scratch)
{
    enum { RUN = 16 };
    for (size_t i = 0; i < count; i += RUN)
        insertion_sort(e + i, count - i < RUN ? count - i : RUN);
    for (size_t width = RUN; width < count; width *= 2)
        for (size_t i = 0; i < count; i += 2 * width)
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

/* Finds the events in the loaded bytes. False: they differ from those of the survey. */
static bool find_entries(const order *o, loaded *l, const chunk *c)
{
    stepper at = {.header = o->header, .remaining = c->remaining, .cap = c->cap};
    size_t count = 0;
    uint64_t least = 0;
    bool sorted = true;
    for (size_t i = 0; i < c->length;) {
        size_t length = step_length(o->header, l->bytes + i, (size_t)c->length - i);
        if (length == STEP_END_MARK) {
            i += 2;
            continue;
        }
        if (length <= STEP_UNKNOWN) return false;
        uint64_t time = load64(l->bytes + i + 2);
        uint16_t cap = step_over(&at, l->bytes + i, length);
        const uint16_t type = load16(l->bytes + i);
        if (time >= o->from && time <= o->last && (!o->types || type_set_has(o->types, type))) {
            sorted = sorted && time >= least;
            least = time;
            l->entries[count++] = (entry){time, (uint32_t)i, cap, type};
        }
        i += length;
    }
    l->count = count;
    if (!sorted) sort(l->entries, count, o->scratch);
    return true;
}

/* Loads the next chunk. NULL with *error on failure. */
static loaded *load(order *o, hectic_error *error)
{
    const chunk *c = &o->chunks[o->next++];
    loaded *l = o->free;
    o->allowed = o->allowed > c->length ? o->allowed - c->length : 0;
    o->loaded += c->length;
    if (l)
        o->free = l->next;
    else
        l = calloc(1, sizeof *l);
    size_t most = (size_t)c->length / EVENT_HEAD + 1; /* the smallest event takes 10 bytes */
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY, .position = c->position};
    if (!l) return NULL;
    ptrdiff_t n = -1;
    if (reserve((void **)&l->bytes, &l->byte_capacity, (size_t)c->length, 1) &&
        reserve((void **)&l->entries, &l->entry_capacity, most, sizeof *l->entries) &&
        reserve((void **)&o->scratch, &o->scratch_capacity, most, sizeof *o->scratch))
        n = o->source.read(o->source.user, c->position, l->bytes, (size_t)c->length, error);
    l->position = c->position;
    l->at = 0;
    if (n == (ptrdiff_t)c->length && find_entries(o, l, c)) {
        error->kind = HECTIC_OK;
        return l;
    }
    if (n >= 0) *error = (hectic_error){.kind = HECTIC_CHANGED, .position = c->position};
    put(&o->free, l);
    return NULL;
}

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

/* The smallest key that the first chunk not loaded yet may have. */
static place next_chunk(const order *o)
{
    if (o->next == o->count) return nowhere;
    return (place){o->chunks[o->next].first, o->chunks[o->next].position};
}

static place heap_first(const order *o)
{
    return o->heap_count ? o->heap[0].place : nowhere;
}

static loaded *heap_pop(order *o)
{
    loaded *first = o->heap[0].loaded;
    o->heap_count--;
    if (o->heap_count) heap_sink(o, o->heap[o->heap_count]);
    return first;
}

/* --- Batches --------------------------------------------------------------------------------- */

/* Takes back the chunks of the batch that was delivered. */
static bool end_batch(order *o, loaded **used)
{
    o->batch_count = o->batch_at = 0;
    while (o->runs) {
        loaded *l = o->run[o->runs - 1];
        if (l->at == l->count)
            put(used, l);
        else if (!heap_push(o, l))
            return false;
        o->runs--;
    }
    return true;
}

/* Loads all chunks that may have the next event. False: paused, or *error is set. */
static bool load_next(order *o, hectic_error *error)
{
    while (o->next < o->count && before(next_chunk(o), heap_first(o))) {
        o->is_paused = o->allowed == 0;
        if (o->is_paused) return false;
        loaded *more = load(o, error);
        if (!more) return false;
        if (more->count == 0) {
            put(&o->free, more); /* not needed */
        } else if (!heap_push(o, more)) {
            loaded_free(more);
            *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
            return false;
        }
    }
    return true;
}

static int by_position(const void *a, const void *b)
{
    const loaded *const *x = a, *const *y = b;
    return (*x)->position < (*y)->position ? -1 : 1;
}

static void sort_runs(order *o)
{
    enum { FEW = 128 };
    if (o->runs > FEW) {
        qsort(o->run, o->runs, sizeof *o->run, by_position);
        return;
    }
    for (size_t i = 1; i < o->runs; i++) {
        loaded *moved = o->run[i];
        size_t j = i;
        for (; j > 0 && o->run[j - 1]->position > moved->position; j--)
            o->run[j] = o->run[j - 1];
        o->run[j] = moved;
    }
}

/* The index of the first entry that does not precede a place. */
static size_t end_before(const loaded *l, place limit)
{
    size_t first = l->at, last = l->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        const entry *e = &l->entries[middle];
        if (before((place){e->time, l->position + e->offset}, limit))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Merges the sorted items in[a … middle-1] and in[middle … end-1], the former first if they are
 * equal, into out[a …]. Without branches that depend on times, which cannot be predicted. */
static void merge_items(const item *in, size_t a, size_t middle, size_t end, item *out)
{
    size_t b = middle, to = a;
    if (b < end && in[middle - 1].time > in[b].time)
        while (a < middle && b < end) {
            const size_t is_later = in[b].time < in[a].time;
            out[to++] = in[a ^ ((a ^ b) & (0 - is_later))];
            a += 1 - is_later;
            b += is_later;
        }
    memcpy(out + to, in + a, (middle - a) * sizeof *in);
    memcpy(out + to + (middle - a), in + b, (end - b) * sizeof *in);
}

/* Merges the runs in the batch by pairs, until one is left. */
static void merge_runs(order *o)
{
    size_t *bound = o->bound, runs = o->runs;
    for (; runs > 1; runs = (runs + 1) / 2) {
        size_t merged = 0;
        for (size_t i = 0; i < runs; i += 2) {
            const size_t first = bound[i], middle = bound[i + 1];
            const size_t end = bound[i + 2 < runs ? i + 2 : runs];
            merge_items(o->batch, first, middle, end, o->spare);
            bound[merged++] = first;
        }
        bound[merged] = o->batch_count;
        item *const result = o->spare;
        const size_t capacity = o->spare_capacity;
        o->spare = o->batch;
        o->spare_capacity = o->batch_capacity;
        o->batch = result;
        o->batch_capacity = capacity;
    }
}

/* Moves the events of a run into the batch. */
static void add_items(order *o, uint32_t run, size_t end)
{
    loaded *l = o->run[run];
    item *to = o->batch + o->batch_count;
    for (size_t i = l->at; i < end; i++)
        *to++ = (item){l->entries[i].time, run, (uint32_t)i};
    o->batch_count += end - l->at;
    l->at = end;
}

/* Makes the next batch: all events that precede those of chunks that are not loaded yet. False:
 * none, or *error is set. */
static bool advance(order *o, loaded **used, hectic_error *error)
{
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    if (!end_batch(o, used)) return false;
    error->kind = HECTIC_OK;
    if (!load_next(o, error) || o->heap_count == 0) return false;
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    const place limit = next_chunk(o);
    size_t count = 0;
    while (o->heap_count && before(heap_first(o), limit)) {
        if (o->runs == o->run_capacity &&
            !reserve((void **)&o->run, &o->run_capacity, 2 * o->runs + 16, sizeof *o->run))
            return false;
        loaded *l = heap_pop(o);
        o->run[o->runs++] = l;
        count += end_before(l, limit) - l->at;
    }
    if (!reserve((void **)&o->bound, &o->bound_capacity, o->runs + 1, sizeof *o->bound) ||
        !reserve((void **)&o->batch, &o->batch_capacity, count, sizeof *o->batch) ||
        !reserve((void **)&o->spare, &o->spare_capacity, count, sizeof *o->spare))
        return false;
    sort_runs(o);
    for (uint32_t i = 0; i < o->runs; i++) {
        o->bound[i] = o->batch_count;
        add_items(o, i, end_before(o->run[i], limit));
    }
    o->bound[o->runs] = o->batch_count;
    merge_runs(o);
    error->kind = HECTIC_OK;
    return true;
}

static void view(const order *o, const loaded *l, const entry *e, hectic_event *event)
{
    const uint8_t *p = l->bytes + e->offset;
    const hectic_event_type *declared = header_declared(o->header, e->type);
    bool variable = declared->size == HECTIC_VARIABLE;
    event->time = e->time;
    event->position = l->position + e->offset;
    event->payload = p + (variable ? VARIABLE_HEAD : EVENT_HEAD);
    event->declared = declared;
    event->type = e->type;
    event->size = variable ? load16(p + EVENT_HEAD) : declared->size;
    event->cap = e->cap;
}

size_t order_fill(order *o, hectic_event *event, size_t scratch, loaded **used, hectic_error *error)
{
    error->kind = HECTIC_OK;
    for (size_t filled = 0; filled < scratch; filled++) {
        if (o->batch_at == o->batch_count && !advance(o, used, error)) return filled;
        const item *next = &o->batch[o->batch_at++];
        const loaded *l = o->run[next->run];
        view(o, l, &l->entries[next->index], &event[filled]);
    }
    return scratch;
}

void order_reuse(order *o, loaded *used)
{
    while (used) {
        loaded *next = used->next;
        put(&o->free, used);
        used = next;
    }
}
