/* What a reader must know: learned from the blocks that are forgotten, told as header and events.
 */
#include "format/wire.h"
#include "serve/serve.h"

#include <stdlib.h>

enum { STATE_MOST = 256 << 20 };

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

static void note_heeded(known *k)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(k->header, &count);
    for (size_t i = 0; i < count; i++) {
        if (types[i].number >= KNOWN_TYPES) continue;
        k->heeded[types[i].number] = living_heeds(k->living, &types[i]);
        k->lasting[types[i].number] = living_lasts(k->living, &types[i]);
    }
}

bool known_begin(known *k, hectic_header *header, size_t most)
{
    k->header = header_with(header, HECTIC_EVENT_SYNC);
    k->at = (stepper){.header = k->header, .cap = HECTIC_CAP_NONE};
    k->budget.most = most ? most : STATE_MOST;
    k->version = 1;
    k->living = k->header ? living_new(k->header, &k->budget) : NULL;
    if (!k->living) return false;
    living_expect_disorder(k->living);
    note_heeded(k);
    return true;
}

void known_clear(known *k)
{
    living_free(k->living);
    hectic_header_free(k->header);
    definitions_clear(&k->definitions);
    cap_times_clear(&k->times);
    *k = (known){0};
}

static void learn(known *k, const hectic_event *event)
{
    const living_result result = living_event(k->living, event);
    const bool kept = result == LIVING_FOREVER ? definitions_add(&k->definitions, event, &k->budget)
                                               : result != LIVING_FULL && result != LIVING_FAILED;
    k->left_out += !kept;
    if (event->type == HECTIC_EVENT_CAP_CREATE && event->size >= 2)
        k->created |= cap_times_at(&k->times, load16(event->payload)) != NULL;
}

/* No event that is still to come is earlier: each cap's own come in order. 0: there may be caps
 * that have told nothing yet. */
static uint64_t time_of(const known *k)
{
    const uint64_t earliest = k->created ? cap_times_earliest(&k->times) : 0;
    return earliest == UINT64_MAX ? 0 : earliest;
}

uint64_t known_latest(const known *k)
{
    return cap_times_latest(&k->times);
}

/* Most events change nothing, and are stepped over. */
uint64_t known_learn(known *k, const uint8_t *blocks, size_t size)
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
        if (type >= KNOWN_TYPES || !k->heeded[type]) continue;
        hectic_event event;
        step_view(k->header, blocks, length, 0, cap, &event);
        learn(k, &event);
    }
    if (living_would_forget(k->living)) living_forget(k->living, time_of(k));
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

size_t known_keep_lasting(const known *k, uint8_t *blocks, size_t size)
{
    size_t block = 0, kept = 0;
    for (size_t at = 0, length;
         (length = step_length(k->header, blocks + at, size - at)) > STEP_UNKNOWN; at += length) {
        const uint16_t type = load16(blocks + at);
        const bool begins = type == HECTIC_EVENT_BLOCK_MARKER;
        if (begins) block = kept = end_block(blocks, block, kept);
        if (!begins && (kept == 0 || type >= KNOWN_TYPES || !k->lasting[type])) continue;
        memmove(blocks + kept, blocks + at, length);
        kept += length;
    }
    return end_block(blocks, block, kept);
}

/* --- Telling -------------------------------------------------------------------------------- */

bool known_header(const known *k, bytes *out)
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

void known_replay(const known *k, replay *r, bool as_sync, uint64_t time)
{
    r->active = true;
    r->as_sync = as_sync;
    r->of_living = false;
    r->time = time ? time : time_of(k);
    r->definitions = k->definitions.events.size;
}

/* Begins with what lives; again, where it has changed. */
static void replay_living(known *k, replay *r)
{
    if (r->of_living && r->version == k->version) return;
    if (k->sorted != k->version) k->things = living_sort(k->living);
    k->sorted = k->version;
    r->as_sync |= r->of_living;
    r->of_living = true;
    r->version = k->version;
    r->thing = 0;
}

bool known_piece(known *k, replay *r, bytes *out)
{
    enum { PIECE = 32768 };
    const size_t enough = out->size + PIECE;
    if (r->definition == r->definitions) replay_living(k, r);
    teller t = {.out = out, .time = r->time};
    if (r->as_sync) t.sync = hectic_header_type(k->header, HECTIC_EVENT_SYNC);
    bool told = tell_definitions(&t, &k->definitions, &r->definition, r->definitions, enough,
                                 declared, k->header);
    for (; told && r->of_living && r->thing < k->things && out->size < enough; r->thing++)
        told = living_restate_one(k->living, r->thing, k->header, r->time, teller_tell, &t);
    teller_end(&t);
    r->active = told && !(r->of_living && r->thing == k->things);
    return told;
}

bool known_say(const known *k, bytes *out, uint64_t time, const char *text)
{
    const hectic_event_type *type = hectic_header_type(k->header, HECTIC_EVENT_LOG_MSG);
    if (!type) type = hectic_header_type(k->header, HECTIC_EVENT_USER_MSG);
    if (!type || type->size != HECTIC_VARIABLE) return true;
    teller t = {.out = out, .time = time};
    const hectic_event event = {.time = time,
                                .payload = (const uint8_t *)text,
                                .declared = type,
                                .type = type->number,
                                .size = (uint16_t)strlen(text),
                                .cap = HECTIC_CAP_NONE};
    const bool said = teller_tell(&t, &event);
    teller_end(&t);
    return said;
}
