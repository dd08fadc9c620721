/* watched.c — see watched.h. */
#include "timeline/watched.h"

#include "base/array.h"

#include <stdlib.h>

enum { ENTRIES_MAX = 1 << 17 };

enum kind { SPAN, UNRECORDED, SIZE, RUN, MESSAGE };

struct watched_entry {
    uint8_t kind;
    uint8_t what;  /* enum stat_span, enum stat_size, or enum run_sum */
    uint16_t stop; /* of RUN */
    uint32_t cap;
    uint32_t thread; /* of RUN */
    uint64_t from, to;
    uint64_t bytes; /* of SIZE */
};

void watched_free(struct watched *r)
{
    free(r->entry);
    *r = (struct watched){0};
}

static void add(struct watched *r, struct watched_entry entry)
{
    if (r->is_cut || entry.to < r->from) return;
    r->is_cut = r->count == ENTRIES_MAX || !array_reserve(r->entry, r->capacity, r->count + 1);
    if (r->is_cut) return;
    r->entry[r->count++] = entry;
}

static void take(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    struct watched *r = user;
    add(r, (struct watched_entry){
               .kind = SPAN, .what = (uint8_t)span, .cap = (uint32_t)cap, .from = from, .to = to});
    r->watch->take(r->watch->user, cap, span, from, to);
}

static void unrecorded(void *user, uint64_t from, uint64_t to)
{
    struct watched *r = user;
    add(r, (struct watched_entry){.kind = UNRECORDED, .from = from, .to = to});
    if (r->watch->unrecorded) r->watch->unrecorded(r->watch->user, from, to);
}

static void measure(void *user, enum stat_size size, uint64_t since, uint64_t time, uint64_t bytes)
{
    struct watched *r = user;
    add(r, (struct watched_entry){
               .kind = SIZE, .what = (uint8_t)size, .from = since, .to = time, .bytes = bytes});
    if (r->watch->measure) r->watch->measure(r->watch->user, size, since, time, bytes);
}

static void ran(void *user, size_t cap, uint32_t thread, uint64_t from, uint64_t to, uint16_t stop)
{
    struct watched *r = user;
    add(r, (struct watched_entry){.kind = RUN,
                                  .stop = stop,
                                  .cap = (uint32_t)cap,
                                  .thread = thread,
                                  .from = from,
                                  .to = to});
    if (r->watch->ran) r->watch->ran(r->watch->user, cap, thread, from, to, stop);
}

static void say(void *user, enum run_sum what, uint64_t time)
{
    struct watched *r = user;
    add(r,
        (struct watched_entry){.kind = MESSAGE, .what = (uint8_t)what, .from = time, .to = time});
    if (r->watch->say) r->watch->say(r->watch->user, what, time);
}

struct stat_watch watched_begin(struct watched *r, uint64_t from, uint64_t to,
                                const struct stat_watch *watch)
{
    r->version = 0;
    r->count = 0;
    r->is_cut = false;
    r->from = from;
    r->to = to;
    r->watch = watch;
    return (struct stat_watch){.user = r,
                               .take = take,
                               .unrecorded = unrecorded,
                               .measure = measure,
                               .ran = ran,
                               .say = say};
}

void watched_end(struct watched *r, uint64_t version)
{
    if (!r->is_cut) r->version = version;
    if (r->is_cut) watched_free(r);
}

bool watched_play(const struct watched *r, uint64_t from, uint64_t to, uint64_t version,
                  const struct stat_watch *watch)
{
    if (r->version == 0 || r->version != version || from < r->from || to != r->to) return false;
    for (size_t i = 0; i < r->count; i++) {
        const struct watched_entry *e = &r->entry[i];
        if (e->kind == SPAN)
            watch->take(watch->user, e->cap, (enum stat_span)e->what, e->from, e->to);
        if (e->kind == UNRECORDED && watch->unrecorded)
            watch->unrecorded(watch->user, e->from, e->to);
        if (e->kind == SIZE && watch->measure)
            watch->measure(watch->user, (enum stat_size)e->what, e->from, e->to, e->bytes);
        if (e->kind == RUN && watch->ran)
            watch->ran(watch->user, e->cap, e->thread, e->from, e->to, e->stop);
        if (e->kind == MESSAGE && watch->say)
            watch->say(watch->user, (enum run_sum)e->what, e->from);
    }
    return true;
}
