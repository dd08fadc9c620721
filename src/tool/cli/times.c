/* times.c — see times.h. */
#include "tool/cli/times.h"

#include "tool/input/live_log.h"

#include <stdio.h>
#include <string.h>

static const struct unit {
    const char *name;
    uint64_t ns;
} units[] = {
    {"ns", 1},         {"us", 1000},       {"\u00b5s", 1000},    {"ms", 1000000},
    {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
};

/* Only 0 needs none. */
static const struct unit *unit_find(const char *name, bool is_zero)
{
    if (*name == 0 && is_zero) return units;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0) return &units[i];
    return NULL;
}

bool time_parse(const char *text, uint64_t *ns)
{
    const size_t whole_digits = strspn(text, "0123456789");
    const char *fraction = text + whole_digits;
    fraction += *fraction == '.';
    const size_t fraction_digits = strspn(fraction, "0123456789");
    const char *name = fraction + fraction_digits;
    const struct unit *unit = unit_find(name, strspn(text, "0.") == strlen(text));
    if (whole_digits == 0 || unit == NULL) return false;

    uint64_t whole = 0;
    for (size_t i = 0; i < whole_digits; i++)
        if (__builtin_mul_overflow(whole, 10u, &whole) ||
            __builtin_add_overflow(whole, (uint64_t)(text[i] - '0'), &whole))
            return false;
    if (__builtin_mul_overflow(whole, unit->ns, &whole)) return false;
    uint64_t part = 0, place = unit->ns;
    for (size_t i = 0; i < fraction_digits && (place /= 10) > 0; i++)
        part += place * (uint64_t)(fraction[i] - '0');
    return !__builtin_add_overflow(whole, part, ns);
}

bool time_invalid(const char *text, const char *option, const char *hint)
{
    char unit[64];
    const bool has_none =
        text[strspn(text, "0123456789.")] == 0 && strspn(text, "0.") < strlen(text);
    if (has_none) snprintf(unit, sizeof unit, "it has no unit; did you mean %.20ss?", text);
    return tool_invalid("time", text, option, has_none ? unit : hint);
}

bool time_is_marker(const hectic_event *event, const char *name)
{
    return event->type == HECTIC_EVENT_USER_MARKER && event->size == strlen(name) &&
           memcmp(event->payload, name, event->size) == 0;
}

/* The earliest marker of that name at or after `after`, in the first section that has one. Events
 * are in the order of the file, so the whole section is searched. */
static bool marker_in(hectic_decoder *decoder, const hectic_input *input, const char *name,
                      uint64_t after, uint64_t *time, hectic_error *error)
{
    static _Alignas(HECTIC_INPUT_ALIGNMENT) char buffer[256 * 1024];
    bool found = false;
    uint64_t position = 0;
    ptrdiff_t size;
    while ((size = hectic_input_pread(input, position, buffer, sizeof buffer, error)) > 0) {
        position += (uint64_t)size;
        hectic_decoder_push(decoder, buffer, (size_t)size);
        hectic_event event;
        hectic_result result;
        while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
            if (result == HECTIC_HEADER && found) return true;
            if (result == HECTIC_ERROR) {
                *error = *hectic_decoder_error(decoder);
                if (!hectic_decoder_header(decoder) || error->kind == HECTIC_NO_MEMORY)
                    return false;
                *error = (hectic_error){0}; /* skip the damage */
                hectic_decoder_resync(decoder);
            }
            if (result != HECTIC_GOT_EVENT || !time_is_marker(&event, name) || event.time < after)
                continue;
            if (!found || event.time < *time) *time = event.time;
            found = true;
        }
    }
    if (size == 0 && hectic_decoder_header(decoder) == NULL)
        *error = (hectic_error){.kind = HECTIC_HEADER_TRUNCATED, .number = position};
    return found;
}

int time_of_marker(hectic_input *input, const char *path, const char *name, uint64_t after,
                   const char *previous, uint64_t *time)
{
    if (input == NULL) {
        tool_usage_error("marker:%s cannot be used with a live log", name);
        return TOOL_USAGE;
    }
    hectic_error error = {0};
    hectic_decoder *decoder = hectic_decoder_new();
    if (decoder == NULL) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    const bool found = hectic_input_make_random(input, &error) &&
                       marker_in(decoder, input, name, after, time, &error);
    hectic_decoder_free(decoder);
    if (found) return TOOL_OK;
    if (error.kind != HECTIC_OK) {
        tool_log_error(path, &error);
        return TOOL_UNUSABLE;
    }
    tool_message("%s: no marker \"%s\"%s%s%s (hectic show --event USER_MARKER lists markers)",
                 tool_log_name(path), name, previous ? " after the first \"" : "",
                 previous ? previous : "", previous ? "\"" : "");
    return TOOL_USAGE;
}

static const char *marker_of(const char *text)
{
    static const char prefix[] = "marker:";
    return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : NULL;
}

/* Sets *time to the time in `text`, unless that is NULL. */
static int resolve(const char *option, const char *text, hectic_input *input, const char *path,
                   uint64_t *time)
{
    if (text == NULL || time_parse(text, time)) return TOOL_OK;
    const char *marker = marker_of(text);
    if (marker) return time_of_marker(input, path, marker, 0, NULL, time);
    time_invalid(text, option, "examples: 1.5s, 20ms, marker:NAME");
    return TOOL_USAGE;
}

/* Sets the end of a live input, before markers are searched in it. */
static void end_input(const char *to, const hectic_input *input)
{
    uint64_t time;
    if (marker_of(to))
        live_input_until_marker(input, marker_of(to));
    else if (time_parse(to, &time))
        live_input_until(input, time);
}

int time_resolve(const char *from_text, const char *to_text, hectic_input *input, const char *path,
                 uint64_t *from, uint64_t *to)
{
    *from = 0;
    *to = UINT64_MAX;
    if (to_text && input) end_input(to_text, input);
    int code = resolve("--from", from_text, input, path, from);
    if (code == TOOL_OK) code = resolve("--to", to_text, input, path, to);
    if (code != TOOL_OK || *from <= *to) return code;
    tool_usage_error("--from %s is later than --to %s", from_text, to_text);
    return TOOL_USAGE;
}
