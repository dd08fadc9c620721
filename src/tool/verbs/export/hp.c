/* hp.c — GHC's .hp files, sample by sample. hp2ps, which has to accept them, reads words: labels
 * have no blanks, and are neither empty nor its own words. As in GHC's files, stacks are numbered,
 * since different ones may have the same label; the numbers are those of this file. */
#include "base/array.h"
#include "numbers/saturating.h"
#include "tool/verbs/export/export.h"

#include <hectic/read_events.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LABEL = 4096,        /* bytes, with a NUL; hp2ps reads 4,999 */
    MARKERS_MAX = 65536, /* before the first sample */
    PROFILES = 256,      /* of a section that are distinguished */
    NS_PER_SECOND = 1000000000,
};

struct hp {
    struct export_run *export;
    struct choice choice;
    hectic_heap_samples *samples; /* of the section */
    struct about about;
    bool is_seen[PROFILES]; /* the profiles of the section with samples */
    bool is_writing;        /* a profile of the section is being written */
    uint32_t profile;       /* with is_writing: its number */
    bool has_times;
    uint64_t last;    /* ns: the last sample */
    uint64_t *marker; /* the times of markers before the first sample */
    size_t markers, capacity;
    bool omits_markers;
};

/* --- Lines ------------------------------------------------------------------------------------ */

static void put_time(const struct hp *hp, const char *word, uint64_t ns)
{
    sink_print(hp->export->sink, "%s %" PRIu64 ".%09" PRIu64 "\n", word, ns / NS_PER_SECOND,
               ns % NS_PER_SECOND);
}

static void put_empty_sample(const struct hp *hp, uint64_t ns)
{
    put_time(hp, "BEGIN_SAMPLE", ns);
    put_time(hp, "END_SAMPLE", ns);
}

/* Text on one line, inside of a string, whose quotes are doubled. */
static void put_quoted(struct sink *sink, const char *text)
{
    char cut[FRAME_NAME], visible[FRAME_VISIBLE];
    snprintf(cut, sizeof cut, "%s", text);
    visible[hectic_render_visible(cut, strlen(cut), visible)] = 0;
    for (const char *rest = visible; *rest;) {
        const size_t plain = strcspn(rest, "\"");
        sink_text(sink, rest, plain);
        rest += plain;
        if (*rest++ != '"') break;
        sink_text(sink, "\"\"", 2);
    }
}

/* "prog args +RTS -hc": the runtime's options come last, as in GHC's files. */
static void put_job(const struct hp *hp)
{
    struct sink *sink = hp->export->sink;
    sink_print(sink, "JOB \"");
    put_quoted(sink, about_name(&hp->about));
    for (int pass = 0; pass < 2; pass++) {
        struct argument argument = {0};
        bool is_first = true;
        about_next(&hp->about, &argument);
        while (argument.text && about_next(&hp->about, &argument)) {
            if (argument.is_rts != (pass == 1)) continue;
            if (pass == 1 && is_first) sink_print(sink, " +RTS");
            is_first = false;
            sink_text(sink, " ", 1);
            put_quoted(sink, argument.text);
        }
    }
    sink_print(sink, "\"\n");
}

static void put_heading(const struct hp *hp)
{
    char date[32];
    put_job(hp);
    sink_print(hp->export->sink, "DATE \"%s\"\nSAMPLE_UNIT \"%s\"\nVALUE_UNIT \"bytes\"\n",
               about_date(&hp->about, 0, date), hp->has_times ? "seconds" : "samples");
}

/* Is it a word of the format? */
static bool is_reserved(const char *label)
{
    static const char *const words[] = {"JOB",  "DATE",         "SAMPLE_UNIT", "VALUE_UNIT",
                                        "MARK", "BEGIN_SAMPLE", "END_SAMPLE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(label, words[i]) == 0) return true;
    return false;
}

/* Bytes that are not ASCII are kept as they are, valid or not, as in GHC's files. */
static void put_label(const struct hp *hp, hectic_breakdown breakdown, uint32_t node)
{
    enum { NUMBER = 16 };
    struct sink *sink = hp->export->sink;
    const bool has_number =
        node > HECTIC_STACKS_OTHERS &&
        (breakdown == HECTIC_BREAKDOWN_COST_CENTRE || breakdown == HECTIC_BREAKDOWN_INFO_TABLE);
    char *label = sink_foreign_room(sink, NUMBER + LABEL), *text = label;
    if (has_number) text += snprintf(text, NUMBER, "(%" PRIu32 ")", node);
    hectic_band_text(hectic_heap_samples_stacks(hp->samples),
                     hectic_heap_samples_symbols(hp->samples), node, text, LABEL);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '\x7f') *c = '_';
    if (!has_number && (*text == 0 || *text == '"' || is_reserved(text))) {
        memmove(text + 1, text, strlen(text) + 1);
        *text = '_';
    }
    sink_foreign_fill(sink, label, strlen(label));
}

/* --- Samples ---------------------------------------------------------------------------------- */

static bool is_whole_log(const struct hp *hp)
{
    const struct interval *interval = &hp->export->reading.interval;
    return interval->from == 0 && interval->to == UINT64_MAX;
}

/* As GHC, begins and ends the profile of a whole run with an empty sample. */
static void begin_profile(struct hp *hp, const hectic_heap_sample *sample)
{
    hp->is_writing = true;
    hp->profile = sample->profile;
    hp->has_times = sample->kind->has_times;
    hp->last = 0;
    put_heading(hp);
    if (!hp->has_times) {
        export_note(hp->export, "the log does not have the times of these samples: they are "
                                "numbered");
        return;
    }
    if (is_whole_log(hp)) put_empty_sample(hp, 0);
    for (size_t i = 0; i < hp->markers; i++)
        put_time(hp, "MARK", hp->marker[i]);
}

static void put_sample(struct hp *hp, const hectic_heap_sample *sample)
{
    uint64_t time = sample->time;
    if (!hp->has_times && __builtin_mul_overflow(sample->index, (uint64_t)NS_PER_SECOND, &time))
        time = UINT64_MAX;
    if (time > hp->last) hp->last = time; /* times never go back */
    put_time(hp, "BEGIN_SAMPLE", hp->last);
    for (size_t i = 0; i < sample->bands; i++) {
        put_label(hp, sample->kind->breakdown, sample->band[i].node);
        sink_print(hp->export->sink, "\t%" PRIu64 "\n", sample->band[i].bytes);
    }
    put_time(hp, "END_SAMPLE", hp->last);
}

static bool take_sample(void *user, const hectic_heap_sample *sample)
{
    struct hp *hp = user;
    const struct interval *interval = &hp->export->reading.interval;
    const uint32_t number = sample->profile < PROFILES ? sample->profile : PROFILES - 1;
    if (sample->kind->has_times && !time_is_inside(sample->time, interval->from, interval->to))
        return true;
    if (!hp->is_seen[number]) {
        hp->is_seen[number] = true;
        const bool is_chosen =
            choice_add_heap(&hp->choice, hp->export->reading.section, sample->kind, sample->time);
        if (choice_is_unclear(&hp->choice)) return false;
        if (is_chosen) begin_profile(hp, sample);
    }
    if (hp->is_writing && sample->profile == hp->profile) put_sample(hp, sample);
    return !sink_failed(hp->export->sink);
}

/* --- Markers ---------------------------------------------------------------------------------- */

/* Markers of other caps may come before the first sample, which begins the file. */
static bool take_marker(struct hp *hp, uint64_t time)
{
    const struct interval *interval = &hp->export->reading.interval;
    if (!time_is_inside(time, interval->from, interval->to)) return true;
    if (hp->is_writing) {
        if (hp->has_times) put_time(hp, "MARK", time);
        return true;
    }
    if (hp->markers == MARKERS_MAX) return hp->omits_markers = true;
    if (!array_reserve(hp->marker, hp->capacity, hp->markers + 1)) return false;
    hp->marker[hp->markers++] = time;
    return true;
}

/* --- Sections --------------------------------------------------------------------------------- */

static bool begin(void *user, const hectic_header *header)
{
    struct hp *hp = user;
    hectic_heap_samples_free(hp->samples);
    about_clear(&hp->about);
    memset(hp->is_seen, 0, sizeof hp->is_seen);
    hp->markers = 0;
    hp->samples = hectic_heap_samples_new(NULL, take_sample, hp);
    return header && hp->samples;
}

static bool event(void *user, const hectic_event *event)
{
    struct hp *hp = user;
    return (event->type != HECTIC_EVENT_USER_MARKER || take_marker(hp, event->time)) &&
           about_event(&hp->about, event) && hectic_heap_samples_event(hp->samples, event);
}

static bool end(void *user)
{
    struct hp *hp = user;
    hp->export->begun |= hp->about.begun;
    if (!hp->is_writing) return true;
    const uint64_t last = hp->export->reading.last;
    if (hp->has_times && is_whole_log(hp)) put_empty_sample(hp, last > hp->last ? last : hp->last);
    const hectic_heap_warnings warnings = hectic_heap_samples_warnings(hp->samples);
    export_note_heap(hp->export, &warnings, hectic_heap_samples_symbols(hp->samples));
    if (hp->omits_markers) export_note(hp->export, "too many markers: some were left out");
    hp->is_writing = false;
    return true;
}

int hp_stream(struct export_run *export, bool *done)
{
    static const struct file_reader reader = {.begin = begin, .event = event, .end = end};
    struct hp hp = {.export = export, .choice = {.wanted = export->settings->profile}};
    const int code = file_reading_run(&export->reading, &reader, &hp);
    const int chosen = export_chosen(export, &hp.choice, PROFILE_HEAP, code, done);
    hectic_heap_samples_free(hp.samples);
    about_clear(&hp.about);
    free(hp.marker);
    return chosen;
}
