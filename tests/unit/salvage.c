/* Salvage: whatever the damage of a log, the result is sound and has all events that the decoder
 * finds. */
#include "bytes.h"

enum { LOST_MAX = 64 };

struct salvage {
    struct bytes out;
    hectic_salvaged result;
    hectic_error error;
    bool saved;
    hectic_damage lost[LOST_MAX];
    size_t lost_count;
};

static void note_lost(void *user, const hectic_damage *damage)
{
    struct salvage *s = user;
    if (s->lost_count < LOST_MAX) s->lost[s->lost_count++] = *damage;
}

static struct salvage salvage(const uint8_t *data, size_t length)
{
    hectic_input *input = bytes_input(data, length);
    struct salvage s = {0};
    s.saved = hectic_salvage(input, bytes_write, &s.out, note_lost, &s, &s.result, &s.error);
    hectic_input_free(input);
    return s;
}

static uint64_t load(const uint8_t *p, size_t width)
{
    uint64_t value = 0;
    while (width--)
        value = value << 8 | *p++;
    return value;
}

/* Every block ends at its declared size, between events, with an end time not before its latest
 * event. */
static void assert_sound(const struct found *found)
{
    assert_int_equal(found->errors, 0);
    assert_int_equal(found->tail, 0);
    const hectic_event *marker = NULL;
    for (size_t i = 0; i < found->count; i++) {
        const hectic_event *e = &found->event[i];
        if (!event_is_marker(e)) {
            if (!marker || e->cap == HECTIC_CAP_NONE) continue;
            assert_int_equal(e->cap, load(marker->payload + 12, 2));
            assert_true(e->time <= load(marker->payload + 4, 8));
            continue;
        }
        uint64_t end = marker ? marker->position + load(marker->payload, 4) : 0;
        assert_true(end <= e->position);
        assert_in_range(load(e->payload, 4), 24, UINT32_MAX);
        marker = e;
    }
}

/* An event of a type with an impossible size gets another number. */
static bool is_same_event(const hectic_event *a, const hectic_event *b)
{
    hectic_event renumbered = *b;
    if (b->type >= 1000) renumbered.type = a->type;
    return event_equal(a, &renumbered);
}

/* The first `count` events of both are equal, except sizes and times of blocks. */
static void assert_same_events(const struct found *a, const struct found *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const hectic_event *x = &a->event[i];
        const hectic_event *y = &b->event[i];
        if (event_is_marker(x))
            assert_true(event_is_marker(y) && x->time == y->time && x->cap == y->cap);
        else
            assert_true(is_same_event(x, y));
    }
}

/* Salvages, and checks the invariants of the result. */
static struct salvage check(const uint8_t *data, size_t length)
{
    struct salvage s = salvage(data, length);
    if (!s.saved) {
        assert_int_not_equal(s.error.kind, HECTIC_OK);
        assert_int_equal(s.out.length, 0);
        return s;
    }
    struct found before = found_in(data, length);
    struct found after = found_in(s.out.data, s.out.length);
    assert_sound(&after);
    assert_int_equal(after.headers, before.headers);
    assert_in_range(after.ends, s.result.end_missing ? 0 : after.headers,
                    after.headers - s.result.end_missing);
    assert_int_equal(after.count, before.count);
    assert_int_equal(after.count, s.result.events);
    assert_same_events(&before, &after, after.count);
    uint64_t lost = 0, misdeclared = 0;
    for (size_t i = 0; i < s.lost_count; i++) {
        lost += s.lost[i].skipped;
        misdeclared += s.lost[i].error.kind == HECTIC_MISDECLARED_EVENT;
    }
    assert_int_equal(s.result.places_damaged, before.errors + misdeclared);
    assert_int_equal(lost, s.result.bytes_lost);
    assert_int_equal(lost + s.result.tail, before.skipped + before.tail);

    struct salvage again = salvage(s.out.data, s.out.length);
    assert_true(again.saved);
    assert_int_equal(again.result.blocks_repaired, 0);
    assert_int_equal(again.result.end_missing, s.result.end_missing);
    bytes_assert_equal(&again.out, &s.out);
    bytes_free(&again.out);
    found_free(&before);
    found_free(&after);
    return s;
}

/* --- A small log ----------------------------------------------------------------------------- */

static struct bytes log;
static size_t header_length;
static struct found whole;

static void put_message(uint64_t time, const char *text)
{
    hectic_event_type type = hectic_type_of(HECTIC_EVENT_USER_MSG);
    hectic_event event = {.declared = &type,
                          .type = type.number,
                          .time = time,
                          .payload = (const uint8_t *)text,
                          .size = (uint16_t)strlen(text)};
    size_t size = hectic_encode_event(NULL, 0, &event);
    hectic_encode_event(bytes_grow(&log, size), size, &event);
}

static int make_log(void **state)
{
    (void)state;
    const hectic_event_type types[] = {hectic_type_of(HECTIC_EVENT_BLOCK_MARKER),
                                       hectic_type_of(HECTIC_EVENT_USER_MSG)};
    header_length = hectic_encode_header(NULL, 0, types, 2);
    hectic_encode_header(bytes_grow(&log, header_length), header_length, types, 2);
    put_message(1, "before all blocks");
    for (uint16_t cap = 0; cap < 6; cap++) {
        uint64_t time = 1000 * (uint64_t)cap;
        hectic_encode_block_marker(bytes_grow(&log, 24), 24, time, 24 + 17 + 18, time + 50, cap);
        put_message(time, "hello");
        put_message(time + 7, "world!");
    }
    hectic_encode_data_end(bytes_grow(&log, 2), 2);
    whole = found_in(log.data, log.length);
    assert_int_equal(whole.count, 1 + 6 * 3);
    return 0;
}

static int free_log(void **state)
{
    (void)state;
    found_free(&whole);
    bytes_free(&log);
    return 0;
}

static void a_sound_log_stays_as_it_is(void **state)
{
    (void)state;
    struct salvage s = check(log.data, log.length);
    assert_true(s.saved);
    bytes_assert_equal(&s.out, &log);
    assert_int_equal(s.result.blocks_repaired, 0);
    assert_false(s.result.end_missing);
    bytes_free(&s.out);
}

/* The end of an event of the complete log. */
static size_t event_end(size_t i)
{
    return i + 1 < whole.count ? whole.event[i + 1].position : log.length - 2;
}

/* Up to here its bytes are needed: some of the next event of its block, too. */
static size_t event_needs(size_t i)
{
    const bool is_last = i == 0 || i % 3 == 0;
    return event_end(i) + (is_last ? 0 : 10);
}

static void a_log_cut_anywhere(void **state)
{
    (void)state;
    for (size_t length = 0; length < log.length; length++) {
        struct salvage s = check(log.data, length);
        assert_int_equal(s.saved, length >= header_length);
        if (!s.saved) continue;
        size_t count = 0;
        while (count < whole.count && event_end(count) <= length)
            count++;
        assert_int_equal(s.result.events, count);
        assert_true(s.result.end_missing);
        assert_int_equal(s.result.places_damaged, 0);
        size_t end = count ? event_end(count - 1) : header_length;
        assert_int_equal(s.result.tail, length - end);
        struct found after = found_in(s.out.data, s.out.length);
        assert_same_events(&whole, &after, count);
        found_free(&after);
        bytes_free(&s.out);
    }
}

static void each_byte_flipped(void **state)
{
    (void)state;
    static const uint8_t masks[] = {0xff, 0x01, 0x80};
    for (size_t at = 0; at < log.length; at++)
        for (size_t m = 0; m < sizeof masks; m++) {
            log.data[at] ^= masks[m];
            struct salvage s = check(log.data, log.length);
            log.data[at] ^= masks[m];
            if (at >= header_length) {
                assert_true(s.saved);
                size_t before = 0;
                while (before < whole.count && event_needs(before) <= at)
                    before++;
                assert_true(s.result.events >= before);
                struct found after = found_in(s.out.data, s.out.length);
                assert_same_events(&whole, &after, before);
                found_free(&after);
            }
            bytes_free(&s.out);
        }
}

/* An undeclared event number in the third block: only that block is affected. The event before it
 * may be damaged, too. */
static void damage_costs_one_block(void **state)
{
    (void)state;
    for (size_t i = 1; i <= 2; i++) {
        const size_t marker = 1 + 2 * 3, first = marker + i - 1;
        const size_t at = whole.event[marker + i].position;
        log.data[at] ^= 0x55;
        struct salvage s = check(log.data, log.length);
        log.data[at] ^= 0x55;
        assert_true(s.saved);
        assert_int_equal(s.lost_count, 1);
        assert_int_equal(s.result.events, whole.count - (marker + 3 - first));
        assert_int_equal(s.lost[0].error.kind, HECTIC_UNDECLARED_EVENT);
        assert_int_equal(s.lost[0].error.position, whole.event[first].position);
        assert_int_equal(s.lost[0].skipped,
                         whole.event[marker + 3].position - s.lost[0].error.position);
        assert_int_equal(s.result.blocks_repaired, i == 1 ? 0 : 1);
        assert_false(s.result.end_missing);
        bytes_free(&s.out);
    }
}

/* An event outside blocks does not get the cap of a block before it whose events are omitted. */
static void an_event_keeps_having_no_cap(void **state)
{
    (void)state;
    const hectic_event_type types[] = {hectic_type_of(HECTIC_EVENT_BLOCK_MARKER),
                                       hectic_type_of(HECTIC_EVENT_USER_MSG),
                                       hectic_type_of(HECTIC_EVENT_PROGRAM_ARGS)};
    const hectic_event malformed = {
        .declared = &types[2], .type = types[2].number, .payload = (const uint8_t *)"?", .size = 1};
    const size_t header = hectic_encode_header(NULL, 0, types, 3), size = 2 + 8 + 2 + 1;
    const struct bytes small = log;
    log = (struct bytes){0};
    hectic_encode_header(bytes_grow(&log, header), header, types, 3);
    hectic_encode_block_marker(bytes_grow(&log, 24), 24, 1000, 24 + size, 1050, 3);
    hectic_encode_event(bytes_grow(&log, size), size, &malformed);
    put_message(2000, "of no cap");
    struct bytes damaged = log;
    log = small;
    struct salvage s = salvage(damaged.data, damaged.length);
    struct found found = found_in(s.out.data, s.out.length);
    assert_int_equal(s.result.places_damaged, 1);
    assert_int_equal(s.result.blocks_repaired, 1);
    assert_int_equal(s.result.events, 1);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.event[0].cap, HECTIC_CAP_NONE);
    found_free(&found);
    bytes_free(&s.out);
    bytes_free(&damaged);
}

static void an_unfinished_block_is_finished(void **state)
{
    (void)state;
    size_t marker = 1 + 5 * 3; /* the last */
    size_t payload = whole.event[marker].position + 10;
    uint8_t kept[12];
    memcpy(kept, log.data + payload, 12);
    memset(log.data + payload, 0, 12);
    struct salvage s = check(log.data, log.length - 2);
    memcpy(log.data + payload, kept, 12);
    assert_int_equal(s.result.blocks_repaired, 1);
    assert_true(s.result.end_missing);
    assert_int_equal(s.out.length, log.length - 2);
    assert_int_equal(load(s.out.data + payload, 4), 24 + 17 + 18);
    assert_int_equal(load(s.out.data + payload + 4, 8), 5007);
    bytes_free(&s.out);
}

/* A second header, without an end marker of the first section; the second is cut. */
static void sections_stay_cut_short(void **state)
{
    (void)state;
    struct bytes two = {0};
    bytes_write(&two, log.data, log.length - 2);
    bytes_write(&two, log.data, log.length - 5);
    struct salvage s = check(two.data, two.length);
    assert_true(s.saved);
    assert_true(s.result.end_missing);
    assert_int_equal(s.result.events, 2 * whole.count - 1);
    bytes_free(&s.out);
    bytes_free(&two);
}

static void a_log_needs_a_header(void **state)
{
    (void)state;
    static const uint8_t text[] = "This is a text and no log at all, however long one looks at it.";
    struct salvage s = check(text, sizeof text);
    assert_false(s.saved);
    assert_int_equal(s.error.kind, HECTIC_NOT_A_LOG);
}

static bool refuse(void *user, const void *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
    return false;
}

static void a_full_disk_is_not_damage(void **state)
{
    (void)state;
    hectic_input *input = bytes_input(log.data, log.length);
    hectic_salvaged result;
    hectic_error error;
    assert_false(hectic_salvage(input, refuse, NULL, NULL, NULL, &result, &error));
    assert_int_equal(error.kind, HECTIC_OK);
    hectic_input_free(input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_log_stays_as_it_is),
        cmocka_unit_test(a_log_cut_anywhere),
        cmocka_unit_test(each_byte_flipped),
        cmocka_unit_test(damage_costs_one_block),
        cmocka_unit_test(an_event_keeps_having_no_cap),
        cmocka_unit_test(an_unfinished_block_is_finished),
        cmocka_unit_test(sections_stay_cut_short),
        cmocka_unit_test(a_log_needs_a_header),
        cmocka_unit_test(a_full_disk_is_not_damage),
    };
    return cmocka_run_group_tests(tests, make_log, free_log);
}
