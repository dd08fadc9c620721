/* job.c — see job.h. */
#include "view/engine/job.h"

#include "timeline/excerpt.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEP_BYTES = 1 << 21,  /* of the log in a step: about 10 ms */
    STEP_EVENTS = 1 << 18, /* of an excerpt in a step */
};

struct job {
    const struct job_kind *kind;
    const struct section *section;
    void *state;
    struct job_plan plan;
    struct range *range;
    struct excerpt_reader *reader; /* instead of the range */
    char request[REQUEST_BYTES];
};

void job_plan_types(struct job_plan *plan, const uint16_t *types, size_t count)
{
    plan->has_types = true;
    plan->types = (type_set){0};
    type_set_add_all(&plan->types, types, count);
}

void job_plan_rest(struct job_plan *plan, const uint16_t *types, size_t count)
{
    plan->from = plan->to;
    plan->to = UINT64_MAX;
    plan->begins = plan->ends;
    plan->ends = 1;
    job_plan_types(plan, types, count);
}

static void job_free(struct job *job)
{
    if (!job) return;
    range_close(job->range);
    excerpt_close(job->reader);
    if (job->state) job->kind->free(job->state);
    free(job);
}

void jobs_free(hectic_view *v)
{
    for (size_t i = 0; i < JOBS_MAX; i++) {
        job_free(v->job[i]);
        v->job[i] = NULL;
    }
}

/* Takes the job of the present request out of the list. NULL: there is none. */
static struct job *take_out(hectic_view *v, const struct job_kind *kind)
{
    for (size_t i = 0; i < JOBS_MAX; i++) {
        struct job *job = v->job[i];
        if (!job || job->kind != kind || strcmp(job->request, v->asked) != 0) continue;
        memmove(&v->job[i], &v->job[i + 1], (JOBS_MAX - 1 - i) * sizeof *v->job);
        v->job[JOBS_MAX - 1] = NULL;
        return job;
    }
    return NULL;
}

/* Puts a job first. The one that was not asked for the longest ends if there are too many. */
static void put_in(hectic_view *v, struct job *job)
{
    job_free(v->job[JOBS_MAX - 1]);
    memmove(&v->job[1], &v->job[0], (JOBS_MAX - 1) * sizeof *v->job);
    v->job[0] = job;
}

/* Begins to read what is planned, from an excerpt or, if that is NULL, from the log. */
static bool open_range(hectic_view *v, struct job *job, const struct excerpt *excerpt)
{
    const struct job_plan *plan = &job->plan;
    if (excerpt) {
        job->reader =
            excerpt_open(excerpt, &job->section->timeline->chunks, job->section->header, plan->to);
        return job->reader || view_fail(v, "out of memory");
    }
    range_close(job->range);
    job->range =
        range_open(&job->section->timeline->chunks, job->section->header, &v->timeline_source,
                   plan->from, plan->to, plan->has_types ? &plan->types : NULL);
    return job->range || view_fail(v, "out of memory");
}

static struct job *job_new(hectic_view *v, const struct job_kind *kind,
                           const struct excerpt *excerpt)
{
    struct job_plan plan = {0};
    const struct section *section = view_section(v);
    if (!section || !view_interval(v, section, &plan.from, &plan.to)) return NULL;
    struct job *job = calloc(1, sizeof *job);
    if (!job) return view_fail(v, "out of memory"), NULL;
    job->kind = kind;
    job->section = section;
    strcpy(job->request, v->asked); /* it was parsed: it is not too long */
    job->state = kind->begin(v, section, &plan);
    job->plan = plan;
    if (job->state && open_range(v, job, excerpt)) return job;
    job_free(job);
    return NULL;
}

bool view_put_part(hectic_view *v, struct json *json, double progress)
{
    v->answer.is_part = true;
    json_open(json, NULL, '{');
    json_flag(json, "complete", true, false);
    json_real(json, "progress", true, progress);
    json_close(json, '}');
    return true;
}

static double progress_of(const struct job *job)
{
    const struct job_plan *plan = &job->plan;
    const double ends = plan->ends > 0 ? plan->ends : 1;
    if (job->reader) return excerpt_delivered(job->reader);
    return plan->begins + (ends - plan->begins) * range_progress(job->range);
}

static bool put_all(hectic_view *v, struct json *json, const struct job_kind *kind, void *state)
{
    json_open(json, NULL, '{');
    json_flag(json, "complete", true, true);
    json_real(json, "progress", true, 1);
    const bool done = kind->put(state, v, json);
    json_close(json, '}');
    return done;
}

/* Reads a part of what is planned. Of a new range, nothing was read ahead. */
static range_result step_of(hectic_view *v, struct job *job)
{
    const struct job_kind *kind = job->kind;
    if (job->reader) return excerpt_deliver(job->reader, STEP_EVENTS, kind->take, job->state);
    const uint64_t step = job->plan.step ? job->plan.step : STEP_BYTES;
    for (uint64_t read = 0;;) {
        const range_result result = range_step(job->range, step, kind->take, job->state);
        read += range_bytes(job->range);
        if (result == RANGE_MORE || result == RANGE_FAILED) return result;
        if (!kind->next || !kind->next(job->state, &job->plan)) return result;
        if (!open_range(v, job, NULL)) return RANGE_FAILED;
        if (read >= step || v->source.expect) return RANGE_MORE;
    }
}

static bool answer_from(hectic_view *v, struct json *json, const struct job_kind *kind,
                        const struct excerpt *excerpt)
{
    struct job *job = take_out(v, kind);
    const bool is_new = !job;
    if (is_new) job = job_new(v, kind, excerpt);
    if (!job) return false;
    const bool waits = is_new && job->range && v->source.expect;
    const range_result result = waits ? RANGE_MORE : step_of(v, job);
    if (result == RANGE_MORE) {
        if (job->range) range_ahead(job->range);
        put_in(v, job);
        return view_put_part(v, json, progress_of(job));
    }
    const bool done = result == RANGE_FAILED
                          ? view_fail(v, "out of memory, or the log cannot be read")
                          : put_all(v, json, kind, job->state);
    job_free(job);
    return done;
}

bool answer_job(hectic_view *v, struct json *json, const struct job_kind *kind)
{
    return answer_from(v, json, kind, NULL);
}

bool answer_rare_job(hectic_view *v, struct json *json, const struct job_kind *kind)
{
    const struct section *section = view_section(v);
    if (!section) return false;
    const struct excerpt *excerpt = section->timeline->excerpt;
    return answer_from(v, json, kind, excerpt_is_possible(excerpt) ? excerpt : NULL);
}
