/* nonmoving.c — see nonmoving.h. */
#include "profiles/nonmoving.h"
#include <hectic/read_events.h>

#include "base/array.h"
#include "numbers/saturating.h"

#include <stdlib.h>

struct phase {
    uint64_t begin;
    bool is_open;
};

struct hectic_nonmoving {
    uint64_t from, to;
    hectic_nonmoving_callback callback;
    void *user;
    uint32_t caps; /* of the section: the largest number, plus 1 */
    struct phase phase[HECTIC_NONMOVING_PHASES];
    uint16_t previous; /* the type of the last event of the collector itself */
    hectic_nonmoving_class *size_class;
    uint32_t capacity;
    hectic_nonmoving_census census; /* classes == 0: none is open */
    hectic_nonmoving_totals totals;
};

hectic_nonmoving *hectic_nonmoving_new(uint64_t from, uint64_t to,
                                       hectic_nonmoving_callback callback, void *user)
{
    hectic_nonmoving *n = calloc(1, sizeof *n);
    if (n) *n = (hectic_nonmoving){.from = from, .to = to, .callback = callback, .user = user};
    return n;
}

void hectic_nonmoving_free(hectic_nonmoving *n)
{
    if (!n) return;
    free(n->size_class);
    free(n);
}

static bool is_inside(const hectic_nonmoving *n, uint64_t time)
{
    return time_is_inside(time, n->from, n->to);
}

/* --- Phases ---------------------------------------------------------------------------------- */

const char *hectic_nonmoving_phase_name(hectic_nonmoving_phase phase)
{
    static const char *const names[] = {"mark", "sync", "final mark", "sweep"};
    return (unsigned)phase < HECTIC_NONMOVING_PHASES ? names[phase] : NULL;
}

static void begin_phase(hectic_nonmoving *n, hectic_nonmoving_phase phase, uint64_t time)
{
    n->phase[phase] = (struct phase){time, true};
}

static void end_phase(hectic_nonmoving *n, hectic_nonmoving_phase phase, uint64_t time)
{
    struct phase *of = &n->phase[phase];
    const bool was_open = of->is_open;
    of->is_open = false;
    if (!was_open || !is_inside(n, time)) return;
    const uint64_t length = saturating_less(time, of->begin);
    n->totals.phase[phase].count++;
    saturating_add(&n->totals.phase[phase].ns, length);
    if (length > n->totals.phase[phase].max) n->totals.phase[phase].max = length;
}

static void begin_mark(hectic_nonmoving *n, uint64_t time)
{
    const bool is_final = n->phase[HECTIC_NONMOVING_SYNC].is_open;
    begin_phase(n, is_final ? HECTIC_NONMOVING_FINAL_MARK : HECTIC_NONMOVING_MARK, time);
}

static void end_mark(hectic_nonmoving *n, const hectic_event *event)
{
    const bool is_final = n->phase[HECTIC_NONMOVING_FINAL_MARK].is_open;
    end_phase(n, is_final ? HECTIC_NONMOVING_FINAL_MARK : HECTIC_NONMOVING_MARK, event->time);
    hectic_event_conc_mark_end fields;
    if (!hectic_read_conc_mark_end(event, &fields))
        n->totals.malformed++;
    else if (is_inside(n, event->time))
        saturating_add(&n->totals.marked, fields.objects);
}

/* GHC posts the events of a synchronization twice in a row: the first of them count. */
static void begin_sync(hectic_nonmoving *n, uint64_t time)
{
    if (n->previous == HECTIC_EVENT_CONC_SYNC_BEGIN && n->phase[HECTIC_NONMOVING_SYNC].is_open)
        return;
    n->phase[HECTIC_NONMOVING_FINAL_MARK].is_open = false;
    begin_phase(n, HECTIC_NONMOVING_SYNC, time);
}

/* A collection has ended; what is still open has lost its end. */
static void close_phases(hectic_nonmoving *n)
{
    n->phase[HECTIC_NONMOVING_SYNC].is_open = false;
    n->phase[HECTIC_NONMOVING_FINAL_MARK].is_open = false;
}

/* --- Census ---------------------------------------------------------------------------------- */

/* Reports the census that is open. */
static bool end_census(hectic_nonmoving *n)
{
    hectic_nonmoving_census *census = &n->census;
    bool go_on = true;
    if (census->classes == 0) return true;
    census->size_class = n->size_class;
    if (is_inside(n, census->time)) {
        n->totals.censuses++;
        go_on = !n->callback || n->callback(n->user, census);
    }
    *census = (hectic_nonmoving_census){.index = census->index + 1};
    return go_on;
}

/* Sizes ascend in a census. */
static bool is_next_census(const hectic_nonmoving *n, uint32_t block_size)
{
    const uint32_t classes = n->census.classes;
    return classes > 0 && block_size <= n->size_class[classes - 1].block_size;
}

static hectic_nonmoving_class *add_class(hectic_nonmoving *n)
{
    if (!array_reserve(n->size_class, n->capacity, n->census.classes + 1)) return NULL;
    return &n->size_class[n->census.classes++];
}

/* Until GHC 9.8 the event has its logarithm. 0: impossible. */
static uint32_t block_size_of(const hectic_event_nonmoving_heap_census *census)
{
    if (census->has_block_size) return census->block_size;
    return census->log_block_size < 16 ? UINT32_C(1) << census->log_block_size : 0;
}

static bool take_census(hectic_nonmoving *n, const hectic_event *event)
{
    hectic_event_nonmoving_heap_census fields;
    const uint32_t block_size =
        hectic_read_nonmoving_heap_census(event, &fields) ? block_size_of(&fields) : 0;
    const uint64_t blocks = hectic_nonmoving_blocks(block_size);
    if (blocks == 0) return n->totals.malformed++, true;
    if (is_next_census(n, block_size) && !end_census(n)) return false;
    if (n->census.classes == 0) n->census.time = event->time;
    hectic_nonmoving_class *size_class = add_class(n);
    if (!size_class) return false;
    *size_class = (hectic_nonmoving_class){
        .block_size = block_size,
        .active_segments = fields.active_segments,
        .filled_segments = fields.filled_segments,
        .current_segments = n->caps ? n->caps : 1,
        .live_blocks = fields.live_blocks,
    };
    size_class->segments = (uint64_t)size_class->active_segments + size_class->filled_segments +
                           size_class->current_segments;
    size_class->live = (uint64_t)size_class->live_blocks * block_size;
    size_class->capacity = size_class->segments * blocks * block_size;
    saturating_add(&n->census.segments, size_class->segments);
    saturating_add(&n->census.live, size_class->live);
    saturating_add(&n->census.capacity, size_class->capacity);
    return true;
}

/* --- Events ---------------------------------------------------------------------------------- */

static void take_pruned(hectic_nonmoving *n, const hectic_event *event)
{
    if (!is_inside(n, event->time)) return;
    hectic_event_nonmoving_pruned_segments fields;
    if (!hectic_read_nonmoving_pruned_segments(event, &fields)) {
        n->totals.malformed++;
        return;
    }
    n->totals.has_pruned = true;
    saturating_add(&n->totals.pruned, fields.pruned);
    n->totals.free = fields.free;
}

static void take_cap(hectic_nonmoving *n, const hectic_event *event)
{
    uint16_t number;
    if (hectic_read_cap(event, &number) && number >= n->caps) n->caps = number + UINT32_C(1);
}

/* Events of the collector, which follow each other in the log's global buffer. */
static bool take_own(hectic_nonmoving *n, const hectic_event *event)
{
    if (event->type != HECTIC_EVENT_NONMOVING_HEAP_CENSUS && !end_census(n)) return false;
    switch (event->type) {
    case HECTIC_EVENT_CONC_MARK_BEGIN: begin_mark(n, event->time); break;
    case HECTIC_EVENT_CONC_MARK_END: end_mark(n, event); break;
    case HECTIC_EVENT_CONC_SYNC_BEGIN: begin_sync(n, event->time); break;
    case HECTIC_EVENT_CONC_SYNC_END: end_phase(n, HECTIC_NONMOVING_SYNC, event->time); break;
    case HECTIC_EVENT_CONC_SWEEP_BEGIN:
        close_phases(n);
        begin_phase(n, HECTIC_NONMOVING_SWEEP, event->time);
        break;
    case HECTIC_EVENT_CONC_SWEEP_END: end_phase(n, HECTIC_NONMOVING_SWEEP, event->time); break;
    case HECTIC_EVENT_NONMOVING_PRUNED_SEGMENTS: take_pruned(n, event); break;
    default: break;
    }
    n->previous = event->type;
    return event->type != HECTIC_EVENT_NONMOVING_HEAP_CENSUS || take_census(n, event);
}

bool hectic_nonmoving_event(hectic_nonmoving *n, const hectic_event *event)
{
    hectic_event replayed;
    switch (event->type) {
    case HECTIC_EVENT_CAP_CREATE: take_cap(n, event); return true;
    case HECTIC_EVENT_SYNC:
        if (hectic_read_replayed(event, &replayed) && replayed.type == HECTIC_EVENT_CAP_CREATE)
            take_cap(n, &replayed);
        return true;
    case HECTIC_EVENT_CONC_UPD_REM_SET_FLUSH:
        n->totals.flushes += is_inside(n, event->time);
        return true;
    case HECTIC_EVENT_CONC_MARK_BEGIN:
    case HECTIC_EVENT_CONC_MARK_END:
    case HECTIC_EVENT_CONC_SYNC_BEGIN:
    case HECTIC_EVENT_CONC_SYNC_END:
    case HECTIC_EVENT_CONC_SWEEP_BEGIN:
    case HECTIC_EVENT_CONC_SWEEP_END:
    case HECTIC_EVENT_NONMOVING_HEAP_CENSUS:
    case HECTIC_EVENT_NONMOVING_PRUNED_SEGMENTS: return take_own(n, event);
    default: return true;
    }
}

bool hectic_nonmoving_end(hectic_nonmoving *n)
{
    const bool go_on = end_census(n);
    for (size_t i = 0; i < HECTIC_NONMOVING_PHASES; i++)
        n->phase[i].is_open = false;
    n->census.index = 0;
    n->caps = 0;
    n->previous = 0;
    return go_on;
}

hectic_nonmoving_totals hectic_nonmoving_get_totals(const hectic_nonmoving *n)
{
    return n->totals;
}
