/* rare.c — see rare.h. */
#include "view/rare.h"

enum { STEP_BYTES = 1 << 23 };

/* Reads a part of the section's excerpt. RANGE_MORE: `json` says so. RANGE_END: section->excerpt is
 * complete. RANGE_STOPPED: there is none. RANGE_FAILED: view_fail. */
static range_result read_excerpt(hectic_view *v, const struct section *section, struct json *json)
{
    struct excerpt **excerpt = &v->section[section - v->section].excerpt;
    const struct chunks *chunks = &section->timeline->chunks;
    if (!*excerpt) *excerpt = excerpt_new();
    const range_result result = !*excerpt ? RANGE_FAILED
                                          : excerpt_step(*excerpt, chunks, section->header,
                                                         &v->timeline_source, STEP_BYTES);
    if (result == RANGE_FAILED) view_fail(v, "out of memory, or the log cannot be read");
    if (result == RANGE_MORE) job_put_part(json, excerpt_progress(*excerpt, chunks));
    return result;
}

/* The job with the events of the excerpt. */
static bool answer_at_once(hectic_view *v, const struct section *section, struct json *json,
                           const struct job_kind *kind)
{
    struct job_plan plan = {0};
    if (!view_interval(v, section, &plan.from, &plan.to)) return false;
    void *state = kind->begin(v, section, &plan);
    if (!state) return false;
    bool done =
        excerpt_read(section->excerpt, section->header, plan.to, kind->take, state) != RANGE_FAILED;
    if (done)
        done = job_put_all(v, json, kind, state);
    else
        view_fail(v, "out of memory");
    kind->free(state);
    return done;
}

bool answer_rare(hectic_view *v, struct json *json, const struct job_kind *kind)
{
    const struct section *section = view_section(v);
    if (!section) return false;
    switch (read_excerpt(v, section, json)) {
    case RANGE_MORE: return true;
    case RANGE_END: return answer_at_once(v, section, json, kind);
    case RANGE_STOPPED: return answer_job(v, json, kind);
    default: return false;
    }
}
