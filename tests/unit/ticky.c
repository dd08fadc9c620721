/* Ticky counters: sums, definitions of all shapes, intervals, limits; against a slow reference. */
#include "profiles/ticky.h"
#include "events.h"

#define FEED(time, name, ...)                                                                      \
    EVENT(hectic_ticky_event, t, time, HECTIC_CAP_NONE, name, "", __VA_ARGS__)
#define ALLOCATED(time, cap, bytes)                                                                \
    EVENT(hectic_ticky_event, t, time, cap, HEAP_ALLOCATED, "", 0, bytes)
#define SAMPLE(time, counter, entries, allocs, allocd)                                             \
    FEED(time, TICKY_COUNTER_SAMPLE, counter, entries, allocs, allocd)

/* A payload under construction. */
struct payload {
    uint8_t bytes[EVENT_SIZE_MAX];
    size_t size;
};

static void put(struct payload *p, uint64_t number, size_t bytes)
{
    event_put(p->bytes + p->size, number, bytes);
    p->size += bytes;
}

static void put_text(struct payload *p, const char *text)
{
    memcpy(p->bytes + p->size, text, strlen(text) + 1);
    p->size += strlen(text) + 1;
}

static hectic_event event_of(const struct payload *p, uint16_t type)
{
    static const hectic_event_type declared = {.size = HECTIC_VARIABLE};
    return (hectic_event){.payload = p->bytes,
                          .size = (uint16_t)p->size,
                          .type = type,
                          .cap = HECTIC_CAP_NONE,
                          .declared = &declared};
}

static void take(hectic_ticky *t, const struct payload *p, uint16_t type)
{
    const hectic_event event = event_of(p, type);
    assert_true(hectic_ticky_event(t, &event));
}

/* A definition of a counter; `json` NULL: in the shape without info table and JSON. */
static struct payload definition(uint64_t number, uint16_t arity, const char *kinds,
                                 const char *name, uint64_t info, const char *json)
{
    struct payload p = {0};
    put(&p, number, 8);
    put(&p, arity, 2);
    put_text(&p, kinds);
    put_text(&p, name);
    if (json) put(&p, info, 8);
    if (json) put_text(&p, json);
    return p;
}

static void define(hectic_ticky *t, uint64_t number, uint16_t arity, const char *kinds,
                   const char *name, uint64_t info, const char *json)
{
    const struct payload p = definition(number, arity, kinds, name, info, json);
    take(t, &p, HECTIC_EVENT_TICKY_COUNTER_DEF);
}

static hectic_ticky *ticky_new(uint64_t from, uint64_t to, uint32_t limit)
{
    hectic_ticky *t = hectic_ticky_new(from, to, limit);
    assert_non_null(t);
    return t;
}

static hectic_ticky_counter counter(const hectic_ticky *t, uint64_t number)
{
    hectic_ticky_counter counter;
    assert_true(hectic_ticky_find(t, number, &counter));
    assert_int_equal(counter.number, number);
    return counter;
}

static bool note_number(void *user, const hectic_ticky_counter *counter)
{
    char *text = user;
    sprintf(text + strlen(text), "%d ", (int)counter->number);
    return counter->number != 99;
}

static void samples_are_summed(void **state)
{
    (void)state;
    hectic_ticky *t = ticky_new(0, UINT64_MAX, 0);
    FEED(10, TICKY_BEGIN_SAMPLE, 0);
    SAMPLE(10, 7, 1, 16, 0);
    SAMPLE(11, 0, 5, 0, 8); /* a counter may have any number */
    FEED(20, TICKY_BEGIN_SAMPLE, 0);
    SAMPLE(20, 7, 2, 32, 24);
    define(t, 7, 2, "iM", "Main.f{v r1} (fun)", 0, NULL);
    define(t, 8, 0, "", "never sampled", 0, NULL);
    const hectic_ticky_totals totals = hectic_ticky_get_totals(t);
    assert_int_equal(totals.counters, 2);
    assert_int_equal(totals.defined, 2);
    assert_int_equal(totals.samples, 3);
    assert_int_equal(totals.groups, 2);
    assert_int_equal(totals.entries, 8);
    assert_int_equal(totals.allocs, 48);
    assert_int_equal(totals.allocd, 32);
    assert_int_equal(totals.first, 10);
    assert_int_equal(totals.last, 20);
    assert_false(totals.has_allocated);
    const hectic_ticky_counter f = counter(t, 7), unknown = counter(t, 0);
    assert_true(f.is_defined && !unknown.is_defined);
    assert_string_equal(f.name, "Main.f{v r1} (fun)");
    assert_string_equal(f.arguments, "iM");
    assert_string_equal(f.type, "fun");
    assert_int_equal(f.arity, 2);
    assert_null(f.free_variables);
    assert_false(f.has_info_table);
    assert_int_equal(f.entries, 3);
    assert_int_equal(f.allocs, 48);
    assert_int_equal(f.allocd, 24);
    assert_int_equal(f.samples, 2);
    assert_true(f.first == 10 && f.last == 20);
    assert_null(unknown.name);
    assert_int_equal(unknown.entries, 5);
    char order[64] = "";
    assert_true(hectic_ticky_each(t, note_number, order));
    assert_string_equal(order, "7 0 ");
    SAMPLE(30, 99, 1, 0, 0);
    assert_false(hectic_ticky_each(t, note_number, order));
    hectic_ticky_counter none;
    assert_false(hectic_ticky_find(t, 12345, &none));
    hectic_ticky_free(t);
}

static void json_and_info_tables_describe_counters(void **state)
{
    (void)state;
    hectic_ticky *t = ticky_new(0, UINT64_MAX, 0);
    define(t, 1, 1, "L", "g{v s1} (Main) (fun) in r3", 0x1000,
           "{\"type\":\"entCntr\",\"subTy\":\"fun\",\"fvs_c\":2,\"fvs\":\"Mi\",\"args\":\"L\"}");
    struct payload ipe = {0};
    put(&ipe, 0x1000, 8);
    static const char *const texts[] = {"g_info", "15", "Int -> Int", "g", "Main", "Main.hs:3:1-9"};
    for (size_t i = 0; i < 6; i++)
        put_text(&ipe, texts[i]);
    take(t, &ipe, HECTIC_EVENT_IPE);
    const hectic_ticky_counter g = counter(t, 1);
    assert_string_equal(g.type, "fun");
    assert_string_equal(g.free_variables, "Mi");
    assert_string_equal(g.arguments, "L");
    assert_true(g.has_info_table);
    assert_int_equal(g.info_table, 0x1000);
    assert_string_equal(g.ipe_name, "g");
    assert_string_equal(g.module, "Main");
    assert_string_equal(g.location, "Main.hs:3:1-9");
    assert_string_equal(g.ipe_type, "Int -> Int");
    /* The last definition counts. */
    define(t, 1, 0, "", "h (thk,se)", 0, "{\"subTy\":\"thk\",\"fvs\":\"M\"}");
    const hectic_ticky_counter h = counter(t, 1);
    assert_string_equal(h.name, "h (thk,se)");
    assert_string_equal(h.type, "thk");
    assert_string_equal(h.arguments, "");
    assert_null(h.module);
    assert_int_equal(hectic_ticky_get_totals(t).defined, 1);
    hectic_ticky_free(t);
}

static void types_come_from_names_too(void **state)
{
    (void)state;
    static const struct {
        const char *kinds, *name, *json, *type;
    } cases[] = {
        {"", "sat_s1{v} (Main) (thk,std) in r3", NULL, "thk"},
        {"", "sat_s1{v} (Main) (con: GHC.Types.I#{(w) d 6i}) in r3", NULL, "con"},
        {"i", "$j{v s2} (Main) (LNE) in r3", NULL, "lne"},
        {"i", "f (fun,se)", "", "fun"},
        {"i", "f (fun,se)", "{\"type\":\"other\"}", "other"},
        {"", " (fun", NULL, "fun"},
        {"", " (fu", NULL, NULL},
        {"", "", NULL, NULL},
        {"infer", "x at Main.hs:1:2 in f", "infer", "tag"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hectic_ticky *t = ticky_new(0, UINT64_MAX, 0);
        define(t, 1, 0, cases[i].kinds, cases[i].name, 0, cases[i].json);
        const hectic_ticky_counter c = counter(t, 1);
        if (cases[i].type)
            assert_string_equal(c.type, cases[i].type);
        else
            assert_null(c.type);
        const bool is_tag = cases[i].type && strcmp(cases[i].type, "tag") == 0;
        assert_true(is_tag ? c.arguments == NULL : strcmp(c.arguments, cases[i].kinds) == 0);
        hectic_ticky_free(t);
    }
}

/* Only string members of the outermost object count; nothing else does harm. */
static void json_may_be_anything(void **state)
{
    (void)state;
    static const struct {
        const char *json, *free_variables, *arguments;
    } cases[] = {
        {"{\"fvs\":\"M\",\"args\":\"i\"}", "M", "i"},
        {" { \"args\" : \"i\" , \"x\" : 1 , \"fvs\" : \"M\" } ", "M", "i"},
        {"{\"fvs\":\"\"}", "", "K"},
        {"{\"x\":{\"fvs\":\"no\"},\"args\":\"i\"}", NULL, "i"},
        {"{\"x\":[\"fvs\",\"no\"],\"fvs\":\"M\"}", "M", "K"},
        {"{\"fvs\":[\"M\"],\"args\":\"i\"}", NULL, "i"},
        {"{\"fvs\":3,\"args\":\"i\"}", NULL, "i"},
        {"{\"fvs\",\"args\":\"i\"}", NULL, "i"},
        {"{\"f\\\"vs\":\"no\",\"fvs\":\"a\\\"b\"}", "a\\\"b", "K"},
        {"{\"fvs\":\"cut", "cut", "K"},
        {"{\"fvs\":\"M\\", "M\\", "K"},
        {"{\"fvs\":", NULL, "K"},
        {"{\"fvs", NULL, "K"},
        {"{", NULL, "K"},
        {"\"fvs\":\"no\"", NULL, "K"},
        {"}}}}{\"fvs\":\"M\"}", "M", "K"},
        {"]][[[[[[[[\"fvs\":\"no\"", NULL, "K"},
        {"infer", NULL, "K"},
        {"", NULL, "K"},
        {"{\"fvs\":\"A\",\"fvs\":\"B\"}", "B", "K"},
        {"{\"args\":\"\t\n\x1b[31m\xff\"}", NULL, "\t\n\x1b[31m\xff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hectic_ticky *t = ticky_new(0, UINT64_MAX, 0);
        define(t, 1, 1, "K", "name", 0, cases[i].json);
        const hectic_ticky_counter c = counter(t, 1);
        if (cases[i].free_variables)
            assert_string_equal(c.free_variables, cases[i].free_variables);
        else
            assert_null(c.free_variables);
        assert_string_equal(c.arguments, cases[i].arguments);
        hectic_ticky_free(t);
    }
}

static void closures_are_counted_by_their_size(void **state)
{
    (void)state;
    static const struct {
        const char *type, *free_variables;
        uint64_t allocd;
        bool is_known;
        uint64_t closures;
    } cases[] = {
        {"fun", "Mi", 240, true, 10},   {"thk_u", "M", 240, true, 10},
        {"thk", "MMMM", 480, true, 10}, {"con", "", 240, false, 0},
        {"lne", "", 0, false, 0},       {"fun", NULL, 240, false, 0},
        {NULL, "M", 240, false, 0},     {"fun", "", UINT64_MAX, true, UINT64_MAX / 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hectic_ticky_counter c = {.type = cases[i].type,
                                        .free_variables = cases[i].free_variables,
                                        .allocd = cases[i].allocd};
        uint64_t closures = 0;
        assert_int_equal(hectic_ticky_closures(&c, 8, &closures), cases[i].is_known);
        assert_true(closures == cases[i].closures);
    }
}

/* The counters of the caps run since the program's start, or since a replay. */
static void allocation_is_the_growth_of_all_caps(void **state)
{
    (void)state;
    hectic_ticky *t = ticky_new(20, 40, 0);
    EVENT_REPLAYED(hectic_ticky_event, t, 5, 1, HEAP_ALLOCATED, "", 0, 1000);
    ALLOCATED(10, 0, 100);
    ALLOCATED(25, 0, 150);
    ALLOCATED(30, 1, 1010);
    ALLOCATED(35, 0, 140); /* decreases */
    ALLOCATED(36, 0, 160);
    ALLOCATED(37, 2, 7);
    ALLOCATED(40, 1, 5000); /* after the interval */
    const hectic_ticky_totals totals = hectic_ticky_get_totals(t);
    assert_true(totals.has_allocated);
    assert_int_equal(totals.allocated, 50 + 10 + 10 + 7);
    hectic_ticky_free(t);
}

/* Only the definitions of a late reader's log are replayed. */
static void definitions_are_replayed(void **state)
{
    (void)state;
    hectic_ticky *t = ticky_new(0, UINT64_MAX, 0);
    const struct payload inside = definition(3, 1, "i", "f", 0, NULL);
    struct payload sync = {0};
    put(&sync, HECTIC_EVENT_TICKY_COUNTER_DEF, 2);
    put(&sync, HECTIC_CAP_NONE, 2);
    memcpy(sync.bytes + 4, inside.bytes, inside.size);
    sync.size += inside.size;
    take(t, &sync, HECTIC_EVENT_SYNC);
    EVENT_REPLAYED(hectic_ticky_event, t, 5, HECTIC_CAP_NONE, TICKY_COUNTER_SAMPLE, "", 3, 1, 1, 1);
    assert_string_equal(counter(t, 3).name, "f");
    assert_int_equal(counter(t, 3).entries, 0);
    assert_int_equal(hectic_ticky_get_totals(t).counters, 0);
    hectic_ticky_free(t);
}

static void bad_events_are_counted(void **state)
{
    (void)state;
    hectic_ticky *t = ticky_new(0, UINT64_MAX, 2);
    const struct payload whole = definition(1, 1, "i", "f", 9, "{}");
    for (size_t size = 0; size < whole.size; size++) {
        hectic_event event = event_of(&whole, HECTIC_EVENT_TICKY_COUNTER_DEF);
        event.size = (uint16_t)size;
        assert_true(hectic_ticky_event(t, &event));
        enum { NAME_END = 8 + 2 + 2 + 2 };
        const uint64_t malformed = size < NAME_END ? size + 1 : NAME_END;
        assert_int_equal(hectic_ticky_get_totals(t).malformed, malformed);
        assert_int_equal(hectic_ticky_get_totals(t).defined, size >= NAME_END);
    }
    struct payload sample = {0};
    put(&sample, 1, 8);
    put(&sample, 1, 8);
    take(t, &sample, HECTIC_EVENT_TICKY_COUNTER_SAMPLE);
    take(t, &sample, HECTIC_EVENT_SYNC);
    sample.size = 11;
    take(t, &sample, HECTIC_EVENT_HEAP_ALLOCATED);
    assert_int_equal(hectic_ticky_get_totals(t).malformed, 16);
    /* Values near 2^64 saturate. */
    SAMPLE(1, 1, UINT64_MAX, UINT64_MAX - 1, 5);
    SAMPLE(UINT64_MAX, 1, UINT64_MAX, 2, 5); /* the interval has no end */
    assert_true(counter(t, 1).entries == UINT64_MAX && counter(t, 1).allocs == UINT64_MAX);
    assert_true(hectic_ticky_get_totals(t).entries == UINT64_MAX);
    /* Two counters are kept. */
    SAMPLE(3, 2, 1, 1, 1);
    SAMPLE(3, 3, 1, 1, 1);
    define(t, 3, 0, "", "beyond", 0, NULL);
    assert_int_equal(hectic_ticky_get_totals(t).counters, 2);
    assert_int_equal(hectic_ticky_get_totals(t).omitted, 2);
    hectic_ticky_free(t);
}

/* --- Against a slow reference ---------------------------------------------------------------- */

enum { EVENTS = 3000, COUNTERS = 40, END = 1000 };

struct one {
    uint64_t time, number, value[3];
    bool is_allocation; /* of the cap `number`: value[0] since the start */
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state >> 33;
}

static void make(struct one *one, uint64_t seed)
{
    uint64_t allocated[4] = {0};
    for (size_t i = 0; i < EVENTS; i++) {
        one[i] = (struct one){.time = i * END / EVENTS, .number = next_random(&seed) % COUNTERS};
        one[i].is_allocation = next_random(&seed) % 10 == 0;
        for (size_t j = 0; j < 3; j++)
            one[i].value[j] = next_random(&seed) % 100;
        if (!one[i].is_allocation) continue;
        one[i].number %= 4;
        one[i].value[0] = allocated[one[i].number] += one[i].value[0];
    }
}

static void feed(hectic_ticky *t, const struct one *one)
{
    for (size_t i = 0; i < EVENTS; i++, one++) {
        if (one->is_allocation)
            ALLOCATED(one->time, (uint16_t)one->number, one->value[0]);
        else
            SAMPLE(one->time, one->number, one->value[0], one->value[1], one->value[2]);
    }
}

/* Of all events, one by one: the sums of a counter, or of all (COUNTERS), in an interval. */
static void slow_sums(const struct one *one, uint64_t number, uint64_t from, uint64_t to,
                      uint64_t sums[4])
{
    memset(sums, 0, 4 * sizeof *sums);
    for (size_t i = 0; i < EVENTS; i++) {
        if (one[i].time < from || one[i].time >= to || one[i].is_allocation) continue;
        if (number < COUNTERS && one[i].number != number) continue;
        for (size_t j = 0; j < 3; j++)
            sums[j] += one[i].value[j];
        sums[3]++;
    }
}

static uint64_t slow_allocated(const struct one *one, uint64_t from, uint64_t to)
{
    uint64_t growth = 0;
    for (uint64_t cap = 0; cap < 4; cap++) {
        uint64_t before = 0, after = 0;
        for (size_t i = 0; i < EVENTS; i++) {
            if (!one[i].is_allocation || one[i].number != cap) continue;
            if (one[i].time < from) before = one[i].value[0];
            if (one[i].time < to) after = one[i].value[0];
        }
        growth += after - before;
    }
    return growth;
}

static void intervals_equal_the_reference(void **state)
{
    (void)state;
    static struct one one[EVENTS];
    uint64_t seed = 1;
    for (size_t round = 0; round < 50; round++) {
        make(one, round);
        const uint64_t from = next_random(&seed) % END;
        const uint64_t to = from + next_random(&seed) % (END - from + 1);
        hectic_ticky *t = ticky_new(from, to, 0);
        feed(t, one);
        const hectic_ticky_totals totals = hectic_ticky_get_totals(t);
        uint64_t sums[4], counters = 0;
        for (uint64_t number = 0; number < COUNTERS; number++) {
            hectic_ticky_counter c = {0};
            slow_sums(one, number, from, to, sums);
            const bool found = hectic_ticky_find(t, number, &c);
            assert_int_equal(found, sums[3] > 0);
            assert_int_equal(c.entries, sums[0]);
            assert_int_equal(c.allocs, sums[1]);
            assert_int_equal(c.allocd, sums[2]);
            assert_int_equal(c.samples, sums[3]);
            counters += found;
        }
        slow_sums(one, COUNTERS, from, to, sums);
        assert_int_equal(totals.counters, counters);
        assert_int_equal(totals.entries, sums[0]);
        assert_int_equal(totals.allocs, sums[1]);
        assert_int_equal(totals.allocd, sums[2]);
        assert_int_equal(totals.samples, sums[3]);
        assert_int_equal(totals.allocated, slow_allocated(one, from, to));
        hectic_ticky_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_summed),
        cmocka_unit_test(json_and_info_tables_describe_counters),
        cmocka_unit_test(types_come_from_names_too),
        cmocka_unit_test(json_may_be_anything),
        cmocka_unit_test(closures_are_counted_by_their_size),
        cmocka_unit_test(allocation_is_the_growth_of_all_caps),
        cmocka_unit_test(definitions_are_replayed),
        cmocka_unit_test(bad_events_are_counted),
        cmocka_unit_test(intervals_equal_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
