/* Starts a Haskell program and reads its log from the first event. The program has its own session:
 * signals of the terminal do not reach it, and closing the source interrupts it. */
#include "source/launch.h"
#include "source/source_kind.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wordexp.h>

enum {
    MAX_READS = 4, /* per turn of the loop */
    LOOK_MS = 50,
    HIDE_MS = 2,        /* until the log's name has been removed */
    PATIENCE_MS = 5000, /* from SIGINT to SIGTERM */
};

struct source_run {
    source *source;
    wordexp_t words;
    struct launch launch;
    uv_process_t process;
    uv_timer_t patience;
    bool runs, ended;
    int64_t status;
    int signal;
};

static const char *parse_error(int error)
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
    const struct launch_options options = {
        .every = 100000000, .heap = s->options.heap, .prof = s->options.prof};
    struct source_run *run = s->run = calloc(1, sizeof *run);
    if (!run) return source_refuse(message, size, "out of memory");
    run->source = s;
    run->launch.fd = run->launch.tell = -1;
    const int error = wordexp(text, &run->words, WRDE_NOCMD);
    if (error) {
        if (error != WRDE_NOSPACE) run->words = (wordexp_t){0};
        return source_refuse(message, size, "%s: %s", s->name, parse_error(error));
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

/* --- Its log ---------------------------------------------------------------------------------- */

static void end_log(source *s)
{
    const struct source_run *run = s->run;
    if (run->signal)
        source_wait(s, "%s was killed by signal %d", s->name, run->signal);
    else if (run->launch.position == 0)
        source_wait(s, "%s has ended: %s", s->name, launch_no_log);
    else if (run->status)
        source_wait(s, "%s exited with status %d", s->name, (int)run->status);
    source_end(s, 0);
}

static void check(source *s)
{
    struct source_run *run = s->run;
    if (s->paused || s->ended || s->closing) return;
    const bool ended = run->ended; /* then the log is complete */
    for (int i = 0; i < MAX_READS; i++) {
        const ssize_t length = launch_read(&run->launch, s->buffer, SOURCE_PIECE_MAX);
        if (length < 0) {
            source_end(s, uv_translate_sys_error(errno));
            return;
        }
        if (length == 0) goto at_end;
        source_deliver(s, (size_t)length);
        if (s->paused || s->closing) return;
    }
    source_later(s, 0, check);
    return;

at_end:
    if (ended)
        end_log(s);
    else
        source_later(s, run->launch.path ? HIDE_MS : LOOK_MS, check);
}

/* --- The program ------------------------------------------------------------------------------ */

/* The process has ended, or is not waited for any longer. */
static void stop_waiting(source *s)
{
    struct source_run *run = s->run;
    run->runs = false;
    uv_close((uv_handle_t *)&run->process, source_on_closed);
    uv_close((uv_handle_t *)&run->patience, source_on_closed);
}

static void on_program_exit(uv_process_t *process, int64_t status, int signal)
{
    source *s = process->data;
    struct source_run *run = s->run;
    run->ended = true;
    run->status = status;
    run->signal = signal;
    stop_waiting(s);
    check(s);
}

static void start(source *s)
{
    struct source_run *run = s->run;
    /* stdout and the terminal's input belong to the reader of the log. */
    uv_stdio_container_t stdio[] = {
        {.flags = isatty(STDIN_FILENO) ? UV_IGNORE : UV_INHERIT_FD, .data.fd = STDIN_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
    };
    const uv_process_options_t options = {
        .exit_cb = on_program_exit,
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
        stop_waiting(s);
        source_end(s, error);
        return;
    }
    run->runs = true;
    launch_tell(&run->launch, run->process.pid);
    source_wait(s, "waiting for %s to write its log", s->name);
    check(s);
}

/* It has ignored the interrupt. */
static void on_patience(uv_timer_t *timer)
{
    source *s = timer->data;
    struct source_run *run = s->run;
    uv_kill(-run->process.pid, SIGTERM);
    stop_waiting(s);
    if (s->closing) return;
    source_wait(
        s, "%s still runs %d s after the interrupt: sending SIGTERM and not waiting any longer",
        s->name, PATIENCE_MS / 1000);
    run->ended = true;
    check(s);
}

static void interrupt(source *s)
{
    struct source_run *run = s->run;
    if (!run->runs || uv_is_active((uv_handle_t *)&run->patience)) return;
    uv_kill(-run->process.pid, SIGINT);
    uv_timer_start(&run->patience, on_patience, PATIENCE_MS, 0);
}

/* The rest of its log is still read. */
static bool finish(source *s)
{
    interrupt(s);
    return s->run->runs || s->run->ended;
}

static const char *file(const source *s)
{
    return s->run->launch.executable.path;
}

const struct source_kind source_run = {
    .prefix = "run:",
    .parse = parse,
    .start = start,
    .resume = check,
    .finish = finish,
    .file = file,
    .close = interrupt,
    .release = release,
};
