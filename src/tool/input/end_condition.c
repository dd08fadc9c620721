/* reach.c — see reach.h. */
#include "tool/input/end_condition.h"

#include "tool/cli/times.h"

#include <stdlib.h>

enum { CAPS = 1 << 16 };

struct end_condition {
    hectic_decoder *decoder;
    bool at_end_marker;
    bool no_memory;             /* for a header: where the log is to end cannot be told */
    uint64_t to;                /* UINT64_MAX: there is no such limit */
    const char *marker;         /* which sets it; or NULL */
    struct tool_filter *filter; /* whose events are counted; NULL: none */
    hectic_renderer *renderer;
    uint64_t last;         /* time of the latest that was counted */
    uint64_t latest, came; /* of all: its time, and when it came */
    uint32_t caps;         /* up to which there may be some */
    struct cap {
        bool known;
        uint64_t latest;
    } cap[CAPS];
};

struct end_condition *end_condition_new(void)
{
    struct end_condition *reach = calloc(1, sizeof *reach);
    if (reach) reach->decoder = hectic_decoder_new();
    if (reach && reach->decoder) {
        reach->to = UINT64_MAX;
        return reach;
    }
    free(reach);
    return NULL;
}

void end_condition_free(struct end_condition *reach)
{
    if (!reach) return;
    hectic_decoder_free(reach->decoder);
    tool_filter_free(reach->filter);
    hectic_renderer_free(reach->renderer);
    free(reach);
}

void end_condition_ends_at_end_marker(struct end_condition *reach)
{
    reach->at_end_marker = true;
}

void end_condition_until(struct end_condition *reach, uint64_t to)
{
    if (to < reach->to) reach->to = to;
}

void end_condition_until_marker(struct end_condition *reach, const char *name)
{
    reach->marker = name;
}

bool end_condition_limit(struct end_condition *reach, const struct filter_settings *filter)
{
    int code = TOOL_OK;
    if (!reach->filter) reach->filter = tool_filter_new(filter, NULL, "", &code);
    return code == TOOL_OK;
}

static void begin(struct end_condition *reach)
{
    for (uint32_t i = 0; i < reach->caps; i++)
        reach->cap[i] = (struct cap){0};
    reach->caps = 0;
    reach->latest = 0;
    if (!reach->filter) return;
    hectic_renderer_free(reach->renderer);
    reach->renderer = hectic_renderer_new(hectic_decoder_header(reach->decoder));
    if (reach->renderer) return;
    tool_filter_free(reach->filter); /* no memory: the log ends later than it might */
    reach->filter = NULL;
}

static uint64_t plus(uint64_t time, uint64_t more)
{
    return time + more < time ? UINT64_MAX : time + more;
}

static void note_cap(struct end_condition *reach, uint16_t number, uint64_t time)
{
    if (number == HECTIC_CAP_NONE) return;
    struct cap *cap = &reach->cap[number];
    cap->known = true;
    if (time > cap->latest) cap->latest = time;
    if (number >= reach->caps) reach->caps = number + 1u;
}

/* Of an event about a cap: which. */
static uint16_t subject(const hectic_event *event)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    const hectic_shape *shape = event->declared->shape;
    if (!shape || !hectic_shape_walk(shape, event->payload, event->size, value, NULL))
        return HECTIC_CAP_NONE;
    return (uint16_t)value[0].number;
}

static void note(struct end_condition *reach, const hectic_event *event, uint64_t now)
{
    if (event->time > reach->latest || reach->came == 0) {
        reach->latest = event->time;
        reach->came = now;
    }
    if (event->type == HECTIC_EVENT_CAP_CREATE || event->type == HECTIC_EVENT_CAP_ENABLE)
        note_cap(reach, subject(event), 0);
    else if (event->type == HECTIC_EVENT_CAP_DELETE || event->type == HECTIC_EVENT_CAP_DISABLE)
        reach->cap[subject(event)].known = false;
    else
        note_cap(reach, event->cap, event->time);
    if (reach->marker && time_is_marker(event, reach->marker))
        end_condition_until(reach, event->time);
    if (!reach->filter || tool_filter_is_done(reach->filter)) return;
    if (!tool_filter_pass(reach->filter, reach->renderer, event)) return;
    if (event->time > reach->last) reach->last = event->time;
    if (tool_filter_is_done(reach->filter)) end_condition_until(reach, plus(reach->last, 1));
}

/* The first caps may be all that there are, or not: as long as none is known, nothing is. */
static bool have_all_got_to(const struct end_condition *reach, uint64_t time)
{
    bool any = false;
    for (uint32_t i = 0; i < reach->caps; i++) {
        if (reach->cap[i].known && reach->cap[i].latest < time) return false;
        any |= reach->cap[i].known;
    }
    return any;
}

static bool is_reached(const struct end_condition *reach)
{
    if (reach->to == UINT64_MAX) return false;
    return reach->latest >= plus(reach->to, END_CONDITION_MAX) ||
           have_all_got_to(reach, plus(reach->to, END_CONDITION_MIN));
}

uint64_t end_condition_due(const struct end_condition *reach)
{
    if (reach->to == UINT64_MAX || reach->came == 0) return UINT64_MAX;
    const uint64_t end = plus(reach->to, END_CONDITION_MAX);
    return end <= reach->latest ? reach->came : plus(reach->came, end - reach->latest);
}

bool end_condition_has_no_memory(const struct end_condition *reach)
{
    return reach->no_memory;
}

bool end_condition_bytes(struct end_condition *reach, const void *bytes, size_t length,
                         uint64_t now)
{
    hectic_event event;
    hectic_result result;
    bool complete = false;
    hectic_decoder_push(reach->decoder, bytes, length);
    while ((result = hectic_decoder_pull(reach->decoder, &event)) != HECTIC_PARTIAL) {
        complete = result == HECTIC_COMPLETE;
        if (result == HECTIC_HEADER) begin(reach);
        if (result == HECTIC_GOT_EVENT) note(reach, &event, now);
        if (result != HECTIC_ERROR) continue;
        reach->no_memory = hectic_decoder_error(reach->decoder)->kind == HECTIC_NO_MEMORY;
        if (reach->no_memory || !hectic_decoder_header(reach->decoder)) return true;
        hectic_decoder_resync(reach->decoder);
    }
    return (complete && reach->at_end_marker) || is_reached(reach);
}
