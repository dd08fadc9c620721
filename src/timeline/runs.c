/* runs.c — the runs of threads in an interval. */
#include "timeline/timeline_parts.h"

#include "format/stop_status.h"

struct search {
    const hectic_timeline *timeline;
    uint64_t from, to, least;
    hectic_timeline_run *run;
    size_t most, count;
    bool is_shifted, is_cut;
};

static void offer(struct search *s, hectic_timeline_run run)
{
    const uint64_t from = run.from > s->from ? run.from : s->from;
    const uint64_t to = run.to < s->to ? run.to : s->to;
    if (from >= to || to - from < s->least) return;
    s->is_cut = s->is_cut || s->count == s->most;
    if (s->count == s->most) return;
    if (run.to > s->to) {
        run.to = s->to;
        run.is_stopped = false;
    }
    if (run.is_stopped) run.stop = (uint16_t)usual_stop_status(s->is_shifted, run.stop);
    s->run[s->count++] = run;
}

static void take_run(void *user, size_t cap, uint32_t thread, uint64_t from, uint64_t to,
                     uint16_t stop)
{
    struct search *s = user;
    const hectic_stat *stat = s->timeline->stat;
    if (cap >= stat->caps) return;
    offer(s,
          (hectic_timeline_run){stat->cap[cap]->number, stop, stop != STOP_NONE, thread, from, to});
}

static void ignore_span(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    (void)user, (void)cap, (void)span, (void)from, (void)to;
}

/* Those that have not ended. */
static void offer_present(struct search *s)
{
    const hectic_stat *stat = s->timeline->stat;
    uint64_t from, to;
    for (size_t i = 0; i < stat->caps; i++)
        if (stat_get_span(stat, i, SPAN_RUNNING, &from, &to))
            take_run(s, i, stat->cap[i]->thread, from, to, STOP_NONE);
}

bool hectic_timeline_runs(hectic_timeline *t, const hectic_timeline_source *source, uint64_t from,
                          uint64_t to, uint64_t least, hectic_timeline_run *run, size_t most,
                          size_t *count, bool *is_complete)
{
    struct search search = {t, from, to, least, run, most, 0, false, false};
    bool done = true;
    search.is_shifted = t->header && hectic_header_shifted_stop_status(t->header);
    const bool has_all = longest_has_all(&t->longest, least);
    if (has_all || !timeline_is_short(t, from, to)) {
        for (size_t i = 0; i < t->longest.count; i++)
            offer(&search, t->longest.run[i]);
        offer_present(&search);
        search.is_cut = search.is_cut || !has_all;
    } else {
        const struct stat_watch watch = {.user = &search, .take = ignore_span, .ran = take_run};
        done = timeline_watch(t, source, from, to, &watch);
    }
    *count = search.count;
    *is_complete = !search.is_cut;
    return done;
}
