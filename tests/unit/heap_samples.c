/* Heap profiles sample by sample: profiles/heap_samples.h. Each sample is printed as one line,
 * "PROFILE.INDEX TIME LABEL=BYTES …", bands sorted by label. */
#include "heap_events.h"

#include "profiles/heap_samples.h"

struct fixture {
    hectic_heap_samples *samples;
    struct heap_made made;
    char lines[4096];
    bool stop;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool print(void *user, const hectic_heap_sample *sample)
{
    struct fixture *f = user;
    char *out = f->lines + strlen(f->lines);
    char texts[16][300];
    uint64_t total = 0;
    assert_true(sample->bands <= 16);
    for (size_t i = 0; i < sample->bands; i++) {
        char label[256];
        const size_t length = hectic_band_text(hectic_heap_samples_stacks(f->samples),
                                               hectic_heap_samples_symbols(f->samples),
                                               sample->band[i].node, label, sizeof label);
        assert_int_equal(length, strlen(label));
        snprintf(texts[i], sizeof texts[i], " %s=%llu", label,
                 (unsigned long long)sample->band[i].bytes);
        if (__builtin_add_overflow(total, sample->band[i].bytes, &total)) total = UINT64_MAX;
    }
    assert_int_equal(total, sample->total);
    qsort(texts, sample->bands, sizeof texts[0], by_text);
    out += sprintf(out, "%u.%llu %llu", sample->profile, (unsigned long long)sample->index,
                   (unsigned long long)sample->time);
    for (size_t i = 0; i < sample->bands; i++)
        out += sprintf(out, "%s", texts[i]);
    sprintf(out, "\n");
    return !f->stop;
}

static bool feed(void *consumer, const hectic_event *event)
{
    return hectic_heap_samples_event(consumer, event);
}

static struct fixture *start(const hectic_heap_samples_options *options)
{
    static struct fixture f;
    f = (struct fixture){0};
    f.samples = hectic_heap_samples_new(options, print, &f);
    assert_non_null(f.samples);
    f.made = (struct heap_made){.feed = feed, .consumer = f.samples};
    return &f;
}

static hectic_heap_warnings finish(struct fixture *f, const char *lines)
{
    assert_string_equal(f->lines, lines);
    const hectic_heap_warnings warnings = hectic_heap_samples_warnings(f->samples);
    hectic_heap_samples_free(f->samples);
    return warnings;
}

/* A sample of one band. */
static void sample(struct heap_made *m, uint64_t time, const char *label, uint64_t bytes)
{
    heap_begin(m, time);
    heap_band(m, 0, label, bytes);
    heap_end(m);
}

static void test_bands(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    struct heap_made *m = &f->made;
    heap_define(m, 0, 100, 7, -1, "");
    heap_begin(m, 5);
    heap_stack(m, 0, 1, NULL, 0); /* no bytes, twice, before anything else */
    heap_stack(m, 0, 2, NULL, 0);
    heap_end(m);
    heap_begin(m, 10);
    heap_band(m, 0, "ARR_WORDS", 5);
    heap_band(m, 0, "base:GHC.Types.:", 7);
    heap_band(m, 0, "ARR_WORDS", 3); /* the same label again: another closure */
    heap_band(m, 0, "", 1);
    heap_end(m);
    heap_begin(m, 20);
    heap_end(m);
    sample(m, 30, "a\tb\n\"\x1b[31m\xff", UINT64_MAX);
    heap_begin(m, 40);
    heap_band(m, 0, "x", UINT64_MAX);
    heap_band(m, 0, "x", 1);
    heap_band(m, 0, "y", 1);
    heap_end(m);
    const hectic_heap_warnings w = finish(f, "0.0 5 MAIN=3\n"
                                             "0.1 10 =1 ARR_WORDS=8 base:GHC.Types.:=7\n"
                                             "0.2 20\n"
                                             "0.3 30 a\tb\n\"\x1b[31m\xff=18446744073709551615\n"
                                             "0.4 40 x=18446744073709551615 y=1\n");
    assert_int_equal(w.incomplete + w.outside + w.malformed + w.omitted, 0);
    assert_false(w.has_retainers);
}

static void define_centres(struct heap_made *m)
{
    heap_cost_centre(m, 1, "main", "Main", "Main.hs:1:1", false);
    heap_cost_centre(m, 2, "mk\xce\xbb", "Tree", "Tree.hs:2:2", false);
    heap_cost_centre(m, 3, "CAF", "GHC.IO", "<entire-module>", true);
    heap_cost_centre(m, 4, "CAF:xs", "Main", "Main.hs:3:3", true);
    heap_cost_centre(m, 5, "PINNED", "SYSTEM", "<built-in>", false);
}

static void stacks(struct heap_made *m)
{
    heap_begin(m, 1);
    heap_stack(m, 0, 11, NULL, 0);
    HEAP_STACK(m, 0, 1, 2, 1);
    HEAP_STACK(m, 0, 2, 3);
    HEAP_STACK(m, 0, 4, 2, 2, 1);
    HEAP_STACK(m, 0, 8, 2, 4);
    HEAP_STACK(m, 0, 16, 5);
    HEAP_STACK(m, 0, 32, 9, 1); /* not defined */
    heap_end(m);
}

static void test_cost_centres(void **state)
{
    (void)state;
    static const struct {
        hectic_band_group group;
        const char *lines;
    } cases[] = {
        {HECTIC_BANDS_BY_STACK,
         "0.0 1 GHC.IO.CAF=2 MAIN=11 PINNED=16 cost centre 9/main=32 "
         "mk\xce\xbb/CAF:xs=8 mk\xce\xbb/main=1 mk\xce\xbb/mk\xce\xbb/main=4\n"},
        {HECTIC_BANDS_BY_LEAF,
         "0.0 1 GHC.IO.CAF=2 MAIN=11 PINNED=16 cost centre 9=32 mk\xce\xbb=13\n"},
        {HECTIC_BANDS_BY_ROOT, "0.0 1 CAF:xs=8 GHC.IO.CAF=2 MAIN=11 PINNED=16 main=37\n"},
        {HECTIC_BANDS_BY_MODULE, "0.0 1 GHC.IO=2 MAIN=11 SYSTEM=16 Tree=13 cost centre 9=32\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *f = start(&(hectic_heap_samples_options){.group = cases[i].group});
        define_centres(&f->made);
        heap_define(&f->made, 0, 100, 1, -1, "");
        stacks(&f->made);
        finish(f, cases[i].lines);
    }
}

/* The names of stacks are those defined last. */
static void test_late_definitions(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    heap_define(&f->made, 0, 100, 1, -1, "");
    heap_begin(&f->made, 1);
    HEAP_STACK(&f->made, 0, 1, 2, 1);
    heap_end(&f->made);
    assert_string_equal(f->lines, "0.0 1 cost centre 2/cost centre 1=1\n");
    define_centres(&f->made);
    char label[64];
    hectic_band_text(hectic_heap_samples_stacks(f->samples),
                     hectic_heap_samples_symbols(f->samples),
                     hectic_stacks_count(hectic_heap_samples_stacks(f->samples)) - 1, label, 64);
    assert_string_equal(label, "mk\xce\xbb/main");
    finish(f, "0.0 1 cost centre 2/cost centre 1=1\n");

    /* So are modules. */
    f = start(&(hectic_heap_samples_options){.group = HECTIC_BANDS_BY_MODULE});
    heap_define(&f->made, 0, 100, 8, -1, "");
    sample(&f->made, 1, "0x10", 5);
    heap_info_table(&f->made, 16, "go", "Data.Map", "Map.hs:1:1");
    sample(&f->made, 2, "0x10", 5);
    finish(f, "0.0 1 0x10=5\n0.1 2 Data.Map=5\n");
}

static void test_info_tables(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    heap_info_table(&f->made, 0xabc0, "go", "Data.Map", "Map.hs:1:1");
    heap_info_table(&f->made, UINT64_MAX, "", "Data.Map", "Map.hs:2:2");
    heap_define(&f->made, 0, 100, 8, -1, "");
    heap_begin(&f->made, 1);
    heap_band(&f->made, 0, "0xabc0", 1);
    heap_band(&f->made, 0, "000000000000ABC0", 2); /* as Windows prints it */
    heap_band(&f->made, 0, "0xffffffffffffffff", 4);
    heap_band(&f->made, 0, "0x10ffffffffffffffff", 8); /* too large for an address */
    heap_band(&f->made, 0, "0x", 16);
    heap_band(&f->made, 0, "0x99", 32);
    heap_end(&f->made);
    finish(f, "0.0 1 0x10ffffffffffffffff=8 0x99=32 0x=16 go=3 table_info=4\n");
}

static void test_retainers(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    heap_define(&f->made, 0, 100, 5, -1, "");
    heap_begin(&f->made, 1);
    heap_band(&f->made, 0, "(7)main,CAF", 1);
    heap_band(&f->made, 0, "(81)main,CAF", 2);
    heap_band(&f->made, 0, "(81)", 4);
    heap_band(&f->made, 0, "()x", 8);
    heap_band(&f->made, 0, "(12", 16);
    heap_end(&f->made);
    assert_true(finish(f, "0.0 1 ()x=8 (12=16 =4 main,CAF=3\n").has_retainers);
}

/* All samples of a biography come at the end; its events have the times. */
static void test_biography(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    heap_define(&f->made, 0, 100, 6, -1, "");
    f->made.time = 9000;
    heap_begin_biography(&f->made, 3, 500);
    heap_band(&f->made, 0, "VOID", 1);
    heap_band(&f->made, 0, "DRAG", 0);
    heap_end(&f->made);
    heap_begin_biography(&f->made, 1, 700); /* eras mean nothing */
    heap_band(&f->made, 0, "VOID", 2);
    heap_end(&f->made);
    finish(f, "0.0 500 DRAG=0 VOID=1\n0.1 700 VOID=2\n");

    /* GHC 8.6 writes their beginnings only. */
    f = start(NULL);
    heap_begin_biography(&f->made, 1, 500);
    heap_begin_biography(&f->made, 1, 700);
    assert_int_equal(finish(f, "").incomplete, 2);

    /* With a selector, other profiles come at the end, too, and without times. */
    f = start(NULL);
    heap_define(&f->made, 0, 100, 7, 6, "drag,void");
    sample(&f->made, 9001, "x", 1);
    sample(&f->made, 9002, "x", 2);
    finish(f, "0.0 0 x=1\n0.1 0 x=2\n");
}

static void test_incomplete(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    struct heap_made *m = &f->made;
    heap_define(m, 0, 100, 7, -1, "");
    heap_band(m, 0, "outside", 1);
    heap_end(m);
    heap_begin(m, 1);
    heap_band(m, 0, "lost", 1);
    sample(m, 2, "x", 1);
    heap_band(m, 0, "outside", 1);
    sample(m, 3, "x", 1);
    heap_begin(m, 4);
    heap_band(m, 0, "lost", 1);
    const hectic_heap_warnings w = finish(f, "0.0 2 x=1\n0.1 3 x=1\n");
    assert_int_equal(w.incomplete, 2);
    assert_int_equal(w.outside, 2);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        uint16_t type, size;
    } cases[] = {
        {HECTIC_EVENT_HEAP_PROF_BEGIN, 12},
        {HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, 7},
        {HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, 15},
        {HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING, 8},
        {HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, 9},
        {HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, 10 + 4 * 255 - 1},
    };
    struct fixture *f = start(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(f->made.payload, 0xff, cases[i].size);
        f->made.end = f->made.payload + cases[i].size;
        assert_true(heap_event(&f->made, cases[i].type));
        assert_int_equal(hectic_heap_samples_warnings(f->samples).malformed, i + 1);
    }
    finish(f, "");
    /* A stack of 255. */
    uint32_t numbers[255] = {0};
    f = start(&(hectic_heap_samples_options){.group = HECTIC_BANDS_BY_ROOT});
    heap_begin(&f->made, 1);
    numbers[254] = 7;
    heap_stack(&f->made, 0, 1, numbers, 255);
    heap_end(&f->made);
    finish(f, "0.0 1 cost centre 7=1\n");
}

/* The profile of a sample. */
static const hectic_heap_kind *kind;
static bool keep_kind(void *user, const hectic_heap_sample *s)
{
    (void)user;
    kind = s->kind;
    return true;
}

static void test_kind(void **state)
{
    (void)state;
    hectic_heap_samples *samples = hectic_heap_samples_new(NULL, keep_kind, NULL);
    struct heap_made m = {.feed = feed, .consumer = samples};
    char *selector = malloc(400);
    memset(selector, 'x', 399);
    selector[399] = 0;
    heap_define(&m, 3, 1000, 2, 5, selector);
    heap_begin(&m, 1);
    heap_band(&m, 3, "Main", 1);
    heap_end(&m);
    assert_int_equal(kind->number, 3);
    assert_int_equal(kind->period, 1000);
    assert_int_equal(kind->breakdown, HECTIC_BREAKDOWN_MODULE);
    assert_int_equal(kind->flag, 'm');
    assert_true(kind->has_times);
    assert_int_equal(strlen(kind->selector[5]), 255);
    assert_string_equal(kind->selector[4], "");
    assert_string_equal(hectic_breakdown_text(kind->breakdown), "module");
    free(selector);

    static const struct {
        uint32_t number;
        char flag;
    } cases[] = {{1, 'c'}, {2, 'm'}, {3, 'd'}, {4, 'y'}, {5, 'r'}, {6, 'b'},
                 {7, 'T'}, {8, 'i'}, {9, 'e'}, {0, 0},   {10, 0},  {UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heap_define(&m, 1, 1, cases[i].number, -1, "");
        heap_begin(&m, 1);
        heap_band(&m, 1, "0x1", 1);
        heap_end(&m);
        assert_int_equal(kind->flag, cases[i].flag);
    }
    hectic_heap_samples_free(samples);
}

/* Without HEAP_PROF_BEGIN, the events tell what they can. */
static void test_inferred(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        hectic_breakdown assume, found;
    } cases[] = {
        {"0x12ab", HECTIC_BREAKDOWN_UNKNOWN, HECTIC_BREAKDOWN_INFO_TABLE},
        {"(12)x", HECTIC_BREAKDOWN_UNKNOWN, HECTIC_BREAKDOWN_RETAINER},
        {"ARR_WORDS", HECTIC_BREAKDOWN_UNKNOWN, HECTIC_BREAKDOWN_UNKNOWN},
        {"ARR_WORDS", HECTIC_BREAKDOWN_CLOSURE_TYPE, HECTIC_BREAKDOWN_CLOSURE_TYPE},
        {NULL, HECTIC_BREAKDOWN_UNKNOWN, HECTIC_BREAKDOWN_COST_CENTRE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hectic_heap_samples *samples = hectic_heap_samples_new(
            &(hectic_heap_samples_options){.assume = cases[i].assume}, keep_kind, NULL);
        struct heap_made m = {.feed = feed, .consumer = samples};
        heap_begin(&m, 1);
        if (cases[i].label)
            heap_band(&m, 0, cases[i].label, 1);
        else
            HEAP_STACK(&m, 0, 1, 1);
        heap_end(&m);
        assert_int_equal(kind->breakdown, cases[i].found);
        /* A late definition is that of the same profile. */
        heap_define(&m, 0, 5, 9, -1, "");
        assert_int_equal(kind->breakdown, HECTIC_BREAKDOWN_ERA);
        hectic_heap_samples_free(samples);
    }
    hectic_heap_samples *samples = hectic_heap_samples_new(NULL, keep_kind, NULL);
    struct heap_made m = {.feed = feed, .consumer = samples};
    heap_begin_biography(&m, 1, 1);
    heap_end(&m);
    assert_int_equal(kind->breakdown, HECTIC_BREAKDOWN_BIOGRAPHY);
    hectic_heap_samples_free(samples);
}

/* Definitions may come in SYNC events. */
static void test_replayed(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    struct heap_made *m = &f->made;
    heap_number(heap_start(m), HECTIC_EVENT_HEAP_PROF_COST_CENTRE, 2);
    heap_number(m, HECTIC_CAP_NONE, 2);
    heap_number(m, 1, 4);
    heap_text(m, "main");
    heap_text(m, "Main");
    heap_text(m, "here");
    heap_number(m, 0, 1);
    assert_true(heap_event(m, HECTIC_EVENT_SYNC));
    for (int i = 0; i < 2; i++) {
        heap_number(heap_start(m), HECTIC_EVENT_HEAP_PROF_BEGIN, 2);
        heap_number(m, HECTIC_CAP_NONE, 2);
        heap_number(m, 0, 1);
        heap_number(m, 100, 8);
        heap_number(m, 1, 4);
        assert_true(heap_event(m, HECTIC_EVENT_SYNC));
        heap_begin(m, 1);
        HEAP_STACK(m, 0, 1, 1);
        heap_end(m);
    }
    finish(f, "0.0 1 main=1\n0.1 1 main=1\n");
}

/* Profiles are told apart by number, and by what HEAP_PROF_BEGIN says. */
static void test_several(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    struct heap_made *m = &f->made;
    heap_define(m, 0, 100, 7, -1, "");
    heap_define(m, 1, 100, 1, -1, "");
    sample(m, 1, "x", 1);
    heap_begin(m, 2);
    HEAP_STACK(m, 1, 1, 5);
    heap_end(m);
    sample(m, 3, "x", 1);
    heap_define(m, 0, 100, 7, -1, ""); /* repeated */
    sample(m, 4, "x", 1);
    heap_define(m, 0, 100, 3, -1, ""); /* another profile */
    sample(m, 5, "x", 1);
    finish(f, "0.0 1 x=1\n1.0 2 cost centre 5=1\n0.1 3 x=1\n0.2 4 x=1\n2.0 5 x=1\n");
}

/* In a merged log, samples overlap. */
static void test_overlapping(void **state)
{
    (void)state;
    static const struct {
        const char *events; /* [ begin, ] end, a b c: a band of profile 0, 1, 2 */
        const char *lines;
        uint64_t incomplete, outside;
    } cases[] = {
        {"[a[bab]a]", "0.0 1 x=3\n1.0 2 x=2\n", 0, 0},
        {"[a[ab]ba]", "0.0 1 x=3\n1.0 2 x=2\n", 0, 0},
        {"[a[bb]aa]", "1.0 2 x=2\n0.0 1 x=3\n", 0, 0},
        {"[[ab]a]", "0.0 1 x=2\n1.0 2 x=1\n", 0, 0},
        {"[[]a]", "0.0 1 x=1\n1.0 2\n", 0, 0},
        {"[a[b]a][a]", "1.0 2 x=1\n0.0 1 x=2\n0.1 3 x=1\n", 0, 0},
        /* The end is that of 0, whose next sample begins in that of 1. */
        {"[a[bba][ba]b]", "0.0 1 x=2\n1.0 2 x=4\n0.1 3 x=1\n", 0, 0},
        /* A sample without an end does not keep others from completing. */
        {"[a[b][b][b]", "1.0 2 x=1\n1.1 3 x=1\n1.2 4 x=1\n", 1, 0},
        {"[a][b][a[b][b]", "0.0 1 x=1\n1.0 2 x=1\n1.1 4 x=1\n1.2 5 x=1\n", 1, 0},
        /* The end may be that of an empty sample. */
        {"[a[[[b]", "", 4, 0},
        {"[a]a[b]b", "0.0 1 x=1\n1.0 2 x=1\n", 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *f = start(NULL);
        heap_define(&f->made, 0, 100, 7, -1, "");
        heap_define(&f->made, 1, 100, 7, -1, "");
        uint64_t time = 0;
        for (const char *c = cases[i].events; *c; c++) {
            if (*c == '[') heap_begin(&f->made, ++time);
            if (*c == ']') heap_end(&f->made);
            if (*c >= 'a') heap_band(&f->made, (uint8_t)(*c - 'a'), "x", 1);
        }
        const hectic_heap_warnings w = finish(f, cases[i].lines);
        assert_int_equal(w.incomplete, cases[i].incomplete);
        assert_int_equal(w.outside, cases[i].outside);
    }
}

/* As many profiles at once as a merged log may have, and one more. */
static void test_many_overlapping(void **state)
{
    (void)state;
    for (uint8_t count = 16; count <= 17; count++) {
        struct fixture *f = start(NULL);
        for (uint8_t i = 0; i < count; i++)
            heap_define(&f->made, i, 100, 7, -1, "");
        for (uint8_t i = 0; i < count; i++)
            heap_begin(&f->made, i);
        for (int round = 0; round < 3; round++)
            for (uint8_t i = 0; i < count; i++)
                heap_band(&f->made, i, "x", i);
        for (uint8_t i = 0; i < count; i++)
            heap_end(&f->made);
        const char *const last = strstr(f->lines, "15.0 15 x=45\n");
        assert_int_equal(last != NULL, count == 16);
        const hectic_heap_warnings w = hectic_heap_samples_warnings(f->samples);
        assert_int_equal(w.incomplete, count - 16);
        assert_int_equal(w.outside, count == 16 ? 0 : 3);
        hectic_heap_samples_free(f->samples);
    }
}

/* Ends without bands leave samples closed until all profiles have ended. */
static void test_many_closed(void **state)
{
    enum { PROFILES = 16 };
    (void)state;
    struct fixture *f = start(NULL);
    for (uint8_t i = 0; i < PROFILES; i++)
        heap_define(&f->made, i, 100, 7, -1, "");
    uint64_t time = 0;
    heap_begin(&f->made, time++);
    for (int round = 0; round < 4; round++) {
        for (int i = 1; i < PROFILES; i++)
            heap_begin(&f->made, time++);
        for (int i = 1; i < PROFILES; i++)
            heap_end(&f->made);
    }
    heap_end(&f->made);
    size_t samples = 0;
    for (const char *line = f->lines; (line = strchr(line, '\n')); line++)
        samples++;
    const hectic_heap_warnings w = hectic_heap_samples_warnings(f->samples);
    assert_int_equal(samples + w.incomplete, time);
    assert_int_equal(w.incomplete, 0);
    hectic_heap_samples_free(f->samples);
}

static void test_limits(void **state)
{
    (void)state;
    struct fixture *f = start(&(hectic_heap_samples_options){.node_limit = 4});
    heap_begin(&f->made, 1);
    for (uint64_t i = 0; i < 8; i++)
        heap_band(&f->made, 0, (const char[]){(char)('a' + i), 0}, UINT64_C(1) << i);
    heap_end(&f->made);
    assert_int_equal(finish(f, "0.0 1 (others)=252 a=1 b=2\n").omitted, 6);

    /* More labels than the cache of labels has room for, twice. */
    hectic_heap_samples *samples = hectic_heap_samples_new(
        &(hectic_heap_samples_options){.node_limit = 1 << 20}, keep_kind, NULL);
    struct heap_made m = {.feed = feed, .consumer = samples};
    for (unsigned i = 0; i < 400000; i++) {
        char label[64];
        if (i % 200000 == 0) heap_begin(&m, 1);
        snprintf(label, sizeof label, "package:Module.Constructor_%u", i % 200000);
        heap_band(&m, 0, label, 1);
        if (i % 200000 == 199999) heap_end(&m);
    }
    assert_int_equal(hectic_stacks_count(hectic_heap_samples_stacks(samples)), 200002);
    hectic_heap_samples_free(samples);

    /* More profiles than 256. */
    samples = hectic_heap_samples_new(NULL, keep_kind, NULL);
    m.consumer = samples;
    for (unsigned i = 0; i < 300; i++) {
        heap_define(&m, 0, i, 7, -1, "");
        sample(&m, i, "x", 1);
    }
    assert_int_equal(hectic_heap_samples_warnings(samples).malformed, 44);
    hectic_heap_samples_free(samples);
}

static void test_stopped(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    f->stop = true;
    heap_begin(&f->made, 1);
    heap_number(heap_start(&f->made), 0, 8);
    assert_false(heap_event(&f->made, HECTIC_EVENT_HEAP_PROF_SAMPLE_END));
    finish(f, "0.0 1\n");
}

/* Names have modules. */
static void test_names(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    define_centres(&f->made);
    heap_info_table(&f->made, 16, "go", "Data.Map", "Map.hs:1:1");
    heap_define(&f->made, 0, 100, 1, -1, "");
    heap_define(&f->made, 1, 100, 8, -1, "");
    stacks(&f->made);
    sample(&f->made, 1, "ARR_WORDS", 1);
    heap_begin(&f->made, 2);
    heap_band(&f->made, 1, "0x10", 1);
    heap_end(&f->made);
    char names[512] = "", name[64];
    const hectic_stacks *tree = hectic_heap_samples_stacks(f->samples);
    for (uint32_t node = 0; node < hectic_stacks_count(tree); node++) {
        hectic_band_name(tree, hectic_heap_samples_symbols(f->samples), node, name, sizeof name);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s\n", name);
    }
    assert_string_equal(names, "MAIN\n(others)\nMain.main\nTree.mk\xce\xbb/Main.main\nGHC.IO.CAF\n"
                               "Tree.mk\xce\xbb/Tree.mk\xce\xbb/Main.main\nMain.CAF:xs\n"
                               "Tree.mk\xce\xbb/Main.CAF:xs\nPINNED\n"
                               "cost centre 9/Main.main\nARR_WORDS\nData.Map.go\n");
    hectic_heap_samples_free(f->samples);
}

/* Texts are truncated to their room, and their whole length is known. */
static void test_text(void **state)
{
    (void)state;
    struct fixture *f = start(NULL);
    define_centres(&f->made);
    stacks(&f->made);
    const hectic_stacks *tree = hectic_heap_samples_stacks(f->samples);
    const hectic_symbols *symbols = hectic_heap_samples_symbols(f->samples);
    char whole[64], part[64];
    for (uint32_t node = 0; node < hectic_stacks_count(tree) + 2; node++) {
        const size_t length = hectic_band_text(tree, symbols, node, whole, sizeof whole);
        assert_int_equal(length, strlen(whole));
        for (size_t size = 0; size <= length + 1; size++) {
            memset(part, 'z', sizeof part);
            assert_int_equal(hectic_band_text(tree, symbols, node, part, size), length);
            assert_int_equal(part[size], 'z');
            if (size == 0) continue;
            assert_int_equal(strlen(part), size - 1);
            assert_memory_equal(part, whole, size - 1);
        }
    }
    hectic_heap_samples_free(f->samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_cost_centres),
        cmocka_unit_test(test_late_definitions),
        cmocka_unit_test(test_info_tables),
        cmocka_unit_test(test_retainers),
        cmocka_unit_test(test_biography),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_kind),
        cmocka_unit_test(test_inferred),
        cmocka_unit_test(test_replayed),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_overlapping),
        cmocka_unit_test(test_many_overlapping),
        cmocka_unit_test(test_many_closed),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
