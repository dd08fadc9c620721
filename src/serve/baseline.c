/* What a reader must know: learned from the blocks that are forgotten, told as header and events.
 */
#include "format/wire.h"
#include "serve/serve.h"

#include <stdlib.h>

enum { STATE_MAX = 256 << 20 };

/* --- Learning ------------------------------------------------------------------------------- */

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
        all[count] = wanted; /* the last that is declared holds */
        made = hectic_header_new(all, count + 1);
    }
    free(all);
    hectic_header_free(header);
    return made;
}

static void note_used(baseline *k)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(k->header, &count);
    for (size_t i = 0; i < count; i++) {
        if (types[i].number >= BASELINE_TYPES) continue;
        k->used[types[i].number] = live_state_uses(k->live, &types[i]);
        k->lasting[types[i].number] = live_state_is_permanent(k->live, &types[i]);
    }
}

bool baseline_begin(baseline *k, hectic_header *header, size_t most)
{
    k->header = header_with(header, HECTIC_EVENT_SYNC);
    k->at = (stepper){.header = k->header, .cap = HECTIC_CAP_NONE};
    k->budget.limit = most ? most : STATE_MAX;
    k->version = 1;
    k->live = k->header ? live_state_new(k->header, &k->budget) : NULL;
    if (!k->live) return false;
    live_state_expect_disorder(k->live);
    note_used(k);
    return true;
}

void baseline_clear(baseline *k)
{
    live_state_free(k->live);
    hectic_header_free(k->header);
    definitions_clear(&k->definitions);
    cap_times_clear(&k->times);
    *k = (baseline){0};
}

static void learn(baseline *k, const hectic_event *event)
{
    const live_state_result result = live_state_event(k->live, event);
    const bool kept = result == LIVE_STATE_PERMANENT
                          ? definitions_add(&k->definitions, event, &k->budget)
                          : result != LIVE_STATE_FULL && result != LIVE_STATE_FAILED;
    k->left_out += !kept;
    if (event->type == HECTIC_EVENT_CAP_CREATE && event->size >= 2)
        k->created |= cap_times_at(&k->times, load16(event->payload)) != NULL;
}

/* No event that is still to come is earlier: each cap's own come in order. 0: there may be caps
 * that have told nothing yet. */
static uint64_t time_of(const baseline *k)
{
    const uint64_t earliest = k->created ? cap_times_earliest(&k->times) : 0;
    return earliest == UINT64_MAX ? 0 : earliest;
}

uint64_t baseline_latest(const baseline *k)
{
    return cap_times_latest(&k->times);
}

/* Most events change nothing, and are stepped over. */
uint64_t baseline_update(baseline *k, const uint8_t *blocks, size_t size)
{
    uint64_t count = 0;
    const uint8_t *const end = blocks + size;
    k->version++;
    for (size_t length;
         (length = step_length(k->header, blocks, (size_t)(end - blocks))) > STEP_UNKNOWN;
         blocks += length) {
        const uint16_t type = load16(blocks), cap = step_over(&k->at, blocks, length);
        if (type == HECTIC_EVENT_BLOCK_MARKER) continue;
        uint64_t *time = cap == HECTIC_CAP_NONE ? NULL : cap_times_at(&k->times, cap);
        if (time && *time < load64(blocks + 2)) *time = load64(blocks + 2);
        count++;
        if (type >= BASELINE_TYPES || !k->used[type]) continue;
        hectic_event event;
        step_view(k->header, blocks, length, 0, cap, &event);
        learn(k, &event);
    }
    if (live_state_would_prune(k->live)) live_state_prune(k->live, time_of(k));
    return count;
}

/* The block that ends here: without events, it is left out. Returns the size of all. */
static size_t end_block(uint8_t *blocks, size_t block, size_t size)
{
    enum { MARKER = HECTIC_BLOCK_MARKER_SIZE, SIZE_AT = 10 };
    if (size - block <= MARKER) return block;
    store32(blocks + block + SIZE_AT, (uint32_t)(size - block));
    return size;
}

size_t baseline_keep_permanent(const baseline *k, uint8_t *blocks, size_t size)
{
    size_t block = 0, kept = 0;
    for (size_t at = 0, length;
         (length = step_length(k->header, blocks + at, size - at)) > STEP_UNKNOWN; at += length) {
        const uint16_t type = load16(blocks + at);
        const bool begins = type == HECTIC_EVENT_BLOCK_MARKER;
        if (begins) block = kept = end_block(blocks, block, kept);
        if (!begins && (kept == 0 || type >= BASELINE_TYPES || !k->lasting[type])) continue;
        memmove(blocks + kept, blocks + at, length);
        kept += length;
    }
    return end_block(blocks, block, kept);
}

/* --- Telling -------------------------------------------------------------------------------- */

bool baseline_header(const baseline *k, bytes *out)
{
    size_t size;
    const uint8_t *header = hectic_header_bytes(k->header, &size);
    uint8_t *at = bytes_add(out, size);
    if (at) memcpy(at, header, size);
    return at != NULL;
}

static const hectic_event_type *declared(const void *user, uint16_t number)
{
    return hectic_header_type(user, number);
}

void baseline_replay(const baseline *k, replay *r, bool as_sync, uint64_t time)
{
    r->active = true;
    r->as_sync = as_sync;
    r->at_live_state = false;
    r->time = time ? time : time_of(k);
    r->definitions = k->definitions.events.size;
}

/* Begins with what lives; again, where it has changed. */
static void replay_live_state(baseline *k, replay *r)
{
    if (r->at_live_state && r->version == k->version) return;
    if (k->sorted != k->version) k->things = live_state_sort(k->live);
    k->sorted = k->version;
    r->as_sync |= r->at_live_state;
    r->at_live_state = true;
    r->version = k->version;
    r->thing = 0;
}

bool baseline_piece(baseline *k, replay *r, bytes *out)
{
    enum { PIECE = 32768 };
    const size_t enough = out->size + PIECE;
    if (r->definition == r->definitions) replay_live_state(k, r);
    replay_writer t = {.out = out, .time = r->time};
    if (r->as_sync) t.sync = hectic_header_type(k->header, HECTIC_EVENT_SYNC);
    bool told = replay_definitions(&t, &k->definitions, &r->definition, r->definitions, enough,
                                   declared, k->header);
    for (; told && r->at_live_state && r->thing < k->things && out->size < enough; r->thing++)
        told =
            live_state_replay_one(k->live, r->thing, k->header, r->time, replay_writer_event, &t);
    replay_writer_end(&t);
    r->active = told && !(r->at_live_state && r->thing == k->things);
    return told;
}

bool baseline_message(const baseline *k, bytes *out, uint64_t time, const char *text)
{
    const hectic_event_type *type = hectic_header_type(k->header, HECTIC_EVENT_LOG_MSG);
    if (!type) type = hectic_header_type(k->header, HECTIC_EVENT_USER_MSG);
    if (!type || type->size != HECTIC_VARIABLE) return true;
    replay_writer t = {.out = out, .time = time};
    const hectic_event event = {.time = time,
                                .payload = (const uint8_t *)text,
                                .declared = type,
                                .type = type->number,
                                .size = (uint16_t)strlen(text),
                                .cap = HECTIC_CAP_NONE};
    const bool said = replay_writer_event(&t, &event);
    replay_writer_end(&t);
    return said;
}
