/* run.c — hectic run: a Haskell program as it is, watched from its first event. */
#define _GNU_SOURCE /* pipe2 */
#include "source/launch.h"
#include "tool/input/input_files.h"
#include "tool/output/live_lines.h"
#include "tool/output/stderr_buffer.h"
#include "tool/verbs/stat/stat_report.h"

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
    const char *log, *rts, *output;
    enum launch_through through;
    bool no_report;
};

struct running {
    const struct run_settings *settings;
    const char *name;
    pid_t child;
    int status; /* of the child, when it has ended */
    struct rusage usage;
    bool ended;
    struct launch launch;
    int kept; /* of --log; -1 */
    FILE *out;
    struct live_lines *watching; /* NULL: nobody looks */
    hectic_decoder *decoder;
    hectic_stat *stat; /* of the section; NULL: before the first, or nobody wants it */
    bool complete;     /* the log came to its end */
    size_t sections;   /* of the log that have begun */
};

/* --- Starting -------------------------------------------------------------------------------- */

/* Starts it; what went wrong in the child comes through a pipe. Returns 0 or an errno. */
static int start(struct running *run, const sigset_t *mask)
{
    const struct launch *launch = &run->launch;
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    run->child = fork();
    if (run->child == 0) {
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

/* What a terminal sends, the program gets as well: it is in the same foreground group. What
 * somebody sends to us alone is passed on. */
static void forward(int signal, siginfo_t *info, void *context)
{
    (void)context;
    const int error = errno;
    if (info->si_code <= 0 && forward_to > 0) kill(forward_to, signal);
    errno = error;
}

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

/* Holds back what is to be forwarded until there is a child. Sets *mask to the signals that were
 * blocked before. */
static void hold_signals(sigset_t *mask)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < FORWARDED; i++)
        sigaddset(&held, forwarded[i]);
    sigprocmask(SIG_BLOCK, &held, mask);
}

/* Only sigtimedwait is to hear of the child. */
static void forward_signals(pid_t child, const sigset_t *mask)
{
    sigset_t blocked = *mask;
    const struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    forward_to = child;
    for (size_t i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* who reads our lines may go: the program goes on */
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* Waits until the child has ended, but not for longer. */
static void nap(const struct running *run)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    /* At the beginning the log's name is still there. */
    const struct timespec time = {.tv_nsec = (run->launch.path ? 1 : 50) * MS};
    sigtimedwait(&child, NULL, &time);
}

/* Ends as the program did. */
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

static void keep(struct running *run, const char *bytes, size_t size)
{
    while (run->kept >= 0 && size > 0) {
        const ssize_t written = write(run->kept, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            tool_message("%s: %s: no more of the log is kept", run->settings->log, strerror(errno));
            close(run->kept);
            run->kept = -1;
        }
    }
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_usec * 1000;
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
    if (!run->stat || !hectic_stat_get(run->stat, NULL, HECTIC_STAT_END, &result)) return;
    if (result.caps > 0 && (sink = sink_on_stderr())) {
        report_print(
            sink,
            &(struct report){.result = &result, .usage = is_all ? &usage : NULL, .is_whole = true});
        sink_close(sink, TOOL_OK);
    }
    hectic_stat_result_clear(&result);
    hectic_stat_free(run->stat);
    run->stat = NULL;
}

static void take_stat(struct running *run, const char *bytes, size_t size)
{
    if (!run->decoder) return;
    hectic_decoder_push(run->decoder, bytes, size);
    hectic_event event;
    hectic_result result;
    while ((result = run->stat ? hectic_stat_pull(run->stat, run->decoder)
                               : hectic_decoder_pull(run->decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_HEADER) {
            put_report(run);
            run->sections++;
            run->complete = false;
            run->stat = hectic_stat_new();
        } else if (result == HECTIC_COMPLETE && run->stat) {
            run->complete = true;
            hectic_stat_end(run->stat);
        } else if (result == HECTIC_ERROR && !hectic_decoder_header(run->decoder)) {
            hectic_decoder_free(run->decoder); /* it is no log */
            run->decoder = NULL;
            return;
        } else if (result == HECTIC_ERROR) {
            hectic_decoder_resync(run->decoder);
        }
    }
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
    take_stat(run, bytes, size);
    if (run->watching && !live_lines_bytes(run->watching, bytes, size, live_lines_now()))
        stop_watching(run);
}

/* Reads what there is. */
static void read_log(struct running *run, char *buffer)
{
    ssize_t size;
    while ((size = launch_read(&run->launch, buffer, READ_SIZE)) > 0)
        take(run, buffer, (size_t)size);
    if (run->watching && !live_lines_tick(run->watching, live_lines_now())) stop_watching(run);
}

static void follow(struct running *run, char *buffer)
{
    while (!run->ended) {
        nap(run);
        run->ended = wait4(run->child, &run->status, WNOHANG, &run->usage) == run->child;
        read_log(run, buffer);
    }
    const bool looked = run->watching || run->decoder;
    if (run->watching) {
        live_lines_end_bytes(run->watching, live_lines_now());
        stop_watching(run);
    }
    if (!run->settings->no_report) put_report(run);
    if (run->launch.position == 0)
        tool_message("%s: %s", run->name, launch_no_log);
    else if (looked && !run->complete && !run->settings->watch.quiet)
        tool_message("%s: %s (%s): events that its runtime had not written yet are lost", run->name,
                     WIFSIGNALED(run->status) ? "ended by a signal" : "ended without its runtime",
                     WIFSIGNALED(run->status) ? strsignal(WTERMSIG(run->status))
                                              : "by _exit, or by exec as another program");
}

/* --- The verb -------------------------------------------------------------------------------- */

/* Written as it comes, from the beginning. -1 after a message. */
static int open_output(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) tool_message("%s: %s", path, strerror(errno));
    if (fd < 0) return -1;
    if (!input_files_allow_open(fd, path)) {
        close(fd);
        return -1;
    }
    /* What is no file cannot be made empty, and need not. */
    if (ftruncate(fd, 0) == 0 || errno == EINVAL) return fd;
    tool_message("%s: %s", path, strerror(errno));
    close(fd);
    return -1;
}

/* The program, and what it is given to read. False after a message. */
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

static bool open_outputs(struct running *run)
{
    const struct run_settings *settings = run->settings;
    if (!note_inputs(run)) return false;
    if (settings->log && (run->kept = open_output(settings->log)) < 0) return false;
    if (settings->output) {
        const int fd = open_output(settings->output);
        if (fd < 0) return false;
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
    if (!settings->no_report) run->decoder = hectic_decoder_new();
    return settings->no_report || run->decoder || out_of_memory();
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
    return TOOL_OK;
}

static void clear(struct running *run)
{
    launch_clear(&run->launch);
    if (run->kept >= 0) close(run->kept);
    if (run->out) fclose(run->out);
    live_lines_free(run->watching);
    hectic_decoder_free(run->decoder);
    hectic_stat_free(run->stat);
}

static int run_verb(void *given, int argc, char **argv)
{
    (void)argc;
    const struct run_settings *settings = given;
    if (settings->watch.json && settings->watch.csv) {
        tool_message("--json excludes --csv");
        return TOOL_USAGE;
    }
    const uint64_t every = settings->watch.every ? settings->watch.every : 1000 * (uint64_t)MS;
    const struct launch_options options = {
        .through = settings->through, .rts = settings->rts, .every = every / 2};
    struct running run = {.settings = settings, .name = argv[0], .kept = -1};
    char message[1024] = "out of memory", *buffer = malloc(READ_SIZE);
    int code = launch_prepare(&run.launch, &options, argv, message, sizeof message);
    if (code == 0 && !buffer) code = EXECUTABLE_FAILED;
    if (code == 0)
        code = run_program(&run, buffer);
    else
        tool_message("%s", message);
    clear(&run);
    free(buffer);
    stderr_buffer_end();
    return run.ended ? end_like(run.status) : code;
}

static bool set_through(void *field, const char *argument)
{
    enum launch_through *through = field;
    *through = strcmp(argument, "arguments") == 0     ? LAUNCH_ARGUMENTS
               : strcmp(argument, "environment") == 0 ? LAUNCH_ENVIRONMENT
                                                      : LAUNCH_WHAT_IT_TAKES;
    if (*through != LAUNCH_WHAT_IT_TAKES) return true;
    tool_message("--through is arguments or environment, not \"%s\"", argument);
    return false;
}

static const struct tool_option run_options[] = {
    {"log", 0, "FILE", "keep the log", "@files", offsetof(struct run_settings, log), tool_set_text},
    {"rts", 0, "OPTIONS", "more options for the runtime: \"-hT -i1\"", NULL,
     offsetof(struct run_settings, rts), tool_set_text},
    {"through", 0, "WAY", "how the runtime is told: arguments (+RTS), environment (GHCRTS)",
     "arguments environment", offsetof(struct run_settings, through), set_through},
    {0},
};

static const struct tool_option output_file_options[] = {
    {"output", 'o', "FILE", "lines go there, not to stderr", "@files",
     offsetof(struct run_settings, output), tool_set_text},
    {"quiet", 'q', NULL, "no lines on stderr", NULL, offsetof(struct run_settings, watch.quiet),
     tool_set_flag},
    {"no-report", 0, NULL, "no report at the end", NULL, offsetof(struct run_settings, no_report),
     tool_set_flag},
    {0},
};

const struct verb verb_run = {
    .name = "run",
    .group = "See what happened in a run",
    .brief = "run a program, report live statistics",
    .summary = "Start a Haskell program as it is, and watch it live",
    .usage = (const char *const[]){"[OPTION]... [--] PROG [ARG]...", NULL},
    .description =
        (const char *const[]){
            "Starts PROG with its eventlog switched on, prints a line for each second of it on "
            "stderr (as hectic watch does), and at its end the report of hectic stat, with the CPU "
            "time and the most memory of the process, by what the system says of it and of the "
            "processes that it has waited for. The program "
            "needs no change; it must have been linked with -eventlog (GHC 9.4 and newer: all "
            "are), and not with -rtsopts=none or -rtsopts=ignoreAll. Its runtime is told by "
            "arguments between +RTS and -RTS in front of its own; where the program was stripped, "
            "so that it is not known whether it takes such, through the variable GHCRTS, which "
            "Haskell programs that it starts inherit. Other options than for the log, --rts, need "
            "a program linked with -rtsopts.",
            "The program keeps its terminal, stdin and stdout; signals sent to hectic alone are "
            "passed on to it. It writes its log into a private file without a name, so it never "
            "waits for hectic, and goes on unharmed should hectic be killed. What has been read is "
            "given back to the disk.",
            "Runtimes before GHC 9.2 write the events of a cap when 2 MiB of them have come: lines "
            "then come in bursts, each with the time of the log at which its second ended, and of "
            "a short run all at its end. Newer ones are told to write twice in each line's time.",
            "The exit status is that of the program; 125: hectic could not start it; 126: it "
            "cannot be executed; 127: it was not found.",
            NULL},
    .groups =
        (const struct option_group[]){{"The program", run_options, 0, NULL},
                                      {"Lines (K, M, G of bytes: powers of 1024)", watch_options,
                                       offsetof(struct run_settings, watch), watch_columns_note},
                                      {"Output", output_file_options, 0, NULL},
                                      {0}},
    .examples =
        (const struct example[]){
            {"hectic run ./myprog", "watch it, live"},
            {"hectic run --log my.eventlog -- ./myprog -v", "and keep its log"},
            {"hectic run --rts '-hT -N4' ./myprog", "with four caps and a heap profile"},
            {"hectic run -q --json -o lines.json ./myprog", "lines for a script"},
            {NULL, NULL}},
    .exits = {"That of the program, as all others.", NULL, NULL},
    .least = 1,
    .most = INT_MAX,
    .takes_command = true,
    .settings_size = sizeof(struct run_settings),
    .run = run_verb,
};
