/* What is loaded from a snapshot answers as the log does, from slots; answers that are added to it
 * are given for the whole run; and damage is refused. Logs: tests/logs, and those named in
 * $HECTIC_LOGS. */
#include "logs.h"

#include "view/engine/snapshot.h"

#include "view/engine/view.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    uint8_t *bytes;
    size_t length;
};

static ptrdiff_t read_bytes(void *user, uint64_t position, void *buffer, size_t size)
{
    const struct piece *in = user;
    if (position >= in->length) return 0;
    if (size > in->length - position) size = in->length - (size_t)position;
    memcpy(buffer, in->bytes + position, size);
    return (ptrdiff_t)size;
}

static hectic_view *view_of(struct piece *in, hectic_view_result wanted)
{
    hectic_view *view =
        hectic_view_new(&(hectic_view_source){.user = in, .size = in->length, .read = read_bytes});
    hectic_view_result result;
    assert_non_null(view);
    while ((result = hectic_view_read(view, 1 << 20)) == HECTIC_VIEW_MORE)
        ;
    assert_int_equal(result, wanted);
    return view;
}

static struct piece ask(hectic_view *view, const char *request, bool wanted)
{
    hectic_view_answer a;
    const bool done = hectic_view_ask(view, request, &a);
    if (done != wanted) print_message("%s: %.*s\n", request, (int)a.length, (const char *)a.bytes);
    assert_true(done == wanted);
    struct piece kept = {malloc(a.length + 1), a.length};
    memcpy(kept.bytes, a.bytes, a.length);
    kept.bytes[a.length] = 0;
    return kept;
}

static void same(hectic_view *a, hectic_view *b, const char *request)
{
    struct piece x = ask(a, request, true), y = ask(b, request, true);
    if (x.length != y.length || memcmp(x.bytes, y.bytes, x.length) != 0)
        print_message("%s:\n%.500s\n%.500s\n", request, (char *)x.bytes, (char *)y.bytes);
    assert_int_equal(x.length, y.length);
    assert_memory_equal(x.bytes, y.bytes, x.length);
    free(x.bytes);
    free(y.bytes);
}

static uint64_t number_after(const struct piece *json, const char *key)
{
    const char *at = strstr((const char *)json->bytes, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* The sections, but not what is said of the directory of a program or of the bytes that were read.
 */
static void same_facts(hectic_view *a, hectic_view *b)
{
    static const char *const keys[] = {"\"from_ns\":", "\"to_ns\":"};
    struct piece x = ask(a, "overview", true), y = ask(b, "overview", true);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_true(number_after(&x, keys[i]) == number_after(&y, keys[i]));
    const char *recorded = strstr((char *)x.bytes, "\"recorded\""), *end = strchr(recorded, '}');
    const char *other = strstr((char *)y.bytes, "\"recorded\"");
    assert_memory_equal(recorded, other, (size_t)(end - recorded));
    const char *caps = strstr((char *)x.bytes, "\"caps\""), *last = strchr(caps, ']');
    assert_memory_equal(caps, strstr((char *)y.bytes, "\"caps\""), (size_t)(last - caps));
    free(x.bytes);
    free(y.bytes);
}

/* Where slots are not wider than columns, no events are read. */
static void same_pictures(hectic_view *a, hectic_view *b)
{
    static const char *const names[] = {"columns", "curves"};
    char request[200];
    struct piece overview = ask(a, "overview", true);
    const uint64_t from = number_after(&overview, "\"from_ns\":");
    const uint64_t to = number_after(&overview, "\"to_ns\":") + 1, length = to - from;
    free(overview.bytes);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (uint64_t parts = 1; parts <= 8; parts *= 2) {
            const uint64_t begin = from + length / parts * (parts - 1);
            snprintf(request, sizeof request, "%s?from=%" PRIu64 "&to=%" PRIu64 "&width=%d",
                     names[i], begin, to, 500);
            if (length / parts / 500 >= (to >> 14 > 1024 ? to >> 14 : 1024)) same(a, b, request);
        }
    }
    snprintf(request, sizeof request, "labels?width=%d", 30);
    same(a, b, request);
}

static void test_one(const char *path)
{
    struct piece log = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    log.length = (size_t)ftell(file);
    rewind(file);
    log.bytes = malloc(log.length + 1);
    assert_int_equal(fread(log.bytes, 1, log.length, file), log.length);
    fclose(file);
    hectic_view *first = hectic_view_new(
        &(hectic_view_source){.user = &log, .size = log.length, .read = read_bytes});
    hectic_view_result result;
    while ((result = hectic_view_read(first, 1 << 20)) == HECTIC_VIEW_MORE)
        ;
    if (result == HECTIC_VIEW_END) {
        struct piece snapshot = ask(first, "snapshot", true);
        hectic_view *second = view_of(&snapshot, HECTIC_VIEW_END);
        same_facts(first, second);
        same_pictures(first, second);
        /* A snapshot of a snapshot is the same. */
        struct piece again = ask(second, "snapshot", true);
        struct piece few = ask(first, "snapshot?slots=1024", true);
        assert_true(few.length <= snapshot.length);
        hectic_view_free(view_of(&few, HECTIC_VIEW_END));
        hectic_view_free(view_of(&again, HECTIC_VIEW_END));
        free(few.bytes);
        free(again.bytes);
        hectic_view_free(second);
        free(snapshot.bytes);
    }
    hectic_view_free(first);
    free(log.bytes);
}

static void test_pictures(void **state)
{
    const char *more = getenv("HECTIC_LOGS");
    glob_t found;
    (void)state;
    assert_int_equal(glob("tests/logs/*.eventlog", 0, NULL, &found), 0);
    if (more) glob(more, GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        test_one(found.gl_pathv[i]);
    globfree(&found);
}

static void add_answer(struct piece *snapshot, uint8_t what, const char *request,
                       const char *answer)
{
    const size_t length = 1 + strlen(request) + 1 + strlen(answer);
    snapshot->bytes = realloc(snapshot->bytes, snapshot->length + 5 + length);
    uint8_t *to = snapshot->bytes + snapshot->length;
    *to++ = 'A';
    for (unsigned i = 0; i < 4; i++)
        *to++ = (uint8_t)(length >> 8 * i);
    *to++ = what;
    memcpy(to, request, strlen(request) + 1);
    memcpy(to + strlen(request) + 1, answer, strlen(answer));
    snapshot->length += 5 + length;
}

static void says(hectic_view *view, const char *request, bool done, const char *text)
{
    struct piece a = ask(view, request, done);
    assert_string_equal((char *)a.bytes, text);
    free(a.bytes);
}

static struct piece demo_snapshot(void)
{
    struct piece log = {malloc(1 << 24), 0};
    FILE *file = fopen("tests/logs/demo.eventlog", "rb");
    log.length = fread(log.bytes, 1, 1 << 24, file);
    fclose(file);
    hectic_view *view = view_of(&log, HECTIC_VIEW_END);
    struct piece snapshot = ask(view, "snapshot?slots=2048", true);
    hectic_view_free(view);
    free(log.bytes);
    return snapshot;
}

static void test_answers(void **state)
{
    static const char
        not_held
            [] = "{\"message\":\"the report does not hold this\",\"code\":\"not_held\"}",
    no_heap[] =
        "{\"message\":\"the report does not hold this: use hectic heap --from TIME --to TIME LOG\","
        "\"code\":\"not_held\"}",
    no_part[] = "{\"message\":\"the report holds this of the whole run only: use hectic stat "
                "--from TIME --to TIME LOG\","
                "\"code\":\"not_held\"}";
    struct piece snapshot = demo_snapshot();
    (void)state;
    add_answer(&snapshot, 0, "stat?section=1", "{\"some\":1}");
    add_answer(&snapshot, 0, "heap", "{\"heap\":1}");
    add_answer(&snapshot, 0, "heap?by=type", "{\"heap\":2}");
    add_answer(&snapshot, SAVED_FAILED, "prof", "no samples");
    add_answer(&snapshot, SAVED_FOR_PARTS, "rows?width=300", "{\"rows\":[]}");
    hectic_view *view = view_of(&snapshot, HECTIC_VIEW_END);
    says(view, "stat", true, "{\"some\":1}");
    says(view, "stat?from=0&to=99999999999", true, "{\"some\":1}");
    says(view, "stat?from=5000000&to=99999999999", false, no_part);
    says(view, "stat?section=2", false,
         "{\"message\":\"there is no such section\",\"code\":\"no_section\"}");
    says(view, "heap", true, "{\"heap\":1}");
    says(view, "heap?by=type&width=3", true, "{\"heap\":2}");
    says(view, "heap?by=cost", false, no_heap);
    says(view, "heap?by=type&limit=3", false, no_heap);
    says(view, "prof", false, "{\"message\":\"no samples\",\"code\":\"failed\"}");
    says(view, "rows?from=5000000&to=5000010&width=9&some=1", true, "{\"rows\":[]}");
    says(view, "no_such_request", false, not_held);
    hectic_view_free(view);
    free(snapshot.bytes);
}

/* No prefix of a snapshot is one, unless it ends between two records. */
static void test_damage(void **state)
{
    struct piece snapshot = demo_snapshot();
    (void)state;
    for (size_t length = 100; length < snapshot.length; length += 97) {
        struct piece part = {snapshot.bytes, length};
        hectic_view_free(view_of(&part, HECTIC_VIEW_FAILED));
    }
    for (size_t i = 18; i < snapshot.length; i += 31) {
        snapshot.bytes[i] ^= 0x80;
        hectic_view *view =
            hectic_view_new(&(hectic_view_source){.user = &snapshot, .read = read_bytes});
        hectic_view_result result;
        while ((result = hectic_view_read(view, 1 << 20)) == HECTIC_VIEW_MORE)
            ;
        if (result == HECTIC_VIEW_END) {
            hectic_view_answer a;
            hectic_view_ask(view, "columns?width=700", &a);
            hectic_view_ask(view, "curves?width=700", &a);
            hectic_view_ask(view, "labels?width=700", &a);
            hectic_view_ask(view, "overview", &a);
        }
        hectic_view_free(view);
        snapshot.bytes[i] ^= 0x80;
    }
    free(snapshot.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
