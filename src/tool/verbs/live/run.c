/* run.c — hectic run: starts an unmodified Haskell program and watches it. */
#define _GNU_SOURCE /* pipe2 */
#include "os/clock.h"
#include "source/launch.h"
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/files/input_files.h"
#include "tool/files/output_file.h"
#include "tool/output/profile_headlines.h"
#include "tool/output/verdict_lines.h"
#include "tool/passes/live_lines.h"
#include "tool/passes/recording.h"
#include "tool/verbs/live/repeat.h"
#include "tool/verbs/stat/stat_report.h"
#include "tool/verbs/top/top.h"
#include "tool/verbs/view/growing.h"

#include <hectic/stream.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 256 * 1024, MS = 1000000 };

struct run_settings {
    struct watch_settings watch;
    struct recording_settings recording;
    const char *log, *rts, *output;
    enum launch_through through;
    bool heap, prof, no_report, top, view, force;
    struct repeat_settings repeat;
};

struct running {
    const struct run_settings *settings;
    const char *name;
    pid_t child;
    int status; /* of the child, when it has ended */
    struct rusage usage;
    bool ended;
    struct launch launch;
    struct output_file kept;     /* --log; without a descriptor: none, or writing has failed */
    bool has_log;                /* bytes of the log were read */
    struct recording *recording; /* NULL: without --record */
    FILE *out;
    struct live_lines *watching; /* NULL: no lines are printed */
    struct growing *page;        /* NULL: without --view */
    hectic_stream *stream;       /* NULL: without a report */
    hectic_stat *stat;           /* of the section; NULL: before the first */
    hectic_threads *threads;     /* likewise */
    hectic_thread_sums sums;
    struct profiles profiles; /* of the section; likewise */
    bool complete;            /* the end marker was read */
    size_t sections;          /* of the log that have begun */
};

/* --- Starting -------------------------------------------------------------------------------- */

/* The child reports errors through a pipe. Returns 0 or an errno. */
static int start(struct running *run, const sigset_t *mask)
{
    const struct launch *launch = &run->launch;
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    run->child = fork();
    if (run->child == 0) {
        launch_tell(launch, getpid());
        sigprocmask(SIG_SETMASK, mask, NULL);
        execve(launch->executable.path, launch->arguments, launch->environment);
        const int why = errno;
        _exit(write(report[1], &why, sizeof why) == sizeof why ? EXECUTABLE_CANNOT
                                                               : EXECUTABLE_FAILED);
    }
    int why = run->child < 0 ? errno : 0;
    close(report[1]);
    if (run->child > 0 && read(report[0], &why, sizeof why) == sizeof why)
        waitpid(run->child, NULL, 0);
    close(report[0]);
    return why;
}

/* --- Signals --------------------------------------------------------------------------------- */

static volatile pid_t forward_to;
static volatile sig_atomic_t is_interrupted; /* by that signal; 0: not */

/* A terminal signals the program, too: it is in the same foreground process group; except that it
 * hangs up only for the leader of the session. What was sent to this process only is forwarded. */
static void forward(int signal, siginfo_t *info, void *context)
{
    (void)context;
    const int error = errno;
    if (signal != SIGUSR1 && signal != SIGUSR2) is_interrupted = signal;
    const bool is_only_here = info->si_code <= 0 || (signal == SIGHUP && getsid(0) == getpid());
    if (is_only_here && forward_to > 0) kill(forward_to, signal);
    errno = error;
}

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

/* Blocks the signals to forward until there is a child. Sets *mask to the mask before. */
static void hold_signals(sigset_t *mask)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < FORWARDED; i++)
        sigaddset(&held, forwarded[i]);
    sigprocmask(SIG_BLOCK, &held, mask);
}

/* SIGCHLD is only received by sigtimedwait. */
static void forward_signals(pid_t child, const sigset_t *mask)
{
    sigset_t blocked = *mask;
    const struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    forward_to = child;
    for (size_t i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* the program outlives the reader of the lines */
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* Waits until the child has ended, but not for longer. */
static void nap(const struct running *run)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    /* At first the log still has a name. */
    const struct timespec time = {.tv_nsec = (run->launch.path ? 1 : 50) * MS};
    sigtimedwait(&child, NULL, &time);
}

/* Ends as the program ended: with its status, or by the same signal. */
static int end_like(int status)
{
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    const int number = WTERMSIG(status);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, number);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0}); /* one core is enough */
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(number);
    return 128 + number;
}

/* --- The log --------------------------------------------------------------------------------- */

/* False after a message; then it is closed. */
static bool empty_output(int fd, const char *path)
{
    /* EINVAL: it is not a file, and need not be truncated. */
    if (ftruncate(fd, 0) == 0 || errno == EINVAL) return true;
    tool_message("%s: %s", path, strerror(errno));
    close(fd);
    return false;
}

/* The file of --log gets its name with the first bytes, so that it is never empty, and an earlier
 * one stays until then. */
static void keep(struct running *run, const char *bytes, size_t size)
{
    struct output_file *kept = &run->kept;
    size_t done = 0;
    int error = 0;
    while (kept->fd >= 0 && done < size && !error) {
        const ssize_t written = write(kept->fd, bytes + done, size - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            error = errno;
    }
    if (!run->has_log && done > 0 && kept->is_regular && !output_file_publish(kept, true))
        output_file_close(kept);
    if (error) {
        tool_message("%s: %s: the %slog is not written", run->settings->log, strerror(error),
                     run->has_log || done > 0 ? "rest of the " : "");
        output_file_close(kept);
    }
    run->has_log = true;
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_usec * 1000;
}

/* Why there are no samples although they were requested. */
static void explain_absence(const struct run_settings *settings, const struct profiles *profiles)
{
    if (settings->heap && !profiles_have_heap(profiles))
        tool_message("no heap samples in the log: the first is taken after 0.1 s of run time; "
                     "--rts -i0.01 takes them 10 ms apart (requires -rtsopts)");
    if (settings->prof && !profiles_have_time(profiles))
        tool_message("no time samples in the log: it was too short, or its runtime is older than "
                     "GHC 9.0");
}

static void put_profiles(struct running *run, struct sink *sink)
{
    struct profiles *profiles = &run->profiles;
    if (!profiles_print(sink, profiles)) tool_message("out of memory: the profiles are not shown");
}

static void put_verdict(const struct running *run, const hectic_stat_result *result,
                        struct sink *sink)
{
    const struct profiles *profiles = &run->profiles;
    const bool has_heap = profiles_have_heap(profiles);
    const bool is_ordered = hectic_stream_get_state(run->stream).late == 0;
    const hectic_verdict_input input = {.stat = result,
                                        .threads = is_ordered ? &run->sums : NULL,
                                        .heap = has_heap ? profiles->heap : NULL,
                                        .time = profiles->time,
                                        .has_heap_samples = has_heap,
                                        .has_heap_profile = run->settings->heap};
    hectic_verdict verdict = {.nothing = "There is no verdict: events that the runtime had not "
                                         "written yet are lost. Of a log that is kept (hectic run "
                                         "--log LOG), hectic LOG judges the part that all caps "
                                         "cover."};
    if (run->complete && !hectic_verdict_get(&input, &verdict)) {
        tool_message("out of memory: there is no verdict");
        return;
    }
    if (has_heap || profiles_have_time(profiles)) sink_text(sink, "\n", 1);
    verdict_print(sink, &verdict, run->settings->log, NULL);
    if (verdict.count > 0 && !run->settings->log)
        sink_print(sink, "           (LOG: hectic run --log LOG keeps the log.)\n");
}

static void put_report(struct running *run)
{
    enum { UNIT = 1024 }; /* of ru_maxrss */
    const struct report_usage usage = {.user_ns = ns_of(run->usage.ru_utime),
                                       .system_ns = ns_of(run->usage.ru_stime),
                                       .resident_max = (uint64_t)run->usage.ru_maxrss * UNIT};
    hectic_stat_result result;
    struct sink *sink = NULL;
    const bool is_all = run->ended && run->sections == 1;
    if (!run->stat) return;
    if (!run->complete) hectic_stat_cut(run->stat, 0);
    if (!hectic_stat_get(run->stat, NULL, HECTIC_STAT_END, &result)) return;
    if (run->threads && !hectic_threads_end(run->threads, result.last_time))
        tool_message("out of memory: the verdict is incomplete");
    if (result.caps > 0 && (sink = sink_on_stderr())) {
        report_print(
            sink,
            &(struct report){.result = &result, .usage = is_all ? &usage : NULL, .is_whole = true});
        put_profiles(run, sink);
        put_verdict(run, &result, sink);
        sink_close(sink, TOOL_OK);
        explain_absence(run->settings, &run->profiles);
    }
    profiles_clear(&run->profiles);
    hectic_stat_result_clear(&result);
    hectic_stat_free(run->stat);
    hectic_threads_free(run->threads);
    run->stat = NULL;
    run->threads = NULL;
}

static bool take_thread(void *sums, const hectic_thread *thread)
{
    hectic_thread_sums_add(sums, thread);
    return true;
}

static void begin_section(struct running *run, const hectic_header *header)
{
    run->sections++;
    run->complete = false;
    run->sums = (hectic_thread_sums){0};
    run->stat = hectic_stat_new();
    run->threads = hectic_threads_new(0, UINT64_MAX, take_thread, &run->sums);
    if (run->threads) hectic_threads_begin(run->threads, header);
    profiles_begin(&run->profiles, NULL, NULL);
}

/* False: no memory. Without memory there are no profiles. */
static bool take_event(struct running *run, const hectic_event *event)
{
    if (run->profiles.heap && !profiles_event(&run->profiles, event))
        profiles_clear(&run->profiles);
    return hectic_stat_event(run->stat, event) && hectic_threads_event(run->threads, event);
}

static void drop_report(struct running *run)
{
    profiles_clear(&run->profiles);
    hectic_threads_free(run->threads);
    hectic_stat_free(run->stat);
    hectic_stream_free(run->stream);
    run->threads = NULL;
    run->stat = NULL;
    run->stream = NULL;
}

/* Takes what the stream has. Without memory there is no report. */
static void take_events(struct running *run)
{
    hectic_event event;
    hectic_result result = HECTIC_PARTIAL;
    bool done = true;
    while (done && (result = hectic_stream_pull(run->stream, 0, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_GOT_EVENT) {
            done = take_event(run, &event);
        } else if (result == HECTIC_HEADER) {
            put_report(run);
            begin_section(run, hectic_stream_header(run->stream));
            done = run->stat && run->threads;
        } else if (result == HECTIC_COMPLETE && run->stat) {
            run->complete = true;
            hectic_stat_end(run->stat);
        } else if (!hectic_stream_header(run->stream)) {
            done = false; /* not a log */
        }
    }
    if (!done) drop_report(run);
}

/* A block of a cap may be written long after those of other caps; nobody waits for events. */
static hectic_stream *new_stream(void)
{
    const hectic_stream_options options = {.lag = 600 * UINT64_C(1000) * MS};
    return hectic_stream_new(&options);
}

static void stop_watching(struct running *run)
{
    run->complete |= live_lines_is_complete(run->watching);
    live_lines_report(run->watching);
    live_lines_free(run->watching);
    run->watching = NULL;
}

static void take(struct running *run, const char *bytes, size_t size)
{
    keep(run, bytes, size);
    if (run->recording) recording_bytes(run->recording, bytes, size);
    if (run->stream) {
        hectic_stream_push(run->stream, bytes, size, 0);
        take_events(run);
    }
    if (run->page) growing_bytes(run->page, bytes, size);
    if (run->watching && !live_lines_bytes(run->watching, bytes, size, clock_ns()))
        stop_watching(run);
}

/* Reads what was written since. */
static void read_log(struct running *run, char *buffer)
{
    ssize_t size;
    while ((size = launch_read(&run->launch, buffer, READ_SIZE)) > 0)
        take(run, buffer, (size_t)size);
    if (run->recording) recording_tick(run->recording);
    if (run->watching && !live_lines_tick(run->watching, clock_ns())) stop_watching(run);
}

static void follow(struct running *run, char *buffer)
{
    while (!run->ended) {
        nap(run);
        run->ended = wait4(run->child, &run->status, WNOHANG, &run->usage) == run->child;
        read_log(run, buffer);
    }
    const bool is_decoded = run->watching || run->stream;
    if (run->stream) {
        hectic_stream_end(run->stream);
        take_events(run);
    }
    if (run->watching) {
        live_lines_end_bytes(run->watching, clock_ns());
        stop_watching(run);
    }
    if (!run->settings->no_report) put_report(run);
    if (!run->has_log && (is_interrupted || WIFSIGNALED(run->status)))
        tool_message("%s: ended by a signal (%s) before its runtime wrote a log", run->name,
                     strsignal(WIFSIGNALED(run->status) ? WTERMSIG(run->status) : is_interrupted));
    else if (!run->has_log)
        tool_message("%s: %s", run->name, launch_no_log);
    else if (is_decoded && !run->complete && !run->settings->watch.quiet)
        tool_message("%s: %s (%s): events that its runtime had not written yet are lost", run->name,
                     WIFSIGNALED(run->status) ? "ended by a signal" : "ended without its runtime",
                     WIFSIGNALED(run->status) ? strsignal(WTERMSIG(run->status))
                                              : "by _exit, or by exec as another program");
}

/* Serves the page until a signal. Returns at once if one has ended the program. */
static void wait_for_viewer(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t set;
    int number;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&set, ends[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (is_interrupted) return;
    tool_message("the program has ended; the page is served until Ctrl-C");
    stderr_buffer_end();
    sigwait(&set, &number);
}

/* --- Running --------------------------------------------------------------------------------- */

/* Written while the program runs. -1 after a message. */
static int open_output(const char *path, bool force)
{
    if (!sink_may_replace(&(struct output_settings){.path = path, .force = force})) return -1;
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) tool_message("%s: %s", path, strerror(errno));
    if (fd < 0 || input_files_allow_open(fd, path)) return fd;
    close(fd);
    return -1;
}

/* The program, and its standard input. False after a message. */
static bool note_inputs(const struct running *run)
{
    struct stat status;
    return (stat(run->launch.executable.path, &status) != 0 || input_files_note(&status)) &&
           (fstat(STDIN_FILENO, &status) != 0 || input_files_note(&status));
}

static bool out_of_memory(void)
{
    tool_message("out of memory");
    return false;
}

/* After a message. The log has no name yet, unless it replaces a file. */
static bool is_the_log(const struct run_settings *settings, int fd)
{
    struct stat log, other;
    const bool is_same = settings->log && stat(settings->log, &log) == 0 &&
                         fstat(fd, &other) == 0 && S_ISREG(log.st_mode) &&
                         log.st_dev == other.st_dev && log.st_ino == other.st_ino;
    if (is_same) tool_message("%s: --log and --output are the same file", settings->output);
    return is_same;
}

static bool open_outputs(struct running *run)
{
    const struct run_settings *settings = run->settings;
    if (!note_inputs(run)) return false;
    if (settings->view && !(run->page = growing_open(run->name))) return false;
    const struct output_settings log = {.path = settings->log, .force = settings->force};
    if (settings->log && (!sink_may_replace(&log) || !output_file_open(&run->kept, log.path)))
        return false;
    if (settings->recording.directory &&
        !(run->recording = recording_new(&settings->recording, run->name)))
        return false;
    if (settings->output) {
        const bool is_new = access(settings->output, F_OK) != 0;
        const int fd = open_output(settings->output, settings->force);
        const bool is_same = fd >= 0 && is_the_log(settings, fd);
        if (is_same && is_new) unlink(settings->output);
        if (fd < 0 || is_same || !empty_output(fd, settings->output)) return false;
        run->out = fdopen(fd, "w");
        if (!run->out) close(fd);
    } else {
        run->out = stderr_buffer_stream();
    }
    if (!run->out) return out_of_memory();
    if (!settings->watch.quiet || settings->output) {
        run->watching = live_lines_new(&settings->watch, run->out, run->name);
        if (!run->watching) return false;
    }
    if (!settings->no_report) run->stream = new_stream();
    return settings->no_report || run->stream || out_of_memory();
}

static int run_program(struct running *run, char *buffer)
{
    stderr_buffer_begin();
    if (!open_outputs(run)) return EXECUTABLE_FAILED;
    sigset_t mask;
    hold_signals(&mask);
    const int why = start(run, &mask);
    if (why != 0) {
        tool_message("%s: %s", run->name, strerror(why));
        return EXECUTABLE_CANNOT;
    }
    forward_signals(run->child, &mask);
    follow(run, buffer);
    if (run->page) {
        growing_end(run->page);
        wait_for_viewer();
    }
    return TOOL_OK;
}

static void clear(struct running *run)
{
    launch_clear(&run->launch);
    output_file_close(&run->kept);
    recording_free(run->recording);
    growing_close(run->page);
    if (run->out) fclose(run->out);
    live_lines_free(run->watching);
    drop_report(run);
}

/* --- On the screen --------------------------------------------------------------------------- */

/* `word` as one word of a shell. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-,./:=@_";
    if (*word && word[strspn(word, plain)] == 0) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    fputc('\'', out);
}

/* The program as a source of hectic top. */
static int show_top(const struct run_settings *settings, char **argv)
{
    char *source = NULL;
    size_t size;
    FILE *out = open_memstream(&source, &size);
    if (!out) tool_out_of_memory();
    fputs("run:", out);
    put_word(out, argv[0]);
    if (settings->rts) fprintf(out, " +RTS %s -RTS", settings->rts);
    for (char **argument = argv + 1; *argument; argument++) {
        fputc(' ', out);
        put_word(out, *argument);
    }
    if (fclose(out) != 0) tool_out_of_memory();
    const int code = top_run(source, settings->heap, settings->prof);
    free(source);
    return code;
}

static bool has_other_output(const struct run_settings *settings)
{
    const struct watch_settings *watch = &settings->watch;
    return settings->log || settings->view || settings->recording.directory || settings->output ||
           watch->json || watch->csv || watch->limit || watch->every || watch->lag;
}

/* --- Several times --------------------------------------------------------------------------- */

/* Each run is one of hectic run, with these options. */
static int repeat(struct run_settings *settings, char **argv)
{
    static const char *const names[] = {NULL, "--through=arguments", "--through=environment"};
    const char **option = settings->repeat.option;
    if (settings->top || has_other_output(settings)) {
        tool_usage_error("--repeat can only be combined with --heap, --prof, --rts, --through, "
                         "--until, --warmup, --also, --runs, --quiet and --no-report");
        return TOOL_USAGE;
    }
    if (settings->heap) *option++ = "--heap";
    if (settings->prof) *option++ = "--prof";
    if (settings->through != LAUNCH_WHAT_IT_TAKES) *option++ = names[settings->through];
    if (settings->rts) {
        *option++ = "--rts";
        *option = settings->rts;
    }
    settings->repeat.quiet = settings->watch.quiet;
    return repeat_run(&settings->repeat, argv);
}

/* --- The verb -------------------------------------------------------------------------------- */

static int run_verb(void *given, int argc, char **argv)
{
    (void)argc;
    struct run_settings *settings = given;
    settings->no_report |= settings->watch.quiet;
    settings->watch.output = settings->output ? settings->output : "standard error";
    if (settings->watch.json && settings->watch.csv) {
        tool_usage_error("--json and --csv cannot be combined");
        return TOOL_USAGE;
    }
    if (settings->repeat.count > 0) return repeat(settings, argv);
    if (settings->repeat.warmup > 0 || settings->repeat.also_count > 0 || settings->repeat.folder ||
        settings->repeat.until > 0) {
        tool_usage_error("--until, --warmup, --also and --runs need --repeat");
        return TOOL_USAGE;
    }
    if (settings->top &&
        (has_other_output(settings) || settings->through != LAUNCH_WHAT_IT_TAKES)) {
        tool_usage_error("--top can only be combined with --heap, --prof and --rts");
        return TOOL_USAGE;
    }
    if (settings->top) return show_top(settings, argv);
    const uint64_t every = settings->watch.every ? settings->watch.every : 1000 * (uint64_t)MS;
    const struct launch_options options = {.through = settings->through,
                                           .rts = settings->rts,
                                           .every = every / 2,
                                           .heap = settings->heap,
                                           .prof = settings->prof};
    struct running run = {.settings = settings, .name = argv[0], .kept = {.fd = -1}};
    char message[1024], *buffer = malloc(READ_SIZE);
    int code = launch_prepare(&run.launch, &options, argv, message, sizeof message);
    if (*message) tool_message("%s", message);
    if (code == 0 && !buffer) out_of_memory();
    if (code == 0) code = buffer ? run_program(&run, buffer) : EXECUTABLE_FAILED;
    clear(&run);
    free(buffer);
    stderr_buffer_end();
    return run.ended ? end_like(run.status) : code;
}

static const char ways[] = "arguments environment"; /* as in enum launch_through */

static bool set_through(void *field, const char *argument)
{
    const int way = tool_choose(argument, ways);
    if (way >= 0) *(enum launch_through *)field = (enum launch_through)(LAUNCH_ARGUMENTS + way);
    return way >= 0;
}

static const struct tool_option run_options[] = {
    {"top", 0, NULL, "show it on the screen of hectic top, in a browser", NULL,
     offsetof(struct run_settings, top), tool_set_flag},
    {"view", 0, NULL, NULL, NULL, offsetof(struct run_settings, view), tool_set_flag},
    {"heap", 0, NULL, "with a heap profile, a time profile (needs -prof)", NULL,
     offsetof(struct run_settings, heap), tool_set_flag},
    {"prof", 0, NULL, NULL, NULL, offsetof(struct run_settings, prof), tool_set_flag},
    {"rts", 0, "OPTIONS", "more options for the runtime: \"-hT -i1\"", NULL,
     offsetof(struct run_settings, rts), tool_set_text},
    {"through", 0, "WAY", "pass options as arguments or environment (GHCRTS)", ways,
     offsetof(struct run_settings, through), set_through},
    {"log", 0, "FILE", "write the log to FILE; replace outputs that exist", "@files",
     offsetof(struct run_settings, log), tool_set_text},
    {"force", 0, NULL, NULL, NULL, offsetof(struct run_settings, force), tool_set_flag},
    {"repeat", 0, "N", "run it N times, and keep the logs in DIR", NULL,
     offsetof(struct run_settings, repeat.count), tool_set_count},
    {"runs", 0, "DIR", NULL, "@files", offsetof(struct run_settings, repeat.folder), tool_set_text},
    {"warmup", 0, "K", "after K times without a log; in turns with CMD", NULL,
     offsetof(struct run_settings, repeat.warmup), tool_set_count},
    {"also", 0, "CMD", NULL, NULL, offsetof(struct run_settings, repeat), repeat_add_command},
    {"until", 0, "PERCENT", "fewer times if the total time is known this well", NULL,
     offsetof(struct run_settings, repeat.until), repeat_set_until},
    {0},
};

static const struct tool_option output_file_options[] = {
    {"output", 'o', "FILE", "write lines to FILE, not to stderr", "@files",
     offsetof(struct run_settings, output), tool_set_text},
    {"quiet", 'q', NULL, "print no lines on stderr, and no report", NULL,
     offsetof(struct run_settings, watch.quiet), tool_set_flag},
    {"no-report", 0, NULL, "print no report at the end", NULL,
     offsetof(struct run_settings, no_report), tool_set_flag},
    {0},
};

const struct verb verb_run = {
    .name = "run",
    .group = "See what happened in a run",
    .brief = "run a program, report live statistics",
    .summary = "Start a Haskell program and watch it",
    .usage = (const char *const[]){"[OPTION]... [--] PROG [ARG]...", NULL},
    .description =
        (const char *const[]){
            "Starts PROG with its eventlog enabled, prints a line per second on stderr (as "
            "hectic-watch(1) does), and at the end the report of hectic stat, with the CPU time "
            "and the maximum resident set size of the process and of the children it has waited "
            "for, and the verdict of hectic info. The program needs no change. It must be linked "
            "with -eventlog (the default since GHC 9.4), and not with -rtsopts=none or "
            "-rtsopts=ignoreAll. Options are passed to its runtime between +RTS and -RTS, before "
            "the arguments of the program; or, if the program was stripped and so the kind of its"
            " -rtsopts is not known, in the variable GHCRTS, which Haskell programs that it "
            "starts inherit. --rts with options other than those for the log requires -rtsopts.",
            "The program keeps its terminal, stdin and stdout. Signals that are sent to hectic "
            "only are forwarded to it. It writes its log to a private unnamed file, so it never "
            "waits for hectic and is not affected if hectic is killed. The file does not grow: "
            "what has been read is deallocated. Its directory exists while the program runs; a "
            "process beside hectic removes it then, should hectic be killed. --log writes to FILE "
            "when the program has begun its log. An existing FILE is only replaced with --force, "
            "and stays if there is no log.",
            "Runtimes before GHC 9.2 write the events of a cap when 2 MiB of them have "
            "accumulated: lines then come in bursts, each with its time in the log; for a short "
            "run, all at the end. Newer runtimes are configured to write twice per line.",
            "--heap adds the option for a heap profile that its runtime accepts: -hc, by "
            "cost-centre "
            "stack, if the program was linked with -prof; otherwise -hT, by type of closure, for "
            "which it must be linked with -rtsopts. Another -h in --rts replaces it. Samples are "
            "0.1 "
            "s apart (--rts -i1: a second), and each walks the live data. The runtime then also "
            "writes a "
            "file PROG.hp in the program's current directory, except newer runtimes with -prof. "
            "--prof adds -p, which requires -prof. With both, the program should be linked with "
            "-threaded: otherwise the runtime of GHC 9.0 may damage the log.",
            "With --view, hectic serves the page of hectic-view(1) to browsers on this host, and "
            "prints its address on stderr. The page is updated while the program runs. When the "
            "program has ended, the page is served until SIGINT (Ctrl-C), SIGTERM, SIGQUIT or "
            "SIGHUP; if one of these has ended the program, hectic ends with it. Meanwhile the log "
            "is stored in an unlinked file in $TMPDIR.",
            "With --top, the program runs on the screen of hectic top, as a source of the form "
            "run:COMMAND; the exit status is that of hectic top.",
            "--repeat runs the program N times, prints the medians of its numbers with intervals "
            "of "
            "95 %, and keeps the logs in DIR (PROG.runs if --runs is not given), which must be new "
            "or empty: hectic-compare(1) takes it. If standard input is a file, each run reads it "
            "from "
            "where it was. --warmup runs it K times before, without a log. "
            "--also, which may be given several times, names another command, split into words as "
            "a shell does: the commands take turns, in random order, and the logs are in DIR/1, "
            "DIR/2 and so on. --until ends it earlier: as soon as the interval of the median total "
            "time of each command is no wider than this part of it. Such an interval is somewhat "
            "less likely to have the true median than 95 %, since it was waited for. The log of a "
            "run that fails is named .failed; the exit status is "
            "then "
            "that of the first one that failed.",
            "Otherwise the exit status is that of the program. 125: hectic could not start it; "
            "126: "
            "it cannot be executed; 127: it was not found.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"The program", run_options, 0, NULL},
            {"Recording", recording_options, offsetof(struct run_settings, recording),
             recording_note},
            {"Lines (K, M, G of bytes: powers of 1024)", watch_options,
             offsetof(struct run_settings, watch), watch_columns_note},
            {"Lines (K, M, G of bytes: powers of 1024)", output_file_options, 0, NULL},
            {0}},
    .legend = watch_legend,
    .examples =
        (const struct example[]){
            {"hectic run ./myprog", "watch a program"},
            {"hectic run --log my.eventlog -- ./myprog -v", "and keep its log"},
            {"hectic run --top ./myprog", "watch it on the whole screen"},
            {"hectic run --view ./myprog", "watch it in a browser"},
            {"hectic run --repeat 8 --also './new -v' -- ./old -v", "for hectic compare"},
            {"hectic run --record logs --record-size 100M ./myprog", "keep its log, rotated"},
            {"hectic run --heap --rts '-i1 -N4' ./myprog", "with a heap profile, on four caps"},
            {"hectic run -q --json -o lines.json ./myprog", "lines for a script"},
            {NULL, NULL}},
    .exits = {"The program succeeded; other statuses of the program are returned, too.", NULL,
              NULL},
    .least = 1,
    .most = INT_MAX,
    .takes_command = true,
    .settings_size = sizeof(struct run_settings),
    .run = run_verb,
};
