/* The ordered log: a stable sort of the decoder's events, by section, for any division into pieces
 * and chunks, and any order of blocks.
 *
 * The survey is compiled into this test with tiny pieces and chunks, so that small logs have many.
 */
#define PIECE_SIZE 3000
#define CHUNK_SIZE 200
#define CHUNKS_MAX 40
#include "read/survey.c"

#include "logs.h"
#include "read/time_pass.h"
#include "results/summary.h"

#include <errno.h>
#include <fcntl.h>

enum { ANY_SIZE = 1 << 30, SMALL = 3500 };

static int by_time(const void *a, const void *b)
{
    const hectic_event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Sorts a decoder's events, each section separately. Sections begin at the headers. */
static void sort_sections(struct found *all, const hectic_survey *survey)
{
    size_t begin = 0;
    for (size_t s = 0; s < survey->sections; s++) {
        uint64_t stop = s + 1 < survey->sections ? survey->section[s + 1].position : UINT64_MAX;
        size_t end = begin;
        while (end < all->count && all->event[end].position < stop)
            end++;
        if (end > begin) qsort(all->event + begin, end - begin, sizeof *all->event, by_time);
        begin = end;
    }
}

static hectic_log *open_log(const struct bytes *b, hectic_log_options options)
{
    hectic_error error;
    hectic_log *log = hectic_log_open(bytes_input(b->data, b->length), &options, &error);
    assert_non_null(log);
    return log;
}

/* From `from` on, the log's events equal the decoder's, in order. */
static void expect_sorted(const struct bytes *b, unsigned threads, uint64_t from)
{
    hectic_log *log = open_log(b, (hectic_log_options){.threads = threads, .from = from});
    struct found all = found_in(b->data, b->length);
    const hectic_survey *survey = hectic_log_survey(log);
    sort_sections(&all, survey);
    if (from == 0) {
        assert_int_equal(survey->events, all.count);
        assert_int_equal(survey->sections, all.headers);
        assert_int_equal(survey->bytes, b->length);
    }
    hectic_event event;
    size_t seen = 0, headers = 0;
    hectic_result r;
    for (size_t i = 0; i < all.count / 3; i++)
        hectic_log_next(log, &event);
    hectic_log_rewind(log); /* from any position */
    while ((r = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || r == HECTIC_HEADER) {
        headers += r == HECTIC_HEADER;
        if (r == HECTIC_HEADER) continue;
        while (seen < all.count && all.event[seen].time < from)
            seen++;
        assert_true(seen < all.count);
        assert_int_equal(event.position, all.event[seen].position);
        assert_true(event_equal(&event, &all.event[seen]));
        seen++;
    }
    while (seen < all.count && all.event[seen].time < from)
        seen++;
    assert_int_equal(seen, all.count);
    assert_int_equal(headers, all.headers);
    bool complete = survey->section[survey->sections - 1].complete;
    assert_int_equal(r, complete ? HECTIC_COMPLETE : HECTIC_PARTIAL);
    assert_int_equal(hectic_log_next(log, &event), r); /* repeated */
    found_free(&all);
    hectic_log_free(log);
}

static void sorted_one(const char *name, const struct bytes *log)
{
    if (log->length < 200) return;
    print_message("%s\n", name);
    for (unsigned threads = 1; threads <= 3; threads += 2)
        expect_sorted(log, threads, 0);
}

static void real_logs_are_sorted(void **state)
{
    (void)state;
    for_each_log(ANY_SIZE, sorted_one);
}

static void cut_one(const char *name, const struct bytes *log)
{
    (void)name;
    if (log->length < 20) return;
    struct bytes part = *log;
    struct found all = found_in(log->data, log->length);
    size_t first = all.count ? (size_t)all.event[0].position : log->length;
    for (part.length = first; part.length < log->length; part.length++)
        expect_sorted(&part, 2, 0);
    found_free(&all);
}

static void every_cut_of_a_small_log_is_sorted(void **state)
{
    (void)state;
    for_each_log(SMALL, cut_one);
}

/* --- Synthetic logs -------------------------------------------------------------------------- */

static void add_header(struct bytes *b)
{
    hectic_event_type types[] = {
        hectic_type_of(HECTIC_EVENT_BLOCK_MARKER), hectic_type_of(HECTIC_EVENT_CREATE_THREAD),
        hectic_type_of(HECTIC_EVENT_USER_MSG),     hectic_type_of(HECTIC_EVENT_RTS_IDENTIFIER),
        hectic_type_of(HECTIC_EVENT_CAP_CREATE),
    };
    size_t length = hectic_encode_header(NULL, 0, types, 5);
    hectic_encode_header(bytes_grow(b, length), length, types, 5);
}

static void add_message(struct bytes *b, uint64_t time, const void *text, uint16_t size)
{
    hectic_event_type type = hectic_type_of(HECTIC_EVENT_USER_MSG);
    hectic_event event = {.time = time,
                          .payload = text,
                          .declared = &type,
                          .type = HECTIC_EVENT_USER_MSG,
                          .size = size};
    hectic_encode_event(bytes_grow(b, 12u + size), 12u + size, &event);
}

/* A block of `count` messages; times from `time` on, occasionally stepping back. */
static uint64_t add_block(struct bytes *b, uint64_t *random, uint64_t time, unsigned count,
                          uint16_t cap)
{
    size_t begin = b->length;
    bytes_grow(b, 24);
    uint64_t now = time, most = time;
    for (unsigned i = 0; i < count; i++) {
        /* The text looks like a block: no reader may accept it as one. */
        uint8_t text[60];
        hectic_encode_block_marker(text, sizeof text, now, 58, now + 9, 1);
        hectic_encode_block_marker(text + 24, sizeof text - 24, now, 24, now, 2);
        now += random_below(random, 20);
        uint64_t stamped = random_below(random, 5) || now < 30 ? now : now - 30;
        add_message(b, stamped, text, (uint16_t)(random_below(random, 2) ? 48 : 5));
        if (stamped > most) most = stamped;
    }
    hectic_encode_block_marker(b->data + begin, 24, time, (uint32_t)(b->length - begin), most, cap);
    return now;
}

static void overlapping_blocks_are_sorted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t random = seed;
        struct bytes b = {0};
        unsigned sections = 1 + (seed % 4 == 0);
        while (sections-- > 0) {
            add_header(&b);
            uint64_t clock[8] = {0};
            for (unsigned i = 0; i < 60; i++) {
                unsigned cap = (unsigned)random_below(&random, 8);
                unsigned count = (unsigned)random_below(&random, seed % 3 ? 30 : 3);
                clock[cap] = add_block(&b, &random, clock[cap], count, (uint16_t)cap);
                if (random_below(&random, 10) == 0)
                    add_message(&b, random_next(&random) % 500, "loose", 5);
            }
            if (seed % 5) bytes_write(&b, "\xff\xff", 2);
        }
        for (unsigned threads = 1; threads <= 4; threads++)
            expect_sorted(&b, threads, 0);
        expect_sorted(&b, 0, 400);
        bytes_free(&b);
    }
}

/* As programs log: a cap logs many events while the others log none, its clock sometimes steps back
 * by a little, and the last event of a run may have the time of the next one of another cap. Enough
 * events for chunks to be loaded ahead. */
static void runs_of_caps_are_sorted(void **state)
{
    enum { CAPS = 3, EVENTS_ENOUGH = 60000, RUN_MEAN = 20 };
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        uint64_t random = seed, now = 0;
        struct bytes cap[CAPS] = {0}, b = {0};
        add_header(&b);
        for (unsigned i = 0, running = 0; i < EVENTS_ENOUGH; i++) {
            if (random_below(&random, RUN_MEAN) == 0) running = (running + 1) % CAPS;
            now += random_below(&random, 5);
            const uint64_t back = random_below(&random, 100) || now < 9 ? 0 : 9;
            add_message(&cap[running], now - back, "run", 3);
        }
        for (uint16_t i = 0; i < CAPS; i++) {
            const uint32_t size = (uint32_t)cap[i].length + 24;
            hectic_encode_block_marker(bytes_grow(&b, 24), 24, 0, size, now, i);
            bytes_write(&b, cap[i].data, cap[i].length);
            bytes_free(&cap[i]);
        }
        for (unsigned threads = 1; threads <= 2; threads++)
            expect_sorted(&b, threads, 0);
        expect_sorted(&b, 1, now / 2);
        bytes_free(&b);
    }
}

/* Many events at once are the events one by one. */
static void events_at_once_equal_those_one_by_one(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_header(&b);
    uint64_t random = 9, clock[2] = {0};
    for (unsigned i = 0; i < 90; i++)
        clock[i % 2] = add_block(&b, &random, clock[i % 2], 20, (uint16_t)(i % 2));
    hectic_log *one = open_log(&b, (hectic_log_options){0});
    hectic_log *all = open_log(&b, (hectic_log_options){0});
    hectic_event expected;
    const hectic_event *event;
    size_t count, seen = 0;
    hectic_result r;
    for (unsigned i = 0; i < 3; i++) /* some one by one: the rest follows at once */
        assert_int_equal(hectic_log_next(all, &expected), hectic_log_next(one, &expected));
    while ((r = hectic_log_next_events(all, &event, &count)) == HECTIC_GOT_EVENT) {
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++, seen++) {
            assert_int_equal(hectic_log_next(one, &expected), HECTIC_GOT_EVENT);
            assert_true(event_equal(&event[i], &expected));
        }
    }
    assert_int_equal(count, 0);
    assert_true(seen > 256);
    assert_int_equal(hectic_log_next(one, &expected), r);
    hectic_log_free(one);
    hectic_log_free(all);
    bytes_free(&b);
}

/* Counts what a pass hands over. */
struct taker {
    const struct log_section *section; /* the current one */
    uint64_t skip_from, stop_from;     /* times */
    size_t skipped;                    /* the section of this number, from 0 on, does not exist */
    size_t sections, ended, events[3];
};

static pass_next taker_begin(void *self, const struct log_section *section)
{
    struct taker *taker = self;
    assert_non_null(section->header);
    assert_int_equal(section->number, taker->sections + 1);
    taker->section = section;
    return taker->sections++ == taker->skipped ? PASS_SKIP : PASS_ON;
}

static pass_next taker_events(void *self, const hectic_event *event, size_t count)
{
    struct taker *taker = self;
    const size_t before = events_until(event, count, taker->skip_from - 1);
    assert_true(count > 0 && event[count - 1].time <= taker->section->found->last_time);
    for (size_t i = 0; i < count; i++)
        assert_true(i < before ? event[i].time < taker->skip_from
                               : event[i].time >= taker->skip_from);
    taker->events[taker->sections - 1] += before;
    if (event[count - 1].time >= taker->stop_from) return PASS_STOP;
    return before < count ? PASS_SKIP : PASS_ON;
}

static bool taker_end(void *self, const struct log_section *section)
{
    struct taker *taker = self;
    assert_ptr_equal(section, taker->section);
    taker->ended++;
    return true;
}

static void passes_can_skip_and_stop(void **state)
{
    static const struct time_consumer consumer = {taker_begin, taker_events, taker_end, NULL};
    const uint64_t never = UINT64_MAX;
    struct bytes b = {0};
    (void)state;
    for (unsigned section = 0; section < 3; section++) {
        add_header(&b);
        for (unsigned i = 0; i < 1000; i++)
            add_message(&b, i, "text", 4);
    }
    hectic_log *log = open_log(&b, (hectic_log_options){0});
    const struct {
        struct taker taker;
        hectic_result result;
        size_t sections, ended, events[3];
    } cases[] = {
        {{.skip_from = never, .stop_from = never, .skipped = 3},
         HECTIC_PARTIAL,
         3,
         3,
         {1000, 1000, 1000}},
        {{.skip_from = 700, .stop_from = never, .skipped = 3},
         HECTIC_PARTIAL,
         3,
         3,
         {700, 700, 700}},
        {{.skip_from = never, .stop_from = never, .skipped = 1},
         HECTIC_PARTIAL,
         3,
         2,
         {1000, 0, 1000}},
        {{.skip_from = 1, .stop_from = never, .skipped = 2}, HECTIC_PARTIAL, 3, 2, {1, 1, 0}},
        {{.skip_from = never, .stop_from = 0, .skipped = 0}, HECTIC_GOT_EVENT, 2, 0, {0, 256, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taker taker = cases[i].taker;
        assert_int_equal(time_pass(log, &consumer, &taker), cases[i].result);
        assert_int_equal(taker.sections, cases[i].sections);
        assert_int_equal(taker.ended, cases[i].ended);
        assert_memory_equal(taker.events, cases[i].events, sizeof taker.events);
    }
    hectic_log_free(log);
    bytes_free(&b);
}

static void any_disorder_is_sorted(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct bytes b = {0};
        add_header(&b);
        for (unsigned i = 0; i < 3000; i++) {
            uint64_t time = kind == 0   ? 100000 - i /* falling */
                            : kind == 1 ? random_below(&random, 50)
                                        : random_next(&random); /* up to the largest time */
            add_message(&b, time, "x", 1);
        }
        for (unsigned threads = 1; threads <= 2; threads++)
            expect_sorted(&b, threads, 0);
        bytes_free(&b);
    }
}

static void damage_in_the_middle_is_skipped(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t random = seed;
        struct bytes b = {0};
        add_header(&b);
        size_t first = b.length;
        uint64_t clock = 0;
        for (unsigned i = 0; i < 40; i++)
            clock = add_block(&b, &random, clock, 20, (uint16_t)(i % 3));
        for (unsigned i = 0; i < 4; i++) {
            size_t at = first + random_below(&random, b.length - first - 300);
            size_t length = random_below(&random, 300);
            for (size_t k = 0; k < length; k++)
                b.data[at + k] = (uint8_t)random_next(&random);
        }
        for (unsigned threads = 1; threads <= 3; threads++)
            expect_sorted(&b, threads, 0);
        hectic_log *log = open_log(&b, (hectic_log_options){0});
        struct found all = found_in(b.data, b.length);
        size_t kept;
        uint64_t count;
        const hectic_damage *damage = hectic_log_damage(log, &kept, &count);
        assert_int_equal(count, all.errors);
        uint64_t skipped = 0;
        for (size_t i = 0; i < kept; i++)
            skipped += damage[i].skipped;
        assert_int_equal(skipped, hectic_log_survey(log)->lost);
        found_free(&all);
        hectic_log_free(log);
        bytes_free(&b);
    }
}

/* Blocks that end before `from` are skipped, except their markers. */
static void seeking_reads_markers_only(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_header(&b);
    uint64_t random = 3, clock = 0, middle = 0;
    for (unsigned i = 0; i < 400; i++) {
        clock = add_block(&b, &random, clock, 20, 0);
        if (i == 300) middle = clock;
    }
    expect_sorted(&b, 1, middle);
    hectic_log *log = open_log(&b, (hectic_log_options){.from = middle});
    const hectic_survey *survey = hectic_log_survey(log);
    assert_in_range(survey->blocks, 99, 102);
    /* The rest of the skipped blocks may be arbitrary. */
    hectic_event event;
    assert_int_equal(hectic_log_next(log, &event), HECTIC_HEADER);
    assert_int_equal(hectic_log_next(log, &event), HECTIC_GOT_EVENT);
    memset(b.data + 1000, 0, 30); /* inside the first block */
    hectic_log *damaged = open_log(&b, (hectic_log_options){.from = middle});
    assert_int_equal(hectic_log_survey(damaged)->events, survey->events);
    hectic_log_free(damaged);
    hectic_log_free(log);
    bytes_free(&b);
}

static void a_shrinking_file_is_reported(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_header(&b);
    uint64_t random = 5, clock = 0;
    for (unsigned i = 0; i < 200; i++)
        clock = add_block(&b, &random, clock, 20, 0);
    char path[] = "/tmp/hectic-test-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, b.data, b.length), b.length);
    hectic_error error;
    hectic_log *log = hectic_log_open(hectic_input_open(path, &error), NULL, &error);
    assert_non_null(log);
    assert_int_equal(ftruncate(fd, (off_t)b.length / 2), 0);
    hectic_event event;
    hectic_result r;
    size_t seen = 0;
    while ((r = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || r == HECTIC_HEADER)
        seen++;
    assert_int_equal(r, HECTIC_ERROR);
    assert_int_equal(hectic_log_error(log)->kind, HECTIC_CHANGED);
    assert_true(seen > 1000);
    hectic_log_free(log);
    close(fd);
    unlink(path);
    bytes_free(&b);
}

static void a_survey_reports_the_damage_that_reading_skips(void **state)
{
    (void)state;
    uint64_t random = 1;
    static const struct {
        hectic_error_kind kind;
        uint32_t size;
        uint64_t end_time;
    } cases[] = {
        {HECTIC_BLOCK_CROSSED, 24 + 17 + 5, 500},
        {HECTIC_BLOCK_OVERLAPPED, 24 + 4 * 17, 500},
        {HECTIC_LATE_EVENT, 24 + 2 * 17, 300},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes b = {0};
        add_header(&b);
        size_t position = b.length;
        hectic_encode_block_marker(bytes_grow(&b, 24), 24, 100, cases[i].size, cases[i].end_time,
                                   0);
        add_message(&b, 200, "first", 5);
        add_message(&b, 400, "other", 5);
        if (cases[i].kind == HECTIC_BLOCK_CROSSED) position += 24 + 17;
        if (cases[i].kind == HECTIC_BLOCK_OVERLAPPED) position = b.length;
        add_block(&b, &random, 500, 3, 0);
        for (int check = 0; check < 2; check++) {
            hectic_log *log = open_log(&b, (hectic_log_options){.check = check});
            size_t kept;
            uint64_t count;
            const hectic_damage *damage = hectic_log_damage(log, &kept, &count);
            assert_int_equal(count, check);
            if (check) {
                assert_int_equal(damage[0].error.kind, cases[i].kind);
                assert_int_equal(damage[0].error.position, position);
            }
            hectic_log_free(log);
        }
        bytes_free(&b);
    }
}

static void landmarks_can_be_read(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_header(&b);
    hectic_event_type rts = hectic_type_of(HECTIC_EVENT_RTS_IDENTIFIER);
    hectic_event event = {.time = 5,
                          .payload = (const uint8_t *)"\0\0\0\1GHC-0",
                          .declared = &rts,
                          .type = HECTIC_EVENT_RTS_IDENTIFIER,
                          .size = 9};
    add_message(&b, 3, "x", 1);
    size_t position = b.length;
    hectic_encode_event(bytes_grow(&b, 21), 21, &event);
    hectic_log *log = open_log(&b, (hectic_log_options){0});
    const hectic_survey *survey = hectic_log_survey(log);
    assert_int_equal(survey->landmarks, 1);
    assert_int_equal(survey->landmark[0], position);
    assert_true(hectic_log_read_at(log, position, &event));
    assert_int_equal(event.type, HECTIC_EVENT_RTS_IDENTIFIER);
    assert_memory_equal(event.payload + 4, "GHC-0", 5);
    assert_false(hectic_log_read_at(log, b.length - 1, &event));
    hectic_summary summary;
    assert_true(hectic_summarize(log, &summary));
    assert_string_equal(summary.rts, "GHC-0");
    hectic_summary_clear(&summary);
    hectic_log_free(log);
    bytes_free(&b);
}

/* 65,535 caps, a block each, all overlapping. */
static void every_cap_number_works(void **state)
{
    (void)state;
    struct bytes b = {0};
    add_header(&b);
    uint64_t random = 9;
    for (uint32_t cap = 0; cap < HECTIC_CAP_NONE; cap++)
        add_block(&b, &random, cap % 100, 2, (uint16_t)cap);
    expect_sorted(&b, 2, 0);
    hectic_log *log = open_log(&b, (hectic_log_options){0});
    hectic_summary summary;
    assert_true(hectic_summarize(log, &summary));
    assert_int_equal(summary.caps, 65535);
    hectic_summary_clear(&summary);
    hectic_log_free(log);
    bytes_free(&b);
}

static void other_files_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        hectic_error_kind kind;
    } cases[] = {
        {"", 0, HECTIC_HEADER_TRUNCATED},
        {"hdrbhe", 6, HECTIC_HEADER_TRUNCATED},
        {"Main.hs", 7, HECTIC_NOT_A_LOG},
        {"hdrbhetbxxxx", 12, HECTIC_BAD_HEADER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hectic_error error;
        hectic_input *input = bytes_input((const uint8_t *)cases[i].bytes, cases[i].length);
        assert_null(hectic_log_open(input, NULL, &error));
        assert_int_equal(error.kind, cases[i].kind);
    }
    hectic_error error;
    assert_null(hectic_input_open("/nowhere/at/all", &error));
    assert_int_equal(error.kind, HECTIC_IO);
    assert_null(hectic_input_open("/tmp", &error));
    assert_int_equal(error.number, EISDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_logs_are_sorted),
        cmocka_unit_test(every_cut_of_a_small_log_is_sorted),
        cmocka_unit_test(overlapping_blocks_are_sorted),
        cmocka_unit_test(runs_of_caps_are_sorted),
        cmocka_unit_test(events_at_once_equal_those_one_by_one),
        cmocka_unit_test(passes_can_skip_and_stop),
        cmocka_unit_test(any_disorder_is_sorted),
        cmocka_unit_test(damage_in_the_middle_is_skipped),
        cmocka_unit_test(seeking_reads_markers_only),
        cmocka_unit_test(a_shrinking_file_is_reported),
        cmocka_unit_test(a_survey_reports_the_damage_that_reading_skips),
        cmocka_unit_test(landmarks_can_be_read),
        cmocka_unit_test(every_cap_number_works),
        cmocka_unit_test(other_files_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
