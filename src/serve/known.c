/* What a reader must know: learned from the blocks that are forgotten, told as header and events.
 */
#include "format/wire.h"
#include "serve/serve.h"

#include <hectic/encoder.h>

#include <stdlib.h>

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
    definitions_clear(&k->definitions);
    free(k->times);
    *k = (known){0};
}

static void learn(known *k, const hectic_event *event)
{
    if (living_event(k->living, event) == LIVING_FOREVER) definitions_add(&k->definitions, event);
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

bool known_tell(const known *k, bytes *out, bool as_sync, uint64_t time)
{
    teller t = {.out = out, .time = time ? time : time_of(k)};
    if (as_sync) t.sync = hectic_header_type(k->header, HECTIC_EVENT_SYNC);
    return tell_all(&t, &k->definitions, k->living, k->header, declared, k->header);
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
