/* job.c — see job.h. */
#include "view/job.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_BYTES = 1 << 22 }; /* about 20 ms */

struct job {
    const struct job_kind *kind;
    const struct section *section;
    void *state;
    struct job_plan plan;
    struct range *range;
    char request[REQUEST_BYTES];
};

static void job_free(struct job *job)
{
    if (!job) return;
    range_close(job->range);
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

/* Begins to read what is planned. */
static bool open_range(hectic_view *v, struct job *job)
{
    const struct job_plan *plan = &job->plan;
    range_close(job->range);
    job->range =
        range_open(&job->section->timeline->chunks, job->section->header, &v->timeline_source,
                   plan->from, plan->to, plan->has_types ? &plan->types : NULL);
    return job->range || view_fail(v, "out of memory");
}

static struct job *job_new(hectic_view *v, const struct job_kind *kind)
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
    if (job->state && open_range(v, job)) return job;
    job_free(job);
    return NULL;
}

bool job_put_part(struct json *json, double progress)
{
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
    return plan->begins + (ends - plan->begins) * range_progress(job->range);
}

bool job_put_all(hectic_view *v, struct json *json, const struct job_kind *kind, void *state)
{
    json_open(json, NULL, '{');
    json_flag(json, "complete", true, true);
    json_real(json, "progress", true, 1);
    const bool done = kind->put(state, v, json);
    json_close(json, '}');
    return done;
}

bool answer_job(hectic_view *v, struct json *json, const struct job_kind *kind)
{
    struct job *job = take_out(v, kind);
    if (!job) job = job_new(v, kind);
    if (!job) return false;
    const uint64_t step = job->plan.step ? job->plan.step : STEP_BYTES;
    uint64_t read = 0;
    range_result result;
    for (;;) {
        result = range_step(job->range, step, kind->take, job->state);
        read += range_bytes(job->range);
        if (result == RANGE_MORE || result == RANGE_FAILED) break;
        if (!kind->next || !kind->next(job->state, &job->plan)) break;
        if (!open_range(v, job)) return job_free(job), false;
        result = RANGE_MORE;
        if (read >= step) break;
    }
    if (result == RANGE_MORE) {
        put_in(v, job);
        return job_put_part(json, progress_of(job));
    }
    const bool done = result == RANGE_FAILED
                          ? view_fail(v, "out of memory, or the log cannot be read")
                          : job_put_all(v, json, kind, job->state);
    job_free(job);
    return done;
}
