/* job.h — requests that read the events of an interval, which may take seconds: each answer reads a
 * part of them; the page asks until the answer is complete. */
#ifndef HECTIC_SRC_VIEW_JOB_H
#define HECTIC_SRC_VIEW_JOB_H

#include "timeline/range.h"
#include "view/engine/engine.h"

/* The events that a job reads: from <= time < to. Only those of some types, if it has a set. */
struct job_plan {
    uint64_t from, to; /* ns */
    bool has_types;
    type_set types;
    double begins, ends; /* the share of the job's work that this is; 0, 0: all of it */
    uint64_t step;       /* bytes to read for an answer; 0: some megabytes */
};

struct job_kind {
    /* Begins a job for the interval of *plan, which it may change: it can read the other keys of
     * the request. NULL: failed (view_fail). */
    void *(*begin)(hectic_view *view, const struct section *section, struct job_plan *plan);
    /* Takes an event, in order of time. False: it needs no more, or failed. */
    bool (*take)(void *state, const hectic_event *event);
    /* NULL, or: plans what to read after that, in the plan of what was read. False: nothing. */
    bool (*next)(void *state, struct job_plan *plan);
    /* Writes the members of the answer. False: failed (view_fail). */
    bool (*put)(void *state, hectic_view *view, struct json *json);
    void (*free)(void *state);
};

/* Sets the types that are read. */
void job_plan_types(struct job_plan *plan, const uint16_t *types, size_t count);

/* Plans the rest of the log, for definitions that follow the interval; `ends` says where the first
 * part of the progress ends. */
void job_plan_rest(struct job_plan *plan, const uint16_t *types, size_t count);

/* Answers the request by a job: "complete" and "progress" (0 … 1), and the members once it is
 * complete. False: failed. */
bool answer_job(hectic_view *view, struct json *json, const struct job_kind *kind);

/* The same for jobs that need only what an excerpt has. Without one they read the log, from its
 * beginning. */
bool answer_rare_job(hectic_view *view, struct json *json, const struct job_kind *kind);

/* Ends all jobs. */
void jobs_free(hectic_view *view);

#endif
