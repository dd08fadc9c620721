/* windows.c — see windows.h. */
#include "tool/verbs/stat/windows.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOWS_MAX = 1000000 };

struct search {
    struct windows *windows;
    const struct reading *reading;
    const char *label;
    size_t length;
    bool groups;                            /* "request #" */
    hectic_spans *spans[READING_PROCESSES]; /* of the current section */
};

static bool take(void *user, const hectic_span_one *span)
{
    struct windows *windows = ((struct search *)user)->windows;
    if (strcmp(span->label, ((struct search *)user)->label) != 0) return true;
    windows->too_many = windows->count == WINDOWS_MAX;
    if (windows->too_many) return false;
    if (windows->count == windows->room) {
        const size_t room = windows->room ? 2 * windows->room : 64;
        struct window *grown = realloc(windows->window, room * sizeof *grown);
        if (!grown) return false;
        windows->window = grown;
        windows->room = room;
    }
    windows->window[windows->count++] =
        (struct window){.start = span->start.position,
                        .stop = span->is_stopped ? span->stop.position : UINT64_MAX,
                        .thread = span->start.thread,
                        .has_thread = span->start.has_thread,
                        .slot = ((struct search *)user)->reading->slot};
    return true;
}

static bool begin(void *user, const hectic_header *header)
{
    struct search *search = user;
    const struct interval *interval = &search->reading->interval;
    hectic_spans **spans = &search->spans[search->reading->slot];
    if (!*spans) *spans = hectic_spans_new(interval->from, interval->to, take, search);
    if (*spans && search->groups) hectic_spans_group(*spans);
    return header && *spans;
}

/* May the message be of that label? Others are not fed, so that they take no label. */
static bool is_of_label(const struct search *search, const hectic_event *event)
{
    if (search->groups) return true;
    return event->size >= search->length && memcmp(event->payload + event->size - search->length,
                                                   search->label, search->length) == 0;
}

static bool event(void *user, const hectic_event *event)
{
    const struct search *search = user;
    hectic_event copy = *event;
    if (copy.type == HECTIC_EVENT_USER_MARKER) copy.type = HECTIC_EVENT_USER_MSG;
    if (copy.type == HECTIC_EVENT_USER_MSG && !is_of_label(search, &copy)) return true;
    return hectic_spans_event(search->spans[search->reading->slot], &copy);
}

static bool end(void *user, uint64_t now)
{
    const struct search *search = user;
    return hectic_spans_end(search->spans[search->reading->slot], now);
}

/* Windows that end after the interval count, too. */
static bool is_settled(const void *user)
{
    (void)user;
    return false;
}

static int by_start(const void *a, const void *b)
{
    const struct window *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int by_position(const void *a, const void *b)
{
    const struct window_edge *x = a, *y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

static bool sort_edges(struct windows *windows)
{
    windows->edge = malloc((2 * windows->count + 1) * sizeof *windows->edge);
    if (!windows->edge) return false;
    if (windows->count > 0)
        qsort(windows->window, windows->count, sizeof *windows->window, by_start);
    for (size_t i = 0; i < windows->count; i++) {
        const struct window *window = &windows->window[i];
        windows->edge[windows->edges++] = (struct window_edge){window->start, i};
        if (window->stop != UINT64_MAX)
            windows->edge[windows->edges++] = (struct window_edge){window->stop, i};
    }
    qsort(windows->edge, windows->edges, sizeof *windows->edge, by_position);
    return true;
}

/* Those that are reported. */
static void add_totals(struct windows *windows, hectic_span_totals totals)
{
    windows->totals.across += totals.across;
    windows->totals.unstarted += totals.unstarted;
    windows->totals.unstopped += totals.unstopped;
}

bool windows_find(struct windows *windows, struct reading *reading, const char *label)
{
    static const struct reader reader = {begin, event, end, is_settled};
    struct search search = {
        .windows = windows,
        .reading = reading,
        .label = label,
        .length = strlen(label),
    };
    search.groups = search.length > 0 && label[search.length - 1] == '#';
    const bool done = reading_all(reading, &reader, &search) && sort_edges(windows);
    for (size_t i = 0; i < READING_PROCESSES; i++) {
        if (search.spans[i]) add_totals(windows, hectic_spans_totals(search.spans[i]));
        hectic_spans_free(search.spans[i]);
    }
    if (windows->too_many)
        tool_message("--window: more than %d windows; use --from and --to", WINDOWS_MAX);
    return done;
}

void windows_clear(struct windows *windows)
{
    free(windows->window);
    free(windows->edge);
}

struct window *windows_at(const struct windows *windows, const hectic_event *event)
{
    if (event->type != HECTIC_EVENT_USER_MSG && event->type != HECTIC_EVENT_USER_MARKER)
        return NULL;
    const struct window_edge wanted = {.position = event->position};
    const struct window_edge *found =
        windows->edges ? bsearch(&wanted, windows->edge, windows->edges, sizeof wanted, by_position)
                       : NULL;
    return found ? &windows->window[found->window] : NULL;
}
