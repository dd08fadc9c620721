/* stat.c — hectic stat: what +RTS -s prints, and more, for a run or a part of it. */
#include "base/array.h"
#include "read/decode/pass.h"
#include "read/decode/running.h"
#include "tool/cli/message.h"
#include "tool/input/logs.h"
#include "tool/output/cells.h"
#include "tool/output/gaps.h"
#include "tool/passes/table_verb.h"
#include "tool/verbs/stat/stat_report.h"
#include "tool/verbs/stat/windows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 10000000, /* rows, and the caps in them */
    OPEN_MAX = 1 << 18,  /* open windows, times OPEN_MIN and the caps of the log */
    OPEN_MIN = 64,       /* what a window counts for besides its caps */
};

struct stat_settings {
    struct table_verb_settings base; /* of its table: not sort and limit */
    const char *window;
    uint64_t every;
    bool by_caps;
};

/* What is kept for a process, in order of time. */
struct part {
    hectic_stat *stat;
    hectic_stat_interval *interval; /* the whole one, or the slice */
    bool entered;                   /* the interval has begun in the section */
};

struct stat {
    const struct stat_settings *settings;
    const char *path;
    struct sink *sink;
    struct table *table;         /* NULL: reports */
    hectic_stat_parts *parts;    /* of the section, whole */
    size_t section;              /* counted from 1 */
    bool sections;               /* the log has several */
    size_t reports;              /* printed so far */
    struct report_total total;   /* of the section's processes */
    struct report_total *totals; /* of all sections with several, for JSON */
    size_t totals_count, totals_room;
    uint64_t counter_resets, time_steps_back;
    hectic_gaps gaps; /* for rows, which do not have them */
    bool matched;     /* --process matches a process */
    uint64_t without; /* events of caps without a process */
    uint64_t damaged;
    hectic_result last; /* item, in the order of the file */
    struct progress progress;
    bool has_end, is_cut; /* the section has an end marker; it has to be read in order of time */
    bool is_lossy;        /* it is damaged */
    /* Read in order of time: */
    size_t next; /* the first section that has not been reported */
    struct reading *reading;
    uint64_t from, to; /* of the interval */
    struct part *part; /* of the current process */
    struct windows windows;
    bool refused;   /* after a message: too many rows or windows */
    uint64_t rows;  /* so far, with the caps in them */
    uint32_t caps;  /* that have events */
    uint32_t opens; /* windows that are open */
};

/* --- Answers --------------------------------------------------------------------------------- */

/* Without a table: an object with a report for each section and process, or such reports as lines.
 */
static bool is_json(const struct stat *stat)
{
    const struct table_settings *settings = &stat->settings->base.table;
    return !stat->table && (settings->json || settings->lines);
}

static void put_json(struct stat *stat, const struct report *report)
{
    const bool lines = stat->settings->base.table.lines;
    struct json json = json_on_sink(stat->sink);
    if (!lines) sink_print(stat->sink, stat->reports > 0 ? ",\n" : "{\"stat\":[\n");
    report_put_json(&json, report);
    if (lines) sink_print(stat->sink, "\n");
    stat->reports++;
}

/* The sums of the processes of each section that has several. */
static void end_json(struct stat *stat)
{
    if (stat->settings->base.table.lines) return;
    struct json json = json_on_sink(stat->sink);
    sink_print(stat->sink, stat->reports > 0 ? "\n]" : "{\"stat\":[]");
    if (stat->totals_count > 0) sink_print(stat->sink, ",\n\"stat_total\":[");
    for (size_t i = 0; i < stat->totals_count; i++)
        report_put_total(&json, &stat->totals[i]);
    sink_print(stat->sink, stat->totals_count > 0 ? "]}\n" : "}\n");
}

static bool put_report(struct stat *stat, const struct report *report)
{
    if (stat->table) return report_row(stat->table, stat->sink, report);
    if (is_json(stat)) {
        put_json(stat, report);
        return true;
    }
    if (stat->reports++ > 0) sink_print(stat->sink, "\n");
    report_print(stat->sink, report);
    return true;
}

static bool refuse_rows(struct stat *stat)
{
    tool_message("more than %d rows times caps; use --from and --to", ROWS_MAX);
    stat->refused = true;
    return false;
}

/* `process`: NULL if the log is of one process. */
static bool put_process(struct stat *stat, const hectic_process *process, const hectic_stat *of,
                        const hectic_stat_interval *interval, uint64_t to,
                        const struct window *window)
{
    hectic_stat_result result;
    if (!hectic_stat_get(of, interval, to, &result)) return false;
    stat->rows += 1 + (uint64_t)result.caps;
    if (stat->table && stat->rows > ROWS_MAX) {
        hectic_stat_result_clear(&result);
        return refuse_rows(stat);
    }
    const struct report report = {
        .result = &result,
        .process = process,
        .label = window ? stat->settings->window : NULL,
        .thread = window ? window->thread : 0,
        .has_thread = window && window->has_thread,
        .section = stat->section,
        .sections = stat->sections,
        .is_whole = interval == NULL,
        .by_caps = stat->settings->by_caps,
        .with_reasons = stat->settings->base.output.verbose,
    };
    const bool done = put_report(stat, &report);
    if (process) report_add(&stat->total, &report);
    hectic_stat_result_clear(&result);
    return done;
}

static bool put(struct stat *stat, const hectic_stat_interval *interval, uint64_t to,
                const struct window *window)
{
    const struct reading *reading = stat->reading;
    const hectic_process *process = reading->several ? &reading->part->process : NULL;
    return put_process(stat, process, stat->part->stat, interval, to, window);
}

static bool keep_total(struct stat *stat)
{
    if (!array_reserve(stat->totals, stat->totals_room, stat->totals_count + 1)) return false;
    stat->totals[stat->totals_count++] = stat->total;
    return true;
}

/* After the last process of a section: sums. */
static bool put_sums(struct stat *stat)
{
    if (is_json(stat)) return keep_total(stat);
    if (!stat->table) report_print_total(stat->sink, &stat->total);
    return true;
}

/* A report for each process, and sums. */
static bool put_processes(struct stat *stat, const hectic_processes *processes)
{
    const uint32_t count = hectic_processes_count(processes);
    const struct process_choice *choice = &stat->settings->base.interval.process;
    bool done = true;
    stat->total = (struct report_total){.section = stat->section};
    if (stat->table) table_show_processes(stat->table);
    for (uint32_t i = 0; i < count && done; i++) {
        const hectic_process process = hectic_processes_get(processes, i);
        const hectic_stat *of = hectic_stat_parts_get(stat->parts, i);
        if (of && process_is_chosen(choice, processes, i))
            done = put_process(stat, &process, of, NULL, HECTIC_STAT_END, NULL);
    }
    return done && put_sums(stat);
}

/* A report for the section. */
static bool put_whole(struct stat *stat)
{
    const hectic_processes *processes = hectic_stat_parts_processes(stat->parts);
    const struct process_choice *choice = &stat->settings->base.interval.process;
    const uint32_t count = hectic_processes_count(processes);
    const hectic_stat *of = NULL; /* the last that was chosen */
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count && i < HECTIC_STAT_PARTS_MAX; i++) {
        const hectic_stat *part = hectic_stat_parts_get(stat->parts, i);
        if (!part || !process_is_chosen(choice, processes, i)) continue;
        of = part;
        chosen++;
    }
    stat->matched = stat->matched || chosen > 0;
    if (!stat->matched && stat->section == 1) process_complain(choice, stat->path, processes);
    if (chosen == 0) return true;
    return chosen > 1 ? put_processes(stat, processes)
                      : put_process(stat, NULL, of, NULL, HECTIC_STAT_END, NULL);
}

static bool end_rows(struct stat *stat)
{
    if (is_json(stat)) end_json(stat);
    return !stat->table || table_end(stat->table, stat->sink);
}

/* False: no memory. */
static bool add_warnings(struct stat *stat, const hectic_stat *of)
{
    hectic_stat_result result;
    if (!of || !hectic_stat_get(of, NULL, HECTIC_STAT_END, &result)) return !of;
    stat->counter_resets += result.counter_resets;
    stat->time_steps_back += result.time_steps_back;
    if (stat->table) hectic_gaps_add(&stat->gaps, &result.gaps);
    hectic_stat_result_clear(&result);
    return true;
}

static void drop_section(struct stat *stat)
{
    hectic_stat_parts_free(stat->parts);
    stat->parts = NULL;
}

/* Warnings are counted for whole sections. False: no memory. */
static bool end_section(struct stat *stat)
{
    bool done = true;
    for (uint32_t i = 0; stat->parts && i < HECTIC_STAT_PARTS_MAX; i++)
        done &= add_warnings(stat, hectic_stat_parts_get(stat->parts, i));
    if (stat->parts) stat->without += hectic_stat_parts_skipped(stat->parts);
    drop_section(stat);
    return done;
}

static bool out_of_memory(void)
{
    tool_message("out of memory");
    return false;
}

/* --- The whole, in the order of the file ----------------------------------------------------- */

static bool begin_section(struct stat *stat)
{
    if (stat->parts) {
        stat->sections = true;
        if (!put_whole(stat) || !end_section(stat)) return false;
    }
    stat->section++;
    stat->has_end = stat->is_lossy = false;
    stat->parts = hectic_stat_parts_new();
    return stat->parts != NULL;
}

/* Without an end marker, the section has to be read in order of time, up to where all caps are in
 * the log; if it is damaged, because that has messages where bytes are lost. */
static bool is_cut(struct stat *stat)
{
    stat->is_cut = stat->parts && (!stat->has_end || stat->is_lossy);
    return stat->is_cut;
}

/* There are no events before the first header. */
static hectic_result pull_item(void *self, hectic_decoder *decoder)
{
    const struct stat *stat = self;
    hectic_event event;
    const hectic_result result = stat->parts ? hectic_stat_parts_pull(stat->parts, decoder)
                                             : hectic_decoder_pull(decoder, &event);
    if (result == HECTIC_GOT_EVENT) out_of_memory();
    return result;
}

/* False: a section was cut, or after a message. */
static bool take_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *none)
{
    (void)none;
    struct stat *stat = self;
    stat->last = result;
    if (result == HECTIC_HEADER) return !is_cut(stat) && (begin_section(stat) || out_of_memory());
    if (result == HECTIC_COMPLETE) {
        hectic_stat_parts_end(stat->parts);
        stat->has_end = true;
        return true;
    }
    stat->is_lossy = true;
    if (stat->damaged++ < TOOL_PLACES_SHOWN ||
        hectic_decoder_error(decoder)->kind == HECTIC_NO_MEMORY) {
        tool_log_error(stat->path, hectic_decoder_error(decoder));
    }
    return true;
}

static void show_progress(void *self, double done)
{
    struct stat *stat = self;
    progress_update(&stat->progress, done);
}

/* At the end of the log: reports damage, and prints the last section. */
static int end_whole(struct stat *stat, const hectic_input *input, const hectic_decoder *decoder)
{
    size_t tail;
    hectic_decoder_tail(decoder, &tail);
    if (!stat->parts) {
        tool_report_no_header(stat->path, decoder);
        return TOOL_UNUSABLE;
    }
    if (stat->last != HECTIC_COMPLETE && !hectic_input_damage(input)->kind)
        tool_note_unfinished(stat->path, &stat->settings->base.output,
                             hectic_input_is_cut_off(input), tail);
    if (is_cut(stat)) return TOOL_UNUSABLE;
    if (!put_whole(stat) || !end_section(stat)) {
        out_of_memory();
        return TOOL_UNUSABLE;
    }
    return stat->damaged ? TOOL_DAMAGED : TOOL_OK;
}

static int read_whole(struct stat *stat, hectic_input *input, hectic_decoder *decoder)
{
    static const struct pass_consumer consumer = {
        .item = take_item, .pull = pull_item, .progress = show_progress};
    hectic_error error = {0};
    stat->progress = progress_start(&stat->settings->base.output);
    const pass_end end = pass_input(input, decoder, &consumer, stat, &error);
    progress_end(&stat->progress);
    if (end == PASS_STOPPED || end == PASS_UNUSABLE) return TOOL_UNUSABLE;
    if (error.kind != HECTIC_OK) {
        tool_log_error(stat->path, &error);
        if (!tool_is_early_end(&error, hectic_decoder_header(decoder))) return TOOL_UNUSABLE;
        stat->damaged++;
    }
    return end_whole(stat, input, decoder);
}

/* --- The rest from a section without an end marker on, in the order of time ------------------ */

READER_FINISH(hectic_stat)

/* The number of the section's processes that are reported. */
static uint32_t count_chosen(const struct reading *reading)
{
    if (reading->sections == 0) return 1;
    const struct reading_parts *parts = &reading->parts[reading->section - 1];
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        chosen += parts->part[i].slot < READING_PROCESSES;
    return chosen;
}

/* The sections before the one that was cut have been reported. */
static bool begin_whole(const struct reading *reading)
{
    struct stat *stat = reading->user;
    struct part *part = reading->kept;
    if (reading->section < stat->next) return true;
    part->stat = stat_of_process(reading, true);
    return part->stat;
}

static bool whole_events(const struct reading *reading, const hectic_event *event, size_t count)
{
    const struct part *part = reading->kept;
    for (size_t i = 0; i < count && part->stat; i++)
        if (!hectic_stat_event(part->stat, &event[i])) return false;
    return true;
}

/* Reports the sections without events up to one, which a reading skips. */
static bool put_empty(struct stat *stat, const hectic_log *log, size_t until)
{
    const hectic_survey *survey = hectic_log_survey(log);
    for (; stat->next < until; stat->next++) {
        if (survey->section[stat->next - 1].events > 0) continue;
        hectic_stat *none = hectic_stat_new();
        stat->section = stat->next;
        const bool done = none && put_process(stat, NULL, none, NULL, HECTIC_STAT_END, NULL);
        hectic_stat_free(none);
        if (!done) return false;
    }
    return true;
}

static bool end_of_process(const struct reading *reading, uint64_t now)
{
    struct stat *stat = reading->user;
    struct part *part = reading->kept;
    const bool is_one = count_chosen(reading) == 1;
    (void)now;
    if (!part->stat) return true;
    if (stat->total.section > 0 && stat->total.section < reading->section && !put_sums(stat))
        return false;
    if (is_one || stat->total.section < reading->section)
        stat->total = (struct report_total){.section = is_one ? 0 : reading->section};
    if (!put_empty(stat, reading->log, reading->section)) return false;
    if (stat->table && !is_one) table_show_processes(stat->table);
    stat->section = reading->section;
    stat->next = reading->section + 1;
    stat_end_process(reading, part->stat);
    const bool done = put_process(stat, is_one ? NULL : &reading->part->process, part->stat, NULL,
                                  HECTIC_STAT_END, NULL) &&
                      add_warnings(stat, part->stat);
    finish(reading);
    return done;
}

/* Damage has been reported. */
static int stat_in_order(struct stat *stat, hectic_input *input)
{
    static const struct reader reader = {.size = sizeof(struct part),
                                         .begin = begin_whole,
                                         .events = whole_events,
                                         .end = end_of_process,
                                         .finish = finish};
    const struct process_choice *choice = &stat->settings->base.interval.process;
    struct progress progress = progress_start(&stat->settings->base.output);
    struct reading reading = {
        .interval = {0, UINT64_MAX}, .progress = progress_update, .progress_user = &progress};
    drop_section(stat);
    stat->next = stat->section;
    reading.log = input ? tool_log_open(input, stat->path, 0, 0, &progress) : NULL;
    if (!reading.log) return TOOL_UNUSABLE;
    stat->total = (struct report_total){0};
    bool done = reading_find_processes(&reading, choice);
    if (done && reading.unmatched && !stat->matched)
        process_complain(choice, stat->path, reading.unchosen);
    stat->matched = stat->matched || !reading.unmatched;
    done = done && reading_all(&reading, &reader, stat) &&
           (stat->total.section == 0 || put_sums(stat)) &&
           (choice->is_set ||
            put_empty(stat, reading.log, hectic_log_survey(reading.log)->sections + 1));
    stat->without += reading.left_out;
    progress_end(&progress);
    if (!done && !stat->refused) out_of_memory();
    tool_note_coverage(reading.log, stat->path, UINT64_MAX, &stat->settings->base.output);
    reading_close(&reading);
    return !done ? TOOL_UNUSABLE : stat->damaged ? TOOL_DAMAGED : TOOL_OK;
}

/* --------------------------------------------------------------------------------------------- */

static int stat_input(struct stat *stat, hectic_input *input)
{
    int code = TOOL_UNUSABLE;
    hectic_decoder *decoder = hectic_decoder_new();
    if (decoder)
        code = read_whole(stat, input, decoder);
    else
        out_of_memory();
    hectic_decoder_free(decoder);
    drop_section(stat);
    return code;
}

static int stat_whole(struct stat *stat)
{
    hectic_input *input = tool_input_open(stat->path);
    hectic_error error = {0};
    if (!input) return TOOL_UNUSABLE;
    const bool is_once =
        !tool_input_is_file(stat->path); /* without an end marker, it is read twice */
    if (is_once && !hectic_input_make_random(input, &error)) {
        tool_log_error(stat->path, &error);
        hectic_input_free(input);
        return TOOL_UNUSABLE;
    }
    int code = TOOL_UNUSABLE;
    stat->sink = sink_open(&stat->settings->base.output);
    if (stat->sink) {
        code = stat_input(stat, input);
        if (stat->is_cut) {
            hectic_input *again = is_once ? input : tool_input_open(stat->path);
            if (is_once) input = NULL;
            code = stat_in_order(stat, again);
        }
        if (code != TOOL_UNUSABLE && !end_rows(stat)) code = TOOL_UNUSABLE;
        code = sink_close(stat->sink, code);
    }
    hectic_input_free(input);
    return code;
}

/* --- Intervals, in the order of time --------------------------------------------------------- */

static bool open_interval(struct stat *stat, uint64_t from, hectic_stat_interval **interval)
{
    *interval = hectic_stat_open(stat->part->stat, from);
    return *interval;
}

static bool begin_slice(const struct reading *reading, uint64_t from)
{
    struct stat *stat = reading->user;
    stat->part = reading->kept;
    return open_interval(stat, from, &stat->part->interval);
}

static bool end_slice(const struct reading *reading, uint64_t from, uint64_t to)
{
    struct stat *stat = reading->user;
    struct part *part = stat->part = reading->kept;
    (void)from;
    if (!put(stat, part->interval, to, NULL)) return false;
    hectic_stat_close(part->stat, part->interval);
    return !sink_failed(stat->sink);
}

/* Counts the window from now, or from the start of the interval. */
static bool open_window(struct stat *stat, struct window *window, uint64_t time)
{
    const uint32_t most = OPEN_MAX / (OPEN_MIN + stat->caps);
    window->is_open = true;
    if (time < stat->from) return true;
    if (stat->opens > most) {
        tool_message("--window: more than %" PRIu32 " are open at once; use --from and --to", most);
        stat->refused = true;
        return false;
    }
    stat->opens++;
    return open_interval(stat, time, &window->interval);
}

static bool close_window(struct stat *stat, struct window *window, uint64_t to)
{
    window->is_open = false;
    if (!window->interval) return true;
    stat->opens--;
    const bool done = put(stat, window->interval, to, window);
    hectic_stat_close(stat->part->stat, window->interval);
    window->interval = NULL;
    return done;
}

/* At the start of the interval, open windows start to count. */
static bool enter_interval(struct stat *stat)
{
    stat->part->entered = true;
    bool done = true;
    for (size_t i = 0; i < stat->windows.count && done; i++) {
        struct window *window = &stat->windows.window[i];
        if (window->is_open && window->slot == stat->reading->part->slot)
            done = open_window(stat, window, stat->from);
    }
    return done;
}

static bool pass_window(struct stat *stat, const hectic_event *event)
{
    if (event->time >= stat->from && !stat->part->entered && !enter_interval(stat)) return false;
    struct window *window = windows_at(&stat->windows, event);
    if (!window) return true;
    return window->start == event->position ? open_window(stat, window, event->time)
                                            : close_window(stat, window, event->time);
}

static bool end_windows(struct stat *stat, uint64_t now)
{
    bool done = stat->part->entered || enter_interval(stat);
    for (size_t i = 0; i < stat->windows.count && done; i++)
        if (stat->windows.window[i].is_open &&
            stat->windows.window[i].slot == stat->reading->part->slot)
            done = close_window(stat, &stat->windows.window[i], now);
    return done;
}

static bool begin(const struct reading *reading)
{
    struct stat *stat = reading->user;
    struct part *part = stat->part = reading->kept;
    stat->section = reading->section;
    part->entered = false;
    part->stat = stat_of_process(reading, false);
    return part->stat;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct stat *stat = reading->user;
    stat->part = reading->kept;
    for (size_t i = 0; i < count; i++)
        if ((stat->settings->window && !pass_window(stat, &event[i])) ||
            !hectic_stat_event(stat->part->stat, &event[i]))
            return false;
    return true;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct stat *stat = reading->user;
    stat->part = reading->kept;
    const bool done = !stat->settings->window || end_windows(stat, now);
    const bool added = add_warnings(stat, stat->part->stat);
    finish(reading);
    return done && added;
}

static uint32_t count_caps(const hectic_survey *survey)
{
    uint32_t caps = 0;
    for (size_t i = 0; i < (HECTIC_CAP_NONE + 1) / 8; i++)
        caps += (uint32_t)__builtin_popcount(survey->caps[i]);
    return caps;
}

static bool print_intervals(struct table_verb *base, void *user)
{
    struct stat *stat = user;
    const bool has_slices = !stat->settings->window;
    const struct reader reader = {.size = sizeof(struct part),
                                  .begin = begin,
                                  .events = events,
                                  .end = end,
                                  .finish = finish,
                                  .begin_slice = has_slices ? begin_slice : NULL,
                                  .end_slice = has_slices ? end_slice : NULL,
                                  .every = stat->settings->every};
    struct reading *reading = base->reading;
    stat->reading = reading;
    stat->sink = base->sink;
    stat->from = reading->interval.from;
    stat->to = reading->interval.to;
    stat->sections = hectic_log_survey(reading->log)->sections > 1;
    stat->caps = count_caps(hectic_log_survey(reading->log));
    const char *label = stat->settings->window;
    const uint64_t every = stat->settings->every;
    if (label && !windows_find(&stat->windows, reading, label)) {
        base->refused = stat->windows.too_many;
        return false;
    }
    if (stat->table && reading->several) table_show_processes(stat->table);
    const bool is_few = !every || base->duration / every <= ROWS_MAX || refuse_rows(stat);
    const bool done = is_few && reading_all(reading, &reader, stat) && end_rows(stat);
    base->refused = stat->refused;
    return done;
}

static int stat_intervals(struct stat *stat)
{
    const struct table_verb_need need = {
        .what = "time or memory",
        .flag = "+RTS -l",
        .event = {HECTIC_EVENT_GC_START, RUNNING_EVIDENCE, HECTIC_EVENT_HEAP_ALLOCATED,
                  HECTIC_EVENT_SPARK_COUNTERS},
        .events = 4,
        .extent = stat->settings->window ? READING_TO_END : READING_STATES,
    };
    return table_verb_run(stat->path, &stat->settings->base, &need, print_intervals, stat);
}

/* --- The verb -------------------------------------------------------------------------------- */

static bool is_whole(const struct stat_settings *settings)
{
    const struct interval_settings *interval = &settings->base.interval;
    return !interval->from && !interval->to && !interval->between[0] && !settings->window &&
           !settings->every;
}

static int report_warnings(const struct stat *stat, int code)
{
    const char *label = stat->settings->window;
    const hectic_span_totals *spans = &stat->windows.totals;
    if (code == TOOL_OK && is_whole(stat->settings) && !stat->matched) code = TOOL_DAMAGED;
    if (label && (code == TOOL_OK || code == TOOL_DAMAGED) && stat->windows.count == 0) {
        tool_message("%s: no span has the label \"%s\" (hectic spans lists the labels)",
                     tool_log_name(stat->path), label);
        code = TOOL_DAMAGED;
    }
    if (spans->across > 0)
        tool_message("%s: %" PRIu64
                     " windows \"%s\" were started by one thread and stopped by another",
                     tool_log_name(stat->path), spans->across, label);
    if (spans->unstarted > 0)
        tool_message("%s: %" PRIu64 " STOPs of \"%s\" without START", tool_log_name(stat->path),
                     spans->unstarted, label);
    if (spans->unstopped > 0)
        tool_message("%s: %" PRIu64 " STARTs of \"%s\" without STOP: they end with the log",
                     tool_log_name(stat->path), spans->unstopped, label);
    gaps_note(stat->path, &stat->gaps);
    if (!stat->settings->base.interval.process.is_set)
        logs_report_left_out(stat->path, stat->without, HECTIC_STAT_PARTS_MAX);
    if (stat->counter_resets > 0)
        tool_message("%s: %s a counter decreased: it was taken as unchanged",
                     tool_log_name(stat->path), quantity(stat->counter_resets, "time").text);
    if (stat->time_steps_back > 0)
        tool_message("%s: %s the clock of a cap went back by more than 10 ms",
                     tool_log_name(stat->path), quantity(stat->time_steps_back, "time").text);
    return code == TOOL_OK && (stat->counter_resets > 0 || stat->time_steps_back > 0) ? TOOL_DAMAGED
                                                                                      : code;
}

static int run(void *given, int argc, char **argv)
{
    (void)argc;
    const struct stat_settings *settings = given;
    struct stat stat = {.settings = settings, .path = argv[0]};
    if (settings->window && settings->every) {
        tool_usage_error("--window and --every cannot be combined");
        return TOOL_USAGE;
    }
    if (!table_forms_agree(&settings->base.table)) return TOOL_USAGE;
    int code = TOOL_OK;
    if (settings->window || settings->every ||
        (settings->base.table.csv && !settings->base.table.lines)) {
        stat.table = table_new(NULL, stat_every_columns, &settings->base.table, &code);
        if (!stat.table) return code;
    } else if (settings->base.table.where) {
        tool_usage_error("--where needs rows: --every, --window or --csv");
        return TOOL_USAGE;
    }
    code = is_whole(settings) ? stat_whole(&stat) : stat_intervals(&stat);
    table_free(stat.table);
    windows_clear(&stat.windows);
    free(stat.totals);
    return report_warnings(&stat, code);
}

static bool set_gc_time(void *field, const char *argument)
{
    *(bool *)field = strcmp(argument, "caps") == 0;
    if (*(bool *)field || strcmp(argument, "main") == 0) return true;
    tool_message("invalid value \"%s\" for --gc-time (main or caps)", argument);
    return false;
}

static const struct tool_option parts_options[] = {
    {"window", 0, "LABEL", "a row for each START LABEL ... STOP LABEL", NULL,
     offsetof(struct stat_settings, window), tool_set_text},
    {"every", 'n', "TIME", "a row for each slice of this length: 100ms", NULL,
     offsetof(struct stat_settings, every), tool_set_duration},
    {0},
};

static const struct tool_option form_options[] = {
    {"gc-time", 0, "WHOSE", "main: GC leader (as +RTS -s); caps: mean of caps", "main caps",
     offsetof(struct stat_settings, by_caps), set_gc_time},
    {"where", 0, "CONDITION", "of rows: which ones; all columns", NULL,
     offsetof(struct stat_settings, base.table.where), tool_set_text},
    {"wide", 0, NULL, NULL, NULL, offsetof(struct stat_settings, base.table.wide), tool_set_flag},
    TABLE_FORMS(struct stat_settings, base.table.),
    {0},
};

const struct verb verb_stat = {
    .name = "stat",
    .group = "My program is slow",
    .brief = "time and memory, as +RTS -s and more",
    .summary = "Report time and memory, as +RTS -s does, and more",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Prints what a program run with +RTS -s prints at its end, in the same layout, and "
            "more: "
            "times of each cap, percentiles of pauses, time to safepoint. CPU times are N/A, since "
            "logs do not record them, and so is everything else that this log does not record: "
            "--verbose lists the reasons.",
            "The whole log takes one pass over a file or a pipe, finished or not. "
            "--from, --to and --between report on an interval; --every and --window "
            "print a row for each interval. Adjacent intervals add up to their union exactly.",
            "If the log was merged from those of several processes, there is a report for each, "
            "and sums.",
            "--json prints one object: stat, with a report for each section and process, in "
            "nanoseconds and bytes, and stat_total, the sums of processes; with --every and "
            "--window, stat_every, with a row for each. --jsonl prints each report, or row, on a "
            "line. Unknown values are null. In caps, present_ns is the time in which the cap "
            "existed, inside the interval: the sum of running_ns, gc_ns, gc_wait_ns, unknown_ns "
            "and "
            "idle_ns.",
            "LOG may also be unix:PATH, tcp:HOST:PORT, fifo:PATH or fd:N, for the log of a running "
            "program, or run:COMMAND, which starts one (see hectic watch): then the report is "
            "printed when the log ends.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Which part", interval_options, offsetof(struct stat_settings, base.interval),
             interval_note},
            {"Which part", process_options, offsetof(struct stat_settings, base.interval),
             process_note},
            {"Which part", parts_options, 0, NULL},
            {"Output", form_options, 0, NULL},
            {"Output", output_options, offsetof(struct stat_settings, base.output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic stat Main.eventlog", "what +RTS -s would have printed"},
            {"hectic stat --every 100ms Main.eventlog", "over time"},
            {"hectic stat --window request --csv LOG", "what each request cost"},
            {"hectic stat --between ready..done --json LOG", "a part of the run, for a script"},
            {NULL, NULL}},
    .exits =
        {"Success; the log may be truncated.",
         "The log is damaged, some counters or times are inconsistent, or the log lies outside of "
         "the interval; the rest was printed.",
         "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct stat_settings),
    .run = run,
};
