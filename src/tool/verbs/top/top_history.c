/* top_history.c — see top_history.h. */
#include "tool/verbs/top/top_history.h"

#include "tool/output/terminal_text.h"

#include <stdlib.h>
#include <string.h>

/* What a thread had run when the interval began. */
struct ran {
    uint32_t id;
    uint64_t ns;
};

struct history {
    struct moment *moment[HISTORY_MAX]; /* number n is at n % HISTORY_MAX */
    uint64_t last;
    uint64_t to;     /* where the latest interval ended */
    struct ran *ran; /* of the threads alive then, by their numbers */
    size_t ran_count;
};

/* --- Threads --------------------------------------------------------------------------------- */

bool is_blocked(hectic_thread_state state)
{
    return state >= HECTIC_THREAD_MVAR && state != HECTIC_THREAD_FOREIGN;
}

/* Is `a` listed before `b`? The longest blocked are first; those that are not blocked, last. */
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

/* Inserts a thread at its place, if it is among the first. list->row has room for LISTED_MAX. */
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

/* Threads come in the order of their numbers, now as in the interval before. */
struct gathering {
    const struct history *history;
    struct moment *moment;
    struct ran *ran;
    size_t count, capacity;
    size_t before; /* place in history->ran */
};

static void copy_text(char *out, size_t size, const char *text)
{
    char fit[4 * 256 + 4];
    size_t length = text ? strlen(text) : 0, width;
    if (length > 256) length = 256;
    length = terminal_text_fit(text, length, size - 1, fit, &width);
    while (length >= size) /* columns were counted: bytes may be more */
        do
            length--;
        while (length > 0 && ((unsigned char)fit[length] & 0xC0u) == 0x80u);
    memcpy(out, fit, length);
    out[length] = 0;
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
    struct thread_row row = {
        .id = thread->id,
        .cap = thread->cap,
        .state = thread->state,
        .since = thread->since,
        .born = thread->born,
        .has_born = thread->has_born,
        .ran = ran > before ? ran - before : 0,
    };
    copy_text(row.label, sizeof row.label, thread->label);
    for (enum thread_sort order = 0; order < THREAD_SORTS; order++)
        thread_list_offer(&g->moment->threads[order], order, &row);
    return true;
}

static bool fill_threads(struct history *h, struct moment *m, const hectic_live_stats *live_stats)
{
    struct gathering g = {.history = h, .moment = m};
    bool fits = true;
    for (size_t i = 0; i < THREAD_SORTS; i++) {
        m->threads[i].row = malloc(LISTED_MAX * sizeof *m->threads[i].row);
        fits = fits && m->threads[i].row;
    }
    fits = fits && hectic_live_stats_threads(live_stats, m->to, gather, &g);
    free(h->ran);
    h->ran = g.ran;
    h->ran_count = g.count;
    for (size_t i = 0; i < THREAD_SORTS; i++) {
        /* Gives back what is not needed; the shorter one is there even where that fails. */
        struct thread_list *list = &m->threads[i];
        struct thread_row *less = realloc(list->row, (list->count + 1) * sizeof *less);
        if (less) list->row = less;
    }
    return fits;
}

/* --- Moments --------------------------------------------------------------------------------- */

static void fill_sums(struct moment *m, const hectic_live_stats_report *told)
{
    const hectic_stat_result *sums = &told->sums;
    const double interval = (double)(sums->to - sums->from);
    m->has_threads = sums->has_threads;
    m->has_gc = sums->has_gc;
    m->has_gc_stats = sums->has_gc_stats;
    m->has_allocated = sums->has_allocated;
    m->allocated = sums->allocated;
    m->gc_ns =
        (double)sums->gc_main_ns < interval ? sums->gc_main_ns : (uint64_t)interval; /* as a line */
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
            sums->has_threads && interval > 0 && told->cap[i].activity != HECTIC_CAP_UNKNOWN;
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

static void fill_now(struct moment *m, const hectic_live_stats_report *told)
{
    m->has_live = told->has_live;
    m->has_heap = told->has_heap_size;
    m->live = told->live;
    m->heap = told->heap_size;
    m->alive = told->alive;
    memcpy(m->in_state, told->in_state, sizeof m->in_state);
    m->events = told->events;
    m->dropped = told->dropped;
}

static void fill_texts(struct moment *m, const hectic_live_stats *live_stats)
{
    const hectic_live_stats_program program = hectic_live_stats_get_program(live_stats);
    copy_text(m->program, sizeof m->program, program.name);
    copy_text(m->rts, sizeof m->rts, program.rts);
    m->pid = program.pid;
    const hectic_live_stats_message *message;
    while (m->messages < MESSAGES_MAX &&
           (message = hectic_live_stats_get_message(live_stats, m->messages))) {
        struct moment_message *to = &m->message[m->messages++];
        to->time = message->time;
        copy_text(to->text, sizeof to->text, message->text);
    }
    hectic_live_stats_sample sample;
    if (!hectic_live_stats_get_sample(live_stats, &sample)) return;
    for (; m->bands < sample.bands && m->bands < BANDS_MAX; m->bands++) {
        m->band[m->bands].bytes = sample.band[m->bands].bytes;
        copy_text(m->band[m->bands].name, NAME_SIZE, sample.band[m->bands].name);
    }
}

static void moment_free(struct moment *m)
{
    if (!m) return;
    for (size_t i = 0; i < THREAD_SORTS; i++)
        free(m->threads[i].row);
    free(m);
}

struct history *history_new(void)
{
    return calloc(1, sizeof(struct history));
}

void history_free(struct history *h)
{
    if (!h) return;
    for (size_t i = 0; i < HISTORY_MAX; i++)
        moment_free(h->moment[i]);
    free(h->ran);
    free(h);
}

bool history_add(struct history *h, const struct live_line *watched)
{
    const hectic_live_stats_report *told = watched->told;
    struct moment *m = calloc(1, sizeof *m);
    if (!m) return false;
    m->from = told->sums.from;
    m->to = told->sums.to;
    m->has_lag = watched->has_lag;
    m->lag = watched->lag;
    m->late = watched->late;
    m->damaged = watched->damaged;
    if (m->from != h->to) h->ran_count = 0; /* another log has begun */
    h->to = m->to;
    fill_sums(m, told);
    fill_now(m, told);
    fill_texts(m, watched->live_stats);
    if (!fill_threads(h, m, watched->live_stats)) {
        moment_free(m);
        return false;
    }
    struct moment **place = &h->moment[++h->last % HISTORY_MAX];
    moment_free(*place);
    *place = m;
    return true;
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
