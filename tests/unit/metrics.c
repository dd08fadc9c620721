/* The text that Prometheus reads: against texts kept beside the logs, and, while logs go on, that
 * nothing in it goes back or away. */
#include "live/metrics.h"
#include "events.h"
#include "logs.h"

#include <stdlib.h>
#include <string.h>

enum { PID = 4321 };

/* --- Texts --------------------------------------------------------------------------------------
 */

static char *text_of(enum metrics_format format, const hectic_vitals *v, const char *name)
{
    const struct metrics_program program = {
        .name = name,
        .pid = PID,
        .vitals = v,
        .damaged = 3,
        .stream = {.late = 4, .behind = 1500000000},
        .server = {.readers = 5, .events_dropped = 6},
    };
    size_t length;
    char *text = metrics_text(format, &program, 1, &length);
    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    return text;
}

/* Feeds a log; `at_times` is called after so many events, and at the end. */
static hectic_vitals *take(const struct bytes *log, uint64_t every,
                           void (*at_times)(const hectic_vitals *v))
{
    hectic_input *input = bytes_input(log->data, log->length);
    hectic_error error;
    hectic_log *ordered = hectic_log_open(input, NULL, &error);
    if (!ordered) return NULL;
    hectic_vitals *v = hectic_vitals_new();
    hectic_event event;
    bool begun = false;
    uint64_t count = 0;
    for (hectic_result r; (r = hectic_log_next(ordered, &event)) != HECTIC_PARTIAL &&
                          r != HECTIC_ERROR && r != HECTIC_COMPLETE;) {
        if (r == HECTIC_HEADER && begun) break;
        if (r == HECTIC_HEADER) begun = hectic_vitals_begin(v, hectic_log_header(ordered));
        if (r == HECTIC_ONE) assert_true(hectic_vitals_event(v, &event));
        if (r == HECTIC_ONE && at_times && ++count % every == 0) at_times(v);
    }
    if (at_times) at_times(v);
    hectic_log_free(ordered);
    return v;
}

static void texts_are_as_kept(void **state)
{
    (void)state;
    static const struct {
        const char *log, *text;
        enum metrics_format format;
    } kept[] = {
        {"tests/logs/threads.eventlog", "tests/metrics/threads.open", METRICS_OPEN},
        {"tests/logs/threads.eventlog", "tests/metrics/threads.classic", METRICS_CLASSIC},
        {"tests/logs/sparks.eventlog", "tests/metrics/sparks.classic", METRICS_CLASSIC},
        {"tests/logs/heap-nonmoving.eventlog", "tests/metrics/heap-nonmoving.classic",
         METRICS_CLASSIC},
        {"tests/logs/messages.eventlog", "tests/metrics/messages.classic", METRICS_CLASSIC},
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        struct bytes log = bytes_of_file(kept[i].log);
        hectic_vitals *v = take(&log, 0, NULL);
        char *text = text_of(kept[i].format, v, "a-program");
        struct bytes expected = bytes_of_file(kept[i].text);
        bytes_write(&expected, "", 1);
        assert_string_equal(text, (const char *)expected.data);
        free(text);
        bytes_free(&expected);
        bytes_free(&log);
        hectic_vitals_free(v);
    }
}

/* --- Counters -----------------------------------------------------------------------------------
 */

static char *before; /* the text before, of the same log */

static char *next_line(char **rest)
{
    char *line = *rest, *end = strchr(line, '\n');
    if (!end) return NULL;
    *end = 0;
    *rest = end + 1;
    return line;
}

/* The next sample of a counter, its value cut off; NULL: there are no more. */
static char *next_counter(char **rest, bool *is_counter, double *value)
{
    for (char *line; (line = next_line(rest));) {
        if (strncmp(line, "# TYPE ", 7) == 0)
            *is_counter = strstr(line, " counter") || strstr(line, " histogram");
        if (line[0] == '#' || !*is_counter) continue;
        char *space = strrchr(line, ' ');
        *value = strtod(space, NULL);
        *space = 0;
        return line;
    }
    return NULL;
}

/* What is new may come between what was there, which stays in its order. */
static void compare(const hectic_vitals *v)
{
    char *now = text_of(METRICS_OPEN, v, "p"), *copy = strdup(now);
    assert_string_equal(now + strlen(now) - 6, "# EOF\n");
    char *old_rest = before, *new_rest = now;
    bool old_is = false, new_is = false;
    double old_value, new_value = 0;
    for (char *old; before && (old = next_counter(&old_rest, &old_is, &old_value));) {
        const char *found;
        do
            found = next_counter(&new_rest, &new_is, &new_value);
        while (found && strcmp(found, old) != 0);
        if (!found) fail_msg("gone: %s", old);
        if (new_value < old_value) fail_msg("%s: from %f to %f", old, old_value, new_value);
    }
    free(now);
    free(before);
    before = copy;
}

static void grow(const char *path, const struct bytes *log)
{
    const uint64_t every = log->length < 100000 ? 1 : log->length / 20000;
    (void)path;
    hectic_vitals_free(take(log, every, compare));
    free(before);
    before = NULL;
}

static void counters_never_go_back(void **state)
{
    (void)state;
    for_each_log(1 << 22, grow);
}

/* --- The rest -----------------------------------------------------------------------------------
 */

static void unknown_is_absent(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {HECTIC_EVENT_CREATE_THREAD};
    hectic_vitals *v = hectic_vitals_new();
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_vitals_begin(v, header));
    char *text = text_of(METRICS_OPEN, v, "p");
    assert_non_null(strstr(text, "\nhectic_programs 1\n"));
    assert_non_null(strstr(text, "\nhectic_damaged_places_total{program=\"p\",pid=\"4321\"} 3\n"));
    assert_non_null(strstr(text, "\nhectic_log_behind_seconds{program=\"p\",pid=\"4321\"} 1.5\n"));
    assert_null(strstr(text, "ghc_allocated"));
    assert_null(strstr(text, "hectic_threads"));
    assert_null(strstr(text, "_created{"));
    free(text);
    hectic_header_free(header);
    hectic_vitals_free(v);
    size_t length;
    text = metrics_text(METRICS_CLASSIC, &(struct metrics_program){.name = "q"}, 1, &length);
    assert_non_null(strstr(text, "hectic_programs 1\n"));
    assert_null(strstr(text, "\"q\""));
    free(text);
}

static void labels_are_plain(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {HECTIC_EVENT_RTS_IDENTIFIER};
    hectic_vitals *v = hectic_vitals_new();
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_vitals_begin(v, header));
    EVENT(hectic_vitals_event, v, 1, HECTIC_CAP_NONE, RTS_IDENTIFIER, "a\"b\\c\nd\xff", 0);
    char *text = text_of(METRICS_OPEN, v, "x\"\n\\y");
    assert_non_null(
        strstr(text, "hectic_program_info{program=\"x???y\",pid=\"4321\",rts=\"a?b?c?d?\"} 1\n"));
    free(text);
    hectic_header_free(header);
    hectic_vitals_free(v);
}

static void format_is_what_is_asked_for(void **state)
{
    (void)state;
    assert_int_equal(metrics_format_for(NULL), METRICS_CLASSIC);
    assert_int_equal(metrics_format_for("*/*"), METRICS_CLASSIC);
    assert_int_equal(metrics_format_for("text/plain;version=0.0.4"), METRICS_CLASSIC);
    assert_int_equal(metrics_format_for("Application/OpenMetrics-Text;version=1.0.0,*/*;q=0.1"),
                     METRICS_OPEN);
}

static void all_are_documented(void **state)
{
    (void)state;
    struct bytes pages = bytes_of_file("docs/metrics.md");
    bytes_write(&pages, "", 1);
    const char *const logs[] = {"tests/logs/threads.eventlog", "tests/logs/sparks.eventlog",
                                "tests/logs/heap-nonmoving.eventlog", "tests/logs/demo.eventlog"};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct bytes log = bytes_of_file(logs[i]);
        hectic_vitals *v = take(&log, 0, NULL);
        char *text = text_of(METRICS_CLASSIC, v, "p"), *rest = text, name[128], quoted[132];
        for (const char *line; (line = next_line(&rest));) {
            if (sscanf(line, "# TYPE %127s", name) != 1) continue;
            snprintf(quoted, sizeof quoted, "`%s`", name);
            if (!strstr((const char *)pages.data, quoted)) fail_msg("%s is not in docs", name);
        }
        free(text);
        bytes_free(&log);
        hectic_vitals_free(v);
    }
    bytes_free(&pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_as_kept),           cmocka_unit_test(counters_never_go_back),
        cmocka_unit_test(unknown_is_absent),           cmocka_unit_test(labels_are_plain),
        cmocka_unit_test(format_is_what_is_asked_for), cmocka_unit_test(all_are_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
