/* findings.c — the request findings: the verdict on a section, or on an interval of it, made from
 * the same facts as that of hectic info; and where each finding shows. And the request numbers,
 * which include the rules that apply. */
#include "report/verdict_json.h"
#include "timeline/thread_index.h"
#include "view/engine/marks.h"
#include "view/requests/numbers.h"
#include "view/requests/profile_types.h"
#include "view/requests/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of heap and time profiles' events, in any section: see hectic_verdict_input. */
enum {
    SEEN_OF_PROFILES = SEEN_HEAP_PROFILE | SEEN_HEAP_SAMPLE | SEEN_HEAP_BEGIN | SEEN_TIME_PROFILE
};

/* What is read, each in a pass, if it is needed. */
enum pass { PASS_THREADS, PASS_PROFILES, PASS_ALL, PASS_NUMBERS, PASSES };

struct findings {
    const struct section *section;
    uint64_t from, to; /* of the interval; whole: 0, UINT64_MAX */
    bool is_whole;
    bool needs[PASSES];
    unsigned pass;
    hectic_stat_result stat;
    hectic_stat *counting;   /* instead of it, in order of time: of whole sections that were cut,
                                and for numbers */
    hectic_threads *threads; /* NULL: the sums are those of the index */
    hectic_thread_sums sums;
    hectic_heap_profile *heap; /* NULL, both: there are no samples */
    hectic_time_profile *time;
    uint32_t seen;               /* SEEN_OF_PROFILES */
    uint64_t events;             /* that were logged, if the log says that others were dropped */
    hectic_gaps gaps;            /* so far */
    uint64_t lost_from, lost_to; /* ns: of the messages that report dropped events; 0: none */
    struct numbers *numbers;     /* NULL: the request is findings */
    bool has_failed;             /* out of memory */
};

static void findings_free(void *state)
{
    struct findings *f = state;
    hectic_stat_result_clear(&f->stat);
    hectic_stat_free(f->counting);
    hectic_threads_free(f->threads);
    hectic_heap_profile_free(f->heap);
    hectic_time_profile_free(f->time);
    numbers_free(f->numbers);
    free(f);
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool add_thread(void *user, const hectic_thread *thread)
{
    struct findings *f = user;
    hectic_thread_sums_add(&f->sums, thread);
    return true;
}

static void plan_pass(struct findings *f, struct job_plan *plan)
{
    const hectic_timeline *t = f->section->timeline;
    plan->begins = (double)f->pass / PASSES;
    plan->ends = (double)(f->pass + 1) / PASSES;
    plan->from = f->from;
    plan->to = f->to;
    plan->types = (type_set){0};
    plan->has_types = f->pass < PASS_ALL;
    if (f->pass == PASS_THREADS) {
        f->threads = thread_index_begin(t, f->section->header, f->from, f->from, f->to, add_thread,
                                        f, &plan->from, NULL);
        plan->has_types = thread_types(t, &plan->types);
        f->has_failed |= !f->threads;
    }
    if (f->pass == PASS_PROFILES) {
        view_heap_types(&plan->types);
        view_time_types(&plan->types);
        plan->from = 0; /* definitions, and a sample's time, precede the interval, or follow it */
        plan->to = UINT64_MAX;
    }
    if (f->pass == PASS_NUMBERS) {
        plan->from = 0; /* later events decide pairs, too */
        plan->to = UINT64_MAX;
    }
    if (f->pass == PASSES) plan->to = plan->from; /* nothing */
}

static bool next(void *state, struct job_plan *plan)
{
    struct findings *f = state;
    while (++f->pass < PASSES && !f->needs[f->pass])
        ;
    if (f->has_failed || f->pass >= PASSES) return false;
    plan_pass(f, plan);
    return !f->has_failed;
}

static void note_lost(struct findings *f, const hectic_event *event)
{
    const uint64_t before = f->gaps.dropped_places;
    hectic_gaps_event(&f->gaps, event);
    if (f->gaps.dropped_places == before) return;
    if (before == 0) f->lost_from = event->time;
    f->lost_to = event->time;
}

static bool take(void *state, const hectic_event *event)
{
    struct findings *f = state;
    bool done = true;
    if (f->pass == PASS_THREADS) done = hectic_threads_event(f->threads, event);
    if (f->pass == PASS_PROFILES)
        done =
            hectic_heap_profile_event(f->heap, event) && hectic_time_profile_event(f->time, event);
    if (f->pass == PASS_ALL) f->events++;
    if (f->pass == PASS_ALL) note_lost(f, event);
    if (f->pass == PASS_ALL && f->counting) done = hectic_stat_event(f->counting, event);
    if (f->pass == PASS_NUMBERS) {
        if (event->time >= f->to && numbers_are_settled(f->numbers)) return false;
        done = numbers_event(f->numbers, event);
    }
    f->has_failed |= !done;
    return done;
}

/* Profiles of several processes are not separated. */
static bool begin_profiles(struct findings *f)
{
    const hectic_heap_profile_options heap = {.from = f->from, .to = f->to};
    const hectic_time_profile_options time = {.from = f->from, .to = f->to};
    f->needs[PASS_PROFILES] =
        !f->section->is_process && f->section->timeline->stat->seen & SEEN_OF_PROFILES;
    if (!f->needs[PASS_PROFILES]) return true;
    f->heap = hectic_heap_profile_new(&heap);
    f->time = hectic_time_profile_new(&time);
    return f->heap && f->time;
}

static bool begin_stat(struct findings *f, hectic_view *v)
{
    const bool is_counted = f->is_whole && (f->numbers || f->section->timeline->left_out_to > 0);
    if (is_counted) f->counting = hectic_stat_new();
    if (is_counted ? !f->counting : !view_stat(v, f->section, &f->stat)) return false;
    f->needs[PASS_ALL] = is_counted || f->stat.gaps.dropped_events > 0;
    return !is_counted || hectic_stat_set_ordered(f->counting);
}

static void *begin_job(hectic_view *v, const struct section *section, struct job_plan *plan,
                       bool has_numbers)
{
    struct findings *f = calloc(1, sizeof *f);
    if (!f) return view_fail(v, "out of memory"), NULL;
    const hectic_timeline *t = section->timeline;
    f->section = section;
    f->is_whole = view_is_whole(v);
    f->from = f->is_whole ? 0 : plan->from;
    f->to = f->is_whole ? UINT64_MAX : plan->to;
    f->gaps = (hectic_gaps){.from = f->from, .to = f->to};
    f->sums.from = f->is_whole ? t->stat->first : plan->from;
    for (size_t i = 0; i < v->sections; i++)
        f->seen |= v->section[i].timeline->stat->seen & SEEN_OF_PROFILES;
    view_fail(v, "out of memory"); /* unless the statistics say why */
    f->needs[PASS_THREADS] = !f->is_whole || !thread_index_is_current(t);
    f->needs[PASS_NUMBERS] = has_numbers;
    if (has_numbers) f->numbers = numbers_new(section, f->from, f->to);
    const bool begun = begin_stat(f, v) && begin_profiles(f) && (!has_numbers || f->numbers);
    /* Numbers of a part have no rules. */
    for (unsigned pass = 0; has_numbers && !f->is_whole && pass < PASS_NUMBERS; pass++)
        f->needs[pass] = false;
    if (begun) {
        while (f->pass < PASSES && !f->needs[f->pass])
            f->pass++;
        plan_pass(f, plan);
        if (!f->has_failed) return f;
    }
    findings_free(f);
    return NULL;
}

static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    return begin_job(v, section, plan, false);
}

static void *begin_numbers(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    return begin_job(v, section, plan, true);
}

/* --- Where a finding shows ------------------------------------------------------------------- */

struct place {
    const char *pane;
    const char *rows[2]; /* groups */
    const char *column;  /* of the table of the pane; NULL: as it is sorted */
};

static const struct place places[RULES] = {
    [RULE_unrecorded] = {"stat", {"caps"}, NULL},
    [RULE_thunks] = {"heap", {"heap_profile"}, NULL},
    [RULE_stack_growth] = {"heap", {"heap_profile"}, NULL},
    [RULE_gc_growth] = {"heap", {"heap", "gc"}, NULL},
    [RULE_heap_band] = {"heap", {"heap_profile"}, NULL},
    [RULE_live_growth] = {"heap", {"heap"}, NULL},
    [RULE_allocation_area] = {"pauses", {"gc", "heap"}, "pause_ns"},
    [RULE_old_generation] = {"pauses", {"gc", "heap"}, "pause_ns"},
    [RULE_gc_time] = {"pauses", {"gc"}, "pause_ns"},
    [RULE_long_pause] = {"pauses", {"gc"}, "pause_ns"},
    [RULE_safepoint] = {"pauses", {"caps", "gc"}, "safepoint_ns"},
    [RULE_gc_balance] = {"pauses", {"caps", "gc"}, "work_balance"},
    [RULE_cap_balance] = {"stat", {"caps"}, NULL},
    [RULE_yields] = {"threads", {"threads"}, NULL},
    [RULE_runnable] = {"latency", {"threads", "caps"}, NULL},
    [RULE_never_woken] = {"threads", {"threads"}, NULL},
    [RULE_thread_growth] = {"threads", {"threads"}, NULL},
    [RULE_mvar] = {"threads", {"threads"}, NULL},
    [RULE_stm] = {"threads", {"threads"}, NULL},
    [RULE_black_hole] = {"threads", {"threads"}, NULL},
    [RULE_sparks_overflowed] = {"sparks", {"sparks"}, NULL},
    [RULE_sparks_dud] = {"sparks", {"sparks"}, NULL},
    [RULE_sparks_fizzled] = {"sparks", {"sparks"}, NULL},
    [RULE_sparks_collected] = {"sparks", {"sparks"}, NULL},
    [RULE_sparks_small] = {"sparks", {"sparks", "caps"}, NULL},
    [RULE_fragmentation] = {"heap", {"heap"}, NULL},
    [RULE_foreign] = {"threads", {"threads"}, NULL},
    [RULE_idle] = {"threads", {"caps", "threads"}, NULL},
    [RULE_cost_centre] = {"flame", {"time_profile"}, NULL},
    [RULE_lost_events] = {"stat", {"caps"}, NULL},
};

struct extent {
    uint64_t from, to;
};

/* The longest of the collections that end in the interval, or the one with the longest wait for
 * caps, as far as they are known; with that wait. */
static struct extent longest_pause(const struct findings *f, bool is_wait, struct extent otherwise)
{
    const struct marks *marks = f->section->marks;
    struct extent longest = otherwise;
    uint64_t most = 0;
    for (size_t i = 0; marks && i < marks->collections; i++) {
        const struct collection_mark *c = collection_at(marks, i);
        const uint64_t length = is_wait ? c->safepoint : c->to - c->from;
        if (c->to < f->from || c->to >= f->to || length <= most) continue;
        most = length;
        longest = (struct extent){is_wait ? c->from - c->safepoint : c->from, c->to};
    }
    return longest;
}

/* Since the last of the threads that are blocked began to wait. */
static struct extent stuck(const hectic_thread_sums *sums)
{
    const hectic_threads_left *mvar = &sums->stuck[HECTIC_LOCK_MVAR];
    const hectic_threads_left *stm = &sums->stuck[HECTIC_LOCK_STM];
    const hectic_threads_left *most = stm->threads > mvar->threads ? stm : mvar;
    return (struct extent){most->since, most->to};
}

static struct extent extent_of(const struct findings *f, const hectic_stat_result *stat,
                               const hectic_thread_sums *sums, const hectic_finding *finding,
                               enum rule rule)
{
    const struct extent whole = {stat->from, stat->to};
    if (finding->has_time) return (struct extent){finding->from, finding->to};
    switch (rule) {
    case RULE_long_pause: return longest_pause(f, false, whole);
    case RULE_safepoint: return longest_pause(f, true, whole);
    case RULE_lost_events:
        return f->lost_to > 0 ? (struct extent){f->lost_from, f->lost_to + 1} : whole;
    case RULE_never_woken: return stuck(sums);
    case RULE_gc_growth:
    case RULE_live_growth: return (struct extent){stat->from, stat->live_until};
    default: return whole;
    }
}

/* --- The answer ------------------------------------------------------------------------------ */

/* The command of a finding, with the interval before its last word LOG. */
static void put_command(struct json *json, const struct findings *f, const char *command)
{
    static const char everything[] = "hectic check"; /* it has no interval */
    const char *last = strrchr(command, ' ');
    char text[sizeof((hectic_finding *)NULL)->command + 80];
    if (f->is_whole || !last || strncmp(command, everything, sizeof everything - 1) == 0)
        snprintf(text, sizeof text, "%s", command);
    else
        snprintf(text, sizeof text, "%.*s --from %" PRIu64 "ns --to %" PRIu64 "ns%s",
                 (int)(last - command), command, f->from, f->to, last);
    json_text(json, "command", text);
}

static void put_place(struct json *json, const struct place *place, struct extent extent)
{
    json_open(json, "where", '{');
    json_number(json, "from_ns", true, extent.from);
    json_number(json, "to_ns", true, extent.to);
    json_text(json, "pane", place->pane ? place->pane : "stat");
    json_open(json, "rows", '[');
    for (size_t i = 0; i < sizeof place->rows / sizeof *place->rows && place->rows[i]; i++)
        json_text(json, NULL, place->rows[i]);
    json_close(json, ']');
    json_text(json, "column", place->column);
    json_close(json, '}');
}

static void put_unknown(struct json *json, const hectic_verdict *verdict)
{
    size_t count;
    const hectic_rule *rules = hectic_rules(&count);
    json_open(json, "unknown", '[');
    for (size_t i = 0; i < count; i++)
        if (verdict->state[i] == HECTIC_RULE_UNKNOWN) json_text(json, NULL, rules[i].name);
    json_close(json, ']');
}

static void put_verdict(struct json *json, const struct findings *f,
                        const hectic_verdict_input *input, const hectic_verdict *verdict)
{
    const struct section *section = f->section;
    const uint32_t *process = section->is_process ? &section->process.capset : NULL;
    size_t count;
    const hectic_rule *rules = hectic_rules(&count);
    json_number(json, "from_ns", true, input->stat->from);
    json_number(json, "to_ns", true, input->stat->to);
    json_open(json, "findings", '[');
    for (size_t i = 0; i < verdict->count; i++) {
        const hectic_finding *finding = &verdict->finding[i];
        const enum rule rule = (enum rule)(finding->rule - rules);
        json_open(json, NULL, '{');
        verdict_put_finding(json, finding, section->number, process);
        put_command(json, f, finding->command);
        put_place(json, &places[rule], extent_of(f, input->stat, input->threads, finding, rule));
        json_close(json, '}');
    }
    json_close(json, ']');
    json_text(json, "nothing", *verdict->nothing ? verdict->nothing : NULL);
    put_unknown(json, verdict);
}

/* Ends what is under way. */
static bool finish(struct findings *f)
{
    const hectic_timeline *t = f->section->timeline;
    const uint64_t end = t->stat->last < f->to ? t->stat->last : f->to;
    if (f->has_failed) return false;
    if (f->threads && !hectic_threads_end(f->threads, end)) return false;
    if (!f->counting) return true;
    if (t->chunks.is_cut)
        hectic_stat_cut(f->counting, t->chunks.end);
    else
        hectic_stat_end(f->counting);
    return hectic_stat_get(f->counting, NULL, HECTIC_STAT_END, &f->stat);
}

/* False: out of memory. */
static bool judge(const struct findings *f, const hectic_verdict_input *input,
                  hectic_verdict *verdict, struct json *json)
{
    if (f->numbers && !f->is_whole) return numbers_put(f->numbers, &f->stat, NULL, json);
    if (!hectic_verdict_get(input, verdict)) return false;
    if (f->numbers) return numbers_put(f->numbers, &f->stat, verdict, json);
    put_verdict(json, f, input, verdict);
    return true;
}

static bool put(void *state, hectic_view *v, struct json *json)
{
    struct findings *f = state;
    hectic_verdict verdict;
    if (!finish(f)) return view_fail(v, "out of memory");
    const hectic_verdict_input input = {
        .stat = &f->stat,
        .threads = f->threads ? &f->sums : &f->section->timeline->threads->sums,
        .heap = f->heap && hectic_heap_profile_count(f->heap) > 0 ? f->heap : NULL,
        .time = f->time,
        .has_heap_samples = f->seen & SEEN_HEAP_SAMPLE,
        .has_heap_profile = f->seen & SEEN_HEAP_BEGIN,
        .events = f->events,
        .is_part = !f->is_whole,
        .is_behind = f->is_whole && divide_is_behind(v, f->section),
    };
    return judge(f, &input, &verdict, json) || view_fail(v, "out of memory");
}

/* Rows draw the index of threads and the marks, too: they are made only once. */
static bool answer_kind(hectic_view *v, struct json *json, const struct job_kind *kind)
{
    const struct section *section;
    const struct marks *marks;
    uint64_t from, to;
    double progress;
    if (!view_thread_interval(v, &section, &from, &to)) return false;
    switch (view_index(v, section, view_is_whole(v) ? UINT64_MAX : from, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: break;
    }
    if (!(section->timeline->stat->seen & SEEN_GC)) return answer_job(v, json, kind);
    switch (view_marks(v, section, &marks, &progress)) {
    case RANGE_MORE: return view_put_part(v, json, progress);
    case RANGE_FAILED: return false;
    default: return answer_job(v, json, kind);
    }
}

bool answer_findings(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {begin, take, next, put, findings_free};
    return answer_kind(v, json, &kind);
}

bool answer_numbers(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {begin_numbers, take, next, put, findings_free};
    return answer_kind(v, json, &kind);
}
