/* verdict.c — evaluates the rules of verdicts.def. */
#include "verdict/verdict_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const hectic_rule rules[] = {
#define HECTIC_RULE(name, unit, limit, measured, because, importance, text, command, source)       \
    {#name, unit, limit, measured, because, importance, text, command, source},
#include "verdict/verdicts.def"
#undef HECTIC_RULE
};

const hectic_rule *hectic_rules(size_t *count)
{
    *count = RULES;
    return rules;
}

bool hectic_rule_has_upper_limit(const hectic_rule *rule)
{
    return rule == &rules[RULE_gc_balance] || rule == &rules[RULE_sparks_small] ||
           rule == &rules[RULE_yields];
}

const char *hectic_value_unit_name(hectic_value_unit unit)
{
    static const char *const names[] = {
        [HECTIC_VALUE_SHARE] = "share",   [HECTIC_VALUE_NS] = "ns",
        [HECTIC_VALUE_BYTES] = "bytes",   [HECTIC_VALUE_THREADS] = "threads",
        [HECTIC_VALUE_EVENTS] = "events",
    };
    return names[unit];
}

/* Runs that are shorter, without EXIT, are not judged: most of their time is the runtime's. */
static const uint64_t run_min = 10000000;
/* A log without an end marker may have so much of EXIT. */
static const uint64_t exit_max = 40000000;

/* --- Texts ----------------------------------------------------------------------------------- */

/* Appends to a text of `size` bytes, as far as there is room. */
static void append(char *text, size_t size, size_t *length, const char *more, size_t count)
{
    if (count > size - 1 - *length) count = size - 1 - *length;
    memcpy(text + *length, more, count);
    *length += count;
    text[*length] = 0;
}

static const char *find_word(const struct draft *d, const char *name, size_t length)
{
    for (size_t i = 0; i < d->words; i++)
        if (strlen(d->word[i].name) == length && memcmp(d->word[i].name, name, length) == 0)
            return d->word[i].text;
    return "";
}

/* Replaces the words in braces of a template. */
static void fill(const struct draft *d, const char *template, char *text, size_t size)
{
    size_t length = 0;
    for (const char *at = template; *at;) {
        const char *open = strchr(at, '{'), *close = open ? strchr(open, '}') : NULL;
        append(text, size, &length, at, close ? (size_t)(open - at) : strlen(at));
        if (!close) return;
        const char *found = find_word(d, open + 1, (size_t)(close - open - 1));
        append(text, size, &length, found, strlen(found));
        at = close + 1;
    }
}

/* --- Evaluation ------------------------------------------------------------------------------ */

static bool applies(const struct draft *d)
{
    if (d->words == 0 && d->value <= 0) return false;
    return hectic_rule_has_upper_limit(d->rule) ? d->value <= d->rule->limit
                                                : d->value >= d->rule->limit;
}

static void put_value(struct draft *d)
{
    char *text = word(d, "value");
    switch (d->rule->unit) {
    case HECTIC_VALUE_SHARE: share_word(text, d->value); break;
    case HECTIC_VALUE_NS: time_word(text, d->value); break;
    case HECTIC_VALUE_BYTES: size_word(text, d->value); break;
    case HECTIC_VALUE_THREADS: snprintf(text, WORD, "%.1f", d->value); break;
    case HECTIC_VALUE_EVENTS:
        snprintf(text, WORD, "%.0f event%s", d->value, d->value > 1 ? "s" : "");
        break;
    }
}

/* Keeps the most important findings, in order. */
static void keep(hectic_verdict *verdict, const struct draft *d)
{
    size_t at = verdict->count;
    while (at > 0 && verdict->finding[at - 1].importance < d->importance)
        at--;
    if (at == HECTIC_FINDINGS_MAX) return;
    const size_t kept =
        verdict->count < HECTIC_FINDINGS_MAX ? verdict->count : HECTIC_FINDINGS_MAX - 1;
    memmove(&verdict->finding[at + 1], &verdict->finding[at],
            (kept - at) * sizeof *verdict->finding);
    verdict->count = kept + 1;
    hectic_finding *finding = &verdict->finding[at];
    *finding = (hectic_finding){.rule = d->rule,
                                .value = d->value,
                                .importance = d->importance,
                                .has_time = d->has_time,
                                .from = d->from,
                                .to = d->to};
    fill(d, d->rule->text, finding->text, sizeof finding->text);
    fill(d, d->rule->command, finding->command, sizeof finding->command);
}

static struct facts facts_of(const hectic_verdict_input *input)
{
    const hectic_stat_result *r = input->stat;
    const double off = (double)r->unrecorded_ns;
    struct facts f = {.input = input, .stat = r, .threads = input->threads};
    f.all = (double)(r->to - r->from);
    f.elapsed = f.all > off ? f.all - off : 0;
    if (r->has_gc) f.gc = (double)r->gc_main_ns / f.elapsed;
    if (r->has_gc && r->has_gc_stats) f.g = r->generation;
    if (f.g && r->generations > 1) {
        f.young = (double)f.g[0].pause.sum / f.elapsed;
        f.old = (double)f.g[r->generations - 1].pause.sum / f.elapsed;
    }
    /* In INIT and EXIT, the caps that exist are idle in each program. */
    const double phases = (double)r->init_ns + (double)r->exit_ns;
    for (uint32_t i = 0; i < r->caps && r->cap[0].has_idle; i++) {
        const double present = (double)r->cap[i].present_ns, absent = f.all - present;
        const double inside = phases > absent ? phases - absent : 0;
        const double all = (double)r->cap[i].idle_ns;
        const double idle = all > inside ? (all - inside) / f.elapsed : 0;
        f.caps += (present - (double)r->cap[i].unknown_ns) / f.elapsed;
        f.running += (double)r->cap[i].running_ns / f.elapsed;
        f.idle += idle;
        if (i == 0 || idle < f.least_idle) f.least_idle = idle;
    }
    if (f.caps > 0) f.idle /= f.caps;
    const double first = (double)r->live_first, high = (double)r->live_high;
    /* The non-moving collector reports live data up to two collections later. */
    const bool is_late = r->has_nonmoving && r->residency_samples < 8;
    f.grows = r->has_live_course && !is_late && high >= 4 * first && high - first >= 8 << 20 &&
              (double)r->live_middle <= 0.8 * high && (double)r->live_fall <= high / 20 &&
              (double)r->live_until - (double)r->from >= f.elapsed / 2;
    return f;
}

/* The time before EXIT, in which the runtime may wait for its timer. */
static double before_exit(const struct facts *f)
{
    if (f->input->is_part) return f->all;
    const double unknown = f->stat->is_cut ? (double)exit_max : 0;
    const double exit = f->stat->has_exit ? (double)f->stat->exit_ns : unknown;
    return f->all > exit ? f->all - exit : 0;
}

/* Do the numbers of a run contradict each other, as those of a damaged log may? */
static bool is_contradictory(const struct facts *f)
{
    const hectic_stat_sparks *s = &f->stat->sparks;
    /* None takes less than 1 ns. Those from before an excerpt may have their fates in it. */
    const double most = f->all * f->stat->caps;
    const double sparks = (double)s->created + (double)s->converted + (double)s->fizzled;
    if (f->input->is_part) return false;
    return (f->stat->has_gc && (double)f->stat->gc_main_ns > 1.01 * f->all) ||
           (f->stat->has_sparks && sparks > 2 * most);
}

/* "; INIT and EXIT took 24 %", if that is much. */
static const char *put_phases(const struct facts *f, char phases[WORD])
{
    const double part = ((double)f->stat->init_ns + (double)f->stat->exit_ns) / f->elapsed;
    char share[WORD];
    *phases = 0;
    if (part >= 0.1) snprintf(phases, WORD, "; INIT and EXIT took %.40s", share_word(share, part));
    return phases;
}

/* "Nothing stands out: 97 % of the time was the program's own, evenly on both caps." */
static void put_nothing(const struct facts *f, hectic_verdict *verdict)
{
    const hectic_stat_result *r = f->stat;
    char share[WORD], phases[WORD], evenly[48] = "";
    double most = 0, mean = 0;
    for (uint32_t i = 0; i < r->caps; i++) {
        const double running = (double)r->cap[i].running_ns;
        most = running > most ? running : most;
        mean += running / (double)r->caps;
    }
    if (r->has_threads && r->caps == 2 && mean >= 0.9 * most)
        strcpy(evenly, ", evenly on both caps");
    else if (r->has_threads && r->caps > 2 && mean >= 0.9 * most)
        snprintf(evenly, sizeof evenly, ", evenly on all %" PRIu32 " caps", r->caps);
    if (f->input->is_behind)
        strcpy(verdict->nothing,
               "There is no verdict yet: the runtime has not written what each cap did in the last "
               "tenth of the time, or longer. From GHC 9.2 on, +RTS --eventlog-flush-interval=1 "
               "makes it write each second.");
    else if (r->lacks_caps)
        strcpy(
            verdict->nothing,
            "There is no verdict: the log ends before the events of each cap, and those of no cap, "
            "are in it. If the program still runs, or was killed: its runtime keeps up to 2 MiB of "
            "them in memory for each cap; from GHC 9.2 on, +RTS --eventlog-flush-interval=1 writes "
            "them each second.");
    else if (is_contradictory(f))
        strcpy(verdict->nothing,
               "There is no verdict: the log's numbers contradict each other, so it "
               "is damaged. hectic check says where.");
    else if (f->elapsed <= 0)
        strcpy(verdict->nothing, "There are no events for a verdict.");
    else if (!r->has_gc && !r->has_threads && !f->input->is_part)
        strcpy(verdict->nothing,
               "There is no verdict: the log has neither threads nor collections (+RTS -l).");
    else if (before_exit(f) < (double)run_min && f->input->is_part)
        snprintf(verdict->nothing, sizeof verdict->nothing,
                 "The range is too short for a verdict: %s.", time_word(share, f->all));
    else if (before_exit(f) < (double)run_min && r->is_cut)
        snprintf(verdict->nothing, sizeof verdict->nothing,
                 "The log has too little of the run for a verdict: %s.", time_word(share, f->all));
    else if (before_exit(f) < (double)run_min)
        snprintf(verdict->nothing, sizeof verdict->nothing,
                 "The run is too short for a verdict: %s.", time_word(share, before_exit(f)));
    else if (!r->has_gc || !r->has_threads)
        snprintf(verdict->nothing, sizeof verdict->nothing,
                 "Nothing stands out, but the log does not have %s.",
                 r->has_threads ? "collections (+RTS -lg)"
                 : r->has_gc    ? "threads (+RTS -ls)"
                                : "threads and collections (+RTS -l)");
    else if (most < f->elapsed / 2)
        snprintf(verdict->nothing, sizeof verdict->nothing,
                 "Nothing stands out, but caps ran threads only %s of the time%s.",
                 share_word(share, most / f->elapsed), put_phases(f, phases));
    else
        snprintf(verdict->nothing, sizeof verdict->nothing,
                 "Nothing stands out: %s of the time was the program's own%s%s.",
                 share_word(share, most / f->elapsed), evenly, put_phases(f, phases));
}

/* Does the rule not depend on what caps did at all times? */
static bool is_independent(enum rule rule)
{
    return rule == RULE_thunks || rule == RULE_stack_growth || rule == RULE_heap_band ||
           rule == RULE_cost_centre || rule == RULE_lost_events;
}

/* Is the rule about how a run goes on until its end? */
static bool is_of_whole_runs(enum rule rule)
{
    return rule == RULE_gc_growth || rule == RULE_live_growth || rule == RULE_never_woken ||
           rule == RULE_thread_growth;
}

bool hectic_verdict_get(const hectic_verdict_input *input, hectic_verdict *verdict)
{
    struct facts f = facts_of(input);
    bool failed = false;
    verdict->count = 0;
    verdict->nothing[0] = 0;
    memset(verdict->state, 0, sizeof verdict->state);
    const bool is_judged = before_exit(&f) >= (double)run_min && !input->is_behind &&
                           !input->stat->lacks_caps && !is_contradictory(&f);
    for (unsigned i = 0; i < RULES && is_judged; i++) {
        struct draft draft = {.rule = &rules[i]};
        const enum rule rule = (enum rule)i;
        if (f.applies[RULE_unrecorded] && !is_independent(rule)) continue;
        if (input->is_part && is_of_whole_runs(rule)) continue;
        verdict_measure(rule, &f, &draft);
        failed |= draft.failed;
        f.applies[i] = applies(&draft);
        if (verdict_is_known(rule, &f, &draft)) verdict->state[i] = HECTIC_RULE_ABSENT;
        if (!f.applies[i]) continue;
        verdict->state[i] = HECTIC_RULE_APPLIES;
        draft.importance = least(draft.importance, 1);
        put_value(&draft);
        keep(verdict, &draft);
    }
    if (verdict->count == 0) put_nothing(&f, verdict);
    return !failed;
}
