/* joined.c — reads a log into one tree of stacks, for the formats that are written from it. */
#include "numbers/saturating.h"
#include "tool/cli/message.h"
#include "tool/cli/times.h"
#include "tool/input/markers.h"
#include "tool/verbs/export/export.h"

#include <stdlib.h>

/* --- Time ------------------------------------------------------------------------------------- */

enum column { SAMPLES, WEIGHT, COLUMNS };

/* Weights of all caps together that are kept; 32 MiB. */
enum { CAP_WEIGHTS_MAX = 4 << 20 };

/* The samples of one source in a section. */
struct time_source {
    uint64_t samples;
    uint64_t first, last, interval; /* ns */
    enum profile_unit unit;
    uint32_t caps; /* with samples */
    struct cap_weights *cap;
    uint32_t cap_end;
    uint32_t cap_weights; /* room of all caps */
    bool omits_caps;
};

/* A section of the log. */
struct part {
    struct about about;
    hectic_time_samples *time; /* NULL: not wanted */
    hectic_heap_profile *heap;
    struct time_source source[HECTIC_TIME_SOURCES];
};

struct joined {
    struct export_run *export;
    unsigned kinds; /* PROFILE_…: what may be exported */
    bool has_at;
    uint64_t at;
    struct part *part; /* the current section */
    struct choice time_choice, heap_choice;
    struct part *time, *heap; /* the sections of the chosen profiles, which may be the same */
    hectic_time_source source;
    uint32_t heap_number;
};

/* The weights of a cap; NULL: out of memory. Those from HECTIC_TIME_CAPS on count as one. */
static struct cap_weights *cap_of(struct time_source *source, uint32_t number)
{
    if (number > HECTIC_TIME_CAPS) number = HECTIC_TIME_CAPS;
    if (number >= source->cap_end) {
        const uint32_t end = number < HECTIC_TIME_CAPS / 2 ? 2 * number + 8 : HECTIC_TIME_CAPS + 1;
        struct cap_weights *grown = realloc(source->cap, end * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + source->cap_end, 0, (end - source->cap_end) * sizeof *grown);
        source->cap = grown;
        source->cap_end = end;
    }
    return &source->cap[number];
}

static void forget_caps(struct time_source *source)
{
    for (uint32_t i = 0; i < source->cap_end; i++) {
        free(source->cap[i].weight);
        source->cap[i].weight = NULL;
    }
}

static bool add_on_cap(struct time_source *source, struct cap_weights *cap, uint32_t node,
                       uint64_t weight)
{
    if (source->omits_caps) return true;
    if (node >= cap->room) {
        const uint32_t room = node + node / 2 + 64;
        source->cap_weights += room - cap->room;
        if (source->cap_weights > CAP_WEIGHTS_MAX) {
            forget_caps(source);
            return source->omits_caps = true;
        }
        uint64_t *grown = realloc(cap->weight, room * sizeof *grown);
        if (!grown) return false;
        memset(grown + cap->room, 0, (room - cap->room) * sizeof *grown);
        cap->weight = grown;
        cap->room = room;
    }
    saturating_add(&cap->weight[node], weight);
    return true;
}

static bool take_sample(void *user, const hectic_time_sample *sample)
{
    struct joined *j = user;
    struct export_run *export = j->export;
    struct time_source *source = &j->part->source[sample->source];
    if (!export_wants(export, sample)) return true;
    if (source->samples++ == 0) {
        source->first = source->last = sample->time;
        source->unit = export_unit(export, sample->interval);
    }
    if (sample->time < source->first) source->first = sample->time;
    if (sample->time > source->last) source->last = sample->time;
    if (sample->interval) source->interval = sample->interval;
    struct cap_weights *cap = cap_of(source, sample->cap);
    if (!cap) return false;
    source->caps += !cap->is_seen;
    cap->is_seen = true;
    const uint64_t weight = export_weight_of(export, source->unit, sample);
    hectic_stacks *stacks = hectic_time_samples_stacks(j->part->time, sample->source);
    hectic_stacks_add(stacks, sample->node, SAMPLES, 1);
    hectic_stacks_add(stacks, sample->node, WEIGHT, weight);
    return !export->settings->to->has_caps || add_on_cap(source, cap, sample->node, weight);
}

/* --- Sections --------------------------------------------------------------------------------- */

static void part_free(struct part *part)
{
    if (!part) return;
    about_clear(&part->about);
    hectic_time_samples_free(part->time);
    hectic_heap_profile_free(part->heap);
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++) {
        forget_caps(&part->source[i]);
        free(part->source[i].cap);
    }
    free(part);
}

static bool begin(void *user, const hectic_header *header)
{
    struct joined *j = user;
    const struct interval *interval = &j->export->reading.interval;
    const hectic_heap_profile_options options = {
        .from = interval->from, .to = interval->to, .has_at = j->has_at, .at = j->at, .points = 2};
    struct part *part = j->part = calloc(1, sizeof *part);
    if (!part || !header) return false;
    if (j->kinds & PROFILE_TIME) {
        part->time = hectic_time_samples_new(COLUMNS, 0, 0, take_sample, j);
        if (!part->time) return false;
    }
    if (j->kinds & PROFILE_HEAP) part->heap = hectic_heap_profile_new(&options);
    return !(j->kinds & PROFILE_HEAP) || part->heap;
}

static bool event(void *user, const hectic_event *event)
{
    const struct joined *j = user;
    struct part *part = j->part;
    return about_event(&part->about, event) &&
           (!part->time || hectic_time_samples_event(part->time, event)) &&
           (!part->heap || hectic_heap_profile_event(part->heap, event));
}

/* Counts the time profiles of a section, in the order of their first samples. */
static void choose_time(struct joined *j, struct part *part)
{
    const struct time_source *source = part->source;
    const bool swapped = source[1].samples > 0 && source[1].first < source[0].first;
    for (unsigned i = 0; i < HECTIC_TIME_SOURCES; i++) {
        const unsigned at = swapped ? 1 - i : i;
        if (source[at].samples == 0 ||
            !choice_add(&j->time_choice, j->export->reading.section,
                        export_source_title((hectic_time_source)at), source[at].first))
            continue;
        j->time = part;
        j->source = (hectic_time_source)at;
    }
}

struct heap_place {
    uint64_t first;
    uint32_t number;
};

static int compare_places(const void *a, const void *b)
{
    const struct heap_place *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool choose_heap(struct joined *j, struct part *part)
{
    const uint32_t count = hectic_heap_profile_count(part->heap);
    struct heap_place *place = calloc((size_t)count + 1, sizeof *place);
    if (!place) return false;
    hectic_heap_totals totals;
    for (uint32_t i = 0; i < count; i++) {
        hectic_heap_profile_totals(part->heap, i, &totals);
        place[i] = (struct heap_place){totals.first, i};
    }
    qsort(place, count, sizeof *place, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        hectic_heap_profile_totals(part->heap, place[i].number, &totals);
        if (!choice_add_heap(&j->heap_choice, j->export->reading.section, totals.kind,
                             totals.first))
            continue;
        j->heap = part;
        j->heap_number = place[i].number;
    }
    free(place);
    return true;
}

static bool end(void *user)
{
    struct joined *j = user;
    struct part *part = j->part;
    j->export->begun |= part->about.begun;
    if (part->time) choose_time(j, part);
    const bool has_memory = !part->heap || choose_heap(j, part);
    if (j->time != part && j->heap != part) part_free(part);
    j->part = NULL;
    return has_memory;
}

/* --- The profile ------------------------------------------------------------------------------ */

static bool write_profile(const struct joined *j, const struct profile *profile)
{
    return j->export->settings->to->write(j->export->sink, profile);
}

static bool write_time(struct joined *j)
{
    struct part *part = j->time;
    struct time_source *source = &part->source[j->source];
    const hectic_stacks *stacks = hectic_time_samples_stacks(part->time, j->source);
    const uint32_t nodes = hectic_stacks_count(stacks);
    uint64_t *values = malloc(nodes * 2 * sizeof *values);
    struct profile profile = {
        .about = &part->about,
        .symbols = hectic_time_samples_symbols(part->time),
        .node = hectic_stacks_nodes(stacks),
        .nodes = nodes,
        .title = export_source_title(j->source),
        .source = j->source,
        .unit = source->unit,
        .count = values,
        .weight = values + nodes,
        .samples = source->samples,
        .first = source->first,
        .last = source->last,
        .interval = source->interval,
        .caps = source->caps,
    };
    if (!values) return false;
    for (uint32_t i = 0; i < nodes; i++) {
        values[i] = hectic_stacks_own(stacks, i, SAMPLES);
        values[nodes + i] = hectic_stacks_own(stacks, i, WEIGHT);
    }
    if (source->caps > 1 && !source->omits_caps) {
        profile.cap = source->cap;
        profile.cap_end = source->cap_end;
    }
    const bool has_memory = write_profile(j, &profile);
    free(values);
    if (source->omits_caps) export_note(j->export, "too many stacks for profiles of each cap");
    const hectic_time_warnings warnings = hectic_time_samples_warnings(part->time);
    export_note_time(j->export, &warnings, profile.symbols);
    return has_memory;
}

/* --- Heap ------------------------------------------------------------------------------------- */

enum moment { PEAK, END, MEAN, AT, MOMENTS };
static const char *const moments[MOMENTS] = {"peak", "end", "mean", NULL};

struct heap_values {
    enum moment moment;
    uint64_t *weight;
};

static bool take_band(void *user, const hectic_heap_band_stats *band)
{
    const struct heap_values *values = user;
    const double most = 18446744073709549568.0; /* below 2^64 */
    switch (values->moment) {
    case PEAK: values->weight[band->node] = band->at_peak; break;
    case END: values->weight[band->node] = band->at_end; break;
    case AT: values->weight[band->node] = band->at; break;
    default:
        values->weight[band->node] = band->mean < most ? (uint64_t)(band->mean + 0.5) : UINT64_MAX;
    }
    return true;
}

static enum moment moment_of(const char *at)
{
    enum moment moment = PEAK;
    while (at && moment < AT && strcmp(at, moments[moment]) != 0)
        moment++;
    return moment;
}

static void set_moment(const struct joined *j, const hectic_heap_totals *totals,
                       struct heap_values *values, struct profile *profile, char title[128])
{
    const char *by = hectic_breakdown_text(totals->kind->breakdown);
    const uint64_t times[] = {
        [PEAK] = totals->peak_time, [END] = totals->last, [AT] = totals->at_time};
    values->moment = moment_of(j->export->settings->at);
    profile->first = totals->first;
    profile->last = totals->last;
    profile->title = title;
    if (values->moment == MEAN) {
        snprintf(title, 128, "heap by %s, mean over time", by);
        return;
    }
    profile->first = profile->last = times[values->moment];
    const char *name = values->moment == AT ? "" : moments[values->moment];
    if (totals->kind->has_times)
        snprintf(title, 128, "heap by %s at %.6fs%s%s%s", by, (double)profile->first / 1e9,
                 *name ? " (" : "", name, *name ? ")" : "");
    else
        snprintf(title, 128, "heap by %s%s%s", by, *name ? ", " : "", name);
}

/* Returns the exit code. */
static int write_heap(struct joined *j, bool *has_memory)
{
    struct part *part = j->heap;
    const hectic_stacks *stacks = hectic_heap_profile_stacks(part->heap);
    hectic_heap_totals totals;
    hectic_heap_profile_totals(part->heap, j->heap_number, &totals);
    if (moment_of(j->export->settings->at) == AT && !totals.has_at) {
        tool_message("%s: no heap sample at %s or before; the first is at %.9gs",
                     tool_log_name(j->export->path), j->export->settings->at,
                     (double)totals.first / 1e9);
        return TOOL_DAMAGED;
    }
    struct heap_values values = {.weight = calloc(hectic_stacks_count(stacks), sizeof(uint64_t))};
    char title[128];
    struct profile profile = {
        .about = &part->about,
        .symbols = hectic_heap_profile_symbols(part->heap),
        .node = hectic_stacks_nodes(stacks),
        .nodes = hectic_stacks_count(stacks),
        .unit = PROFILE_BYTES,
        .weight = values.weight,
    };
    set_moment(j, &totals, &values, &profile, title);
    *has_memory = values.weight &&
                  hectic_heap_profile_each(part->heap, j->heap_number, take_band, &values) &&
                  write_profile(j, &profile);
    free(values.weight);
    const hectic_heap_warnings warnings = hectic_heap_profile_warnings(part->heap);
    export_note_heap(j->export, &warnings, profile.symbols);
    return TOOL_OK;
}

/* --- The export ------------------------------------------------------------------------------- */

/* Resolves --at. Returns the exit code. */
static int resolve_at(struct joined *j)
{
    static const char prefix[] = "marker:";
    const char *at = j->export->settings->at;
    j->has_at = moment_of(at) == AT;
    if (!j->has_at || time_parse(at, &j->at)) return TOOL_OK;
    if (strncmp(at, prefix, sizeof prefix - 1) == 0)
        return time_of_marker(j->export->reading.input, j->export->path, at + sizeof prefix - 1, 0,
                              NULL, &j->at);
    time_invalid(at, "--at", "peak, end, mean, or a time: 1.5s, marker:NAME");
    return TOOL_USAGE;
}

/* What the options allow of what the format takes. */
static unsigned kinds_of(const struct export_settings *settings)
{
    unsigned kinds = settings->to->takes;
    if (settings->at) kinds &= PROFILE_HEAP;
    if (settings->cap.is_set || settings->weight != WEIGHT_DEFAULT) kinds &= PROFILE_TIME;
    return kinds;
}

/* Chooses between time and heap, and writes. Returns the exit code. */
static int write_chosen(struct joined *j, int code, bool *done)
{
    struct export_run *export = j->export;
    const bool is_heap = j->time_choice.count == 0 && (j->kinds & PROFILE_HEAP) &&
                         (j->heap_choice.count > 0 || j->kinds == PROFILE_HEAP);
    const struct choice *choice = is_heap ? &j->heap_choice : &j->time_choice;
    code = export_chosen(export, choice, is_heap ? PROFILE_HEAP : j->kinds, code, done);
    if (!*done) return code;
    bool has_memory = true;
    if (!is_heap)
        has_memory = write_time(j);
    else {
        const int written = write_heap(j, &has_memory);
        if (written != TOOL_OK) return *done = false, written;
    }
    if (!is_heap && j->heap_choice.count > 0)
        export_note(export, "the log has a heap profile, too: --at peak exports it");
    if (has_memory) return code;
    tool_message("out of memory");
    *done = false;
    return TOOL_UNUSABLE;
}

int export_joined(struct export_run *export, bool *done)
{
    static const struct file_reader reader = {.begin = begin, .event = event, .end = end};
    const uint64_t wanted = export->settings->profile;
    struct joined joined = {
        .export = export,
        .kinds = kinds_of(export->settings),
        .time_choice = {.wanted = wanted},
        .heap_choice = {.wanted = wanted},
    };
    int code = resolve_at(&joined);
    if (code == TOOL_OK)
        code = write_chosen(&joined, file_reading_run(&export->reading, &reader, &joined), done);
    part_free(joined.part);
    if (joined.heap != joined.time) part_free(joined.heap);
    part_free(joined.time);
    return code;
}
