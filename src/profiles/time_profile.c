/* time_profile.c — see time_profile.h. */
#include "profiles/time_profile.h"

#include "base/map.h"
#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_MAX = 1 << 16 };

/* The samples of a cap whose innermost cost centre was not defined yet. */
struct unknown {
    map_key key; /* cap and symbol */
    uint64_t samples, ns;
};

/* The last tick of a cap. */
struct last_tick {
    uint64_t tick;
    bool is_known;
};

/* The sums of a source. */
struct sums {
    hectic_time_totals totals;
    /* By number of cap: */
    hectic_time_cap *cap;
    struct last_tick *last;
    uint32_t caps;
    hectic_time_cap *result; /* for totals.cap */
    map unknown;
};

/* The kind of a symbol, plus 1; 0: it is not defined yet. */
struct kinds {
    uint8_t *kind;
    uint32_t count;
};

struct hectic_time_profile {
    hectic_time_samples *samples;
    const hectic_symbols *symbols; /* those of the samples; late names may be missing */
    uint64_t from, to;
    bool has_cap;
    uint32_t cap;
    hectic_time_sample_callback counts, sample;
    void *user;
    struct sums sums[HECTIC_TIME_SOURCES];
    struct kinds kinds;
};

static bool take(void *user, const hectic_time_sample *sample);

hectic_time_profile *hectic_time_profile_new(const hectic_time_profile_options *options)
{
    static const hectic_time_profile_options whole = {.to = UINT64_MAX};
    if (!options) options = &whole;
    hectic_time_profile *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->from = options->from;
    p->to = options->to;
    p->has_cap = options->has_cap;
    p->cap = options->cap;
    p->counts = options->counts;
    p->sample = options->sample;
    p->user = options->user;
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++)
        p->sums[i].unknown = (map){.entry_size = sizeof(struct unknown), .unsorted = true};
    p->samples = hectic_time_samples_new(HECTIC_TIME_COLUMNS, options->symbol_limit,
                                         options->node_limit, take, p);
    if (!p->samples) return hectic_time_profile_free(p), NULL;
    p->symbols = hectic_time_samples_symbols(p->samples);
    return p;
}

void hectic_time_profile_free(hectic_time_profile *p)
{
    if (!p) return;
    hectic_time_samples_free(p->samples);
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++) {
        free(p->sums[i].cap);
        free(p->sums[i].last);
        free(p->sums[i].result);
        map_clear(&p->sums[i].unknown);
    }
    free(p->kinds.kind);
    free(p);
}

/* --- Samples --------------------------------------------------------------------------------- */

/* Counts the tick at its first sample, and the hole before it. At a tick, the runtime writes the
 * samples of its caps by ascending number. In a merged log, ticks of several processes may lie
 * between, but their caps have other numbers. */
static void take_tick(struct sums *sums, const hectic_time_sample *sample, uint32_t cap,
                      bool is_inside)
{
    enum { HOLE = 4 };
    if (sample->source == HECTIC_TIME_CALL_STACKS) return;
    struct last_tick *last = &sums->last[cap];
    const bool is_after_hole = last->is_known && saturating_less(sample->tick, last->tick) > HOLE;
    const bool is_known = last->is_known && last->tick == sample->tick;
    const struct last_tick *lower = cap > 0 ? &sums->last[cap - 1] : last;
    const bool is_first = !is_known && !(lower->is_known && lower->tick == sample->tick);
    *last = (struct last_tick){sample->tick, true};
    sums->totals.ticks += is_inside && is_first;
    sums->totals.holes += is_inside && is_first && is_after_hole;
}

/* The symbol's kind, plus 1; 0: unknown. */
static uint8_t kind_of(hectic_time_profile *p, uint32_t symbol)
{
    struct kinds *kinds = &p->kinds;
    if (symbol == HECTIC_NO_SYMBOL) return 1 + HECTIC_TIME_OWN;
    if (symbol < kinds->count && kinds->kind[symbol] > 0) return kinds->kind[symbol];
    const hectic_symbol s = hectic_symbols_get(p->symbols, symbol);
    if (s.kind == HECTIC_SYMBOL_COST_CENTRE && !s.is_defined) return 0;
    const uint8_t kind = (uint8_t)(1 + hectic_time_kind_of(&s));
    if (symbol >= kinds->count) {
        const size_t count = 2 * (size_t)symbol + 64;
        uint8_t *grown = realloc(kinds->kind, count);
        if (!grown) return kind;
        memset(grown + kinds->count, 0, count - kinds->count);
        *kinds = (struct kinds){grown, (uint32_t)count};
    }
    return kinds->kind[symbol] = kind;
}

/* Makes room for the cap. False: out of memory. */
static bool grow_caps(struct sums *sums, uint32_t cap)
{
    const uint32_t caps = 2 * cap + 8 > HECTIC_TIME_CAPS ? HECTIC_TIME_CAPS + 1 : 2 * cap + 8;
    hectic_time_cap *grown = realloc(sums->cap, caps * sizeof *grown);
    if (!grown) return false;
    sums->cap = grown;
    struct last_tick *last = realloc(sums->last, caps * sizeof *last);
    if (!last) return false;
    sums->last = last;
    for (; sums->caps < caps; sums->caps++) {
        grown[sums->caps] = (hectic_time_cap){.cap = sums->caps};
        last[sums->caps] = (struct last_tick){0};
    }
    return true;
}

static void add_unknown(struct sums *sums, hectic_time_cap *cap, uint32_t symbol,
                        const hectic_time_sample *sample)
{
    const map_key key = {symbol, 1 + (uint64_t)cap->cap};
    struct unknown *unknown = map_find(&sums->unknown, key);
    if (!unknown && sums->unknown.count < UNKNOWN_MAX) unknown = map_add(&sums->unknown, key);
    saturating_add(unknown ? &unknown->samples : &cap->samples[HECTIC_TIME_OWN], 1);
    saturating_add(unknown ? &unknown->ns : &cap->ns[HECTIC_TIME_OWN], sample->since);
}

static bool take(void *user, const hectic_time_sample *sample)
{
    hectic_time_profile *p = user;
    struct sums *sums = &p->sums[sample->source];
    hectic_time_totals *totals = &sums->totals;
    if (p->has_cap && sample->cap != p->cap) return true;
    const bool is_inside = time_is_inside(sample->time, p->from, p->to);
    const uint32_t number = sample->cap < HECTIC_TIME_CAPS ? sample->cap : HECTIC_TIME_CAPS;
    if (number >= sums->caps && !grow_caps(sums, number)) return false;
    take_tick(sums, sample, number, is_inside);
    if (!is_inside || (p->counts && !p->counts(p->user, sample))) return true;
    if (p->sample && !p->sample(p->user, sample)) return false;
    hectic_time_cap *cap = &sums->cap[number];
    if (totals->samples == 0 || sample->time < totals->first) totals->first = sample->time;
    if (sample->time > totals->last) totals->last = sample->time;
    totals->samples++;
    totals->interval = sample->interval;
    hectic_stacks *stacks = hectic_time_samples_stacks(p->samples, sample->source);
    hectic_stacks_add(stacks, sample->node, HECTIC_TIME_TICKS, 1);
    hectic_stacks_add(stacks, sample->node, HECTIC_TIME_NS, sample->since);
    const uint32_t symbol = hectic_stacks_nodes(stacks)[sample->node].symbol;
    const uint8_t kind =
        sample->source == HECTIC_TIME_COST_CENTRES ? kind_of(p, symbol) : 1 + HECTIC_TIME_OWN;
    if (kind == 0) return add_unknown(sums, cap, symbol, sample), true;
    saturating_add(&cap->samples[kind - 1], 1);
    saturating_add(&cap->ns[kind - 1], sample->since);
    return true;
}

bool hectic_time_profile_event(hectic_time_profile *p, const hectic_event *event)
{
    return hectic_time_samples_event(p->samples, event);
}

void hectic_time_profile_restart(hectic_time_profile *p, uint64_t from, uint64_t to)
{
    p->from = from;
    p->to = to;
    for (int i = 0; i < HECTIC_TIME_SOURCES; i++) {
        struct sums *sums = &p->sums[i];
        sums->totals = (hectic_time_totals){.interval = sums->totals.interval};
        for (uint32_t cap = 0; cap < sums->caps; cap++)
            sums->cap[cap] = (hectic_time_cap){.cap = cap};
        map_clear(&sums->unknown);
        hectic_stacks_reset(hectic_time_samples_stacks(p->samples, (hectic_time_source)i));
    }
}

/* --- Totals ---------------------------------------------------------------------------------- */

static void add_cap(hectic_time_cap *sum, const hectic_time_cap *cap)
{
    for (size_t i = 0; i < HECTIC_TIME_KINDS; i++) {
        saturating_add(&sum->samples[i], cap->samples[i]);
        saturating_add(&sum->ns[i], cap->ns[i]);
    }
}

bool hectic_time_profile_totals(hectic_time_profile *p, hectic_time_source source,
                                hectic_time_totals *totals)
{
    struct sums *sums = &p->sums[source];
    *totals = sums->totals;
    if (sums->caps == 0) return true;
    hectic_time_cap *result = realloc(sums->result, sums->caps * sizeof *result);
    if (!result) return false;
    sums->result = result;
    memcpy(result, sums->cap, sums->caps * sizeof *result);
    for (const struct unknown *u = NULL; (u = map_next(&sums->unknown, u));) {
        const uint8_t known = kind_of(p, (uint32_t)u->key.a);
        const uint8_t kind = known ? known - 1 : HECTIC_TIME_OWN;
        saturating_add(&result[u->key.b - 1].samples[kind], u->samples);
        saturating_add(&result[u->key.b - 1].ns[kind], u->ns);
    }
    for (uint32_t i = 0; i < sums->caps; i++) {
        uint64_t samples = 0;
        for (size_t kind = 0; kind < HECTIC_TIME_KINDS; kind++)
            saturating_add(&samples, result[i].samples[kind]);
        if (samples == 0) continue;
        add_cap(&totals->all, &result[i]);
        result[totals->caps++] = result[i];
    }
    totals->cap = result;
    return true;
}

const hectic_symbols *hectic_time_profile_symbols(const hectic_time_profile *p)
{
    return hectic_time_samples_symbols(p->samples);
}

const hectic_stacks *hectic_time_profile_stacks(const hectic_time_profile *p,
                                                hectic_time_source source)
{
    return hectic_time_samples_stacks(p->samples, source);
}

hectic_time_warnings hectic_time_profile_warnings(const hectic_time_profile *p)
{
    return hectic_time_samples_warnings(p->samples);
}

/* --- Sums by symbol -------------------------------------------------------------------------- */

/* What the walk over a tree needs. */
struct walk {
    const hectic_stack_node *node;
    uint32_t *child; /* of a node: its first child; 0: none */
    uint32_t *next;  /* the next child of its parent; 0: none */
    uint64_t *total[HECTIC_TIME_COLUMNS];
    uint32_t *active; /* of a symbol: the number of its nodes that are entered */
    hectic_symbol_time *times;
};

static bool walk_new(struct walk *walk, const hectic_stacks *stacks, uint32_t symbols)
{
    const uint32_t nodes = hectic_stacks_count(stacks);
    *walk = (struct walk){
        .node = hectic_stacks_nodes(stacks),
        .child = calloc(nodes, sizeof *walk->child),
        .next = calloc(nodes, sizeof *walk->next),
        .active = calloc((size_t)symbols + 1, sizeof *walk->active),
        .times = calloc((size_t)symbols + 1, sizeof *walk->times),
    };
    bool done = walk->child && walk->next && walk->active && walk->times;
    for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
        done &= (walk->total[c] = calloc(nodes, sizeof *walk->total[c])) != NULL;
    return done;
}

static void walk_clear(struct walk *walk)
{
    free(walk->child);
    free(walk->next);
    for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
        free(walk->total[c]);
    free(walk->active);
}

/* Sets the own sums of symbols, and the totals of nodes. */
static void add_nodes(struct walk *walk, const hectic_stacks *stacks, const hectic_symbols *symbols)
{
    for (uint32_t i = hectic_stacks_count(stacks); i-- > 1;) {
        const hectic_stack_node *node = &walk->node[i];
        walk->next[i] = walk->child[node->parent];
        walk->child[node->parent] = i;
        if (node->symbol == HECTIC_NO_SYMBOL) continue;
        const hectic_symbol symbol = hectic_symbols_get(symbols, node->symbol);
        const bool is_own = hectic_time_kind_of(&symbol) == HECTIC_TIME_OWN;
        for (uint32_t c = 0; c < HECTIC_TIME_COLUMNS; c++) {
            const uint64_t own = hectic_stacks_own(stacks, i, c);
            saturating_add(&walk->times[node->symbol].own[c], own);
            if (is_own)
                saturating_add(&walk->total[c][i], own);
            else
                saturating_add(&walk->times[node->symbol].total[c], own);
            saturating_add(&walk->total[c][node->parent], walk->total[c][i]);
        }
    }
}

/* Adds the totals of the nodes in which a symbol occurs for the first time. Each node is entered
 * before its children, and left after them. */
static void add_totals(struct walk *walk)
{
    for (uint32_t at = HECTIC_STACKS_ROOT;;) {
        const uint32_t symbol = walk->node[at].symbol;
        if (symbol != HECTIC_NO_SYMBOL && walk->active[symbol]++ == 0)
            for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
                saturating_add(&walk->times[symbol].total[c], walk->total[c][at]);
        if (walk->child[at]) {
            at = walk->child[at];
            continue;
        }
        for (;; at = walk->node[at].parent) {
            if (at == HECTIC_STACKS_ROOT) return;
            if (walk->node[at].symbol != HECTIC_NO_SYMBOL) walk->active[walk->node[at].symbol]--;
            if (walk->next[at]) break;
        }
        at = walk->next[at];
    }
}

static int by_own(const void *a, const void *b)
{
    const hectic_symbol_time *const x = a, *const y = b;
    uint64_t p = x->own[HECTIC_TIME_TICKS], q = y->own[HECTIC_TIME_TICKS];
    if (p == q) p = x->total[HECTIC_TIME_TICKS], q = y->total[HECTIC_TIME_TICKS];
    if (p != q) return p < q ? 1 : -1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static bool has_weight(const hectic_symbol_time *time)
{
    uint64_t any = 0;
    for (size_t c = 0; c < HECTIC_TIME_COLUMNS; c++)
        any |= time->own[c] | time->total[c];
    return any > 0;
}

hectic_symbol_time *hectic_symbol_times(const hectic_stacks *stacks, const hectic_symbols *symbols,
                                        size_t *count)
{
    struct walk walk;
    *count = 0;
    const bool done = walk_new(&walk, stacks, hectic_symbols_count(symbols));
    if (done) {
        add_nodes(&walk, stacks, symbols);
        add_totals(&walk);
        for (uint32_t i = 0; i < hectic_symbols_count(symbols); i++) {
            walk.times[i].symbol = i;
            if (has_weight(&walk.times[i])) walk.times[(*count)++] = walk.times[i];
        }
        qsort(walk.times, *count, sizeof *walk.times, by_own);
    } else {
        free(walk.times);
    }
    walk_clear(&walk);
    return done ? walk.times : NULL;
}

hectic_symbol_time *hectic_time_profile_symbol_times(const hectic_time_profile *p,
                                                     hectic_time_source source, size_t *count)
{
    return hectic_symbol_times(hectic_time_profile_stacks(p, source),
                               hectic_time_profile_symbols(p), count);
}
