/* parts.c — see parts.h. */
#include "tool/verbs/export/trace/parts.h"

#include <stdalign.h>
#include <stdlib.h>

static const struct reading *view_of(struct parts_part *part, const struct reading *reading)
{
    part->view = *reading;
    part->view.kept = (char *)reading->kept + part->offset;
    part->view.user = part->user;
    return &part->view;
}

static bool begin(const struct reading *reading)
{
    struct parts *parts = reading->user;
    bool done = true;
    for (size_t i = 0; i < parts->count && done; i++)
        done = parts->part[i].reader->begin(view_of(&parts->part[i], reading));
    return done;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct parts *parts = reading->user;
    bool done = true;
    for (size_t i = 0; i < parts->count && done; i++)
        done = parts->part[i].reader->events(view_of(&parts->part[i], reading), event, count);
    return done;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct parts *parts = reading->user;
    bool done = true;
    for (size_t i = 0; i < parts->count && done; i++)
        done = parts->part[i].reader->end(view_of(&parts->part[i], reading), now);
    return done;
}

static void finish(const struct reading *reading)
{
    struct parts *parts = reading->user;
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i].reader->finish)
            parts->part[i].reader->finish(view_of(&parts->part[i], reading));
}

void parts_add(struct parts *parts, const struct reader *reader, void *user)
{
    const size_t size = reader->size ? reader->size : sizeof(void *), unit = alignof(max_align_t);
    struct parts_part *part = &parts->part[parts->count++];
    part->reader = reader;
    part->user = user;
    part->offset = parts->reader.size;
    parts->reader = (struct reader){.size = parts->reader.size + (size + unit - 1) / unit * unit,
                                    .begin = begin,
                                    .events = events,
                                    .end = end,
                                    .finish = finish};
}

bool parts_add_rows(struct parts *parts, const struct row_maker *maker, unsigned table,
                    const struct row_taker *rows)
{
    struct parts_part *part = &parts->part[parts->count];
    part->taker = *rows;
    part->rows[table] = &part->taker;
    const struct reader *reader = row_maker_begin(maker, &part->view, part->rows);
    part->owned = part->view.user;
    if (reader) parts_add(parts, reader, part->owned);
    return reader;
}

void parts_free(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->part[i].owned);
    parts->count = 0;
}
