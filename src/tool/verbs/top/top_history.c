/* top_history.c — see top_history.h. */
#include "tool/verbs/top/top_history.h"

#include "tool/output/terminal_text.h"

#include <stdlib.h>
#include <string.h>

/* How long a thread had run when the interval began. */
struct ran {
    uint32_t id;
    uint64_t ns;
};

/* The durations of the spans of a label. */
struct label {
    char *name;
    hectic_histogram interval; /* the current one */
    hectic_histogram all;      /* so far */
};

struct message {
    uint64_t time;
    size_t size;
    char text[256];
};

struct history {
    struct moment *moment[HISTORY_MAX]; /* number n is at n % HISTORY_MAX */
    uint64_t last;
    uint64_t to;     /* the end of the latest interval */
    struct ran *ran; /* of the threads alive then, by number */
    size_t ran_count;
    hectic_spans *spans;
    struct label label[LABELS_MAX];
    uint32_t labels;
    struct message message[MESSAGES_MAX]; /* message n is at n % MESSAGES_MAX */
    uint64_t messages;
    /* Of a finished log: */
    hectic_threads *threads;
    const hectic_live_stats *live_stats;
    struct moment *whole;
    bool out_of_memory;
};

/* --- Threads --------------------------------------------------------------------------------- */

bool is_blocked(hectic_thread_state state)
{
    return state >= HECTIC_THREAD_MVAR && state != HECTIC_THREAD_FOREIGN;
}

/* Is `a` listed before `b`? With SORT_BLOCKED, threads that are not blocked are last. */
static bool thread_is_before(enum thread_sort order, const struct thread_row *a,
                             const struct thread_row *b)
{
    const bool blocked = is_blocked(a->state);
    switch (order) {
    case SORT_BUSIEST:
        if (a->ran != b->ran) return a->ran > b->ran;
        break;
    case SORT_BLOCKED:
        if (blocked != is_blocked(b->state)) return blocked;
        if (blocked && a->since != b->since) return a->since < b->since;
        break;
    default:
        if (a->born != b->born) return a->born > b->born;
        break;
    }
    return a->id > b->id;
}

/* Inserts a thread if it is among the first. list->row has room for LISTED_MAX. */
static void thread_list_offer(struct thread_list *list, enum thread_sort order,
                              const struct thread_row *row)
{
    uint32_t at = list->count;
    while (at > 0 && thread_is_before(order, row, &list->row[at - 1]))
        at--;
    if (at == LISTED_MAX) return;
    if (list->count < LISTED_MAX) list->count++;
    memmove(list->row + at + 1, list->row + at, (list->count - 1 - at) * sizeof *row);
    list->row[at] = *row;
}

/* Threads come ordered by number, as in the interval before. */
struct gathering {
    const struct history *history;
    struct moment *moment;
    struct ran *ran;
    size_t count, capacity;
    size_t before; /* place in history->ran */
};

static void copy_bytes(char *out, size_t size, const char *text, size_t length)
{
    char fit[4 * 256 + 4];
    size_t width;
    if (length > 256) length = 256;
    length = terminal_text_fit(text, length, size - 1, fit, &width);
    while (length >= size) /* the limit was in columns; bytes may be more */
        do
            length--;
        while (length > 0 && ((unsigned char)fit[length] & 0xC0u) == 0x80u);
    memcpy(out, fit, length);
    out[length] = 0;
}

static void copy_text(char *out, size_t size, const char *text)
{
    copy_bytes(out, size, text, text ? strlen(text) : 0);
}

static void offer(struct moment *m, const hectic_thread *thread, uint64_t ran)
{
    struct thread_row row = {
        .id = thread->id,
        .cap = thread->cap,
        .state = thread->state,
        .since = thread->since,
        .born = thread->born,
        .ended = thread->ended,
        .has_born = thread->has_born,
        .has_ended = thread->has_ended,
        .ran = ran,
    };
    copy_text(row.label, sizeof row.label, thread->label);
    for (enum thread_sort order = 0; order < THREAD_SORTS; order++)
        thread_list_offer(&m->threads[order], order, &row);
}

static bool gather(void *user, const hectic_thread *thread)
{
    struct gathering *g = user;
    const struct history *h = g->history;
    const uint64_t ran = thread->ns[HECTIC_THREAD_RUNNING];
    uint64_t before = 0;
    while (g->before < h->ran_count && h->ran[g->before].id < thread->id)
        g->before++;
    if (g->before < h->ran_count && h->ran[g->before].id == thread->id)
        before = h->ran[g->before].ns;
    if (g->count == g->capacity) {
        const size_t capacity = g->capacity ? 2 * g->capacity : 64;
        struct ran *more = realloc(g->ran, capacity * sizeof *more);
        if (!more) return false;
        g->ran = more;
        g->capacity = capacity;
    }
    g->ran[g->count++] = (struct ran){thread->id, ran};
    offer(g->moment, thread, ran > before ? ran - before : 0);
    return true;
}

static bool make_lists(struct moment *m)
{
    bool made = true;
    for (size_t i = 0; i < THREAD_SORTS; i++) {
        m->threads[i].row = malloc(LISTED_MAX * sizeof *m->threads[i].row);
        made = made && m->threads[i].row;
    }
    return made;
}

static bool fill_threads(struct history *h, struct moment *m, const hectic_live_stats *live_stats)
{
    struct gathering g = {.history = h, .moment = m};
    const bool done = make_lists(m) && hectic_live_stats_threads(live_stats, m->to, gather, &g);
    free(h->ran);
    h->ran = g.ran;
    h->ran_count = g.count;
    for (size_t i = 0; i < THREAD_SORTS; i++) {
        /* Shrinks the list; if that fails, it stays valid. */
        struct thread_list *list = &m->threads[i];
        struct thread_row *less = realloc(list->row, (list->count + 1) * sizeof *less);
        if (less) list->row = less;
    }
    return done;
}

static bool take_of_run(void *user, const hectic_thread *thread)
{
    const struct history *h = user;
    offer(h->whole, thread, thread->ns[HECTIC_THREAD_RUNNING]);
    return true;
}

static void moment_free(struct moment *m)
{
    if (!m) return;
    for (size_t i = 0; i < THREAD_SORTS; i++)
        free(m->threads[i].row);
    free(m);
}

/* --- Spans and messages ---------------------------------------------------------------------- */

static struct label *find_label(struct history *h, const char *name)
{
    for (uint32_t i = 0; i < h->labels; i++)
        if (strcmp(h->label[i].name, name) == 0) return &h->label[i];
    if (h->labels == LABELS_MAX) return NULL;
    char *copy = strdup(name);
    if (!copy) {
        h->out_of_memory = true;
        return NULL;
    }
    h->label[h->labels] = (struct label){.name = copy};
    return &h->label[h->labels++];
}

static bool take_span(void *user, const hectic_span_one *span)
{
    struct history *h = user;
    if (!span->is_stopped || span->stop.time < span->start.time) return true;
    struct label *label = find_label(h, span->label);
    if (!label) return !h->out_of_memory;
    const uint64_t duration = span->stop.time - span->start.time;
    return hectic_histogram_add(&label->interval, duration) &&
           hectic_histogram_add(&label->all, duration);
}

static void forget_spans(struct history *h)
{
    hectic_spans_free(h->spans);
    h->spans = NULL;
    for (uint32_t i = 0; i < h->labels; i++) {
        free(h->label[i].name);
        hectic_histogram_clear(&h->label[i].interval);
        hectic_histogram_clear(&h->label[i].all);
    }
    h->labels = 0;
    h->messages = 0;
}

static void add_message(struct history *h, const hectic_event *event)
{
    struct message *message = &h->message[h->messages++ % MESSAGES_MAX];
    message->time = event->time;
    message->size = event->size < sizeof message->text ? event->size : sizeof message->text;
    memcpy(message->text, event->payload, message->size);
}

bool history_begin(struct history *h, const hectic_header *header, bool is_finished)
{
    forget_spans(h);
    h->spans = hectic_spans_new(0, UINT64_MAX, take_span, h);
    if (!h->spans || !is_finished) return h->spans;
    moment_free(h->whole);
    h->whole = calloc(1, sizeof *h->whole);
    hectic_threads_free(h->threads);
    h->threads = hectic_threads_new(0, UINT64_MAX, take_of_run, h);
    if (!h->whole || !make_lists(h->whole) || !h->threads) return false;
    hectic_threads_begin(h->threads, header);
    return true;
}

bool history_event(struct history *h, const hectic_event *event)
{
    const uint64_t others = hectic_spans_totals(h->spans).messages;
    if (!hectic_spans_event(h->spans, event)) return false;
    if (event->type == HECTIC_EVENT_USER_MARKER || event->type == HECTIC_EVENT_LOG_MSG ||
        hectic_spans_totals(h->spans).messages > others)
        add_message(h, event);
    return !h->threads || hectic_threads_event(h->threads, event);
}

static const hectic_histogram *durations_of(const struct label *label, bool whole)
{
    return whole ? &label->all : &label->interval;
}

/* The labels with the greatest total time so far. */
static void fill_spans(struct history *h, struct moment *m, bool whole)
{
    const struct label *first[SPANS_MAX];
    for (uint32_t i = 0; i < h->labels; i++) {
        const struct label *label = &h->label[i];
        uint32_t at = m->spans;
        while (at > 0 && label->all.sum > first[at - 1]->all.sum)
            at--;
        if (at == SPANS_MAX) continue;
        if (m->spans < SPANS_MAX) m->spans++;
        memmove(first + at + 1, first + at, (m->spans - 1 - at) * sizeof *first);
        first[at] = label;
    }
    for (uint32_t i = 0; i < m->spans; i++) {
        const hectic_histogram *durations = durations_of(first[i], whole);
        m->span[i] = (struct moment_span){.count = durations->count,
                                          .p50 = hectic_histogram_quantile(durations, 0.5),
                                          .p99 = hectic_histogram_quantile(durations, 0.99)};
        copy_text(m->span[i].label, NAME_SIZE, first[i]->name);
    }
    for (uint32_t i = 0; i < h->labels && !whole; i++)
        hectic_histogram_clear(&h->label[i].interval);
}

static void fill_messages(const struct history *h, struct moment *m)
{
    for (; m->messages < MESSAGES_MAX && m->messages < h->messages; m->messages++) {
        const struct message *from = &h->message[(h->messages - 1 - m->messages) % MESSAGES_MAX];
        struct moment_message *to = &m->message[m->messages];
        to->time = from->time;
        copy_bytes(to->text, sizeof to->text, from->text, from->size);
    }
}

/* --- Moments --------------------------------------------------------------------------------- */

static void fill_sums(struct moment *m, const hectic_live_stats_report *report)
{
    const hectic_stat_result *sums = &report->sums;
    const double interval = (double)(sums->to - sums->from);
    m->has_threads = sums->has_threads;
    m->has_gc = sums->has_gc;
    m->has_gc_stats = sums->has_gc_stats;
    m->has_allocated = sums->has_allocated;
    m->allocated = sums->allocated;
    m->gc_ns = (double)sums->gc_main_ns < interval ? sums->gc_main_ns : (uint64_t)interval;
    m->pause_max = sums->pause.max;
    m->has_safepoint = sums->has_safepoint;
    m->safepoint_ns =
        (double)sums->safepoint.sum < interval ? sums->safepoint.sum : (uint64_t)interval;
    for (uint32_t i = 0; i < sums->generations; i++)
        m->collections[i < GENERATIONS_MAX ? i : GENERATIONS_MAX - 1] +=
            sums->generation[i].collections;
    m->generations = sums->generations < GENERATIONS_MAX ? sums->generations : GENERATIONS_MAX;
    m->caps = sums->caps < CAPS_MAX ? sums->caps : CAPS_MAX;
    m->caps_beyond = sums->caps - m->caps;
    for (uint32_t i = 0; i < m->caps; i++) {
        const hectic_stat_cap *cap = &sums->cap[i];
        const bool known =
            sums->has_threads && interval > 0 && report->cap[i].activity != HECTIC_CAP_UNKNOWN;
        m->cap[i] = (struct moment_cap){
            .cap = cap->cap,
            .known = known,
            .mutator = known ? (float)((double)cap->running_ns / interval) : 0,
            .has_gc = known && cap->has_gc,
            .gc = known && cap->has_gc ? (float)((double)cap->gc_ns / interval) : 0,
            .wait =
                known && cap->has_gc
                    ? (float)((double)(cap->wait_begin_ns + cap->wait_end_ns + cap->wait_out_ns) /
                              interval)
                    : 0,
        };
    }
}

static void fill_now(struct moment *m, const hectic_live_stats_report *report)
{
    m->has_live = report->has_live;
    m->has_heap = report->has_heap_size;
    m->live = report->live;
    m->heap = report->heap_size;
    m->alive = report->alive;
    m->created = report->created;
    memcpy(m->in_state, report->in_state, sizeof m->in_state);
    m->events = report->events;
    m->dropped = report->dropped;
}

static void fill_texts(struct moment *m, const hectic_live_stats *live_stats)
{
    const hectic_live_stats_program program = hectic_live_stats_get_program(live_stats);
    copy_text(m->program, sizeof m->program, program.name);
    copy_text(m->rts, sizeof m->rts, program.rts);
    m->pid = program.pid;
    hectic_live_stats_sample sample;
    if (!hectic_live_stats_get_sample(live_stats, &sample)) return;
    for (; m->bands < sample.bands && m->bands < BANDS_MAX; m->bands++) {
        m->band[m->bands].bytes = sample.band[m->bands].bytes;
        copy_text(m->band[m->bands].name, NAME_SIZE, sample.band[m->bands].name);
    }
}

void history_free(struct history *h)
{
    if (!h) return;
    for (size_t i = 0; i < HISTORY_MAX; i++)
        moment_free(h->moment[i]);
    moment_free(h->whole);
    forget_spans(h);
    hectic_threads_free(h->threads);
    free(h->ran);
    free(h);
}

static void fill(struct history *h, struct moment *m, const hectic_live_stats_report *report,
                 const hectic_live_stats *live_stats, bool whole)
{
    m->from = report->sums.from;
    m->to = report->sums.to;
    fill_sums(m, report);
    fill_now(m, report);
    fill_texts(m, live_stats);
    fill_spans(h, m, whole);
    fill_messages(h, m);
}

bool history_add(struct history *h, const struct live_line *line)
{
    struct moment *m = calloc(1, sizeof *m);
    if (!m) return false;
    fill(h, m, line->report, line->live_stats, false);
    m->has_lag = line->has_lag;
    m->lag = line->lag;
    m->late = line->late;
    m->damaged = line->damaged;
    if (m->from != h->to) h->ran_count = 0; /* another log has begun */
    h->to = m->to;
    h->live_stats = line->live_stats;
    if (!fill_threads(h, m, line->live_stats)) {
        moment_free(m);
        return false;
    }
    struct moment **place = &h->moment[++h->last % HISTORY_MAX];
    moment_free(*place);
    *place = m;
    return true;
}

bool history_end(struct history *h)
{
    hectic_live_stats_report report;
    if (!h->live_stats || !h->threads) return true;
    if (!hectic_live_stats_snapshot(h->live_stats, HECTIC_LIVE_STATS_NOW, &report)) return false;
    fill(h, h->whole, &report, h->live_stats, true);
    const bool done = hectic_threads_end(h->threads, report.sums.to);
    hectic_live_stats_report_clear(&report);
    return done;
}

const struct moment *history_whole(const struct history *h)
{
    return h->whole && h->whole->to > 0 ? h->whole : NULL;
}

struct history *history_new(void)
{
    struct history *h = calloc(1, sizeof *h);
    if (!h || history_begin(h, NULL, false)) return h;
    history_free(h);
    return NULL;
}

uint64_t history_last(const struct history *h)
{
    return h->last;
}

uint64_t history_first(const struct history *h)
{
    return h->last > HISTORY_MAX ? h->last - HISTORY_MAX + 1 : h->last > 0;
}

const struct moment *history_get(const struct history *h, uint64_t number)
{
    return h->moment[number % HISTORY_MAX];
}

/* --- Graphs ---------------------------------------------------------------------------------- */

size_t graph_fit(const double *values, size_t count, uint64_t first, size_t columns, double *out)
{
    if (count == 0 || columns == 0) return 0;
    const uint64_t each = (count + columns - 1) / columns;
    const uint64_t last = first + count - 1;
    const uint64_t from = last / each >= columns ? last / each - columns + 1 : 0;
    const uint64_t begin = first / each > from ? first / each : from;
    const size_t used = (size_t)(last / each - begin + 1);
    memset(out, 0, used * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const uint64_t column = (first + i) / each;
        if (column >= begin && values[i] > out[column - begin]) out[column - begin] = values[i];
    }
    return used;
}

unsigned graph_eighths(double value, double top, unsigned rows)
{
    if (!(value > 0) || !(top > 0)) return 0;
    const double share = value < top ? value / top : 1;
    const unsigned eighths = (unsigned)(share * 8 * rows + 0.5);
    return eighths > 0 ? eighths : 1;
}

struct bar bar_of(const double share[BAR_SHARES], unsigned width)
{
    struct bar bar = {{0}, 0};
    unsigned used = 0;
    double sum = 0;
    for (size_t i = 0; i < BAR_SHARES; i++) {
        if (share[i] > 0) sum += share[i];
        const unsigned to = (unsigned)((sum < 1 ? sum : 1) * width + 0.5);
        bar.part[i] = to - used;
        used = to;
    }
    bar.rest = width - used;
    return bar;
}
