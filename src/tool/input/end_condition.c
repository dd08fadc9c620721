/* end_condition.c — see end_condition.h. */
#include "tool/input/end_condition.h"

#include "read/decode/pass.h"
#include "tool/cli/times.h"
#include "tool/input/filters.h"
#include "tool/input/markers.h"

#include <hectic/read_events.h>

#include <stdlib.h>

enum { CAPS = 1 << 16 };

struct end_condition {
    hectic_decoder *decoder;
    bool at_end_marker;
    bool no_memory;             /* for a header: the end cannot be determined */
    bool complete;              /* the last item was an end marker */
    uint64_t now;               /* when the bytes arrived */
    uint64_t to;                /* UINT64_MAX: no limit */
    const char *marker;         /* that sets it; or NULL */
    struct tool_filter *filter; /* selects the events to count; or NULL */
    hectic_renderer *renderer;
    uint64_t last;         /* time of the latest event that was counted */
    uint64_t latest, came; /* time of the latest event, and its arrival */
    uint32_t caps;         /* all known caps have smaller numbers */
    struct cap {
        bool known;
        uint64_t latest;
    } cap[CAPS];
};

struct end_condition *end_condition_new(void)
{
    struct end_condition *condition = calloc(1, sizeof *condition);
    if (condition) condition->decoder = hectic_decoder_new();
    if (condition && condition->decoder) {
        condition->to = UINT64_MAX;
        return condition;
    }
    free(condition);
    return NULL;
}

void end_condition_free(struct end_condition *condition)
{
    if (!condition) return;
    hectic_decoder_free(condition->decoder);
    tool_filter_free(condition->filter);
    hectic_renderer_free(condition->renderer);
    free(condition);
}

void end_condition_ends_at_end_marker(struct end_condition *condition)
{
    condition->at_end_marker = true;
}

void end_condition_until(struct end_condition *condition, uint64_t to)
{
    if (to < condition->to) condition->to = to;
}

void end_condition_until_marker(struct end_condition *condition, const char *name)
{
    condition->marker = name;
}

bool end_condition_limit(struct end_condition *condition, const struct filter_settings *filter)
{
    int code = TOOL_OK;
    if (!condition->filter) condition->filter = tool_filter_new(filter, NULL, "", &code);
    return code == TOOL_OK;
}

static void begin(struct end_condition *condition)
{
    for (uint32_t i = 0; i < condition->caps; i++)
        condition->cap[i] = (struct cap){0};
    condition->caps = 0;
    condition->latest = 0;
    if (!condition->filter) return;
    hectic_renderer_free(condition->renderer);
    condition->renderer = hectic_renderer_new(hectic_decoder_header(condition->decoder));
    if (condition->renderer) return;
    tool_filter_free(condition->filter); /* no memory: the log ends later */
    condition->filter = NULL;
}

static uint64_t plus(uint64_t time, uint64_t more)
{
    return time + more < time ? UINT64_MAX : time + more;
}

static void note_cap(struct end_condition *condition, uint16_t number, uint64_t time)
{
    if (number == HECTIC_CAP_NONE) return;
    struct cap *cap = &condition->cap[number];
    cap->known = true;
    if (time > cap->latest) cap->latest = time;
    if (number >= condition->caps) condition->caps = number + 1u;
}

/* The cap that an event is about. */
static uint16_t subject(const hectic_event *event)
{
    uint16_t cap;
    return hectic_read_cap(event, &cap) ? cap : HECTIC_CAP_NONE;
}

static void note(struct end_condition *condition, const hectic_event *event)
{
    if (event->time > condition->latest || condition->came == 0) {
        condition->latest = event->time;
        condition->came = condition->now;
    }
    if (event->type == HECTIC_EVENT_CAP_CREATE || event->type == HECTIC_EVENT_CAP_ENABLE)
        note_cap(condition, subject(event), 0);
    else if (event->type == HECTIC_EVENT_CAP_DELETE || event->type == HECTIC_EVENT_CAP_DISABLE)
        condition->cap[subject(event)].known = false;
    else
        note_cap(condition, event->cap, event->time);
    if (condition->marker && time_is_marker(event, condition->marker))
        end_condition_until(condition, event->time);
    if (!condition->filter || tool_filter_is_done(condition->filter)) return;
    if (!tool_filter_pass(condition->filter, condition->renderer, event)) return;
    if (event->time > condition->last) condition->last = event->time;
    if (tool_filter_is_done(condition->filter))
        end_condition_until(condition, plus(condition->last, 1));
}

/* False as long as no cap is known. */
static bool have_all_reached(const struct end_condition *condition, uint64_t time)
{
    bool any = false;
    for (uint32_t i = 0; i < condition->caps; i++) {
        if (condition->cap[i].known && condition->cap[i].latest < time) return false;
        any |= condition->cap[i].known;
    }
    return any;
}

static bool is_reached(const struct end_condition *condition)
{
    if (condition->to == UINT64_MAX) return false;
    return condition->latest >= plus(condition->to, END_CONDITION_MAX) ||
           have_all_reached(condition, plus(condition->to, END_CONDITION_MIN));
}

uint64_t end_condition_due(const struct end_condition *condition)
{
    if (condition->to == UINT64_MAX || condition->came == 0) return UINT64_MAX;
    const uint64_t end = plus(condition->to, END_CONDITION_MAX);
    return end <= condition->latest ? condition->came
                                    : plus(condition->came, end - condition->latest);
}

bool end_condition_has_no_memory(const struct end_condition *condition)
{
    return condition->no_memory;
}

static bool take_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *event)
{
    struct end_condition *condition = self;
    condition->complete = result == HECTIC_COMPLETE;
    if (result == HECTIC_HEADER) begin(condition);
    if (result == HECTIC_GOT_EVENT) note(condition, event);
    if (result == HECTIC_ERROR)
        condition->no_memory = hectic_decoder_error(decoder)->kind == HECTIC_NO_MEMORY;
    return true;
}

bool end_condition_bytes(struct end_condition *condition, const void *bytes, size_t length,
                         uint64_t now)
{
    static const struct pass_consumer consumer = {.item = take_item};
    condition->complete = false;
    condition->now = now;
    return pass_piece(condition->decoder, &consumer, condition, bytes, length) != PASS_DONE ||
           (condition->complete && condition->at_end_marker) || is_reached(condition);
}
