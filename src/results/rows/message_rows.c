/* message_rows.c — the rows of messages. */
#include "results/rows.h"

#include "read/decode/running.h"
#include "tables/tables.h"

#include <stdlib.h>
#include <string.h>

/* What is kept for a process. */
struct kept {
    uint32_t *running;
    char *text;
};

enum { TEXT_ROOM = UINT16_MAX + 1 };

static bool begin(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    free(kept->running);
    kept->running = running_new();
    if (!kept->text) kept->text = malloc(TEXT_ROOM);
    return kept->running && kept->text;
}

static const char *kind_of(uint16_t type)
{
    switch (type) {
    case HECTIC_EVENT_LOG_MSG: return "runtime";
    case HECTIC_EVENT_USER_MSG: return "message";
    case HECTIC_EVENT_USER_MARKER: return "marker";
    default: return NULL;
    }
}

static bool put_message(const struct reading *reading, const hectic_event *event, const char *kind)
{
    const struct kept *kept = reading->kept;
    const struct row_taker *rows = reading->user;
    const bool has_cap = event->cap != HECTIC_CAP_NONE;
    const uint32_t running = has_cap ? kept->running[event->cap] : 0;
    union messages_row row = {.time_ns = cell_number(event->time),
                              .cap = cell_if(has_cap, event->cap),
                              .thread = cell_if(running > 0, running - 1),
                              .kind = cell_text(kind),
                              .text = cell_text(kept->text)};
    memcpy(kept->text, event->payload, event->size);
    kept->text[event->size] = 0;
    reading_cells(reading, row.cells);
    return rows->take(rows->user, row.cells);
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    const struct kept *kept = reading->kept;
    const struct interval *interval = &reading->interval;
    for (size_t i = 0; i < count; i++) {
        const char *kind = kind_of(event[i].type);
        running_follow(kept->running, &event[i]);
        if (kind && event[i].time >= interval->from && event[i].time < interval->to &&
            !put_message(reading, &event[i], kind))
            return false;
    }
    return true;
}

static bool end(const struct reading *reading, uint64_t now)
{
    (void)reading;
    (void)now;
    return true;
}

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    free(kept->running);
    free(kept->text);
}

static const struct reader reader = {
    .size = sizeof(struct kept), .begin = begin, .events = events, .end = end, .finish = finish};

const struct row_maker message_maker = {.reader = &reader};
