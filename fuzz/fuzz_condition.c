/* Any text is a condition on a number, or is refused with a reason. A condition's name in full is a
 * name of the same number, and its values are printed. The input is the condition. */
#include "fuzz.h"

#include "query/condition.h"

#include <math.h>

enum { TEXT = 3000 };

static void count_name(void *user, const char *name)
{
    REQUIRE(*name && strlen(name) < NUMBER_NAME_MAX);
    ++*(size_t *)user;
}

/* As its text, or in full. */
static void require_same_number(const struct condition *condition)
{
    char text[NUMBER_NAME_MAX + 8], room[NUMBER_NAME_MAX];
    struct condition again;
    snprintf(text, sizeof text, "%s < 0", condition->name);
    REQUIRE(condition_parse(&again, text, room) == CONDITION_OK);
    REQUIRE(strcmp(again.name, condition->name) == 0 && again.source == condition->source);
    REQUIRE(again.kind == condition->kind && again.bound == 0);
    condition_clear(&again);
}

static void print_values(const struct condition *condition)
{
    const double values[] = {
        0, 1, -1, condition->bound, nextafter(condition->bound, HUGE_VAL), 1e19, 0.1, 12345, -1e19};
    REQUIRE(isfinite(condition->bound) && condition->unit_size > 0);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char out[CONDITION_VALUE_MAX];
        condition_value(out, condition, values[i]);
        REQUIRE(*out && strlen(out) < sizeof out - 1);
        condition_holds(condition, values[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char text[TEXT + 1], room[NUMBER_NAME_MAX];
    struct condition condition;
    size_t keys = 0;
    if (length > TEXT) return 0;
    memcpy(text, data, length);
    text[length] = 0;
    const enum condition_error error = condition_parse(&condition, text, room);
    REQUIRE((error == CONDITION_OK) == !*condition_error_text(error));
    REQUIRE(memchr(room, 0, sizeof room));
    if (error == CONDITION_OK) {
        REQUIRE(condition_may_be(text) && strcmp(condition.text, text) == 0);
        require_same_number(&condition);
        print_values(&condition);
    } else if (error == CONDITION_KEY) {
        condition_keys(&condition, count_name, &keys);
        REQUIRE(keys > 0);
    }
    condition_clear(&condition);
    return 0;
}
