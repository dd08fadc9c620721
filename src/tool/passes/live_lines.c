/* live_lines.c — see live_lines.h. */
#include "tool/passes/live_lines.h"

#include "numbers/saturating.h"
#include "os/clock.h"
#include "render/units.h"
#include "report/stat_report.h"
#include "source/source.h"
#include "tool/cli/message.h"
#include "tool/input/logs.h"
#include "tool/input/process.h"
#include "tool/output/json.h"
#include "tool/output/table.h"
#include "tool/output/terminal_text.h"

#include <hectic/stream.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BANDS_SHOWN = 10, CAPS_SHOWN = 8, CAP_WIDTH = 4, SECOND = 1000000000 };

/* An interval shorter than this part of a line's time has no rates: if a log stalls, its first
 * events span microseconds. */
enum { SHORTEST = 1000 };

/* The cost of a line is proportional to the number of caps. A line lasts longer if it would cost
 * more than this number of caps per event. */
enum { CAPS_PER_EVENT = 16 };

/* A longer lag would not be live. */
static const uint64_t lag_max = UINT64_C(5) * SECOND;

struct live_lines {
    const struct watch_settings *settings;
    FILE *out;
    const char *name;
    hectic_live_stats *live_stats;
    hectic_stream *stream;       /* NULL: events come in order */
    hectic_processes *processes; /* of the log */
    uint64_t every;
    uint64_t next;         /* time of the log at which the next line is due; 0: not begun */
    uint64_t events;       /* since the last line */
    uint32_t caps;         /* the most that there were at a line */
    uint64_t line_at;      /* monotonic: time of the last line */
    uint64_t lines;        /* printed */
    uint64_t since_titles; /* lines since the column titles */
    uint64_t counted;      /* end of the section's last line with allocation, or begin of its first
                              line; UINT64_MAX: it has no line */
    uint64_t damaged;      /* places */
    uint64_t latest;       /* time of the latest event */
    uint64_t late,
        late_reported;        /* events that arrived after later ones: all; up to the last line */
    uint64_t late_by, needed; /* the maximum, ns; and the lag that would have sufficed */
    bool is_live, has_header, complete, introduced, lag_reported;
    bool is_joining; /* the line may begin before the log does */
    bool failed, unusable;
};

/* --- Columns --------------------------------------------------------------------------------- */

enum form { PLAIN, RATE, SHARE }; /* in text: the number, per second, share of the time */

/* How text shows the columns of the catalogue that it has. */
static const struct column {
    uint8_t column; /* in watch_columns */
    uint8_t width;
    enum form form;
} shown[] = {
    {CELL_AT(watch, time_ns), 5, PLAIN},          {CELL_AT(watch, allocated_bytes), 5, RATE},
    {CELL_AT(watch, live_bytes), 4, PLAIN},       {CELL_AT(watch, heap_bytes), 4, PLAIN},
    {CELL_AT(watch, gen0_collections), 4, PLAIN}, {CELL_AT(watch, older_collections), 4, PLAIN},
    {CELL_AT(watch, pause_max_ns), 5, PLAIN},     {CELL_AT(watch, gc_ns), 3, SHARE},
    {CELL_AT(watch, safepoint_ns), 4, SHARE},     {CELL_AT(watch, threads), 4, PLAIN},
    {CELL_AT(watch, running), 3, PLAIN},          {CELL_AT(watch, blocked), 4, PLAIN},
    {CELL_AT(watch, sparks_created), 5, RATE},    {CELL_AT(watch, lag_ns), 5, PLAIN},
};

enum { COLUMNS = CELLS_OF(watch), SHOWN = sizeof shown / sizeof *shown };

const struct legend_entry watch_legend[] = {
    {"time", "seconds of the program's clock"},    {"alloc", "bytes allocated per second"},
    {"live", "bytes live after a major GC"},       {"heap", "bytes reserved from the OS"},
    {"gc0", "collections of generation 0"},        {"gc1+", "those of older generations"},
    {"pause", "longest GC pause (us, ms, s)"},     {"gc%", "% of the time in collections"},
    {"tts%", "% of the time to safepoint"},        {"thr", "threads alive at the end"},
    {"run", "threads running at the end"},         {"blk", "threads blocked at the end"},
    {"spark", "sparks created per second"},        {"lag", "age of the latest event (ms, s)"},
    {"mut%", "% of the time threads ran, by cap"}, {NULL, NULL},
};

const char watch_columns_note[] =
    "Numbers of bytes use K, M and G for 2^10, 2^20 and 2^30, other numbers for 10^3, 10^6 and "
    "10^9. time: seconds of the program's clock. alloc: bytes allocated per second since the "
    "line with the last collections, which count them. live: bytes live after the last major "
    "collection. heap: bytes reserved from the OS. gc0, gc1+: "
    "collections of generation 0, and of older generations. pause: the longest GC pause. gc%: "
    "share of the time in collections, as the GC leader sees them. tts%: share of the time to "
    "safepoint, from the request for a collection until all caps have stopped. thr, run, blk: "
    "threads alive, running and blocked at the end of the interval. spark: sparks created per "
    "second. lag: age of the latest event, by the wall clock. mut%: share of the time that each "
    "cap ran threads; the mean, if there are more than 8 caps or the terminal is too narrow. "
    "While a cap has not written its events, the other columns do not include it. Late events "
    "arrive after later ones of other caps; they are missing in the rates and times of the lines "
    "before, but threads, live and heap become right again. Without --lag, events wait for 1s, "
    "and up to 5s if caps write that far apart, as with runtimes before GHC 9.2. An unknown value "
    "is \"-\", in JSON null, in CSV empty: for example, if the log has no events of the class so "
    "far, or the class was switched off, or events were dropped. JSON and CSV have more columns, "
    "and sums for the "
    "line's duration_ns instead of rates; JSON has objects for each cap (gc_ns: in collections; "
    "gc_wait_ns: stopped for a collection that had not begun, had ended, or that the cap took no "
    "part in), each generation, and each reason for blocking; and heap_profile: the time and total "
    "of the "
    "latest sample of a heap profile, and its 10 largest bands.";

static uint64_t sum_of_older(const hectic_stat_result *sums)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < sums->generations; i++)
        sum += sums->generation[i].collections;
    return sum;
}

static uint64_t blocked(const hectic_live_stats_report *report)
{
    return report->alive - report->in_state[HECTIC_THREAD_RUNNING] -
           report->in_state[HECTIC_THREAD_RUNNABLE] - report->in_state[HECTIC_THREAD_UNKNOWN];
}

static uint64_t wall_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* The age of the latest event. Unknown if the clocks do not agree. */
static struct cell lag_of(const struct live_lines *w, const hectic_live_stats_report *report)
{
    const hectic_live_stats_program program = hectic_live_stats_get_program(w->live_stats);
    if (!w->is_live || !program.has_wall || report->time == 0) return cell_unknown();
    const uint64_t ago = wall_now() - (uint64_t)program.wall - report->time;
    return cell_if(ago <= INT64_MAX, ago);
}

/* The GC leader may be known only at the end of a collection, which then counts at once. */
static uint64_t pause_in(const hectic_stat_result *sums)
{
    const uint64_t lasted = sums->to - sums->from;
    return sums->gc_main_ns < lasted ? sums->gc_main_ns : lasted;
}

static void fill(const struct live_lines *w, const hectic_live_stats_report *report,
                 union watch_row *row)
{
    const hectic_stat_result *sums = &report->sums;
    const bool lasted = sums->to > sums->from;
    const bool threads = sums->has_threads, collects = lasted && sums->has_gc_stats;
    uint64_t mutator = 0;
    for (uint32_t i = 0; i < sums->caps; i++)
        mutator += sums->cap[i].running_ns;
    *row = (union watch_row){
        .time_ns = cell_number(sums->to),
        .duration_ns = cell_number(sums->to - sums->from),
        .allocated_bytes = cell_if(lasted && sums->has_allocated, sums->allocated),
        .copied_bytes = cell_if(collects, sums->copied),
        .live_bytes = cell_if(report->has_live, report->live),
        .heap_bytes = cell_if(report->has_heap_size, report->heap_size),
        .gen0_collections =
            cell_if(collects, sums->generations ? sums->generation[0].collections : 0),
        .older_collections = cell_if(collects, sum_of_older(sums)),
        .pause_max_ns = cell_if(sums->has_gc && sums->pause.count > 0, sums->pause.max),
        .gc_ns = cell_if(lasted && sums->has_gc, pause_in(sums)),
        .safepoint_ns = cell_if(lasted && sums->has_safepoint, sums->safepoint.sum),
        .safepoint_max_ns =
            cell_if(sums->has_safepoint && sums->safepoint.count > 0, sums->safepoint.max),
        .mutator_ns = cell_if(lasted && threads, mutator),
        .threads = cell_if(threads, report->alive),
        .running = cell_if(threads, report->in_state[HECTIC_THREAD_RUNNING]),
        .runnable = cell_if(threads, report->in_state[HECTIC_THREAD_RUNNABLE]),
        .blocked = cell_if(threads, blocked(report)),
        .threads_created = cell_if(threads, report->created),
        .threads_ended = cell_if(threads, report->ended),
        .sparks_created = cell_if(lasted && sums->has_sparks, sums->sparks.created),
        .sparks_converted = cell_if(lasted && sums->has_sparks, sums->sparks.converted),
        .events = cell_number(report->events),
        .messages = cell_if(report->has_messages, report->messages),
        .dropped_events = cell_number(report->dropped),
        .late_events = cell_number(w->late - w->late_reported),
        .lag_ns = lag_of(w, report),
    };
}

/* --- Text ------------------------------------------------------------------------------------ */

/* Decimal places of the time at which a line ends: as many as distinguish lines; at the end of the
 * log more, as far as they fit. */
static int places_of(const struct live_lines *w, uint64_t time)
{
    const bool is_whole = time % w->every == 0;
    const uint64_t step = is_whole ? w->every : 1;
    const int wanted = step % (SECOND / 10) == 0 ? 1 : step % (SECOND / 100) == 0 ? 2 : 3;
    const double seconds = (double)time / SECOND;
    const int room = seconds < 9.9995 ? 3 : seconds < 99.995 ? 2 : seconds < 999.95 ? 1 : !is_whole;
    return w->every >= SECOND && room < wanted ? room : wanted;
}

/* Allocation is counted at collections: of all time since the last ones, which may be in an earlier
 * line. `duration` is that of the line. */
static void print_cell(const struct live_lines *w, char out[UNITS_ROOM],
                       const struct column *column, const struct cell *cell, double duration,
                       uint64_t to)
{
    double number = (double)cell->number;
    const enum cell_kind kind = watch_columns[column->column].kind;
    const bool is_allocation = column->form == RATE && kind == CELL_BYTES;
    if (is_allocation) duration = (double)(to - w->counted);
    const bool lasted = duration > 0 && duration >= (double)w->every / SHORTEST;
    const bool is_counted = !is_allocation || cell->number > 0;
    if (!cell->known || !is_counted || (column->form != PLAIN && !lasted)) {
        snprintf(out, UNITS_ROOM, "-");
    } else if (column->form == SHARE) {
        const double share = number < duration ? 100 * number / duration : 100;
        snprintf(out, UNITS_ROOM, "%.*f", share < 9.95, share);
    } else if (kind == CELL_TIME) {
        snprintf(out, UNITS_ROOM, "%.*f", places_of(w, cell->number), number / SECOND);
    } else if (kind == CELL_NS) {
        units_put(out, number, UNITS_TIME, UNITS_TWO, false);
    } else {
        if (column->form == RATE) number *= SECOND / duration;
        units_put(out, number, kind == CELL_BYTES ? UNITS_BINARY : UNITS_COUNT, UNITS_TWO, false);
    }
}

static void put_titles(const struct live_lines *w)
{
    for (size_t i = 0; i < SHOWN; i++)
        fprintf(w->out, "%*s ", shown[i].width, watch_columns[shown[i].column].title);
    fputs("mut%\n", w->out);
}

/* The size of the terminal; 0: not a terminal. */
static struct winsize size_of(FILE *out)
{
    struct winsize size;
    const int fd = fileno(out) >= 0 ? fileno(out) : STDERR_FILENO; /* see stderr_buffer_stream */
    const bool is_terminal = isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0;
    return is_terminal ? size : (struct winsize){0};
}

/* Column titles once per screen; in a pipe, once. */
static bool wants_titles(const struct live_lines *w, unsigned rows)
{
    return w->since_titles == 0 || (rows > 2 && w->since_titles >= rows - 1);
}

static void put_share(const struct live_lines *w, bool known, double share)
{
    if (known)
        fprintf(w->out, " %3.0f", 100 * share);
    else
        fputs("   -", w->out);
}

static void put_caps(const struct live_lines *w, const hectic_live_stats_report *report,
                     double duration, int room)
{
    const hectic_stat_result *sums = &report->sums;
    const bool each = sums->caps > 0 && room > 0 && sums->caps <= (uint32_t)room;
    double all = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sums->caps; i++) {
        const bool known =
            sums->has_threads && duration > 0 && report->cap[i].activity != HECTIC_CAP_UNKNOWN;
        const double share = known ? (double)sums->cap[i].running_ns / duration : 0;
        all += share;
        count += known;
        if (each) put_share(w, known, share);
    }
    if (!each) put_share(w, count > 0, count > 0 ? all / count : 0);
}

static void put_text(struct live_lines *w, const hectic_live_stats_report *report,
                     const struct cell cells[COLUMNS])
{
    const hectic_stat_result *sums = &report->sums;
    const double duration = (double)(sums->to - sums->from);
    const struct winsize size = size_of(w->out);
    int used = 0;
    char text[UNITS_ROOM];
    if (wants_titles(w, size.ws_row)) {
        put_titles(w);
        w->since_titles = 0;
    }
    w->since_titles++;
    if (w->counted > sums->from) w->counted = sums->from;
    for (size_t i = 0; i < SHOWN; i++) {
        print_cell(w, text, &shown[i], &cells[shown[i].column], duration, sums->to);
        used += fprintf(w->out, "%*s", shown[i].width + (used > 0), text);
    }
    if (sums->has_allocated && sums->allocated > 0) w->counted = sums->to;
    const int room = size.ws_col > 0 ? (size.ws_col - used) / CAP_WIDTH : CAPS_SHOWN;
    put_caps(w, report, duration, room < CAPS_SHOWN ? room : CAPS_SHOWN);
    const uint64_t late = w->late - w->late_reported;
    if (late > 0) fprintf(w->out, "  (%" PRIu64 " late)", late);
    fputc('\n', w->out);
}

/* --- CSV and JSON ---------------------------------------------------------------------------- */

static void put_csv(struct live_lines *w, const struct cell cells[COLUMNS])
{
    if (w->lines == 0)
        for (size_t i = 0; i < COLUMNS; i++)
            fprintf(w->out, "%s%s", watch_columns[i].name, i + 1 < COLUMNS ? "," : "\n");
    for (size_t i = 0; i < COLUMNS; i++) {
        if (cells[i].known) fprintf(w->out, "%" PRIu64, cells[i].number);
        fputs(i + 1 < COLUMNS ? "," : "\n", w->out);
    }
}

static void put_json_caps(struct json *json, const hectic_live_stats_report *report)
{
    const hectic_stat_result *sums = &report->sums;
    json_open(json, "caps", '[');
    for (uint32_t i = 0; i < sums->caps; i++) {
        const hectic_stat_cap *cap = &sums->cap[i];
        const hectic_live_stats_cap *now = &report->cap[i];
        const bool runs = now->activity == HECTIC_CAP_RUNNING;
        const bool known = now->activity != HECTIC_CAP_UNKNOWN;
        const bool has_gc = known && cap->has_gc;
        record_put(json, NULL, watch_cap, .cap = cell_number(cap->cap),
                   .activity = cell_text(hectic_cap_activity_name(now->activity)),
                   .thread = cell_if(runs, now->thread),
                   .mutator_ns = cell_if(known && sums->has_threads, cap->running_ns),
                   .gc_ns = cell_if(has_gc, cap->gc_ns),
                   .gc_wait_ns = cell_if(has_gc, report_wait_ns(cap)),
                   .idle_ns = cell_if(known && cap->has_idle, cap->idle_ns));
    }
    json_close(json, ']');
}

static void put_json_states(struct json *json, const hectic_live_stats_report *report)
{
    if (!report->sums.has_threads) {
        json_text(json, "thread_states", NULL);
        return;
    }
    json_open(json, "thread_states", '{');
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        json_number(json, hectic_thread_state_name((hectic_thread_state)i), true,
                    report->in_state[i]);
    json_close(json, '}');
}

static void put_json_generations(struct json *json, const hectic_live_stats_report *report)
{
    if (!report->sums.has_gc_stats) {
        json_text(json, "collections", NULL);
        return;
    }
    json_open(json, "collections", '[');
    for (uint32_t i = 0; i < report->sums.generations; i++)
        json_number(json, NULL, true, report->sums.generation[i].collections);
    json_close(json, ']');
}

/* The latest sample: the sum of all bands, and the largest ones. */
static void put_json_heap(struct json *json, const hectic_live_stats *live_stats)
{
    hectic_live_stats_sample sample;
    if (!hectic_live_stats_get_sample(live_stats, &sample)) {
        json_text(json, "heap_profile", NULL);
        return;
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sample.bands; i++)
        saturating_add(&sum, sample.band[i].bytes);
    json_open(json, "heap_profile", '{');
    json_number(json, "time_ns", sample.time > 0, sample.time);
    json_text(json, "breakdown", hectic_breakdown_text(sample.breakdown));
    json_number(json, "total_bytes", true, sum);
    json_open(json, "bands", '[');
    for (uint32_t i = 0; i < sample.bands && i < BANDS_SHOWN; i++) {
        char room[REPEATED_ROOM];
        record_put(json, NULL, watch_band,
                   .label = cell_text(repeated_text(sample.band[i].name, room)),
                   .bytes = cell_number(sample.band[i].bytes));
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_json(const struct live_lines *w, const hectic_live_stats_report *report,
                     const struct cell cells[COLUMNS])
{
    const hectic_live_stats_program program = hectic_live_stats_get_program(w->live_stats);
    struct json json = json_on_file(w->out);
    json_open(&json, NULL, '{');
    json_text(&json, "program", program.name);
    json_number(&json, "pid", program.pid > 0, program.pid);
    cells_put_members(&json, watch_columns, cells, false);
    put_json_generations(&json, report);
    put_json_states(&json, report);
    put_json_caps(&json, report);
    put_json_heap(&json, w->live_stats);
    json_close(&json, '}');
    json_end_line(&json);
}

/* --- Lines ----------------------------------------------------------------------------------- */

/* Reports the program when it is known. */
static void introduce(struct live_lines *w)
{
    const hectic_live_stats_program program = hectic_live_stats_get_program(w->live_stats);
    if (w->introduced || w->settings->quiet || !program.name) return;
    w->introduced = true;
    char name[512], rts[512];
    size_t width;
    const char *runtime = program.rts ? program.rts : "an unnamed runtime";
    const size_t length = strlen(runtime);
    name[terminal_text_fit(program.name, strlen(program.name), 60, name, &width)] = 0;
    rts[terminal_text_fit(runtime, length, 60, rts, &width)] = 0;
    if (program.pid > 0)
        tool_message("%s: %s, process %u, %s", w->name, name, program.pid, rts);
    else
        tool_message("%s: %s, %s", w->name, name, rts);
}

bool live_lines_are_over(const struct live_lines *w)
{
    const uint64_t limit = w->settings->limit;
    return w->failed || (limit > 0 && w->lines >= limit);
}

static bool fail_at(struct live_lines *w, const char *place, const char *why)
{
    tool_message("%s: %s", place, why);
    w->failed = w->unusable = true;
    return false;
}

static bool fail(struct live_lines *w, const char *why)
{
    return fail_at(w, w->name, why);
}

static void give(const struct live_lines *w, const hectic_live_stats_report *report)
{
    const struct cell lag = lag_of(w, report);
    w->settings->take(w->settings->user, &(struct live_line){.live_stats = w->live_stats,
                                                             .report = report,
                                                             .has_lag = lag.known,
                                                             .lag = lag.number,
                                                             .late = w->late - w->late_reported,
                                                             .damaged = w->damaged});
}

static void put(struct live_lines *w, const hectic_live_stats_report *report)
{
    union watch_row row;
    fill(w, report, &row);
    if (w->settings->take)
        give(w, report);
    else if (w->settings->json)
        put_json(w, report, row.cells);
    else if (w->settings->csv)
        put_csv(w, row.cells);
    else
        put_text(w, report, row.cells);
    w->lines++;
}

/* After attaching to a running program, the first line would cover a part of its time, and events
 * before it that are only reported later: it is omitted. An interim line has no sums. */
enum line { WHOLE_LINE, INTERIM_LINE, LAST_LINE };

static bool put_line(struct live_lines *w, uint64_t time, enum line line)
{
    if (live_lines_are_over(w)) return false;
    hectic_live_stats_report report;
    introduce(w);
    if (!hectic_live_stats_interval(w->live_stats, time, &report)) return fail(w, "out of memory");
    if (report.sums.caps > w->caps) w->caps = report.sums.caps;
    const bool is_partial = w->is_joining && w->is_live && report.sums.is_part;
    if (is_partial) report.sums.from = report.sums.to;
    if (!is_partial || line == INTERIM_LINE) put(w, &report);
    if (line == WHOLE_LINE) w->is_joining = false;
    hectic_live_stats_report_clear(&report);
    w->events = 0;
    w->late_reported = w->late;
    w->line_at = clock_ns();
    const char *output = w->settings->output;
    if (fflush(w->out) != 0)
        return fail_at(w, output ? output : "standard output", strerror(errno));
    return !live_lines_are_over(w);
}

bool live_lines_begin(struct live_lines *w, const hectic_header *header)
{
    if (w->has_header && !live_lines_end(w)) return false;
    w->has_header = w->is_joining = true;
    w->complete = false;
    w->introduced = false;
    w->next = 0;
    w->latest = 0;
    w->events = w->caps = 0;
    w->counted = UINT64_MAX;
    hectic_processes_free(w->processes);
    w->processes = NULL;
    if (!hectic_live_stats_begin(w->live_stats, header)) return fail(w, "out of memory");
    if (w->is_live) hectic_live_stats_follow(w->live_stats);
    return true;
}

/* The next multiple of a line's length. */
static uint64_t boundary_after(const struct live_lines *w, uint64_t time)
{
    return slice_end(slice_of(0, w->every, time), w->every, UINT64_MAX);
}

/* Runtimes before GHC 9.2 write events about the process when it ends: those are not late. */
static void note_late(struct live_lines *w, const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    const bool of_program = event->cap == HECTIC_CAP_NONE && shape &&
                            (shape->definition || shape->class_ == HECTIC_CLASS_TASK);
    if (event->time >= w->latest) {
        w->latest = event->time;
    } else if (!of_program && event->type != HECTIC_EVENT_BLOCK_MARKER) {
        const uint64_t by = w->latest - event->time;
        const uint64_t held = w->stream ? hectic_stream_get_state(w->stream).behind : 0;
        w->late++;
        if (by > w->late_by) w->late_by = by;
        if (held + by > w->needed) w->needed = held + by;
    }
}

/* False: the log has several processes, or there is no memory. */
static bool note_process(struct live_lines *w, const hectic_event *event)
{
    if (!processes_note(&w->processes, event)) return fail(w, "out of memory");
    const bool is_named = event->cap != HECTIC_CAP_NONE; /* the processes' names are known, too */
    if (!is_named || !process_refuse_several(w->processes, w->name)) return true;
    w->failed = w->unusable = true;
    return false;
}

bool live_lines_event(struct live_lines *w, const hectic_event *event)
{
    if (w->failed || !note_process(w, event)) return false;
    note_late(w, event);
    const uint64_t time = event->time;
    if (w->settings->see) w->settings->see(w->settings->user, event);
    if (w->next == 0) {
        w->next = boundary_after(w, time);
        w->line_at = 0;
    }
    const bool is_paid = w->events >= w->caps / CAPS_PER_EVENT;
    if (!is_paid && time >= w->next) w->next = boundary_after(w, time);
    if (time >= w->next && event->type != HECTIC_EVENT_BLOCK_MARKER) {
        if (!put_line(w, w->next, WHOLE_LINE)) return false;
        /* A period without events is one line. */
        const uint64_t last = slice_of(0, w->every, time);
        if (last > w->next && !put_line(w, last, WHOLE_LINE)) return false;
        w->next = boundary_after(w, time);
    }
    w->events += event->type != HECTIC_EVENT_BLOCK_MARKER;
    return hectic_live_stats_event(w->live_stats, event) || fail(w, "out of memory");
}

bool live_lines_end(struct live_lines *w)
{
    return w->events == 0 || put_line(w, HECTIC_LIVE_STATS_NOW, LAST_LINE);
}

/* --- Bytes ----------------------------------------------------------------------------------- */

static bool note_damage(struct live_lines *w)
{
    const hectic_error *error = hectic_stream_error(w->stream);
    if (w->damaged++ < TOOL_PLACES_SHOWN) tool_log_error(w->name, error);
    if (w->has_header) return true;
    w->failed = w->unusable = true;
    return false;
}

static bool pull(struct live_lines *w, uint64_t now)
{
    hectic_event event;
    for (;;) {
        bool go_on = true;
        switch (hectic_stream_pull(w->stream, now, &event)) {
        case HECTIC_PARTIAL: return true;
        case HECTIC_GOT_EVENT: go_on = live_lines_event(w, &event); break;
        case HECTIC_HEADER: go_on = live_lines_begin(w, hectic_stream_header(w->stream)); break;
        case HECTIC_COMPLETE:
            w->complete = true;
            go_on = live_lines_end(w);
            break;
        case HECTIC_ERROR: go_on = note_damage(w); break;
        }
        if (!go_on) return false;
    }
}

static bool open_stream(struct live_lines *w)
{
    const uint64_t lag = w->settings->lag;
    const hectic_stream_options options = {.lag = lag, .lag_max = lag ? 0 : lag_max};
    w->is_live = true;
    w->stream = hectic_stream_new(&options);
    return w->stream || fail(w, "out of memory");
}

static void close_stream(struct live_lines *w)
{
    if (!w->stream) return;
    hectic_stream_free(w->stream);
    w->stream = NULL;
}

bool live_lines_end_bytes(struct live_lines *w, uint64_t now)
{
    if (!w->stream) return true;
    hectic_stream_end(w->stream);
    const bool go_on = pull(w, now) && live_lines_end(w);
    close_stream(w);
    return go_on;
}

bool live_lines_restart(struct live_lines *w)
{
    return live_lines_end_bytes(w, clock_ns()) && open_stream(w);
}

bool live_lines_bytes(struct live_lines *w, const void *bytes, size_t length, uint64_t now)
{
    if (!w->stream && !open_stream(w)) return false;
    hectic_stream_push(w->stream, bytes, length, now);
    return pull(w, now);
}

/* Reports once that lines are delayed. */
static void report_lag(struct live_lines *w)
{
    const uint64_t lag = w->stream ? hectic_stream_get_state(w->stream).lag : 0;
    if (w->lag_reported || w->settings->quiet || w->settings->lag || lag <= SECOND) return;
    w->lag_reported = true;
    tool_message("%s: caps write seconds apart: lines now wait for all of them, up to 5 s; use "
                 "--lag 1s to avoid that",
                 w->name);
}

bool live_lines_tick(struct live_lines *w, uint64_t now)
{
    if (w->stream && !pull(w, now)) return false;
    if (!w->has_header || w->complete) return true;
    report_lag(w);
    if (w->line_at == 0) w->line_at = now; /* the first line is not late yet */
    /* Half an interval of tolerance, for events that arrive a bit late. */
    if (now < w->line_at || now - w->line_at < w->every + w->every / 2) return true;
    if (w->next > 0) return put_line(w, HECTIC_LIVE_STATS_NOW, INTERIM_LINE);
    if (!w->settings->quiet)
        tool_message("%s: no events yet: unless it is flushed, the runtime writes the events of a "
                     "cap when it has 2 MiB of them",
                     w->name);
    w->line_at = UINT64_MAX; /* until there is one */
    return true;
}

uint64_t live_lines_due(const struct live_lines *w)
{
    return w->stream ? hectic_stream_due(w->stream) : UINT64_MAX;
}

bool live_lines_has_log(const struct live_lines *w)
{
    return w->has_header;
}

bool live_lines_is_complete(const struct live_lines *w)
{
    return w->complete;
}

/* --- Interface ------------------------------------------------------------------------------- */

struct live_lines *live_lines_new(const struct watch_settings *settings, FILE *out,
                                  const char *name)
{
    struct live_lines *w = calloc(1, sizeof *w);
    if (w) w->live_stats = hectic_live_stats_new();
    if (!w || !w->live_stats) {
        free(w);
        tool_message("out of memory");
        return NULL;
    }
    w->settings = settings;
    w->out = out;
    w->name = name;
    w->every = settings->every ? settings->every : SECOND;
    return w;
}

void live_lines_free(struct live_lines *w)
{
    if (!w) return;
    close_stream(w);
    hectic_live_stats_free(w->live_stats);
    hectic_processes_free(w->processes);
    free(w);
}

int live_lines_report(const struct live_lines *w)
{
    logs_report_more(w->name, w->damaged, TOOL_PLACES_SHOWN);
    if (w->late > 0 && !w->settings->quiet)
        tool_message("%s: events that arrived up to %.3f s after later ones are missing in earlier "
                     "lines: %" PRIu64 "; --lag %" PRIu64 "s waits for them%s",
                     w->name, (double)w->late_by / SECOND, w->late, w->needed / SECOND + 1,
                     w->needed > lag_max ? "; GHC 9.2 and later, and hectic-eventlog, write sooner"
                                         : "");
    return w->unusable ? TOOL_UNUSABLE : w->damaged ? TOOL_DAMAGED : TOOL_OK;
}

/* In other tools, -n takes a count. */
static bool set_every(void *field, const char *argument)
{
    if (*argument == 0 || argument[strspn(argument, "0123456789")] != 0)
        return tool_set_duration(field, argument);
    return tool_invalid("time", argument, NULL, "with a unit; for a number of lines, --limit N");
}

const struct tool_option watch_options[] = {
    {"every", 'n', "TIME", "the interval of a line (default 1s)", NULL,
     offsetof(struct watch_settings, every), set_every},
    {"limit", 0, "N", "stop after N lines", NULL, offsetof(struct watch_settings, limit),
     tool_set_count},
    {"lag", 0, "TIME", "wait for events of other caps (default 1s to 5s)", NULL,
     offsetof(struct watch_settings, lag), tool_set_duration},
    {"jsonl", 0, NULL, "print lines as JSON, its former name, as CSV", NULL,
     offsetof(struct watch_settings, json), tool_set_flag},
    {"json", 0, NULL, NULL, NULL, offsetof(struct watch_settings, json), tool_set_flag},
    {"csv", 0, NULL, NULL, NULL, offsetof(struct watch_settings, csv), tool_set_flag},
    {0},
};
