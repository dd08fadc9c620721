/* A stream delivers all events of a decoder once, within its memory limit, and in order of time
 * unless it counts an event as late. */
#include "fuzz.h"

typedef struct {
    uint64_t events, hash, headers, ends, errors, skipped;
} sum;

/* Independent of the order. */
static void add_event(sum *s, const hectic_event *event)
{
    uint64_t hash = event->position * UINT64_C(0x9e3779b97f4a7c15) + event->time;
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + event->type * 65536u + event->cap;
    for (size_t i = 0; i < event->size; i++)
        hash = (hash ^ event->payload[i]) * UINT64_C(0x100000001b3);
    s->hash += hash ^ hash >> 31;
    s->events++;
}

static void count(sum *s, hectic_result result)
{
    s->headers += result == HECTIC_HEADER;
    s->ends += result == HECTIC_COMPLETE;
    s->errors += result == HECTIC_ERROR;
}

static sum decode(const uint8_t *data, size_t length)
{
    sum s = {0};
    hectic_decoder *decoder = hectic_decoder_new();
    REQUIRE(decoder);
    hectic_event event;
    hectic_result result;
    hectic_decoder_push(decoder, data, length);
    while ((result = pull_to_end(decoder, &event)) != HECTIC_PARTIAL) {
        count(&s, result);
        if (result == HECTIC_GOT_EVENT) add_event(&s, &event);
        if (result != HECTIC_ERROR) continue;
        if (!hectic_decoder_header(decoder)) break;
        hectic_decoder_resync(decoder);
    }
    s.skipped = hectic_decoder_skipped(decoder);
    hectic_decoder_free(decoder);
    return s;
}

static sum stream(const uint8_t *data, size_t length, size_t piece, uint64_t lag, uint64_t tick)
{
    enum { MEMORY = 1 << 20 };
    sum sum = {0};
    const uint64_t most = lag < UINT64_MAX / 8 ? 8 * lag : 0;
    hectic_stream *s =
        hectic_stream_new(&(hectic_stream_options){.lag = lag, .lag_max = most, .memory = MEMORY});
    REQUIRE(s);
    uint64_t now = 0, last = 0, late = 0;
    size_t at = 0;
    for (bool ended = false; !ended; now += tick) {
        ended = at == length;
        const size_t n = length - at < piece ? length - at : piece;
        uint8_t *copy = must_allocate(n);
        if (n) memcpy(copy, data + at, n);
        at += n;
        hectic_stream_push(s, copy, n, now);
        if (ended) hectic_stream_end(s);
        hectic_event event;
        hectic_result result;
        while ((result = hectic_stream_pull(s, now, &event)) != HECTIC_PARTIAL) {
            count(&sum, result);
            if (result == HECTIC_HEADER) last = 0;
            if (result != HECTIC_GOT_EVENT) continue;
            REQUIRE(event.declared == hectic_header_type(hectic_stream_header(s), event.type));
            add_event(&sum, &event);
            late += event.time < last;
            if (event.time > last) last = event.time;
        }
        REQUIRE(hectic_stream_due(s) > now);
        REQUIRE(hectic_stream_get_state(s).memory <= MEMORY);
        free(copy);
    }
    const hectic_stream_state state = hectic_stream_get_state(s);
    REQUIRE(state.held == 0 && state.late == late && state.events == sum.events);
    REQUIRE(state.damaged == sum.errors);
    REQUIRE(state.lag >= lag && (state.lag == lag || state.lag <= most));
    sum.skipped = state.skipped;
    hectic_stream_free(s);
    return sum;
}

static void require_same(const sum *a, const sum *b)
{
    REQUIRE(a->events == b->events && a->hash == b->hash);
    REQUIRE(a->headers == b->headers && a->ends == b->ends && a->errors == b->errors);
    REQUIRE(a->skipped == b->skipped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const sum expected = decode(data, length);
    const size_t piece = length < 2000 ? 1 + length % 7 : length / 500;
    const sum held = stream(data, length, 65536, UINT64_MAX, 0);
    const sum hurried = stream(data, length, piece, 1 + length % 100000, 100);
    require_same(&expected, &held);
    require_same(&expected, &hurried);
    return 0;
}
