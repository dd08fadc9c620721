/* info.c — hectic info: a summary of a log. */
#include "render/units.h"
#include "tool/cli/message.h"
#include "tool/input/logs.h"
#include "tool/output/cells.h"
#include "tool/output/gaps.h"
#include "tool/output/profile_headlines.h"
#include "tool/output/verdict_lines.h"
#include "tool/verbs/stat/stat_report.h"

#include "read/survey.h"
#include "render/text.h"
#include "results/gap_list.h"
#include "results/measures.h"
#include "results/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct info_settings {
    struct output_settings output;
    bool json, events, quick;
};

static const struct tool_option info_options[] = {
    {"events", 0, NULL, "also what is recorded: events by type", NULL,
     offsetof(struct info_settings, events), tool_set_flag},
    {"quick", 0, NULL, "without statistics and verdict: read the log once", NULL,
     offsetof(struct info_settings, quick), tool_set_flag},
    {"json", 0, NULL, "one JSON object", NULL, offsetof(struct info_settings, json), tool_set_flag},
    {0},
};

/* A log may have many sections: so many of them are measured. */
enum { MEASURED_SECTIONS = 4 };

/* What is printed. */
struct info {
    const struct info_settings *settings;
    const char *path;
    const hectic_log *log;
    const hectic_survey *survey;
    const char *kind;
    hectic_summary summary;
    hectic_gaps gaps;
    hectic_summary *process; /* of each, where there are several */
    size_t sections;         /* with their own summaries: several, the first ones; or 0 */
    hectic_summary section[MEASURED_SECTIONS];
    size_t processes;
    uint64_t damaged;  /* places */
    uint64_t duration; /* ns, of all sections */
    struct measured_section measured[MEASURED_SECTIONS];
    size_t measures; /* how many of these */
};

enum { NAME_ROOM = 120 };

struct count {
    uint64_t count;
    char *name; /* where the catalogue has none */
    uint16_t number;
};

/* The types of which there are events, the most frequent first. */
struct counts {
    size_t types;
    struct count type[65536];
};

/* --- From the survey ------------------------------------------------------------------------- */

static uint64_t duration_of(const hectic_survey *survey)
{
    uint64_t duration = 0;
    for (size_t i = 0; i < survey->sections; i++)
        if (survey->section[i].first_time <= survey->section[i].last_time)
            duration += survey->section[i].last_time - survey->section[i].first_time;
    return duration;
}

static bool is_complete(const struct info *info)
{
    return info->survey->section[info->survey->sections - 1].complete;
}

/* Was the log cut before events about the program had been written? */
static bool is_cut_early(const struct info *info)
{
    const uint64_t *count = info->survey->count;
    return !is_complete(info) && count[HECTIC_EVENT_CAP_CREATE] == 0 &&
           count[HECTIC_EVENT_STARTUP] == 0 && count[HECTIC_EVENT_SYNC] == 0;
}

static bool lacks_caps(const struct info *info, size_t section)
{
    return info->survey->section[section].lacks_caps;
}

static bool is_able(const struct info *info, const hectic_log_topic *ability)
{
    return info->survey->count[ability->event] > 0;
}

static int by_count(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return x->number - y->number;
}

static int by_number(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    return x->number - y->number;
}

/* Names the types of a header that the catalogue does not know, if they have no name yet. Returns
 * how many. */
static size_t name_types(struct counts *counts, const hectic_header *header)
{
    size_t count, named = 0;
    const hectic_event_type *types = hectic_header_types(header, &count);
    for (size_t i = 0; i < count; i++) {
        const struct count key = {.number = types[i].number};
        struct count *of =
            bsearch(&key, counts->type, counts->types, sizeof *counts->type, by_number);
        if (!of || of->name || hectic_shape_by_number(of->number)) continue;
        const hectic_event_type *type = hectic_header_type(header, of->number);
        of->name = type ? malloc(NAME_ROOM) : NULL;
        if (!of->name) continue;
        snprintf(of->name, NAME_ROOM, "%u: %.*s", of->number, (int)type->description_length,
                 type->description);
        named++;
    }
    return named;
}

static void name_unknown(struct counts *counts, const hectic_log *log)
{
    size_t nameless = 0;
    for (size_t i = 0; i < counts->types; i++)
        nameless += hectic_shape_by_number(counts->type[i].number) == NULL;
    const size_t sections = hectic_log_survey(log)->sections;
    for (size_t i = 0; i < sections && nameless > 0; i++) {
        hectic_header *header = hectic_log_read_header(log, i);
        if (header) nameless -= name_types(counts, header);
        hectic_header_free(header);
    }
}

static struct counts *counts_new(const hectic_log *log)
{
    const hectic_survey *survey = hectic_log_survey(log);
    struct counts *counts = calloc(1, sizeof *counts);
    if (!counts) return NULL;
    for (uint32_t number = 0; number < 65536; number++)
        if (survey->count[number])
            counts->type[counts->types++] =
                (struct count){.count = survey->count[number], .number = (uint16_t)number};
    name_unknown(counts, log);
    qsort(counts->type, counts->types, sizeof *counts->type, by_count);
    return counts;
}

static void counts_free(struct counts *counts)
{
    for (size_t i = 0; counts && i < counts->types; i++)
        free(counts->type[i].name);
    free(counts);
}

static uint64_t class_count(const hectic_survey *survey, hectic_class class_)
{
    uint64_t sum = 0;
    for (uint32_t number = 0; number < 65536; number++) {
        const hectic_shape *shape =
            survey->count[number] ? hectic_shape_by_number((uint16_t)number) : NULL;
        if (shape && shape->class_ == class_) sum += survey->count[number];
    }
    return sum;
}

/* The name of an event, or its description in the first header that declares it. */
static const char *name_of(const struct count *count)
{
    const hectic_shape *shape = hectic_shape_by_number(count->number);
    return shape ? shape->name : count->name ? count->name : "?";
}

/* --- Statistics ------------------------------------------------------------------------------ */

/* That of a process of a section with several. */
static uint32_t capset_of(const struct measured_section *of, uint32_t process)
{
    return hectic_processes_get(hectic_stat_parts_processes(of->stat), process).capset;
}

static void print_headline(struct sink *sink, const struct info *info, size_t section,
                           uint32_t process)
{
    const struct measured_section *of = &info->measured[section];
    const hectic_stat *stat = hectic_stat_parts_get(of->stat, process);
    hectic_stat_result result;
    hectic_verdict verdict;
    if (!stat) return;
    if (!hectic_stat_get(stat, NULL, HECTIC_STAT_END, &result)) tool_out_of_memory();
    report_print_headline(sink, &(struct report){.result = &result, .is_whole = true});
    hectic_stat_result_clear(&result);
    if (info->processes == 0 && !profiles_print(sink, &of->profiles)) tool_out_of_memory();
    sink_print(sink, "\n");
    if (!measured_verdict(of, info->survey, process, &verdict)) tool_out_of_memory();
    const uint32_t capset = info->processes > 0 ? capset_of(of, process) : 0;
    verdict_print(sink, &verdict, info->path, info->processes > 0 ? &capset : NULL);
}

/* The section that has several processes; the number of sections: none. */
static size_t section_of_processes(const struct info *info)
{
    size_t i = 0;
    while (i < info->measures && measured_processes(&info->measured[i]) == 1)
        i++;
    return i;
}

/* --- For people ------------------------------------------------------------------------------ */

/* A duration, an amount of memory, in the unit that suits it. */
static struct printed lasted(uint64_t ns)
{
    struct printed out;
    units_put(out.text, (double)ns, UNITS_NS, UNITS_EXACT, true);
    return out;
}

static struct printed sized(uint64_t bytes)
{
    struct printed out;
    units_put(out.text, (double)bytes, UNITS_SIZE, UNITS_WHOLE, true);
    return out;
}

/* In quotes, with escapes for what a terminal would not show. */
static void put_string(struct sink *sink, const char *text, size_t length)
{
    char *out = sink_room(sink, 2 + 6 * length);
    sink_fill(sink, hectic_render_json_string(text, length, out));
}

/* Does a shell take it as one word without quotes? */
static bool is_plain(const char *argument)
{
    return *argument != '\0' && !strpbrk(argument, " \t\n\"'\\$`*?");
}

static void print_command(struct sink *sink, const hectic_summary *summary)
{
    if (!summary->args) {
        sink_print(sink, "N/A");
        return;
    }
    for (size_t i = 0; i < summary->args_length; i += strlen(summary->args + i) + 1) {
        const char *argument = summary->args + i;
        if (i) sink_text(sink, " ", 1);
        if (is_plain(argument))
            sink_visible(sink, argument, strlen(argument));
        else
            put_string(sink, argument, strlen(argument));
    }
}

static void print_start(struct sink *sink, const hectic_summary *summary)
{
    const time_t seconds = (time_t)summary->start_seconds;
    struct tm utc;
    char text[40];
    if (!summary->has_wall_clock || !gmtime_r(&seconds, &utc) ||
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc) == 0)
        sink_print(sink, "N/A");
    else
        sink_print(sink, "%s.%03u UTC", text, summary->start_ns / 1000000);
}

static void print_caps(struct sink *sink, const hectic_summary *summary)
{
    sink_print(sink, "%u", summary->caps);
    unsigned shown = 0;
    for (uint32_t cap = 0; cap < 65535 && summary->caps; cap++) {
        if (!(summary->cap[cap / 8] >> cap % 8 & 1)) continue;
        if (shown == 16) {
            sink_print(sink, " …");
            break;
        }
        sink_print(sink, "%s%u", shown++ ? ", " : ": ", cap);
    }
    if (summary->caps == 0) sink_print(sink, " (none in the log)");
}

/* Of a log, or of one of its processes. */
static void print_program(struct sink *sink, const hectic_summary *summary, bool is_cut)
{
    sink_print(sink, "Program    ");
    print_command(sink, summary);
    const char *rts = summary->rts ? summary->rts : "N/A";
    sink_print(sink, "\nRuntime    ");
    sink_visible(sink, rts, strlen(rts));
    sink_print(sink, "\nProcess    ");
    if (summary->has_pid)
        sink_print(sink, "%u", summary->pid);
    else
        sink_print(sink, "N/A");
    if (summary->has_ppid) sink_print(sink, ", child of %u", summary->ppid);
    if (summary->has_capset) sink_print(sink, " (capset %u)", summary->capset);
    sink_print(sink, "\nStarted    ");
    print_start(sink, summary);
    sink_print(sink, "\nCaps       ");
    print_caps(sink, summary);
    if (summary->caps > 0 && is_cut) sink_print(sink, " (others may be missing)");
    if (summary->has_heap_info)
        sink_print(sink, "\nHeap       %u generations, allocation area %s, %s%s",
                   summary->generations, sized(summary->alloc_area_size).text,
                   summary->max_heap_size ? "limit " : "no limit",
                   summary->max_heap_size ? sized(summary->max_heap_size).text : "");
    if (summary->has_heap_profile) {
        const char *breakdown =
            hectic_enum_text(HECTIC_UNIT_BREAKDOWN, summary->heap_profile_breakdown);
        sink_print(sink, "\nProfile    heap by %s, every %s",
                   breakdown ? breakdown : "an unknown breakdown",
                   lasted(summary->heap_profile_period).text);
    }
    sink_print(sink, "\n");
}

/* The program and the statistics of each section, of a log of one process at a time. */
static void print_sections(struct sink *sink, const struct info *info)
{
    const size_t sections = info->survey->sections, shown = info->sections;
    if (shown == 0) print_program(sink, &info->summary, lacks_caps(info, 0));
    for (size_t i = 0; i < shown || i < info->measures; i++) {
        if (i < shown)
            sink_print(sink, "%sSection    %zu of %zu\n", i ? "\n" : "", i + 1, sections);
        if (i < shown) print_program(sink, &info->section[i], lacks_caps(info, i));
        if (i < info->measures) sink_print(sink, "\n");
        if (i < info->measures) print_headline(sink, info, i, 0);
    }
    sink_print(sink, "\n");
}

static void print_programs(struct sink *sink, const struct info *info)
{
    if (info->processes == 0) {
        print_sections(sink, info);
        return;
    }
    const size_t section = section_of_processes(info);
    for (size_t i = 0; i < info->processes; i++) {
        print_program(sink, &info->process[i], false);
        if (section < info->measures) print_headline(sink, info, section, (uint32_t)i);
        sink_print(sink, "\n");
    }
    sink_print(sink, "Processes  %zu\nDuration   %s\n", info->processes,
               lasted(info->duration).text);
}

/* Up to which times the last section has the first caps. */
static void print_covered_caps(struct sink *sink, const struct info *info)
{
    enum { SHOWN = 15, IN_LINE = 3 };
    uint64_t to;
    unsigned shown = 0;
    for (uint32_t cap = 0; cap < HECTIC_CAP_NONE; cap++) {
        if (!hectic_log_covers_cap(info->log, (uint16_t)cap, &to)) continue;
        if (shown == SHOWN) sink_print(sink, ", …");
        if (shown == SHOWN) break;
        const char *before = shown == 0            ? "           "
                             : shown % IN_LINE > 0 ? ", "
                                                   : ",\n           ";
        sink_print(sink, "%scap %u until %.3f s", before, cap, (double)to / 1e9);
        shown++;
    }
    if (shown > 0) sink_print(sink, "\n");
}

static void print_log(struct sink *sink, const struct info *info)
{
    const hectic_survey *survey = info->survey;
    const bool is_plain = strcmp(info->kind, "file") == 0 || strcmp(info->kind, "pipe") == 0;
    sink_print(sink, "Log        %s%s (%s), %s in %s", quantity(survey->bytes, "byte").text,
               is_plain ? "" : " uncompressed", info->kind, quantity(survey->events, "event").text,
               quantity(survey->blocks, "block").text);
    if (survey->sections > 1) sink_print(sink, ", %zu sections", survey->sections);
    sink_print(sink, "\n");
    const uint64_t finished = survey->blocks - survey->unfinished_blocks;
    if (finished)
        sink_print(sink, "Blocks     span %s on average, %s at most\n",
                   lasted(survey->block_ns / finished).text, lasted(survey->block_ns_max).text);
    gaps_print(sink, "Gaps       ", &info->gaps);
    if (info->damaged)
        sink_print(sink, "State      damaged in %s: see hectic check\n",
                   quantity(info->damaged, "place").text);
    else if (is_complete(info))
        sink_print(sink, "State      complete\n");
    else
        sink_print(sink, "State      no end marker: %s\n", tool_end_missing(survey->cut_off));
    for (size_t i = 0; i < survey->sections; i++) {
        const hectic_section *section = &survey->section[i];
        if (section->covered_to >= section->last_time) continue;
        sink_print(sink, "Covered    ");
        if (survey->sections > 1) sink_print(sink, "section %zu: ", i + 1);
        sink_print(sink, "all caps until %.3f s, some until %.3f s: later events do not count\n",
                   (double)section->covered_to / 1e9, (double)section->last_time / 1e9);
        if (i + 1 == survey->sections) print_covered_caps(sink, info);
    }
}

static void print_counts(struct sink *sink, const struct info *info, const struct counts *counts)
{
    const uint64_t all = info->survey->events;
    char name[4 * NAME_ROOM + 1];
    sink_print(sink, "\n       Events   Share  Type\n");
    for (size_t i = 0; i < counts->types; i++) {
        const struct count *count = &counts->type[i];
        const hectic_shape *shape = hectic_shape_by_number(count->number);
        const char *type = name_of(count);
        name[hectic_render_visible(type, strlen(type), name)] = 0;
        sink_print(sink, "%13s  %5.1f%%  %-28s %s\n", printed(CELL_COUNT, count->count).text,
                   100.0 * (double)count->count / (double)all, name,
                   shape ? hectic_class_name(shape->class_) : "unknown");
    }
}

static void print_recorded(struct sink *sink, const struct info *info)
{
    size_t count;
    const hectic_log_topic *abilities = hectic_log_topics(&count);
    sink_print(sink, "\nRecorded\n");
    for (size_t i = 0; i < count; i++)
        if (is_able(info, &abilities[i]))
            sink_print(sink, "  %-13s  %s\n", abilities[i].name, abilities[i].about);
}

/* What the log would need to have that. */
static const char *needs(const struct info *info, const hectic_log_topic *ability)
{
    const uint64_t *count = info->survey->count;
    if (ability->event == HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN &&
        count[HECTIC_EVENT_HEAP_PROF_BEGIN])
        return "a profile began: a longer run, or +RTS -i0.001 (one each ms)";
    if (ability->event == HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE && count[HECTIC_EVENT_PROF_BEGIN])
        return "a profile began: a longer run";
    return ability->needs;
}

static void print_not_recorded(struct sink *sink, const struct info *info)
{
    size_t count;
    const hectic_log_topic *abilities = hectic_log_topics(&count);
    if (is_cut_early(info)) {
        sink_print(sink,
                   "\nWhat is not recorded is unknown: the log was cut before the events of the "
                   "start\nof the program had been written.\n");
        return;
    }
    sink_print(sink, "\n%s (and how to enable it)\n",
               is_complete(info) ? "Not recorded" : "Not in this log, which ends early");
    for (size_t i = 0; i < count; i++)
        if (!is_able(info, &abilities[i]))
            sink_print(sink, "  %-13s  %s\n", abilities[i].name, needs(info, &abilities[i]));
}

/* "Verbs      show, threads, gc, stat": those that have something to show. */
static void print_verbs(struct sink *sink, const struct info *info)
{
    size_t count;
    const hectic_log_topic *abilities = hectic_log_topics(&count);
    sink_print(sink, "Verbs      show");
    for (size_t i = 0; i < count; i++) {
        bool is_new = is_able(info, &abilities[i]) && strcmp(abilities[i].verb, "show") != 0;
        for (size_t k = 0; k < i && is_new; k++)
            is_new =
                !is_able(info, &abilities[k]) || strcmp(abilities[k].verb, abilities[i].verb) != 0;
        if (is_new) sink_print(sink, ", %s", abilities[i].verb);
    }
    sink_print(sink, "\n");
}

static void print_info(struct sink *sink, const struct info *info, const struct counts *counts)
{
    print_programs(sink, info);
    print_log(sink, info);
    print_verbs(sink, info);
    if (info->settings->events) {
        print_counts(sink, info, counts);
        print_recorded(sink, info);
    }
    print_not_recorded(sink, info);
}

/* --- For programs ---------------------------------------------------------------------------- */

static void put_args(struct json *json, const hectic_summary *summary)
{
    if (!summary->args) {
        json_text(json, "args", NULL);
        return;
    }
    json_open(json, "args", '[');
    for (size_t i = 0; i < summary->args_length; i += strlen(summary->args + i) + 1)
        json_text(json, NULL, summary->args + i);
    json_close(json, ']');
}

static void put_caps(struct json *json, const hectic_summary *summary)
{
    json_open(json, "caps", '[');
    for (uint32_t cap = 0; cap < 65535; cap++)
        if (summary->cap[cap / 8] >> cap % 8 & 1) json_number(json, NULL, true, cap);
    json_close(json, ']');
}

static void put_covered_caps(struct json *json, const struct info *info)
{
    uint64_t to;
    json_open(json, "covered_caps", '[');
    for (uint32_t cap = 0; cap < HECTIC_CAP_NONE; cap++) {
        if (!hectic_log_covers_cap(info->log, (uint16_t)cap, &to)) continue;
        json_open(json, NULL, '{');
        json_number(json, "cap", true, cap);
        json_number(json, "to_ns", true, to);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_counts(struct json *json, const struct info *info, const struct counts *counts)
{
    json_open(json, "events_by_type", '{');
    for (size_t i = 0; i < counts->types; i++)
        json_number(json, name_of(&counts->type[i]), true, counts->type[i].count);
    json_close(json, '}');
    json_open(json, "events_by_class", '{');
    for (hectic_class class_ = 0; class_ < HECTIC_CLASS_COUNT; class_++)
        json_number(json, hectic_class_name(class_), true, class_count(info->survey, class_));
    json_close(json, '}');
}

static void put_abilities(struct json *json, const struct info *info)
{
    size_t count;
    const hectic_log_topic *abilities = hectic_log_topics(&count);
    json_open(json, "recorded", '{');
    for (size_t i = 0; i < count; i++) {
        const bool is_recorded = is_able(info, &abilities[i]);
        const bool known = is_recorded || !is_cut_early(info);
        json_open(json, abilities[i].name, '{');
        json_flag(json, "recorded", known, is_recorded);
        if (known && !is_recorded) json_text(json, "needs", abilities[i].needs);
        json_close(json, '}');
    }
    json_close(json, '}');
}

/* The program and its process. */
static void put_program(struct json *json, const hectic_summary *summary)
{
    const bool has_start = summary->has_wall_clock;
    put_args(json, summary);
    record_put_members(json, info_program, .rts = cell_text(summary->rts),
                       .pid = cell_if(summary->has_pid, summary->pid),
                       .ppid = cell_if(summary->has_ppid, summary->ppid),
                       .start_seconds = cell_if(has_start, summary->start_seconds),
                       .start_nanoseconds = cell_if(has_start, summary->start_ns));
}

static void put_heap(struct json *json, const hectic_summary *summary)
{
    const bool known = summary->has_heap_info;
    put_caps(json, summary);
    record_put_members(json, info_heap, .generations = cell_if(known, summary->generations),
                       .alloc_area_bytes = cell_if(known, summary->alloc_area_size),
                       .max_heap_bytes = cell_if(known, summary->max_heap_size));
}

/* The programs of sections, or of processes; each ends with its number. */
static void put_parts(struct json *json, const char *key, const char *number_key,
                      const hectic_summary *part, size_t parts)
{
    if (parts == 0) return;
    json_open(json, key, '[');
    for (size_t i = 0; i < parts; i++) {
        json_open(json, NULL, '{');
        put_program(json, &part[i]);
        put_heap(json, &part[i]);
        json_number(json, number_key, true, *key == 's' ? i + 1 : part[i].capset);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_profile(struct json *json, const hectic_summary *summary)
{
    const bool known = summary->has_heap_profile;
    record_put_members(json, info_profile,
                       .heap_profile_breakdown =
                           cell_text(known ? hectic_enum_text(HECTIC_UNIT_BREAKDOWN,
                                                              summary->heap_profile_breakdown)
                                           : NULL),
                       .heap_profile_period_ns = cell_if(known, summary->heap_profile_period));
}

static void put_log(struct json *json, const struct info *info)
{
    const hectic_survey *survey = info->survey;
    const uint64_t finished = survey->blocks - survey->unfinished_blocks;
    const union info_blocks_row blocks = {
        .bytes = cell_number(survey->bytes),
        .headers = cell_number(survey->sections),
        .blocks = cell_number(survey->blocks),
        .unfinished_blocks = cell_number(survey->unfinished_blocks),
        .block_bytes_max = cell_if(finished > 0, survey->block_bytes_max),
        .block_ns_mean = cell_if(finished > 0, finished ? survey->block_ns / finished : 0),
        .block_ns_max = cell_if(finished > 0, survey->block_ns_max),
        .complete = cell_number(is_complete(info)),
        .covered_to_ns =
            cell_if(survey->events > 0, survey->section[survey->sections - 1].covered_to),
    };
    const union info_damage_row damage = {
        .tail_bytes = cell_number(survey->tail),
        .damaged_places = cell_number(info->damaged),
        .lost_bytes = cell_number(survey->lost),
        .events = cell_number(survey->events),
        .gaps = gaps_cells(&info->gaps),
    };
    cells_put_members(json, info_blocks_columns, blocks.cells, false);
    put_covered_caps(json, info);
    cells_put_members(json, info_damage_columns, damage.cells, false);
}

/* Of each process of a section. */
static void put_verdicts(struct json *json, const struct info *info,
                         const struct measured_section *of)
{
    const uint32_t count = measured_processes(of);
    hectic_verdict verdict;
    for (uint32_t i = 0; i < count; i++) {
        if (!hectic_stat_parts_get(of->stat, i)) continue;
        if (!measured_verdict(of, info->survey, i, &verdict)) tool_out_of_memory();
        const uint32_t capset = count > 1 ? capset_of(of, i) : 0;
        verdict_put(json, &verdict, info->path, of->number, count > 1 ? &capset : NULL);
    }
}

static void put_info(struct sink *sink, const struct info *info, const struct counts *counts)
{
    struct json json = json_on_sink(sink);
    json_open(&json, NULL, '{');
    json_text(&json, "log", info->path);
    json_text(&json, "kind", info->kind);
    put_program(&json, &info->summary);
    json_number(&json, "duration_ns", info->survey->events > 0, info->duration);
    put_heap(&json, &info->summary);
    put_profile(&json, &info->summary);
    put_parts(&json, "sections", "section", info->section, info->sections);
    put_parts(&json, "processes", "process", info->process, info->processes);
    put_log(&json, info);
    if (info->settings->quick) {
        json_text(&json, "verdict", NULL);
    } else {
        json_open(&json, "verdict", '[');
        for (size_t i = 0; i < info->measures; i++)
            put_verdicts(&json, info, &info->measured[i]);
        json_close(&json, ']');
    }
    put_counts(&json, info, counts);
    put_abilities(&json, info);
    json_close(&json, '}');
    json_end_line(&json);
}

/* --------------------------------------------------------------------------------------------- */

static int print(struct info *info, const hectic_log *log)
{
    const struct info_settings *settings = info->settings;
    struct counts *counts = counts_new(log);
    struct sink *sink = counts ? sink_open(&settings->output) : NULL;
    int code = TOOL_UNUSABLE;
    if (!counts) tool_message("out of memory");
    if (sink) {
        (settings->json ? put_info : print_info)(sink, info, counts);
        code = sink_close(sink, info->damaged ? TOOL_DAMAGED : TOOL_OK);
    }
    counts_free(counts);
    return code;
}

/* The first sections of a log with several. */
static bool summarize_sections(struct info *info, hectic_log *log)
{
    const size_t sections = info->survey->sections;
    bool done = true;
    for (size_t i = 0; sections > 1 && i < sections && i < MEASURED_SECTIONS && done; i++) {
        done = hectic_summarize_section(log, i, &info->section[i]);
        info->sections += done;
    }
    return done;
}

static bool keep_measured(void *user, struct measured_section *measured)
{
    struct info *info = user;
    info->measured[info->measures++] = *measured;
    *measured = (struct measured_section){0};
    return true;
}

/* Returns the error that prevented reading. */
static hectic_error measure(struct info *info, hectic_log *log)
{
    struct reading reading = {.log = log};
    const bool done =
        measures_take(&reading, MEASURED_SECTIONS, &(struct measured_taker){keep_measured, info});
    if (reading.last == HECTIC_ERROR) return *hectic_log_error(log);
    return (hectic_error){.kind = done ? HECTIC_OK : HECTIC_NO_MEMORY};
}

/* Collects everything. False after a message. */
static bool collect(struct info *info, hectic_log *log, struct progress *progress)
{
    size_t kept;
    hectic_error error = {0};
    info->log = log;
    info->survey = hectic_log_survey(log);
    info->gaps = hectic_log_gaps(log);
    info->duration = duration_of(info->survey);
    hectic_log_damage(log, &kept, &info->damaged);
    if (!hectic_summarize(log, &info->summary) || !summarize_sections(info, log) ||
        !hectic_summarize_processes(log, &info->process, &info->processes)) {
        error = *hectic_log_error(log);
        if (error.kind == HECTIC_OK) error.kind = HECTIC_NO_MEMORY;
    } else if (!info->settings->quick) {
        error = measure(info, log);
    }
    progress_end(progress);
    if (error.kind == HECTIC_NO_MEMORY)
        tool_message("out of memory");
    else if (error.kind != HECTIC_OK)
        tool_log_error(info->path, &error);
    return error.kind == HECTIC_OK;
}

static int run(void *settings, int argc, char **argv)
{
    (void)argc;
    struct info info = {.settings = settings, .path = argv[0]};
    hectic_input *input = tool_input_open(info.path);
    if (!input) return TOOL_UNUSABLE;
    info.kind = hectic_input_kind(input);
    struct progress progress = progress_start(&info.settings->output);
    hectic_log *log = tool_log_open(input, info.path, 0, 0, &progress);
    if (!log) return TOOL_UNUSABLE;
    const int code = collect(&info, log, &progress) ? print(&info, log) : TOOL_UNUSABLE;
    for (size_t i = 0; i < info.measures; i++)
        measured_clear(&info.measured[i]);
    hectic_summaries_free(info.process, info.processes);
    hectic_summary_clear(&info.summary);
    for (size_t i = 0; i < info.sections; i++)
        hectic_summary_clear(&info.section[i]);
    hectic_log_free(log);
    return code;
}

const struct verb verb_info = {
    .name = "info",
    .group = "See what happened in a run",
    .brief = "summarize a log",
    .summary = "Summarize a log",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Prints which program wrote the log, when, with which runtime and on how many caps; "
            "then where its time and memory went, by the numbers of hectic stat; the verdict; the "
            "size and the state of the log, with gaps and damage; the verbs of hectic that can "
            "show more; and what is not recorded, with the options that would record it. "
            "With --events, also the number of events of each type.",
            "The verdict is at most five findings, the most important first, each with a "
            "measured number and the command that shows more. If a log has samples of a heap or "
            "time profile, there is a line about the largest bands of the heap, and about the "
            "cost centres that took most of the time.",
            "For a log that was merged from the logs of several processes, each process is "
            "printed. For a log of several sections, which a restarted program leaves, the time "
            "and memory of the first 4 sections are printed; hectic stat prints all.",
            "1 MiB is 2^20 bytes. The environment of the program, which a log also holds, is not "
            "printed, because it may contain secrets.",
            "With --quick, the log is read once, which takes a tenth of the time: the numbers of "
            "hectic stat, the lines about profiles and the verdict are omitted, and in JSON "
            "the verdict is null.",
            NULL},
    .groups = (const struct option_group[]){{"Output", info_options, 0, NULL},
                                            {"Output", output_options,
                                             offsetof(struct info_settings, output), NULL},
                                            {"Output", input_options, 0, input_note},
                                            {0}},
    .examples = (const struct example[]){{"hectic info Main.eventlog", "what was run?"},
                                         {"hectic info --json Main.eventlog | jq .events_by_type",
                                          "events of each type"},
                                         {NULL, NULL}},
    .exits = {"The log was read; it may be cut short.",
              "The log is damaged inside; what could be read was counted.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct info_settings),
    .run = run,
};
