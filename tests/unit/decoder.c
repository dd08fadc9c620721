/* The decoder: the same events for any division of the input, complete events before any end, and
 * no loss before damage. */
#include "less.h"
#include "logs.h"
#include "read/decode/run.h"
#include "read/decode/step.h"

enum { ANY_SIZE = 1 << 30, SMALL = 12000 };

/* Pushes log[0 … length-1] in pieces with sizes from `next_piece`, and compares with `all`, the
 * result of one push. */
static void expect_same(const struct bytes *log, const struct found *all,
                        size_t (*next_piece)(void *), void *user)
{
    hectic_decoder *d = hectic_decoder_new();
    hectic_event event;
    size_t seen = 0, ends = 0, headers = 0;
    for (size_t at = 0, size = 1; size > 0;) {
        size = next_piece(user);
        if (size > log->length - at) size = log->length - at;
        /* A separate piece, so that reading beyond it is detected. */
        uint8_t *piece = malloc(size ? size : 1);
        memcpy(piece, log->data + at, size);
        at += size;
        hectic_decoder_push(d, piece, size);
        for (hectic_result r; (r = hectic_decoder_pull(d, &event)) != HECTIC_PARTIAL;) {
            headers += r == HECTIC_HEADER;
            ends += r == HECTIC_COMPLETE;
            if (r == HECTIC_ERROR) hectic_decoder_resync(d);
            if (r != HECTIC_GOT_EVENT) continue;
            assert_true(seen < all->count);
            assert_true(event_equal(&event, &all->event[seen]));
            assert_int_equal(event.position, all->event[seen].position);
            seen++;
        }
        free(piece);
    }
    size_t tail;
    hectic_decoder_tail(d, &tail);
    assert_int_equal(seen, all->count);
    assert_int_equal(headers, all->headers);
    assert_int_equal(ends, all->ends);
    assert_int_equal(tail, all->tail);
    assert_int_equal(hectic_decoder_position(d) + tail, log->length);
    hectic_decoder_free(d);
}

static size_t fixed_piece(void *size)
{
    return *(size_t *)size;
}

static size_t random_piece(void *state)
{
    return 1 + random_below(state, random_below(state, 4) ? 40 : 9000);
}

static void pieces_of_one(const char *name, const struct bytes *log)
{
    if (log->length < 20) return;
    struct found all = found_in(log->data, log->length);
    size_t sizes[] = {1, 2, 3, 7, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_same(log, &all, fixed_piece, &sizes[i]);
    for (uint64_t seed = 1; seed <= LESS(5, 2); seed++)
        expect_same(log, &all, random_piece, &seed);
    if (all.count == 0) print_message("%s has no events\n", name);
    found_free(&all);
}

static void any_pieces_give_the_same_events(void **state)
{
    (void)state;
    for_each_log(ANY_SIZE, pieces_of_one);
}

/* True for an event that is not delivered, or is lost, if what follows it is not an event: one that
 * is not the last of its block. */
static bool needs_more(const struct found *all, size_t i)
{
    hectic_event_block_marker block;
    const hectic_event *event = &all->event[i], *marker = event;
    while (marker > all->event && !event_is_marker(marker))
        marker--;
    const size_t end = (size_t)(event->payload - marker->payload) + event->size + 10;
    return hectic_read_block_marker(marker, &block) && end < block.size;
}

/* Zeros are known by two events of type 0. */
static bool may_be_zeros(const struct found *all, size_t i)
{
    return i < all->count && all->event[i].type == 0 && all->event[i].time >> 16 == 0;
}

/* After each byte, exactly the events that end at or before it have been delivered. */
static void cuts_of_one(const char *name, const struct bytes *log)
{
    (void)name;
    if (log->length < 20) return;
    struct found all = found_in(log->data, log->length);
    hectic_decoder *d = hectic_decoder_new();
    hectic_event event;
    size_t seen = 0, known = SIZE_MAX, more = 0;
    for (size_t cut = 1; cut <= log->length && all.errors == 0; cut++) {
        hectic_decoder_push(d, log->data + cut - 1, 1);
        for (hectic_result r; (r = hectic_decoder_pull(d, &event)) != HECTIC_PARTIAL;)
            seen += r == HECTIC_GOT_EVENT;
        if (seen < all.count) {
            const hectic_event *next = &all.event[seen];
            const bool zeros = may_be_zeros(&all, seen) || may_be_zeros(&all, seen + 1);
            if (seen != known) more = zeros ? 28 : needs_more(&all, seen) ? 10 : 0;
            known = seen;
            assert_true((size_t)(next->payload - log->data) + next->size + more > cut);
        }
        if (seen > 0) {
            const hectic_event *last = &all.event[seen - 1];
            assert_true((size_t)(last->payload - log->data) + last->size <= cut);
        }
    }
    hectic_decoder_free(d);
    found_free(&all);
}

static void every_cut_gives_the_whole_events_before_it(void **state)
{
    (void)state;
    for_each_log(ANY_SIZE, cuts_of_one);
}

/* Each byte flipped in turn: events that end before it are unchanged, and decoding terminates. */
static void flips_of_one(const char *name, const struct bytes *log)
{
    (void)name;
    struct found all = found_in(log->data, log->length);
    for (size_t i = 0; i < log->length && all.errors == 0; i += LESS(1, 3)) {
        log->data[i] ^= (uint8_t)(1u << i % 8);
        struct found now = found_in(log->data, log->length);
        for (size_t k = 0; k < all.count; k++) {
            const hectic_event *event = &all.event[k];
            const size_t end = (size_t)(event->payload - log->data) + event->size;
            if (end > i) break;
            if (all.event[0].position > i) break; /* the header is damaged */
            if (k == now.count || !event_equal(event, &now.event[k])) {
                assert_true(needs_more(&all, k));
                assert_in_range(i, end, end + 9);
                break;
            }
        }
        found_free(&now);
        log->data[i] ^= (uint8_t)(1u << i % 8);
    }
    found_free(&all);
}

static void no_flipped_bit_loses_earlier_events(void **state)
{
    (void)state;
    for_each_log(SMALL, flips_of_one);
}

/* Runs and pulls together give the same events as pulls alone. */
static void runs_of_one(const char *name, const struct bytes *log)
{
    (void)name;
    if (log->length == 0) return;
    struct found all = found_in(log->data, log->length);
    uint64_t random = 1;
    hectic_decoder *d = hectic_decoder_new();
    size_t seen = 0, in_runs = 0;
    for (size_t at = 0, piece = 1; piece > 0;) {
        piece = 1 + random_below(&random, 5000);
        if (piece > log->length - at) piece = log->length - at;
        hectic_decoder_push(d, log->data + at, piece);
        at += piece;
        hectic_event event;
        hectic_result r;
        do {
            size_t length, rest;
            const stepper *place;
            const uint8_t *run = decoder_run(d, &length, &place);
            for (rest = length; rest > 0;) {
                const uint8_t *p = run + length - rest;
                size_t step = step_length(place, p, rest);
                if (step <= STEP_UNKNOWN || load16(p) == HECTIC_EVENT_BLOCK_MARKER) break;
                assert_true(seen < all.count);
                assert_int_equal(all.event[seen].cap, place->cap);
                assert_int_equal(all.event[seen].time, load64(p + 2));
                assert_int_equal(all.event[seen].position,
                                 hectic_decoder_position(d) + length - rest);
                seen++;
                in_runs++;
                rest -= step;
            }
            if (length > rest) decoder_advance(d, length - rest);
            r = hectic_decoder_pull(d, &event);
            if (r == HECTIC_ERROR) hectic_decoder_resync(d);
            if (r == HECTIC_GOT_EVENT) assert_true(event_equal(&event, &all.event[seen++]));
        } while (r != HECTIC_PARTIAL && (r != HECTIC_ERROR || hectic_decoder_header(d)));
    }
    assert_int_equal(seen, all.count);
    assert_true(seen < 100 || in_runs > seen / 2);
    hectic_decoder_free(d);
    found_free(&all);
}

static void runs_give_the_same_events(void **state)
{
    (void)state;
    for_each_log(ANY_SIZE, runs_of_one);
}

/* --- Synthetic logs -------------------------------------------------------------------------- */

static void add_header(struct bytes *b)
{
    hectic_event_type types[] = {
        hectic_type_of(HECTIC_EVENT_BLOCK_MARKER),
        hectic_type_of(HECTIC_EVENT_CREATE_THREAD),
        hectic_type_of(HECTIC_EVENT_USER_MSG),
    };
    size_t length = hectic_encode_header(NULL, 0, types, 3);
    hectic_encode_header(bytes_grow(b, length), length, types, 3);
}

static void add_thread(struct bytes *b, uint64_t time, uint8_t thread)
{
    const uint8_t event[] = {0, 0, 0, 0,     0, 0, 0, 0, (uint8_t)(time >> 8), (uint8_t)time,
                             0, 0, 0, thread};
    bytes_write(b, event, sizeof event);
}

static void add_block(struct bytes *b, uint64_t time, uint32_t size, uint64_t end, uint16_t cap)
{
    hectic_encode_block_marker(bytes_grow(b, 24), 24, time, size, end, cap);
}

static void blocks_give_events_their_cap(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_header(&b);
    add_thread(&b, 1, 1); /* before any block */
    add_block(&b, 2, 24 + 28, 9, 3);
    add_thread(&b, 3, 2);
    add_thread(&b, 4, 3);
    add_thread(&b, 5, 4); /* after the block */
    add_block(&b, 6, 24 + 14, 9, HECTIC_CAP_NONE);
    add_thread(&b, 7, 5);
    add_block(&b, 8, 0, 0, 7); /* unfinished: to the end */
    add_thread(&b, 9, 6);
    add_thread(&b, 10, 7);
    const uint16_t caps[] = {HECTIC_CAP_NONE, 3, 3, 3, HECTIC_CAP_NONE, HECTIC_CAP_NONE,
                             HECTIC_CAP_NONE, 7, 7, 7};
    struct found all = found_in(b.data, b.length);
    assert_int_equal(all.count, sizeof caps / sizeof *caps);
    for (size_t i = 0; i < all.count; i++)
        assert_int_equal(all.event[i].cap, caps[i]);
    assert_int_equal(hectic_decoder_block_remaining(all.decoder), INT64_MAX);
    found_free(&all);
    bytes_free(&b);
}

static void damage_is_reported_and_skipped(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_header(&b);
    add_block(&b, 1, 24 + 14, 2, 0);
    add_thread(&b, 2, 1);
    size_t damage = b.length;
    memset(bytes_grow(&b, 999), 0x77, 999);
    size_t resumed = b.length;
    add_block(&b, 3, 24 + 14, 4, 1);
    add_thread(&b, 4, 2);
    add_thread(&b, 5, 3);

    hectic_decoder *d = hectic_decoder_new();
    hectic_event event;
    hectic_decoder_push(d, b.data, b.length);
    assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_HEADER);
    assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_GOT_EVENT);
    assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_GOT_EVENT);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_ERROR);
        assert_int_equal(hectic_decoder_error(d)->kind, HECTIC_UNDECLARED_EVENT);
        assert_int_equal(hectic_decoder_error(d)->position, damage);
        assert_int_equal(hectic_decoder_error(d)->number, 0x7777);
    }
    hectic_decoder_resync(d);
    assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_GOT_EVENT);
    assert_int_equal(event.position, resumed);
    assert_int_equal(event.type, HECTIC_EVENT_BLOCK_MARKER);
    assert_int_equal(hectic_decoder_skipped(d), 999);
    assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_GOT_EVENT);
    assert_int_equal(event.cap, 1);
    hectic_decoder_free(d);
    bytes_free(&b);
}

static void a_restarted_log_has_two_headers(void **state)
{
    (void)state;
    struct bytes b = {0};
    for (int part = 0; part < 2; part++) {
        add_header(&b);
        add_thread(&b, 5, 1);
        bytes_write(&b, "\xff\xff", 2);
    }
    add_header(&b); /* once without an end marker */
    struct found all = found_in(b.data, b.length);
    assert_int_equal(all.headers, 3);
    assert_int_equal(all.ends, 2);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.errors, 0);
    found_free(&all);
    bytes_free(&b);
}

/* The first error for bytes that are not a log. */
static hectic_error_kind first_error(const void *bytes, size_t length)
{
    hectic_decoder *d = hectic_decoder_new();
    hectic_event event;
    hectic_decoder_push(d, bytes, length);
    hectic_result r = hectic_decoder_pull(d, &event);
    hectic_error_kind kind = r == HECTIC_ERROR ? hectic_decoder_error(d)->kind : HECTIC_OK;
    if (r == HECTIC_ERROR) { /* without a header reading cannot continue */
        hectic_decoder_resync(d);
        assert_int_equal(hectic_decoder_pull(d, &event), HECTIC_ERROR);
    }
    hectic_decoder_free(d);
    return kind;
}

static void invalid_headers_are_distinguished(void **state)
{
    (void)state;
    assert_int_equal(first_error("", 0), HECTIC_OK);
    assert_int_equal(first_error("hd", 2), HECTIC_OK);
    assert_int_equal(first_error("x", 1), HECTIC_NOT_A_LOG);
    assert_int_equal(first_error("#!/bin/sh", 9), HECTIC_NOT_A_LOG);
    assert_int_equal(first_error("hdrbxxxx", 8), HECTIC_BAD_HEADER);
    assert_int_equal(first_error("hdrbhetbhetehdrx", 16), HECTIC_OK);
    assert_int_equal(first_error("hdrbhetbhetehdrxdatb", 20), HECTIC_BAD_HEADER);
    /* Lengths beyond the limits are rejected before memory is allocated. */
    assert_int_equal(first_error("hdrbhetbetb\0\0\1\0\1\xff\xff\xff\xff", 20),
                     HECTIC_HEADER_TOO_LARGE);
    assert_int_equal(first_error("hdrbhetbetb\0\0\1\0\1\0\0\0\0\0\1\0\1", 24),
                     HECTIC_HEADER_TOO_LARGE);
}

static void an_endless_header_is_rejected_at_the_limit(void **state)
{
    (void)state;
    struct bytes b = {0};
    bytes_write(&b, "hdrbhetb", 8);
    while (b.length < HECTIC_HEADER_MAX + 100000)
        bytes_write(&b, "etb\0\0\1\0\1\0\0\0\0\0\0\0\0ete\0", 20);
    assert_int_equal(first_error(b.data, b.length), HECTIC_HEADER_TOO_LARGE);
    /* Byte by byte, it is neither parsed repeatedly, nor kept indefinitely. */
    hectic_decoder *d = hectic_decoder_new();
    hectic_event event;
    size_t pushed = 0;
    hectic_result r = HECTIC_PARTIAL;
    for (; r == HECTIC_PARTIAL && pushed < b.length; pushed++) {
        hectic_decoder_push(d, b.data + pushed, 1);
        r = hectic_decoder_pull(d, &event);
    }
    assert_int_equal(r, HECTIC_ERROR);
    assert_true(pushed < HECTIC_HEADER_MAX + 100);
    hectic_decoder_free(d);
    bytes_free(&b);
}

static void a_header_without_types_has_no_events(void **state)
{
    (void)state;
    struct found all = found_in((const uint8_t *)"hdrbhetbhetehdredatb\0\0\0\0\0", 25);
    assert_int_equal(all.headers, 1);
    assert_int_equal(all.count, 0);
    assert_int_equal(all.errors, 1);
    found_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pieces_give_the_same_events),
        cmocka_unit_test(every_cut_gives_the_whole_events_before_it),
        cmocka_unit_test(no_flipped_bit_loses_earlier_events),
        cmocka_unit_test(runs_give_the_same_events),
        cmocka_unit_test(blocks_give_events_their_cap),
        cmocka_unit_test(damage_is_reported_and_skipped),
        cmocka_unit_test(a_restarted_log_has_two_headers),
        cmocka_unit_test(invalid_headers_are_distinguished),
        cmocka_unit_test(an_endless_header_is_rejected_at_the_limit),
        cmocka_unit_test(a_header_without_types_has_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
