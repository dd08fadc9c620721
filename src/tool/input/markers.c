/* markers.c — see markers.h. */
#include "tool/input/markers.h"

#include "read/decode/pass.h"
#include "tool/cli/message.h"
#include "tool/cli/times.h"
#include "tool/input/live_log.h"

#include <stdio.h>
#include <string.h>

bool time_is_marker(const hectic_event *event, const char *name)
{
    return event->type == HECTIC_EVENT_USER_MARKER && event->size == strlen(name) &&
           memcmp(event->payload, name, event->size) == 0;
}

/* The earliest marker of that name at or after `after`, in the first section that has one. Events
 * are in the order of the file, so the whole section is searched. */
struct search {
    const char *name;
    uint64_t after;
    bool found;
    uint64_t time;
};

static bool search_item(void *self, const hectic_decoder *decoder, hectic_result result,
                        const hectic_event *event)
{
    (void)decoder;
    struct search *search = self;
    if (result == HECTIC_HEADER) return !search->found;
    if (result != HECTIC_GOT_EVENT || !time_is_marker(event, search->name) ||
        event->time < search->after)
        return true;
    if (!search->found || event->time < search->time) search->time = event->time;
    return search->found = true;
}

static bool search_marker(struct search *search, hectic_decoder *decoder, hectic_input *input,
                          hectic_error *error)
{
    static const struct pass_consumer consumer = {.item = search_item};
    const pass_end end = pass_random(input, decoder, &consumer, search, error);
    if (end == PASS_UNUSABLE) *error = *hectic_decoder_error(decoder);
    size_t tail;
    if (end != PASS_DONE || hectic_decoder_header(decoder)) return search->found;
    hectic_decoder_tail(decoder, &tail);
    *error = (hectic_error){.kind = HECTIC_HEADER_TRUNCATED,
                            .number = hectic_decoder_position(decoder) + tail};
    return false;
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
    struct search search = {.name = name, .after = after};
    const bool found =
        hectic_input_make_random(input, &error) && search_marker(&search, decoder, input, &error);
    hectic_decoder_free(decoder);
    if (found) *time = search.time;
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
static int resolve(const char *prefix, const char *name, const char *text, hectic_input *input,
                   const char *path, uint64_t *time)
{
    char option[16];
    if (text == NULL || time_parse(text, time)) return TOOL_OK;
    const char *marker = marker_of(text);
    if (marker) return time_of_marker(input, path, marker, 0, NULL, time);
    snprintf(option, sizeof option, "--%s%s", prefix, name);
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

int time_resolve(const char *prefix, const char *from_text, const char *to_text,
                 hectic_input *input, const char *path, uint64_t *from, uint64_t *to)
{
    *from = 0;
    *to = UINT64_MAX;
    if (to_text && input) end_input(to_text, input);
    int code = resolve(prefix, "from", from_text, input, path, from);
    if (code == TOOL_OK) code = resolve(prefix, "to", to_text, input, path, to);
    if (code != TOOL_OK || *from <= *to) return code;
    tool_usage_error("--%sfrom %s is later than --%sto %s", prefix, from_text, prefix, to_text);
    return TOOL_USAGE;
}
