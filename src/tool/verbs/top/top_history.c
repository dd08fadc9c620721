/* top_history.c — see top_history.h. */
#include "tool/verbs/top/top_history.h"

#include "base/array.h"
#include "numbers/saturating.h"
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

/* A name of parts of profiles. */
struct name {
    char *text; /* NULL: free */
    uint32_t hash, uses;
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
    struct name *name;
    uint32_t names, names_capacity;
    hectic_time_profile *time; /* of the interval */
    /* Of a finished log: */
    hectic_time_profile *all_time;
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
    if (!array_reserve(g->ran, g->capacity, g->count + 1)) return false;
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

static void drop_name(struct history *h, uint32_t index);

static void moment_free(struct history *h, struct moment *m)
{
    if (!m) return;
    for (size_t i = 0; i < PROFILES; i++)
        for (uint32_t k = 0; k < m->profile[i].parts; k++)
            drop_name(h, m->profile[i].part[k].name);
    for (size_t i = 0; i < THREAD_SORTS; i++)
        free(m->threads[i].row);
    free(m);
}

/* --- Profiles -------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The index of a free name. UINT32_MAX: out of memory. */
static uint32_t free_name(struct history *h)
{
    for (uint32_t i = 0; i < h->names; i++)
        if (!h->name[i].text) return i;
    if (!array_reserve(h->name, h->names_capacity, h->names + 1)) return UINT32_MAX;
    return h->names++;
}

/* Uses a name, which the moments have in common. UINT32_MAX: out of memory. */
static uint32_t use_name(struct history *h, const char *text)
{
    const uint32_t hash = hash_of(text);
    for (uint32_t i = 0; i < h->names; i++) {
        struct name *name = &h->name[i];
        if (!name->text || name->hash != hash || strcmp(name->text, text) != 0) continue;
        name->uses++;
        return i;
    }
    char *copy = strdup(text);
    const uint32_t index = copy ? free_name(h) : UINT32_MAX;
    if (index == UINT32_MAX)
        free(copy);
    else
        h->name[index] = (struct name){copy, hash, 1};
    return index;
}

static void drop_name(struct history *h, uint32_t index)
{
    struct name *name = &h->name[index];
    if (--name->uses > 0) return;
    free(name->text);
    name->text = NULL;
}

const char *history_name(const struct history *h, uint32_t name)
{
    return h->name[name].text;
}

static const struct profile_part *find_part(const struct moment_profile *profile, uint32_t name)
{
    for (uint32_t i = 0; i < profile->parts; i++)
        if (profile->part[i].name == name) return &profile->part[i];
    return NULL;
}

/* Adds a part, or adds to it, and keeps the order. */
static void add_to(struct moment_profile *sum, const struct profile_part *part)
{
    uint32_t at = 0;
    while (at < sum->parts && sum->part[at].name != part->name)
        at++;
    if (at == PARTS_MAX) return;
    if (at == sum->parts) sum->part[sum->parts++] = (struct profile_part){.name = part->name};
    struct profile_part added = sum->part[at];
    saturating_add(&added.value, part->value);
    saturating_add(&added.total, part->total);
    for (; at > 0 && sum->part[at - 1].value < added.value; at--)
        sum->part[at] = sum->part[at - 1];
    sum->part[at] = added;
}

static bool add_part(struct history *h, struct moment_profile *profile, const char *name,
                     uint64_t value, uint64_t total)
{
    char text[4 * PART_NAME_SIZE + 4];
    size_t length = strlen(name), width;
    if (length > PART_NAME_SIZE) length = PART_NAME_SIZE;
    text[terminal_text_fit(name, length, PART_NAME_SIZE, text, &width)] = 0;
    const uint32_t index = use_name(h, text);
    if (index == UINT32_MAX) return false;
    /* Cost centres may have the same module and label. */
    if (find_part(profile, index)) drop_name(h, index);
    add_to(profile, &(struct profile_part){index, value, total});
    return true;
}

static bool fill_heap(struct history *h, struct moment *m, const hectic_live_stats *live_stats)
{
    struct moment_profile *heap = &m->profile[PROFILE_HEAP];
    hectic_live_stats_sample sample;
    if (!hectic_live_stats_get_sample(live_stats, &sample)) return true;
    m->breakdown = sample.breakdown;
    for (uint32_t i = 0; i < sample.bands; i++) {
        const hectic_live_stats_band *band = &sample.band[i];
        saturating_add(&heap->sum, band->bytes);
        if (band->bytes > 0 && heap->parts < PARTS_MAX &&
            !add_part(h, heap, band->name, band->bytes, 0))
            return false;
    }
    return true;
}

/* "Module.label". */
static void symbol_name(const hectic_symbol *symbol, char text[PART_NAME_SIZE])
{
    char label[PART_NAME_SIZE];
    const bool has_module = symbol->module && !symbol->is_caf;
    hectic_symbol_text(symbol, label, sizeof label);
    snprintf(text, PART_NAME_SIZE, "%.500s%s%.500s", has_module ? symbol->module : "",
             has_module ? "." : "", label);
}

/* Of cost centres; of call stacks, if there are no cost centres. */
static bool fill_time(struct history *h, struct moment *m, hectic_time_profile *profile)
{
    struct moment_profile *time = &m->profile[PROFILE_TIME];
    hectic_time_totals totals = {.samples = 0};
    hectic_time_source source = 0;
    while (source < HECTIC_TIME_SOURCES) {
        if (!hectic_time_profile_totals(profile, source, &totals)) return false;
        if (totals.samples > 0) break;
        source++;
    }
    if (source == HECTIC_TIME_SOURCES) return true;
    memcpy(m->time_samples, totals.all.samples, sizeof m->time_samples);
    time->sum = m->time_samples[HECTIC_TIME_OWN];
    const hectic_symbols *symbols = hectic_time_profile_symbols(profile);
    size_t count;
    hectic_symbol_time *times = hectic_time_profile_symbol_times(profile, source, &count);
    bool done = times != NULL;
    for (size_t i = 0; done && i < count && time->parts < PARTS_MAX; i++) {
        const hectic_symbol symbol = hectic_symbols_get(symbols, times[i].symbol);
        const uint64_t own = times[i].own[HECTIC_TIME_TICKS];
        char name[PART_NAME_SIZE];
        if (own == 0) break;
        if (hectic_time_kind_of(&symbol) != HECTIC_TIME_OWN) continue;
        symbol_name(&symbol, name);
        done = add_part(h, time, name, own, times[i].total[HECTIC_TIME_TICKS]);
    }
    free(times);
    return done;
}

static bool fill_profiles(struct history *h, struct moment *m, const hectic_live_stats *live_stats,
                          bool whole)
{
    if (!fill_heap(h, m, live_stats) || !fill_time(h, m, whole ? h->all_time : h->time))
        return false;
    hectic_time_profile_restart(h->time, 0, UINT64_MAX);
    return true;
}

static void forget_profiles(struct history *h)
{
    hectic_time_profile_free(h->time);
    hectic_time_profile_free(h->all_time);
    h->time = h->all_time = NULL;
}

static bool begin_profiles(struct history *h, bool is_finished)
{
    forget_profiles(h);
    h->time = hectic_time_profile_new(NULL);
    if (is_finished) h->all_time = hectic_time_profile_new(NULL);
    return h->time && (h->all_time || !is_finished);
}

size_t history_course(const struct history *h, uint64_t last, enum profile profile, uint32_t name,
                      double *value, double *time)
{
    size_t count = 0;
    for (uint64_t i = history_first(h); i > 0 && i <= last; i++) {
        const struct moment *m = history_get(h, i);
        const struct moment_profile *of = &m->profile[profile];
        const struct profile_part *part = find_part(of, name);
        if (count == 0 && of->parts == 0) continue; /* not begun */
        value[count] = part ? (double)part->value : 0;
        if (profile == PROFILE_TIME && part) value[count] /= (double)of->sum;
        time[count++] = (double)m->to;
    }
    return count;
}

void history_recent(const struct history *h, uint64_t last, uint64_t ns, struct moment_profile *sum,
                    uint64_t samples[HECTIC_TIME_KINDS])
{
    const uint64_t to = history_get(h, last)->to;
    *sum = (struct moment_profile){.parts = 0};
    memset(samples, 0, HECTIC_TIME_KINDS * sizeof *samples);
    for (uint64_t i = last; i >= history_first(h) && i > 0; i--) {
        const struct moment *m = history_get(h, i);
        const bool is_recent = m->to <= to && m->from <= m->to && to - m->from <= ns;
        if (i < last && !is_recent) break;
        for (uint32_t k = 0; k < m->profile[PROFILE_TIME].parts; k++)
            add_to(sum, &m->profile[PROFILE_TIME].part[k]);
        for (size_t k = 0; k < HECTIC_TIME_KINDS; k++)
            samples[k] += m->time_samples[k];
    }
    sum->sum = samples[HECTIC_TIME_OWN];
}

int trend_of(const double *value, const double *time, size_t count, double *slope)
{
    double sum_time = 0, sum_value = 0, squares = 0, products = 0;
    *slope = 0;
    for (size_t i = 0; i < count; i++) {
        sum_time += time[i];
        sum_value += value[i];
    }
    const double mean_time = count ? sum_time / (double)count : 0;
    const double mean = count ? sum_value / (double)count : 0;
    for (size_t i = 0; i < count; i++) {
        squares += (time[i] - mean_time) * (time[i] - mean_time);
        products += (time[i] - mean_time) * (value[i] - mean);
    }
    if (!(squares > 0) || !(mean > 0)) return 0;
    const double change = products / squares * (time[count - 1] - time[0]);
    *slope = products / squares * 1e9;
    return change > mean / 10 ? 1 : change < -mean / 10 ? -1 : 0;
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
    if (!h->spans || !begin_profiles(h, is_finished)) return false;
    hectic_spans_group(h->spans);
    if (!is_finished) return true;
    moment_free(h, h->whole);
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
    if (!hectic_time_profile_event(h->time, event)) return false;
    if (h->all_time && !hectic_time_profile_event(h->all_time, event)) return false;
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
        const bool is_unknown = sums->has_threads && report->cap[i].activity == HECTIC_CAP_UNKNOWN;
        const bool known = sums->has_threads && interval > 0 && !is_unknown;
        const bool has_gc = cap->has_gc && interval > 0 && !is_unknown;
        m->cap[i] = (struct moment_cap){
            .cap = cap->cap,
            .known = known,
            .mutator = known ? (float)((double)cap->running_ns / interval) : 0,
            .has_gc = has_gc,
            .gc = has_gc ? (float)((double)cap->gc_ns / interval) : 0,
            .wait =
                has_gc
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
}

void history_free(struct history *h)
{
    if (!h) return;
    for (size_t i = 0; i < HISTORY_MAX; i++)
        moment_free(h, h->moment[i]);
    moment_free(h, h->whole);
    forget_spans(h);
    forget_profiles(h);
    free(h->name);
    hectic_threads_free(h->threads);
    free(h->ran);
    free(h);
}

/* False: no memory. */
static bool fill(struct history *h, struct moment *m, const hectic_live_stats_report *report,
                 const hectic_live_stats *live_stats, bool whole)
{
    m->from = report->sums.from;
    m->to = report->sums.to;
    fill_sums(m, report);
    fill_now(m, report);
    fill_texts(m, live_stats);
    fill_spans(h, m, whole);
    fill_messages(h, m);
    return fill_profiles(h, m, live_stats, whole);
}

bool history_add(struct history *h, const struct live_line *line)
{
    struct moment *m = calloc(1, sizeof *m);
    if (!m) return false;
    const bool filled = fill(h, m, line->report, line->live_stats, false);
    m->has_lag = line->has_lag;
    m->lag = line->lag;
    m->late = line->late;
    m->damaged = line->damaged;
    if (m->from != h->to) h->ran_count = 0; /* another log has begun */
    h->to = m->to;
    h->live_stats = line->live_stats;
    if (!filled || !fill_threads(h, m, line->live_stats)) {
        moment_free(h, m);
        return false;
    }
    struct moment **place = &h->moment[++h->last % HISTORY_MAX];
    moment_free(h, *place);
    *place = m;
    return true;
}

bool history_end(struct history *h)
{
    hectic_live_stats_report report;
    if (!h->live_stats || !h->threads) return true;
    if (!hectic_live_stats_snapshot(h->live_stats, HECTIC_LIVE_STATS_NOW, &report)) return false;
    const bool done = fill(h, h->whole, &report, h->live_stats, true) &&
                      hectic_threads_end(h->threads, report.sums.to);
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
