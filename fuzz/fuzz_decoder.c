/* The decoder gives the same items for every division of an input into pieces; they lie inside the
 * input, one after the other; and every resync ends. */
#include "fuzz.h"

typedef struct {
    hectic_result result;
    uint16_t type, cap;
    uint64_t time, position;
    int64_t remaining;
} item;

typedef struct {
    item *items;
    size_t count, capacity;
    uint64_t skipped, position;
    size_t tail;
} outcome;

typedef struct {
    const uint8_t *data;
    size_t length;
} input;

static void check_event(const hectic_event *event, const input *in)
{
    bool variable = event->declared->size == HECTIC_VARIABLE;
    uint64_t payload = event->position + (variable ? 12 : 10);
    REQUIRE(event->declared->number == event->type);
    REQUIRE(variable || event->size == event->declared->size);
    REQUIRE(payload + event->size <= in->length);
    REQUIRE(memcmp(event->payload, in->data + payload, event->size) == 0);
}

/* Pulls until more input is needed. False: decoding has ended. */
static bool drain(hectic_decoder *decoder, const input *in, outcome *out)
{
    for (;;) {
        hectic_event event = {0};
        uint64_t before = hectic_decoder_position(decoder);
        hectic_result result = hectic_decoder_pull(decoder, &event);
        uint64_t position = hectic_decoder_position(decoder);
        REQUIRE(position >= before && position <= in->length);
        if (result == HECTIC_PARTIAL) return true;
        item it = {.result = result, .position = position};
        it.remaining = hectic_decoder_block_remaining(decoder);
        if (result == HECTIC_GOT_EVENT) {
            check_event(&event, in);
            it.type = event.type;
            it.cap = event.cap;
            it.time = event.time;
        }
        if (result == HECTIC_ERROR) {
            const hectic_error *error = hectic_decoder_error(decoder);
            char text[200];
            REQUIRE(error->kind != HECTIC_OK && error->position <= in->length);
            REQUIRE(hectic_error_text(error, text, sizeof text) == text);
            it.type = (uint16_t)error->kind;
            it.time = error->position;
        } else {
            REQUIRE(position > before);
        }
        APPEND(out->items, out->count, out->capacity, it);
        REQUIRE(out->count <= in->length + 2);
        if (result == HECTIC_ERROR) {
            REQUIRE(hectic_decoder_pull(decoder, &event) == HECTIC_ERROR);
            if (!hectic_decoder_header(decoder)) return false;
            hectic_decoder_resync(decoder);
        }
    }
}

static uint32_t roll(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    return *random ^= *random << 5;
}

/* Pieces of 1 byte, of few, or of many. */
static size_t piece_size(uint32_t *random, size_t left)
{
    static const size_t most[] = {1, 1, 4, 16, 64, 700, 5000, 70000};
    size_t size = 1 + roll(random) % most[roll(random) % 8];
    return size < left ? size : left;
}

/* random 0: one piece. */
static outcome decode(const input *in, uint32_t random)
{
    outcome out = {0};
    hectic_decoder *decoder = hectic_decoder_new();
    REQUIRE(decoder);
    bool readable = true;
    for (size_t done = 0, size; readable && done < in->length; done += size) {
        size = random ? piece_size(&random, in->length - done) : in->length;
        /* A separate copy: sanitizers find reads outside of it and pointers kept into it. */
        uint8_t *piece = must_allocate(size);
        memcpy(piece, in->data + done, size);
        hectic_decoder_push(decoder, piece, size);
        readable = drain(decoder, in, &out);
        memset(piece, 0xa5, size);
        free(piece);
    }
    out.skipped = hectic_decoder_skipped(decoder);
    out.position = hectic_decoder_position(decoder);
    if (readable) {
        const uint8_t *tail = hectic_decoder_tail(decoder, &out.tail);
        REQUIRE(out.position + out.tail == in->length);
        REQUIRE(out.tail == 0 || memcmp(tail, in->data + out.position, out.tail) == 0);
    }
    hectic_decoder_free(decoder);
    return out;
}

static void require_same(const outcome *a, const outcome *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const item *x = &a->items[i], *y = &b->items[i];
        REQUIRE(x->result == y->result);
        REQUIRE(x->position == y->position);
        REQUIRE(x->type == y->type && x->cap == y->cap && x->time == y->time);
        REQUIRE(x->remaining == y->remaining);
    }
    REQUIRE(a->count == b->count);
    REQUIRE(a->skipped == b->skipped);
    REQUIRE(a->position == b->position && a->tail == b->tail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const input in = {data, length};
    uint32_t random = 2166136261u;
    for (size_t i = 0; i < length; i++)
        random = (random ^ data[i]) * 16777619u;
    outcome whole = decode(&in, 0);
    outcome pieces = decode(&in, random | 1);
    require_same(&whole, &pieces);
    free(whole.items);
    free(pieces.items);
    return 0;
}
