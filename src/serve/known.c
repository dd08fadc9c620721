/* What a reader must know: learned from the blocks that are forgotten, told as header and events.
 */
#include "format/wire.h"
#include "serve/serve.h"

#include <hectic/encoder.h>

#include <stdlib.h>

uint8_t *run_add(run *r, size_t size)
{
    if (size > r->capacity - r->size) {
        const size_t capacity = (r->size + size) * 2;
        uint8_t *at = realloc(r->at, capacity);
        if (!at) return NULL;
        r->at = at;
        r->capacity = capacity;
    }
    r->size += size;
    return r->at + r->size - size;
}

void run_clear(run *r)
{
    free(r->at);
    *r = (run){0};
}

/* --- Learning ------------------------------------------------------------------------------- */

/* The runtime's types, and SYNC. */
static hectic_header *header_for_readers(const hectic_header *header)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    hectic_event_type *all = calloc(count + 1, sizeof *all);
    if (!all) return NULL;
    memcpy(all, types, count * sizeof *all);
    if (!hectic_header_type(header, HECTIC_EVENT_SYNC))
        all[count++] = hectic_type_of(HECTIC_EVENT_SYNC);
    hectic_header *made = hectic_header_new(all, count);
    free(all);
    return made;
}

bool known_begin(known *k, const uint8_t *header, size_t size)
{
    hectic_event event;
    k->definitions.entry_size = sizeof(map_key);
    k->times = calloc(HECTIC_CAP_NONE + 1, sizeof *k->times);
    k->decoder = hectic_decoder_new();
    if (!k->times || !k->decoder) return false;
    hectic_decoder_push(k->decoder, header, size);
    while (hectic_decoder_pull(k->decoder, &event) != HECTIC_PARTIAL)
        ;
    k->header = header_for_readers(hectic_decoder_header(k->decoder));
    k->living = k->header ? living_new(hectic_decoder_header(k->decoder)) : NULL;
    if (!k->living) return false;
    living_expect_disorder(k->living);
    return true;
}

void known_clear(known *k)
{
    living_free(k->living);
    hectic_header_free(k->header);
    hectic_decoder_free(k->decoder);
    map_clear(&k->definitions);
    run_clear(&k->defined);
    free(k->times);
    *k = (known){0};
}

/* Two hashes of an event but for its time: FNV-1a, from two beginnings. */
static map_key key_of(const hectic_event *event)
{
    map_key key = {UINT64_C(0xcbf29ce484222325) + event->type, 0x9e3779b97f4a7c15 ^ event->size};
    for (size_t i = 0; i < event->size; i++) {
        key.a = (key.a ^ event->payload[i]) * 0x100000001b3;
        key.b = (key.b ^ event->payload[i]) * 0x100000001b3;
    }
    key.b |= 1;
    return key;
}

/* A definition that never dies, once. */
static void define(known *k, const hectic_event *event)
{
    const size_t count = k->definitions.count;
    if (!map_add(&k->definitions, key_of(event)) || k->definitions.count == count) return;
    const size_t size = hectic_encode_event(NULL, 0, event);
    uint8_t *out = run_add(&k->defined, 2 + size);
    if (!out) return;
    store16(out, event->cap);
    hectic_encode_event(out + 2, size, event);
}

static void learn(known *k, const hectic_event *event)
{
    if (living_event(k->living, event) == LIVING_FOREVER) define(k, event);
    const bool creates = event->type == HECTIC_EVENT_CAP_CREATE && event->size >= 2;
    const uint16_t cap = creates ? load16(event->payload) : event->cap;
    if (cap == HECTIC_CAP_NONE) return;
    if (k->caps <= cap) k->caps = cap + 1;
    k->created |= creates;
    if (!creates && k->times[cap] < event->time) k->times[cap] = event->time;
}

/* No event that is still to come is earlier: each cap's own come in order. 0: there may be caps
 * that have told nothing yet. */
static uint64_t time_of(const known *k)
{
    uint64_t earliest = k->created ? UINT64_MAX : 0;
    for (uint16_t cap = 0; cap < k->caps; cap++)
        if (k->times[cap] < earliest) earliest = k->times[cap];
    return earliest == UINT64_MAX ? 0 : earliest;
}

uint64_t known_learn(known *k, const uint8_t *blocks, size_t size)
{
    uint64_t count = 0;
    hectic_event event;
    hectic_result result;
    hectic_decoder_push(k->decoder, blocks, size);
    while ((result = hectic_decoder_pull(k->decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_ERROR) hectic_decoder_resync(k->decoder);
        if (result != HECTIC_ONE) continue;
        learn(k, &event);
        count += event.type != HECTIC_EVENT_BLOCK_MARKER;
    }
    living_forget(k->living, time_of(k));
    return count;
}

/* --- Telling -------------------------------------------------------------------------------- */

bool known_header(const known *k, run *out)
{
    size_t size;
    const uint8_t *bytes = hectic_header_bytes(k->header, &size);
    uint8_t *at = run_add(out, size);
    if (at) memcpy(at, bytes, size);
    return at != NULL;
}

/* An event as the readers' header declares it; in a block of its own, or in the last one if that
 * is of the same cap and is still `open`. */
typedef struct teller {
    const known *known;
    run *out;
    size_t block; /* where the open block begins */
    bool open, as_sync;
    uint16_t cap;
    uint64_t time;
} teller;

static void end_block(teller *t)
{
    if (t->open)
        hectic_encode_block_marker(t->out->at + t->block, HECTIC_BLOCK_MARKER_SIZE, t->time,
                                   (uint32_t)(t->out->size - t->block), t->time, t->cap);
    t->open = false;
}

static bool put(teller *t, const hectic_event *event)
{
    if (!t->open || t->cap != event->cap) {
        end_block(t);
        t->block = t->out->size;
        t->cap = event->cap;
        t->open = run_add(t->out, HECTIC_BLOCK_MARKER_SIZE) != NULL;
        if (!t->open) return false;
    }
    const size_t size = hectic_encode_event(NULL, 0, event);
    uint8_t *at = run_add(t->out, size);
    if (at) hectic_encode_event(at, size, event);
    return at != NULL;
}

static bool tell(void *user, const hectic_event *event)
{
    enum { FIELDS = 4, MOST = 65535 };
    teller *t = user;
    if (!t->as_sync) return put(t, event);
    if (event->size > MOST - FIELDS) return true;
    uint8_t *payload = malloc(FIELDS + (size_t)event->size);
    if (!payload) return false;
    store16(payload, event->type);
    store16(payload + 2, event->cap);
    if (event->size > 0) memcpy(payload + FIELDS, event->payload, event->size);
    const hectic_event sync = {.time = event->time,
                               .payload = payload,
                               .declared = hectic_header_type(t->known->header, HECTIC_EVENT_SYNC),
                               .type = HECTIC_EVENT_SYNC,
                               .size = (uint16_t)(FIELDS + event->size),
                               .cap = HECTIC_CAP_NONE};
    const bool done = put(t, &sync);
    free(payload);
    return done;
}

static bool tell_definitions(teller *t)
{
    enum { PREFIX = 10 };
    const run *defined = &t->known->defined;
    for (size_t at = 0; at < defined->size;) {
        const uint8_t *bytes = defined->at + at + 2;
        const hectic_event_type *type = hectic_header_type(t->known->header, load16(bytes));
        const bool variable = type->size == HECTIC_VARIABLE;
        const hectic_event event = {.time = t->time,
                                    .payload = bytes + PREFIX + (variable ? 2 : 0),
                                    .declared = type,
                                    .type = type->number,
                                    .size = variable ? load16(bytes + PREFIX) : type->size,
                                    .cap = load16(bytes - 2)};
        if (!tell(t, &event)) return false;
        at = (size_t)(event.payload + event.size - defined->at);
    }
    return true;
}

bool known_tell(const known *k, run *out, bool as_sync, uint64_t time)
{
    teller t = {.known = k, .out = out, .as_sync = as_sync, .time = time ? time : time_of(k)};
    const bool told =
        tell_definitions(&t) && living_restate(k->living, k->header, t.time, tell, &t);
    end_block(&t);
    return told;
}

bool known_say(const known *k, run *out, uint64_t time, const char *text)
{
    const hectic_event_type *type = hectic_header_type(k->header, HECTIC_EVENT_LOG_MSG);
    if (!type) type = hectic_header_type(k->header, HECTIC_EVENT_USER_MSG);
    if (!type || type->size != HECTIC_VARIABLE) return true;
    teller t = {.known = k, .out = out, .time = time};
    const hectic_event event = {.time = time,
                                .payload = (const uint8_t *)text,
                                .declared = type,
                                .type = type->number,
                                .size = (uint16_t)strlen(text),
                                .cap = HECTIC_CAP_NONE};
    const bool said = put(&t, &event);
    end_block(&t);
    return said;
}
