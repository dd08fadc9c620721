/* top_screen.c — see top_screen.h.
 *
 * From top to bottom: the program, sums, caps, graphs, panels (heap profile, spans, messages),
 * threads, keys. A small terminal omits the less important parts.
 */
#include "tool/verbs/top/top_screen.h"

#include "tool/output/short_numbers.h"
#include "tool/output/terminal_text.h"

#include <curses.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_SIZE = 1024, COLUMNS_MAX = 512 };

/* Colors, if the terminal has them. */
enum { GOOD = 1, BAD, COOL, DIM };

/* ncurses has one screen per process. */
static struct {
    SCREEN *curses;
    bool utf8, colored;
} terminal;

/* --- The terminal ---------------------------------------------------------------------------- */

void screen_close(void)
{
    if (!terminal.curses) return;
    endwin();
    delscreen(terminal.curses);
    terminal.curses = NULL;
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
    terminal.curses = newterm(NULL, stdout, keys);
    if (!terminal.curses || !can_move()) {
        const char *kind = getenv("TERM");
        const char *why = terminal.curses ? "cannot move its cursor" : "is unknown";
        screen_close();
        tool_message("terminal type \"%s\" %s (TERM); hectic watch does not need one",
                     kind ? kind : "", why);
        return false;
    }
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
struct text16 {
    char text[16];
};

static struct text16 bytes_text(bool known, double bytes)
{
    struct text16 out = {"-"};
    if (known) short_number(out.text, bytes, 1024);
    return out;
}

static struct text16 count_text(bool known, double count)
{
    struct text16 out = {"-"};
    if (known) short_number(out.text, count, 1000);
    return out;
}

static struct text16 time_text(bool known, double ns)
{
    struct text16 out = {"-"};
    if (known) short_time(out.text, ns);
    return out;
}

/* The age of a time; ">" if it is a lower bound. */
static struct text16 past_text(uint64_t then, uint64_t now, bool is_exact)
{
    struct text16 out = time_text(then <= now, (double)(now - then));
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

static void draw_bands(const struct moment *m, int row, int column, int width, int rows)
{
    double all = 0;
    for (uint32_t i = 0; i < m->bands; i++)
        all += (double)m->band[i].bytes;
    put_text(row, column, width, A_BOLD, "heap profile");
    for (int i = 0; i < rows - 1 && i < (int)m->bands; i++) {
        const struct moment_band *band = &m->band[i];
        enum { BAR = 8 };
        const double share[BAR_SHARES] = {all > 0 ? (double)band->bytes / all : 0};
        const struct bar bar = bar_of(share, BAR);
        put(row + 1 + i, column, 6, 0, "%5s", bytes_text(true, (double)band->bytes).text);
        put_run(row + 1 + i, column + 6, bar.part[0], "█", '#', color(COOL));
        put_run(row + 1 + i, column + 6 + (int)bar.part[0], bar.rest, "·", '.', color(DIM));
        put_text(row + 1 + i, column + 7 + BAR, width - 7 - BAR, 0, band->name);
    }
}

static void draw_messages(const struct moment *m, int row, int column, int width, int rows)
{
    put_text(row, column, width, A_BOLD, "messages");
    for (int i = 0; i < rows - 1 && i < (int)m->messages; i++) {
        char clock[32];
        print_clock(clock, m->message[i].time);
        const int at = put(row + 1 + i, column, width, color(DIM), "%s ", clock);
        put_text(row + 1 + i, column + at, width - at, 0, m->message[i].text);
    }
}

static void draw_spans(const struct moment *m, int row, int column, int width, int rows)
{
    enum { NUMBERS = 19 };
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
        put(row, 0, COLS, 0, "q quit  ? help  p pause  s sort: %s  [ ] history  c command",
            order_names[view->order]);
    }
}

static void draw_nothing(const struct view *view)
{
    put(0, 0, COLS, A_BOLD, "%s: no events yet", view->name);
    if (view->waiting[0]) return; /* the bottom line says why */
    put_text(1, 0, COLS, 0, "before GHC 9.2, the runtime writes the events of a cap every 2 MiB");
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
        "Up Down PgUp PgDn  scroll the threads",
        "c              send the program a command",
        "",
        "caps: the part of the interval in which each ran threads (mut), was in a",
        "collection (gc), and was stopped and waited for one to begin or to end, or",
        "without taking part in it (wait). gc, to safepoint: of the GC leaders.",
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

/* The rows of each part between the title and the keys. */
struct layout {
    int sums, caps, graphs, texts, threads;
};

static struct layout lay_out(const struct moment *m, int rows)
{
    struct layout l = {0};
    const int wanted = (int)((m->caps + caps_in_row() - 1) / caps_in_row());
    int left = rows > 0 ? rows : 0;
    left -= l.sums = least(left, 2);
    left -= l.caps = least(wanted, left > 4 ? (left - 2) / 4 : left);
    if (left >= 12) left -= l.graphs = rows >= 34 ? 8 : 5;
    if (left >= 9 && m->bands + m->messages + m->spans > 0) {
        const uint32_t texts = m->bands > m->messages ? m->bands : m->messages;
        const int most = 1 + (int)(texts > m->spans ? texts : m->spans);
        left -= l.texts = least(most, rows >= 34 ? 7 : 4);
    }
    l.threads = left;
    return l;
}

/* Panels side by side: heap profile, spans, messages. */
static void draw_panels(const struct moment *m, int row, int rows)
{
    enum { PANELS = 3 };
    static void (*const draw[PANELS])(const struct moment *, int, int, int,
                                      int) = {draw_bands, draw_spans, draw_messages};
    const uint32_t lines[PANELS] = {m->bands, m->spans, m->messages};
    int left = (m->bands > 0) + (m->spans > 0) + (m->messages > 0);
    for (int i = 0, column = 0; i < PANELS; i++) {
        if (lines[i] == 0) continue;
        const int width = (COLS - column - 2 * (left - 1)) / left;
        left--;
        draw[i](m, row, column, width, rows);
        column += width + 2;
    }
}

/* `last`: the last moment of the graphs. */
static void draw_moment(struct view *view, const struct history *history, const struct moment *m,
                        uint64_t last)
{
    const struct layout l = lay_out(m, LINES - 2);
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
    if (l.texts > 0) draw_panels(m, row, l.texts);
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
