/* A Haskell program that is started, and whose log is read from its first event. It is in a session
 * of its own: what a terminal sends is not for it, and it is interrupted when the source is closed.
 */
#include "source/launch.h"
#include "source/source_kind.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wordexp.h>

enum {
    READS = 4, /* before others of the loop have their turn */
    LOOK_MS = 50,
    HIDE_MS = 2,        /* at the beginning the log's name is still there */
    PATIENCE_MS = 5000, /* with an interrupted program, before it is told to end */
};

struct source_run {
    source *source;
    wordexp_t words;
    struct launch launch;
    uv_process_t process;
    uv_timer_t patience;
    bool runs, over;
    int64_t status;
    int signal;
};

static const char *why_no_words(int error)
{
    switch (error) {
    case WRDE_BADCHAR:
        return "unsupported shell syntax: quote | & ; < > ( ) { } and newlines, or run a script "
               "that contains them";
    case WRDE_CMDSUB: return "unsupported shell syntax: $( ) and ` ` are not substituted";
    case WRDE_SYNTAX: return "unclosed quote or bracket";
    default: return "out of memory";
    }
}

static bool parse(source *s, char *text, char *message, size_t size)
{
    static const struct launch_options options = {.every = 100000000};
    struct source_run *run = s->run = calloc(1, sizeof *run);
    if (!run) return source_refuse(message, size, "out of memory");
    run->source = s;
    run->launch.fd = -1;
    const int error = wordexp(text, &run->words, WRDE_NOCMD);
    if (error) {
        if (error != WRDE_NOSPACE) run->words = (wordexp_t){0};
        return source_refuse(message, size, "%s: %s", s->name, why_no_words(error));
    }
    if (run->words.we_wordc == 0)
        return source_refuse(message, size, "\"%s\" contains no program", s->name);
    return launch_prepare(&run->launch, &options, run->words.we_wordv, message, size) == 0;
}

static void release(source *s)
{
    if (!s->run) return;
    launch_clear(&s->run->launch);
    wordfree(&s->run->words);
    free(s->run);
}

/* --- Its log --------------------------------------------------------------------------------- */

static void end_log(source *s)
{
    const struct source_run *run = s->run;
    if (run->launch.position == 0)
        source_wait(s, "%s has ended: %s", s->name, launch_no_log);
    else if (run->signal)
        source_wait(s, "%s was killed by signal %d", s->name, run->signal);
    else if (run->status)
        source_wait(s, "%s exited with status %d", s->name, (int)run->status);
    source_end(s, 0);
}

static void look(source *s)
{
    struct source_run *run = s->run;
    if (s->paused || s->ended || s->closing) return;
    const bool over = run->over; /* then there is no more than what is there now */
    for (int i = 0; i < READS; i++) {
        const ssize_t length = launch_read(&run->launch, s->buffer, SOURCE_PIECE_MAX);
        if (length < 0) {
            source_end(s, uv_translate_sys_error(errno));
            return;
        }
        if (length == 0) goto at_end;
        source_deliver(s, (size_t)length);
        if (s->paused || s->closing) return;
    }
    source_later(s, 0, look);
    return;

at_end:
    if (over)
        end_log(s);
    else
        source_later(s, run->launch.path ? HIDE_MS : LOOK_MS, look);
}

/* --- The program ----------------------------------------------------------------------------- */

/* The process is gone, or no longer waited for. */
static void forget(source *s)
{
    struct source_run *run = s->run;
    run->runs = false;
    uv_close((uv_handle_t *)&run->process, source_on_closed);
    uv_close((uv_handle_t *)&run->patience, source_on_closed);
}

static void on_ended(uv_process_t *process, int64_t status, int signal)
{
    source *s = process->data;
    struct source_run *run = s->run;
    run->over = true;
    run->status = status;
    run->signal = signal;
    forget(s);
    look(s);
}

static void start(source *s)
{
    struct source_run *run = s->run;
    /* Whoever reads a program's log has stdout and the terminal's keys for himself. */
    uv_stdio_container_t stdio[] = {
        {.flags = isatty(STDIN_FILENO) ? UV_IGNORE : UV_INHERIT_FD, .data.fd = STDIN_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
    };
    const uv_process_options_t options = {
        .exit_cb = on_ended,
        .file = run->launch.executable.path,
        .args = run->launch.arguments,
        .env = run->launch.environment,
        .flags = UV_PROCESS_DETACHED,
        .stdio_count = 3,
        .stdio = stdio,
    };
    const int error = uv_spawn(s->loop, &run->process, &options);
    run->process.data = s;
    uv_timer_init(s->loop, &run->patience);
    run->patience.data = s;
    s->open += 2;
    if (error) {
        forget(s);
        source_end(s, error);
        return;
    }
    run->runs = true;
    source_wait(s, "waiting for %s to write its log", s->name);
    look(s);
}

/* It has not cared for being interrupted: it goes on by itself. */
static void on_patience(uv_timer_t *timer)
{
    source *s = timer->data;
    struct source_run *run = s->run;
    uv_kill(-run->process.pid, SIGTERM);
    forget(s);
    if (s->closing) return;
    source_wait(
        s, "%s still runs %d s after the interrupt: sending SIGTERM and not waiting any longer",
        s->name, PATIENCE_MS / 1000);
    run->over = true;
    look(s);
}

static void interrupt(source *s)
{
    struct source_run *run = s->run;
    if (!run->runs || uv_is_active((uv_handle_t *)&run->patience)) return;
    uv_kill(-run->process.pid, SIGINT);
    uv_timer_start(&run->patience, on_patience, PATIENCE_MS, 0);
}

/* What it then writes to its log still counts. */
static bool finish(source *s)
{
    interrupt(s);
    return s->run->runs || s->run->over;
}

static const char *file(const source *s)
{
    return s->run->launch.executable.path;
}

const struct source_kind source_run = {
    .prefix = "run:",
    .parse = parse,
    .start = start,
    .resume = look,
    .finish = finish,
    .file = file,
    .close = interrupt,
    .release = release,
};
