/* The baseline snapshot: updated with blocks that leave the queue, replayed as header and events.
 */
#include "format/event_bytes.h"
#include "serve/serve.h"

#include <stdlib.h>

enum { MAX_STATE = 256 << 20 };

/* --- Updating --------------------------------------------------------------------------------- */

hectic_header *header_with(hectic_header *header, uint16_t number)
{
    const hectic_event_type *there = hectic_header_type(header, number);
    const hectic_event_type wanted = hectic_type_of(number);
    if (there && there->size == wanted.size) return header;
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    hectic_event_type *all = calloc(count + 1, sizeof *all);
    hectic_header *made = NULL;
    if (all) {
        memcpy(all, types, count * sizeof *all);
        all[count] = wanted; /* the last declaration wins */
        made = hectic_header_new(all, count + 1);
    }
    free(all);
    hectic_header_free(header);
    return made;
}

static void classify_types(baseline *b)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(b->header, &count);
    for (size_t i = 0; i < count; i++) {
        if (types[i].number >= BASELINE_TYPES) continue;
        b->used[types[i].number] = live_state_uses(b->live, &types[i]);
        b->permanent[types[i].number] = live_state_is_permanent(b->live, &types[i]);
    }
}

bool baseline_begin(baseline *b, hectic_header *header, size_t most)
{
    b->header = header_with(header, HECTIC_EVENT_SYNC);
    b->budget.limit = most ? most : MAX_STATE;
    b->version = 1;
    b->live = b->header ? live_state_new(b->header, &b->budget) : NULL;
    if (!b->live) return false;
    b->at = step_outside(b->header);
    live_state_expect_disorder(b->live);
    classify_types(b);
    return true;
}

void baseline_clear(baseline *b)
{
    live_state_free(b->live);
    hectic_header_free(b->header);
    definitions_clear(&b->definitions);
    cap_times_clear(&b->times);
    *b = (baseline){0};
}

static void apply(baseline *b, const hectic_event *event)
{
    const live_state_result result = live_state_event(b->live, event);
    const bool kept = result == LIVE_STATE_PERMANENT
                          ? definitions_add(&b->definitions, event, &b->budget)
                          : result != LIVE_STATE_FULL && result != LIVE_STATE_FAILED;
    b->left_out += !kept;
    uint16_t cap;
    if (event->type == HECTIC_EVENT_CAP_CREATE && hectic_read_cap(event, &cap))
        b->created |= cap_times_at(&b->times, cap) != NULL;
}

/* No later block has an earlier event: each cap's events are in order. 0: some caps may have no
 * events yet. */
static uint64_t time_of(const baseline *b)
{
    const uint64_t earliest = b->created ? cap_times_earliest(&b->times) : 0;
    return earliest == UINT64_MAX ? 0 : earliest;
}

/* Most events change nothing, and are skipped. */
uint64_t baseline_update(baseline *b, const uint8_t *blocks, size_t size)
{
    uint64_t count = 0;
    const uint8_t *const end = blocks + size;
    b->version++;
    for (size_t length;
         (length = step_size(b->header, blocks, (size_t)(end - blocks))) > STEP_UNKNOWN;
         blocks += length) {
        const uint16_t type = event_type_at(blocks), cap = step_over(&b->at, blocks, length);
        if (type == HECTIC_EVENT_BLOCK_MARKER) continue;
        uint64_t *time = cap == HECTIC_CAP_NONE ? NULL : cap_times_at(&b->times, cap);
        if (time && *time < event_time_at(blocks)) *time = event_time_at(blocks);
        count++;
        if (type >= BASELINE_TYPES || !b->used[type]) continue;
        hectic_event event;
        step_view(b->header, blocks, length, 0, cap, &event);
        apply(b, &event);
    }
    if (live_state_would_prune(b->live)) live_state_prune(b->live, time_of(b));
    return count;
}

uint64_t baseline_count(const baseline *b, const uint8_t *blocks, size_t size)
{
    uint64_t count = 0;
    const uint8_t *const end = blocks + size;
    for (size_t length;
         (length = step_size(b->header, blocks, (size_t)(end - blocks))) > STEP_UNKNOWN;
         blocks += length)
        count += event_type_at(blocks) != HECTIC_EVENT_BLOCK_MARKER;
    return count;
}

/* Ends a block, which is removed if it has no events. Returns the total size. */
static size_t end_block(uint8_t *blocks, size_t block, size_t size)
{
    if (size - block <= HECTIC_BLOCK_MARKER_SIZE) return block;
    marker_set_size(blocks + block, size - block);
    return size;
}

size_t baseline_keep_permanent(const baseline *b, uint8_t *blocks, size_t size)
{
    size_t block = 0, kept = 0;
    for (size_t at = 0, length;
         (length = step_size(b->header, blocks + at, size - at)) > STEP_UNKNOWN; at += length) {
        const uint16_t type = event_type_at(blocks + at);
        const bool begins = type == HECTIC_EVENT_BLOCK_MARKER;
        if (begins) block = kept = end_block(blocks, block, kept);
        if (!begins && (kept == 0 || type >= BASELINE_TYPES || !b->permanent[type])) continue;
        memmove(blocks + kept, blocks + at, length);
        kept += length;
    }
    return end_block(blocks, block, kept);
}

/* --- Replaying -------------------------------------------------------------------------------- */

bool baseline_header(const baseline *b, bytes *out)
{
    size_t size;
    const uint8_t *header = hectic_header_bytes(b->header, &size);
    uint8_t *at = bytes_add(out, size);
    if (at) memcpy(at, header, size);
    return at != NULL;
}

static const hectic_event_type *declared(const void *user, uint16_t number)
{
    return hectic_header_type(user, number);
}

void baseline_replay(const baseline *b, replay *r, bool as_sync, uint64_t time)
{
    r->active = true;
    r->as_sync = as_sync;
    r->at_live_state = false;
    r->time = time;
    r->definitions = b->definitions.events.size;
}

/* Starts the replay of the live state; restarts it if the live state has changed. */
static void replay_live_state(baseline *b, replay *r)
{
    if (r->at_live_state && r->version == b->version) return;
    if (b->sorted != b->version) b->live_count = live_state_sort(b->live);
    b->sorted = b->version;
    r->as_sync |= r->at_live_state;
    r->at_live_state = true;
    r->version = b->version;
    r->live_index = 0;
}

bool baseline_piece(baseline *b, replay *r, bytes *out)
{
    enum { PIECE = 32768 };
    const size_t enough = out->size + PIECE;
    if (r->definition == r->definitions) replay_live_state(b, r);
    replay_writer t = {.out = out, .time = r->time};
    if (r->as_sync) t.sync = hectic_header_type(b->header, HECTIC_EVENT_SYNC);
    bool ok = replay_definitions(&t, &b->definitions, &r->definition, r->definitions, enough,
                                 declared, b->header);
    for (; ok && r->at_live_state && r->live_index < b->live_count && out->size < enough;
         r->live_index++)
        ok = live_state_replay_one(b->live, r->live_index, b->header, r->time, replay_writer_event,
                                   &t);
    replay_writer_end(&t);
    r->active = ok && !(r->at_live_state && r->live_index == b->live_count);
    return ok;
}

bool baseline_message(const baseline *b, bytes *out, uint64_t time, const char *text)
{
    const hectic_event_type *type = hectic_header_type(b->header, HECTIC_EVENT_LOG_MSG);
    if (!type) type = hectic_header_type(b->header, HECTIC_EVENT_USER_MSG);
    if (!type || type->size != HECTIC_VARIABLE) return true;
    replay_writer t = {.out = out, .time = time};
    const hectic_event event = {.time = time,
                                .payload = (const uint8_t *)text,
                                .declared = type,
                                .type = type->number,
                                .size = (uint16_t)strlen(text),
                                .cap = HECTIC_CAP_NONE};
    const bool ok = replay_writer_event(&t, &event);
    replay_writer_end(&t);
    return ok;
}

/* The queue is applied to a copy of the live state. */
chunk *baseline_ahead(const baseline *b, const chunk *first, const chunk *last, uint64_t time)
{
    bytes out = {0};
    baseline ahead = *b;
    ahead.definitions = (definitions){0};
    ahead.times = (cap_times){0};
    ahead.created &= cap_times_raise(&ahead.times, &b->times);
    ahead.live = first ? live_state_copy(b->live) : b->live;
    if (!ahead.live) cap_times_clear(&ahead.times);
    if (!ahead.live) return NULL;
    for (const chunk *c = first; c; c = c != last ? c->next : NULL)
        baseline_update(&ahead, c->bytes, c->size);
    replay_writer t = {
        .out = &out, .time = time, .sync = hectic_header_type(b->header, HECTIC_EVENT_SYNC)};
    size_t at = 0;
    const bool ok = replay_definitions(&t, &b->definitions, &at, b->definitions.events.size,
                                       SIZE_MAX, declared, b->header) &&
                    replay_all(&t, &ahead.definitions, ahead.live, b->header, declared, b->header);
    chunk *c = ok ? chunk_new(out.at, out.size) : NULL;
    bytes_clear(&out);
    definitions_clear(&ahead.definitions);
    cap_times_clear(&ahead.times);
    if (first) live_state_free(ahead.live);
    return c;
}
