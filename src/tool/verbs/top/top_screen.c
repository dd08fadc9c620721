/* top_screen.c — see top_screen.h.
 *
 * From top to bottom: the program, sums, caps, graphs, panels (heap profile, spans, messages),
 * threads, keys. A small terminal omits the less important parts.
 */
#include "tool/verbs/top/top_screen.h"

#include "render/units.h"
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/output/terminal_text.h"

#include <curses.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_SIZE = 1024, COLUMNS_MAX = 512 };

/* Colors, if the terminal has them. */
enum { GOOD = 1, BAD, COOL, DIM };

/* ncurses has one screen per process. */
static struct {
    SCREEN *curses;
    bool utf8, colored;
    struct termios before;
    char reset[64]; /* what makes its cursor and screen normal again */
} terminal;

/* --- The terminal ---------------------------------------------------------------------------- */

void screen_close(void)
{
    if (!terminal.curses) return;
    signal(SIGTTOU, SIG_IGN); /* in the background, too */
    endwin();
    delscreen(terminal.curses);
    terminal.curses = NULL;
}

/* The same in a signal handler. */
static void restore(void)
{
    if (!terminal.curses) return;
    tcsetattr(STDOUT_FILENO, TCSANOW, &terminal.before);
    (void)!write(STDOUT_FILENO, terminal.reset, strlen(terminal.reset));
}

static void prepare_restore(void)
{
    static const char *const names[] = {"cnorm", "rmkx", "rmcup"};
    size_t length = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = tigetstr(names[i]);
        if (!text || (intptr_t)text == -1 || length + strlen(text) >= sizeof terminal.reset)
            continue;
        length +=
            (size_t)snprintf(terminal.reset + length, sizeof terminal.reset - length, "%s", text);
    }
}

/* A terminal such as "dumb" cannot move its cursor. */
static bool can_move(void)
{
    const char *move = tigetstr("cup");
    return move && (intptr_t)move != -1;
}

static bool wants_colors(void)
{
    const char *no_color = getenv("NO_COLOR");
    return !no_color || !*no_color;
}

bool screen_open(FILE *keys)
{
    setlocale(LC_CTYPE, "");
    terminal.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    tcgetattr(STDOUT_FILENO, &terminal.before);
    signals_restore(restore);
    atexit(screen_close);
    terminal.curses = newterm(NULL, stdout, keys);
    if (!terminal.curses || !can_move()) {
        const char *kind = getenv("TERM");
        const char *why = terminal.curses ? "cannot move its cursor" : "is unknown";
        screen_close();
        tool_message("terminal type \"%s\" %s (TERM); hectic watch does not need one",
                     kind ? kind : "", why);
        return false;
    }
    prepare_restore();
    set_escdelay(25);
    cbreak();
    noecho();
    nonl();
    curs_set(0);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    terminal.colored =
        wants_colors() && has_colors() && start_color() == OK && use_default_colors() == OK;
    if (terminal.colored) {
        init_pair(GOOD, COLOR_GREEN, -1);
        init_pair(BAD, COLOR_RED, -1);
        init_pair(COOL, COLOR_CYAN, -1);
    }
    return true;
}

void screen_resize(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        return;
    resizeterm(size.ws_row, size.ws_col);
    clearok(curscr, TRUE);
}

int screen_key(void)
{
    return getch();
}

/* --- Text ------------------------------------------------------------------------------------ */

static attr_t color(int pair)
{
    if (pair == DIM) return A_DIM;
    return terminal.colored ? (attr_t)COLOR_PAIR(pair) : 0;
}

/* Prints a text, clipped to `width` columns. Returns its columns. */
static int put_text(int row, int column, int width, attr_t attributes, const char *text)
{
    char fit[4 * LINE_SIZE + 4];
    size_t length = strlen(text), columns;
    if (width <= 0 || row < 0 || row >= LINES || column >= COLS) return 0;
    if (width > COLS - column) width = COLS - column;
    length = terminal_text_fit(text, length < LINE_SIZE ? length : LINE_SIZE, (size_t)width, fit,
                               &columns);
    fit[length] = 0;
    if (!terminal.utf8) { /* "?" for each character that the locale cannot show */
        char *to = fit;
        for (const char *at = fit; *at; at++)
            if (((unsigned char)*at & 0xC0u) != 0x80u)
                *to++ = (unsigned char)*at < 0x80 ? *at : '?';
        *to = 0;
    }
    attrset((int)attributes);
    mvaddstr(row, column, fit);
    attrset(0);
    return (int)columns;
}

static int put(int row, int column, int width, attr_t attributes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static int put(int row, int column, int width, attr_t attributes, const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return put_text(row, column, width, attributes, text);
}

/* A block that is filled from below by `eighths`. */
static void put_block(int row, int column, unsigned eighths, attr_t attributes)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ".", ".", ":", ":", "#", "#", "#"};
    attrset((int)attributes);
    mvaddstr(row, column, (terminal.utf8 ? blocks : plain)[eighths]);
    attrset(0);
}

static void put_run(int row, int column, unsigned count, const char *block, char plain,
                    attr_t attributes)
{
    const char text[] = {plain, 0};
    attrset((int)attributes);
    for (unsigned i = 0; i < count; i++)
        mvaddstr(row, column + (int)i, terminal.utf8 ? block : text);
    attrset(0);
}

/* A run time: "1.234s", "12.3s", "4:05", "1:02:03". */
static void print_clock(char out[32], uint64_t ns)
{
    const uint64_t seconds = ns / 1000000000;
    if (seconds < 60)
        snprintf(out, 32, "%.*fs", seconds < 10 ? 3 : 1, (double)ns / 1e9);
    else if (seconds < 3600)
        snprintf(out, 32, "%" PRIu64 ":%02" PRIu64, seconds / 60, seconds % 60);
    else
        snprintf(out, 32, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, seconds / 3600, seconds / 60 % 60,
                 seconds % 60);
}

/* A line made of parts; parts that do not fit are omitted. */
struct parts {
    char text[LINE_SIZE];
    size_t length;
};

static void add(struct parts *parts, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct parts *parts, const char *format, ...)
{
    char part[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    const size_t length = strlen(part), room = COLS < LINE_SIZE ? (size_t)COLS : LINE_SIZE - 1;
    if (parts->length + length > room) return;
    memcpy(parts->text + parts->length, part, length + 1);
    parts->length += length;
}

/* A short number, or "-". */
struct short_text {
    char text[UNITS_ROOM];
};

static struct short_text bytes_text(bool known, double bytes)
{
    struct short_text out = {"-"};
    if (known) units_put(out.text, bytes, UNITS_BINARY, UNITS_TWO, false);
    return out;
}

static struct short_text count_text(bool known, double count)
{
    struct short_text out = {"-"};
    if (known) units_put(out.text, count, UNITS_COUNT, UNITS_TWO, false);
    return out;
}

static struct short_text time_text(bool known, double ns)
{
    struct short_text out = {"-"};
    if (known) units_put(out.text, ns, UNITS_TIME, UNITS_TWO, false);
    return out;
}

/* The age of a time; ">" if it is a lower bound. */
static struct short_text past_text(uint64_t then, uint64_t now, bool is_exact)
{
    struct short_text out = time_text(then <= now, (double)(now - then));
    if (is_exact || then > now) return out;
    memmove(out.text + 1, out.text, sizeof out.text - 2);
    out.text[0] = '>';
    return out;
}

static double interval_length(const struct moment *m)
{
    return m->to > m->from ? (double)(m->to - m->from) : 1;
}

/* --- Parts ----------------------------------------------------------------------------------- */

static void draw_title(const struct moment *m, const char *name, bool is_whole)
{
    struct parts line = {0};
    char clock[32];
    print_clock(clock, m->to);
    add(&line, " %s", m->program[0] ? m->program : name);
    if (m->pid > 0) add(&line, "  pid %u", m->pid);
    add(&line, "  up %s", clock);
    if (is_whole) add(&line, "  whole run");
    if (m->has_lag) add(&line, "  lag %s", time_text(true, (double)m->lag).text);
    if (m->late > 0) add(&line, "  late %" PRIu64, m->late);
    if (m->dropped > 0) add(&line, "  dropped %" PRIu64, m->dropped);
    if (m->damaged > 0) add(&line, "  damaged %" PRIu64, m->damaged);
    add(&line, "  %s", m->rts);
    attrset(A_REVERSE);
    for (int i = 0; i < COLS; i++)
        mvaddch(0, i, ' ');
    put_text(0, 0, COLS, A_REVERSE, line.text);
}

static void draw_sums(const struct moment *m, int row)
{
    const double interval = interval_length(m), rate = 1e9 / interval;
    struct parts line = {0};
    add(&line, "alloc %s/s", bytes_text(m->has_allocated, (double)m->allocated * rate).text);
    add(&line, "  live %s", bytes_text(m->has_live, (double)m->live).text);
    add(&line, "  heap %s", bytes_text(m->has_heap, (double)m->heap).text);
    for (uint32_t i = 0; m->has_gc_stats && i < m->generations; i++)
        add(&line, "  gc%u%s %s", i, i + 1 == GENERATIONS_MAX ? "+" : "",
            count_text(true, (double)m->collections[i]).text);
    add(&line, "  pause %s", time_text(m->pause_max > 0, (double)m->pause_max).text);
    if (m->has_gc) add(&line, "  gc %.1f%%", 100 * (double)m->gc_ns / interval);
    if (m->has_safepoint)
        add(&line, "  to safepoint %.1f%%", 100 * (double)m->safepoint_ns / interval);
    add(&line, "  events %s/s", count_text(true, (double)m->events * rate).text);
    put_text(row, 0, COLS, 0, line.text);
}

static void draw_states(const struct moment *m, int row, bool is_whole)
{
    struct parts line = {0};
    if (m->has_threads && is_whole)
        add(&line, "threads %" PRIu64 " at the end, %" PRIu64 " created", m->alive, m->created);
    else if (m->has_threads)
        add(&line, "threads %" PRIu64, m->alive);
    else
        add(&line, "threads: not recorded");
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        if (m->in_state[i] > 0)
            add(&line, "  %s %" PRIu64, hectic_thread_state_name((hectic_thread_state)i),
                m->in_state[i]);
    put_text(row, 0, COLS, 0, line.text);
}

/* A percentage, in four columns. */
static void print_share(char out[8], bool known, float share)
{
    snprintf(out, 8, known ? "%3.0f%%" : "  - ", 100 * (double)share);
}

/* "cap 0 ████████▒▒▒░░······  mut 62% gc 10% wait 7%" in `width` columns. */
static void draw_cap(const struct moment_cap *cap, int row, int column, int width)
{
    enum { NAME = 7, NUMBERS = 27 };
    put(row, column, NAME, 0, "cap %-3u", cap->cap);
    const int room = width - NAME - NUMBERS;
    if (room > 0) {
        static const struct {
            const char *utf8;
            char ascii;
            int color;
        } part[BAR_SHARES] = {{"█", '#', GOOD}, {"▒", '%', BAD}, {"░", '-', BAD}};
        const struct bar bar =
            bar_of((const double[]){cap->mutator, cap->gc, cap->wait}, (unsigned)room);
        int from = column + NAME;
        for (size_t i = 0; i < BAR_SHARES; from += (int)bar.part[i++])
            put_run(row, from, bar.part[i], part[i].utf8, part[i].ascii, color(part[i].color));
        put_run(row, from, bar.rest, "·", '.', color(DIM));
    }
    const int from = column + (room > 0 ? width - NUMBERS : NAME);
    char mutator[8], gc[8], wait[8];
    print_share(mutator, cap->known, cap->mutator);
    print_share(gc, cap->has_gc, cap->gc);
    print_share(wait, cap->has_gc, cap->wait);
    put(row, from, NUMBERS, 0, " mut %s gc %s wait %s", mutator, gc, wait);
}

static unsigned caps_in_row(void)
{
    return COLS >= 76 ? (unsigned)COLS / 38 : 1;
}

static void draw_caps(const struct moment *m, int row, int rows)
{
    const unsigned in_row = caps_in_row();
    const int width = COLS / (int)in_row;
    const uint32_t fit = (uint32_t)rows * in_row;
    for (uint32_t i = 0; i < m->caps && i < fit; i++)
        draw_cap(&m->cap[i], row + (int)(i / in_row), (int)(i % in_row) * width, width - 2);
    const uint32_t beyond = m->caps_beyond + (m->caps > fit ? m->caps - fit : 0);
    if (beyond > 0 && rows > 0) {
        const int from = (int)in_row * width - 12;
        put(row + rows - 1, from, 12, 0, "  +%u more   ", beyond);
    }
}

/* --- Graphs ---------------------------------------------------------------------------------- */

struct graph {
    size_t used; /* columns */
    double value[COLUMNS_MAX];
};

static double live_of(const struct moment *m)
{
    return (double)m->live;
}
static double heap_of(const struct moment *m)
{
    return (double)(m->heap > m->live ? m->heap : m->live);
}
static double pause_of(const struct moment *m)
{
    return (double)m->pause_max;
}

/* The values up to the moment `shown`. */
static void collect(struct graph *graph, const struct history *history, uint64_t shown,
                    double (*value)(const struct moment *), size_t columns)
{
    double values[HISTORY_MAX];
    const uint64_t first = history_first(history);
    size_t count = 0;
    for (uint64_t i = first; i <= shown; i++)
        values[count++] = value(history_get(history, i));
    graph->used = graph_fit(values, count, first, columns, graph->value);
}

static double most_of(const struct graph *graph)
{
    double most = 0;
    for (size_t i = 0; i < graph->used; i++)
        if (graph->value[i] > most) most = graph->value[i];
    return most;
}

/* The part of a column, in eighths, that is in the row `above` the lowest. */
static unsigned eighths_in(unsigned eighths, unsigned above)
{
    return eighths <= 8 * above ? 0 : eighths - 8 * above < 8 ? eighths - 8 * above : 8;
}

/* Aligned to the right, where the latest column is. `outer` may be NULL. */
static void draw_graph(const struct graph *graph, const struct graph *outer, int row, int column,
                       int width, int rows, attr_t attributes)
{
    const double top = most_of(outer ? outer : graph);
    for (size_t i = 0; i < graph->used; i++) {
        const unsigned inner = graph_eighths(graph->value[i], top, (unsigned)rows);
        const unsigned all = outer ? graph_eighths(outer->value[i], top, (unsigned)rows) : 0;
        const int at = column + width - (int)graph->used + (int)i;
        for (int r = 0; r < rows; r++) {
            const unsigned above = (unsigned)(rows - 1 - r);
            const unsigned block = eighths_in(inner, above);
            if (block > 0)
                put_block(row + r, at, block, attributes);
            else if (eighths_in(all, above) >= 4)
                put_run(row + r, at, 1, "░", '\'', color(DIM));
        }
    }
}

static void draw_graphs(const struct history *history, uint64_t shown, int row, int rows)
{
    static struct graph live, heap, pause; /* too large for the stack */
    const struct moment *first = history_get(history, history_first(history));
    const struct moment *last = history_get(history, shown);
    int width = (COLS - 2) / 2;
    if (width > COLUMNS_MAX) width = COLUMNS_MAX;
    const int second = COLS - width;
    collect(&live, history, shown, live_of, (size_t)width);
    collect(&heap, history, shown, heap_of, (size_t)width);
    collect(&pause, history, shown, pause_of, (size_t)width);
    const double span = last->to > first->from ? (double)(last->to - first->from) : 0;
    put(row, 0, width, A_BOLD, "heap: live / reserved (peak %s)",
        bytes_text(most_of(&heap) > 0, most_of(&heap)).text);
    put(row, second, width, A_BOLD, "GC pauses (max %s, last %s)",
        time_text(most_of(&pause) > 0, most_of(&pause)).text, time_text(true, span).text);
    draw_graph(&live, &heap, row + 1, 0, width, rows - 1, color(COOL));
    draw_graph(&pause, NULL, row + 1, second, width, rows - 1, color(BAD));
}

/* --- Heap profile, messages, threads --------------------------------------------------------- */

/* Where a part of the panels is drawn. */
struct rows {
    const struct history *history;
    uint64_t last; /* the last moment of the courses */
    int row, column, width, rows;
};

enum { SIZE_WIDTH = 5, SHARE_WIDTH = 6, GROWTH_WIDTH = 8, COURSE_LEAST = 8, COURSE_MOST = 32 };
enum { LABEL_LEAST = 30 };

static size_t columns_of(const char *text)
{
    char fit[4 * LINE_SIZE + 4];
    size_t length = strlen(text), columns;
    terminal_text_fit(text, length < LINE_SIZE ? length : LINE_SIZE, LINE_SIZE, fit, &columns);
    return columns;
}

/* The columns for the course over time, beside the whole labels if there is room; 0: none. */
static int course_width(const struct rows *r, const struct moment_profile *profile)
{
    const int most = r->width - SIZE_WIDTH - SHARE_WIDTH - GROWTH_WIDTH - LABEL_LEAST;
    size_t label = LABEL_LEAST;
    for (int i = 0; i < r->rows - 1 && i < (int)profile->parts; i++) {
        const size_t columns = columns_of(history_name(r->history, profile->part[i].name));
        if (columns > label) label = columns;
    }
    const int room = most + LABEL_LEAST - (int)label;
    if (most < COURSE_LEAST) return 0;
    return room < COURSE_LEAST ? COURSE_LEAST : room < COURSE_MOST ? room : COURSE_MOST;
}

static bool has_growth(int width)
{
    return width >= SIZE_WIDTH + SHARE_WIDTH + GROWTH_WIDTH + LABEL_LEAST;
}

/* Without the package of "containers-0.6.4.1:Data.Map.Internal.Bin", if it does not fit. */
static void put_label(int row, int column, int width, const char *label)
{
    const size_t package = strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789.-");
    if ((int)columns_of(label) > width && package > 0 && label[package] == ':' &&
        label[package + 1] >= 'A' && label[package + 1] <= 'Z')
        label += package + 1;
    put_text(row, column, width, 0, label);
}

static void put_trend(int row, int column, int trend)
{
    static const char *const arrows[] = {"↘", "→", "↗"};
    const char *plain = "\\-/";
    put_run(row, column, 1, arrows[trend + 1], plain[trend + 1],
            color(trend > 0   ? BAD
                  : trend < 0 ? GOOD
                              : DIM));
}

/* The growth, course, trend and label of a part, from `column` on. */
static void put_course(const struct rows *r, enum profile profile, const struct profile_part *part,
                       int width, int row, int column)
{
    double value[HISTORY_MAX], time[HISTORY_MAX], slope;
    struct graph graph;
    const size_t count = history_course(r->history, r->last, profile, part->name, value, time);
    const int trend = trend_of(value, time, count, &slope), end = r->column + r->width;
    if (has_growth(r->width) && profile == PROFILE_HEAP) {
        const char *sign = slope < 0 ? "-" : "+";
        if (trend)
            put(row, column, GROWTH_WIDTH, 0, "%s%s/s", sign,
                bytes_text(true, slope < 0 ? -slope : slope).text);
        column += GROWTH_WIDTH;
    }
    if (width > 0) {
        graph.used = graph_fit(value, count, r->last - count + 1, (size_t)width, graph.value);
        draw_graph(&graph, NULL, row, column, width, 1, color(COOL));
        column += width + 1;
    }
    put_trend(row, column, trend);
    put_label(row, column + 2, end - column - 2, history_name(r->history, part->name));
}

/* The bands of the latest sample, with their course over the intervals. */
static void draw_heap(const struct moment *m, const struct rows *r)
{
    const struct moment_profile *heap = &m->profile[PROFILE_HEAP];
    char total[64];
    const bool is_known = m->breakdown != HECTIC_BREAKDOWN_UNKNOWN;
    snprintf(total, sizeof total, "  %s%s%s", bytes_text(true, (double)heap->sum).text,
             is_known ? "  by " : "", is_known ? hectic_breakdown_text(m->breakdown) : "");
    put(r->row, r->column, r->width, A_BOLD, "heap profile%s", total);
    const int course = course_width(r, heap);
    for (int i = 0; i < r->rows - 1 && i < (int)heap->parts; i++) {
        const struct profile_part *part = &heap->part[i];
        const int row = r->row + 1 + i;
        int column = r->column + SIZE_WIDTH + 1;
        put(row, r->column, SIZE_WIDTH, 0, "%5s", bytes_text(true, (double)part->value).text);
        if (has_growth(r->width)) {
            put(row, column, SHARE_WIDTH, 0, "%3.0f%%",
                heap->sum > 0 ? 100 * (double)part->value / (double)heap->sum : 0);
            column += SHARE_WIDTH;
        }
        put_course(r, PROFILE_HEAP, part, course, row, column);
    }
}

/* The time profile in the last seconds before the moment that is drawn, or of the whole run. */
static struct {
    struct moment_profile profile;
    uint64_t samples[HECTIC_TIME_KINDS];
} recent;

static void collect_recent(const struct history *history, const struct moment *m, uint64_t last)
{
    static const uint64_t seconds = UINT64_C(5000000000);
    recent.profile = m->profile[PROFILE_TIME];
    memcpy(recent.samples, m->time_samples, sizeof recent.samples);
    if (m != history_whole(history))
        history_recent(history, last, seconds, &recent.profile, recent.samples);
}

/* The hottest cost centres: their own share of the program's time, and that with all they call. */
static void draw_time(const struct moment *m, const struct rows *r)
{
    const struct moment_profile *sum = &recent.profile;
    const uint64_t *samples = recent.samples;
    uint64_t all = 0;
    char total[64];
    (void)m;
    for (size_t i = 0; i < HECTIC_TIME_KINDS; i++)
        all += samples[i];
    snprintf(total, sizeof total, "  own %.0f%%  gc %.0f%%  idle %.0f%%",
             all > 0 ? 100 * (double)sum->sum / (double)all : 0,
             all > 0 ? 100 * (double)samples[HECTIC_TIME_GC] / (double)all : 0,
             all > 0 ? 100 * (double)samples[HECTIC_TIME_IDLE] / (double)all : 0);
    put(r->row, r->column, r->width, A_BOLD, "time profile%s", total);
    const int course = course_width(r, sum);
    for (int i = 0; i < r->rows - 1 && i < (int)sum->parts; i++) {
        const struct profile_part *part = &sum->part[i];
        const double own = sum->sum > 0 ? 100 * (double)part->value / (double)sum->sum : 0;
        const int row = r->row + 1 + i;
        int column = r->column + SIZE_WIDTH + 1;
        put(row, r->column, SIZE_WIDTH, 0, "%4.*f%%", own < 99.95, own);
        if (has_growth(r->width)) {
            put(row, column, SHARE_WIDTH, 0, "%3.0f%%",
                sum->sum > 0 ? 100 * (double)part->total / (double)sum->sum : 0);
            column += SHARE_WIDTH;
        }
        put_course(r, PROFILE_TIME, part, course, row, column);
    }
}

static void draw_messages(const struct moment *m, const struct rows *r)
{
    const int row = r->row, column = r->column, width = r->width, rows = r->rows;
    put_text(row, column, width, A_BOLD, "messages");
    for (int i = 0; i < rows - 1 && i < (int)m->messages; i++) {
        char clock[32];
        print_clock(clock, m->message[i].time);
        const int at = put(row + 1 + i, column, width, color(DIM), "%s ", clock);
        put_text(row + 1 + i, column + at, width - at, 0, m->message[i].text);
    }
}

static void draw_spans(const struct moment *m, const struct rows *r)
{
    enum { NUMBERS = 19 };
    const int row = r->row, column = r->column, width = r->width, rows = r->rows;
    const int label = width - NUMBERS;
    put(row, column, width, A_BOLD, "%-*s%7s%6s%6s", label, "spans", "rate", "p50", "p99");
    for (int i = 0; i < rows - 1 && i < (int)m->spans; i++) {
        const struct moment_span *span = &m->span[i];
        const bool any = span->count > 0;
        const double rate = (double)span->count * 1e9 / interval_length(m);
        put_text(row + 1 + i, column, label - 1, 0, span->label);
        put(row + 1 + i, column + label, NUMBERS, 0, "%5s/s%6s%6s", count_text(true, rate).text,
            time_text(any, (double)span->p50).text, time_text(any, (double)span->p99).text);
    }
}

static const char *const order_names[THREAD_SORTS] = {"busiest", "newest", "longest blocked"};

static void draw_thread(const struct moment *m, const struct thread_row *t, int row)
{
    char cap[8] = "-";
    if (t->cap != HECTIC_CAP_NONE) snprintf(cap, sizeof cap, "%u", t->cap);
    const attr_t attributes = t->state == HECTIC_THREAD_RUNNING ? color(GOOD)
                              : is_blocked(t->state)            ? color(DIM)
                                                                : 0;
    put(row, 0, COLS, 0, "%10u %5.1f%% %5s", t->id, 100 * (double)t->ran / interval_length(m), cap);
    const uint64_t now = t->has_ended && t->ended < m->to ? t->ended : m->to;
    put_text(row, 24, 12, attributes, t->has_ended ? "ended" : hectic_thread_state_name(t->state));
    put(row, 36, COLS - 36, 0, " %6s %6s  %s",
        past_text(t->has_ended ? t->ended : t->since, m->to,
                  t->has_born || t->has_ended || t->since > t->born)
            .text,
        past_text(t->born, now, t->has_born).text, t->label);
}

static void draw_threads(struct view *view, const struct moment *m, int row, int rows)
{
    const struct thread_list *list = &m->threads[view->order];
    view->page = rows > 1 ? (uint32_t)(rows - 1) : 0;
    view->scrolled_max = list->count > view->page ? list->count - view->page : 0;
    if (view->scrolled > view->scrolled_max) view->scrolled = view->scrolled_max;
    if (rows < 1) return;
    put(row, 0, COLS, A_BOLD, "%10s %6s %5s %-12s %6s %6s  label (%s)", "thread", "ran", "cap",
        "state", "for", "age", order_names[view->order]);
    for (uint32_t i = 0; i < view->page && view->scrolled + i < list->count; i++)
        draw_thread(m, &list->row[view->scrolled + i], row + 1 + (int)i);
}

static const char *const panel_names[PANELS] = {"all", "heap profile", "time profile", "spans"};

static void draw_keys(const struct view *view, const struct history *history)
{
    const int row = LINES - 1;
    const uint64_t last = history_last(history);
    if (view->commands) {
        put_text(row, 0, COLS, A_BOLD,
                 "send: h heap census  s S heap profile on, off  p P time profile  f flush");
    } else if (view->note[0]) {
        put_text(row, 0, COLS, A_BOLD, view->note);
    } else if (view->shown) {
        const struct moment *m = history_get(history, view->shown);
        char at[32], latest[32];
        print_clock(at, m->to);
        print_clock(latest, history_get(history, last)->to);
        put(row, 0, COLS, A_BOLD,
            "paused at %s (%" PRIu64 " of %" PRIu64 "; the latest is %s)   [ ] step   p resume", at,
            view->shown - history_first(history) + 1, last - history_first(history) + 1, latest);
    } else if (view->waiting[0]) {
        put(row, 0, COLS, A_BOLD, "%s%s", view->waiting, view->over ? "; q quit  [ ] history" : "");
    } else {
        put(row, 0, COLS, 0, "q quit  ? help  p pause  s sort  v view: %s  [ ] history  c command",
            panel_names[view->panel]);
    }
}

static void draw_nothing(const struct view *view)
{
    put(0, 0, COLS, A_BOLD, "%s: no events yet", view->name);
    if (view->waiting[0]) return; /* the bottom line says why */
    put_text(1, 0, COLS, 0,
             "unless it is flushed, the runtime writes the events of a cap every 2 MiB");
}

static void draw_help(void)
{
    static const char *const lines[] = {
        "q              quit",
        "?              this help; any key closes it",
        "p              pause, resume",
        "[ ]  Left Right  step back and forth through the last 300 intervals",
        "{ }            ten steps; Home: the oldest; End: the latest",
        "s              sort threads: busiest, newest, longest blocked",
        "v              view all panels, or the heap profile, time profile, spans",
        "Up Down PgUp PgDn  scroll the threads",
        "c              send the program a command",
        "",
        "caps: the part of the interval in which each ran threads (mut), was in a",
        "collection (gc), and was stopped and waited for one to begin or to end, or",
        "without taking part in it (wait). gc, to safepoint: of the GC leaders.",
        "heap profile: bands of the latest sample: bytes, share, growth, course over",
        "the intervals. time profile: of the last 5 s, the share of the program's own",
        "time in each cost centre; with those it calls; and the course.",
        "spans: START and STOP messages; rate and percentiles of the interval.",
        "for: how long a thread has been in its state. lag: the age of the latest",
        "event. Graphs end at the moment that is shown; a column is the maximum of",
        "its intervals. K, M, G of bytes are KiB, MiB, GiB.",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        put_text(1 + (int)i, 2, COLS - 2, 0, lines[i]);
}

/* --- The whole ------------------------------------------------------------------------------- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static uint32_t count_bands(const struct moment *m)
{
    return m->profile[PROFILE_HEAP].parts;
}
static uint32_t count_centres(const struct moment *m)
{
    (void)m;
    return recent.profile.parts;
}
static uint32_t count_spans(const struct moment *m)
{
    return m->spans;
}
static uint32_t count_messages(const struct moment *m)
{
    return m->messages;
}

/* The parts of panels, the most important first. */
enum { PARTS = 4, PART_LEAST = 26 /* columns */ };
static const struct part {
    uint32_t (*count)(const struct moment *m); /* rows */
    void (*draw)(const struct moment *m, const struct rows *rows);
    enum panel panel; /* of which it is part */
} parts[PARTS] = {
    {count_bands, draw_heap, PANEL_HEAP},
    {count_centres, draw_time, PANEL_TIME},
    {count_spans, draw_spans, PANEL_SPANS},
    {count_messages, draw_messages, PANEL_SPANS},
};

static bool is_shown(const struct part *part, const struct moment *m, enum panel panel)
{
    return part->count(m) > 0 && (panel == PANEL_ALL || panel == part->panel);
}

/* The rows of each part between the title and the keys. */
struct layout {
    int sums, caps, graphs, texts, threads;
};

static struct layout lay_out(const struct moment *m, enum panel panel, enum thread_sort order,
                             int rows)
{
    struct layout l = {0};
    const int wanted = (int)((m->caps + caps_in_row() - 1) / caps_in_row());
    int left = rows > 0 ? rows : 0;
    left -= l.sums = least(left, 2);
    left -= l.caps = least(wanted, left > 4 ? (left - 2) / 4 : left);
    if (left >= 12) left -= l.graphs = rows >= 34 ? 8 : 5;
    uint32_t texts = 0;
    for (size_t i = 0; i < PARTS; i++)
        if (is_shown(&parts[i], m, panel) && parts[i].count(m) > texts) texts = parts[i].count(m);
    const int wanted_texts = 1 + (int)texts;
    if (panel != PANEL_ALL && left >= 4)
        l.texts = least(wanted_texts, left * 2 / 3);
    else if (texts > 0 && left >= 9)
        l.texts = least(wanted_texts, rows >= 34 ? 7 : 4);
    /* What the threads do not need. */
    const int spare = left - l.texts - 1 - (int)m->threads[order].count;
    if (l.texts > 0 && spare > 0) l.texts = least(wanted_texts, l.texts + spare);
    left -= l.texts;
    l.threads = left;
    return l;
}

static const char *const absent[PANELS] = {
    [PANEL_HEAP] = "no heap profile: start the program with +RTS -hT (hectic run --heap)",
    [PANEL_TIME] = "no time profile: link with -prof, and start with +RTS -p (hectic run --prof)",
    [PANEL_SPANS] = "no spans (traceEventIO \"START x\", \"STOP x\") and no messages",
};

static void draw_panels(const struct view *view, const struct history *history,
                        const struct moment *m, uint64_t last, int row, int rows)
{
    const int most = COLS >= PART_LEAST ? COLS / PART_LEAST : 1;
    int left = 0;
    for (size_t i = 0; i < PARTS; i++)
        left += is_shown(&parts[i], m, view->panel);
    if (left == 0) put_text(row, 0, COLS, color(DIM), absent[view->panel]);
    left = least(left, most);
    int column = 0;
    for (size_t i = 0; i < PARTS && left > 0; i++) {
        if (!is_shown(&parts[i], m, view->panel)) continue;
        const int width = (COLS - column - 2 * (left - 1)) / left;
        left--;
        parts[i].draw(m, &(struct rows){history, last, row, column, width, rows});
        column += width + 2;
    }
}

/* `last`: the last moment of the graphs. */
static void draw_moment(struct view *view, const struct history *history, const struct moment *m,
                        uint64_t last)
{
    collect_recent(history, m, last);
    const struct layout l = lay_out(m, view->panel, view->order, LINES - 2);
    int row = 1;
    const bool is_whole = m == history_whole(history);
    draw_title(m, view->name, is_whole);
    if (l.sums > 0) draw_sums(m, row);
    if (l.sums > 1) draw_states(m, row + 1, is_whole);
    row += l.sums;
    draw_caps(m, row, l.caps);
    row += l.caps;
    if (l.graphs > 0) draw_graphs(history, last, row, l.graphs);
    row += l.graphs;
    if (l.texts > 0) draw_panels(view, history, m, last, row, l.texts);
    row += l.texts;
    draw_threads(view, m, row, l.threads);
}

void screen_draw(struct view *view, const struct history *history)
{
    const uint64_t last = history_last(history);
    const struct moment *whole = history_whole(history);
    const struct moment *latest = whole ? whole : history_get(history, last);
    if (view->shown && view->shown < history_first(history)) view->shown = history_first(history);
    erase();
    if (view->help)
        draw_help();
    else if (last > 0)
        draw_moment(view, history, view->shown ? history_get(history, view->shown) : latest,
                    view->shown ? view->shown : last);
    else
        draw_nothing(view);
    draw_keys(view, history);
    refresh();
}
