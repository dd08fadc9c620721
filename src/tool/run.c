/* run.c — hectic run: a Haskell program as it is, watched from its first event.
 *
 * The program writes its log into a file of ours, not into a pipe: a program never waits for the
 * reader of a file, nor does it notice when that reader dies. The file has no name once the program
 * has opened it, and what was read is given back to the disk at once. */
#define _GNU_SOURCE /* fallocate */
#include "program.h"
#include "stat_report.h"
#include "watching.h"

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

enum through { THROUGH_WHAT_IT_TAKES, THROUGH_ARGUMENTS, THROUGH_ENVIRONMENT };

enum { READ_SIZE = 256 * 1024, PUNCH_SIZE = 1 << 20, MS = 1000000 };

struct run_settings {
    struct watch_settings watch;
    const char *log, *rts, *output;
    enum through through;
    bool no_report;
};

struct running {
    const struct run_settings *settings;
    const char *name;
    pid_t child;
    int status; /* of the child, when it has ended */
    bool ended;
    char *folder, *path; /* of the log; NULL: they are gone */
    int fd;              /* of the log */
    int kept;            /* of --log; -1 */
    uint64_t position, punched;
    FILE *out;
    struct watching *watching; /* NULL: nobody looks */
    hectic_decoder *decoder;
    hectic_stat *stat; /* of the section; NULL: before the first, or nobody wants it */
    bool no_memory;
};

/* --- Starting -------------------------------------------------------------------------------- */

/* Is it one that can be watched? Says what to do where not. */
static bool is_fit(const struct program *program, const char *name, enum through through)
{
    if (through == THROUGH_ENVIRONMENT) return true;
    if (program->is_script)
        tool_complain("%s is a script: name the program that it starts, or let all Haskell "
                      "programs it starts have the options: --through environment",
                      name);
    else if (!program->is_haskell)
        tool_complain("%s is no Haskell program: there is no GHC runtime in it. If it starts one, "
                      "name that, or say --through environment",
                      name);
    else if (!program->has_eventlog)
        tool_complain("%s was linked without the eventlog: link it again with -eventlog -rtsopts "
                      "(in a cabal file: ghc-options: -eventlog -rtsopts)",
                      name);
    else if (program->options == PROGRAM_NONE && through != THROUGH_ARGUMENTS)
        tool_complain("%s was linked so that it takes no options for its runtime: link it again "
                      "with -rtsopts (in a cabal file: ghc-options: -rtsopts)",
                      name);
    else
        return true;
    return false;
}

/* A place that only we can look into. Options in GHCRTS are separated by spaces. */
static bool make_log(struct running *run)
{
    const char *temporary = getenv("TMPDIR");
    if (!temporary || temporary[0] != '/' || strpbrk(temporary, " \t\n")) temporary = "/tmp";
    if (asprintf(&run->folder, "%s/hectic-run.XXXXXX", temporary) < 0) run->folder = NULL;
    if (!run->folder || !mkdtemp(run->folder)) {
        tool_complain("%s: %s", temporary, strerror(errno));
        free(run->folder);
        run->folder = NULL;
        return false;
    }
    if (asprintf(&run->path, "%s/eventlog", run->folder) < 0) run->path = NULL;
    if (run->path) run->fd = open(run->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (run->fd < 0) tool_complain("%s: %s", run->folder, strerror(errno));
    return run->fd >= 0;
}

/* Takes the log's name away; the folder stays as long as the program, for its own children may have
 * been told that name as well. */
static void hide_log(struct running *run)
{
    if (run->path) unlink(run->path);
    free(run->path);
    run->path = NULL;
}

static void remove_folder(struct running *run)
{
    if (!run->folder) return;
    char path[4096];
    if (snprintf(path, sizeof path, "%s/eventlog", run->folder) < (int)sizeof path) unlink(path);
    rmdir(run->folder);
    free(run->folder);
    run->folder = NULL;
}

/* "-l -olPATH", and what the program is told besides. NULL: no memory. */
static char *options_for(const struct running *run, const struct program *program)
{
    const struct run_settings *settings = run->settings;
    const uint64_t every = settings->watch.every ? settings->watch.every : 1000000000;
    char flush[64] = "", *options;
    if (program->has_flush_interval)
        snprintf(flush, sizeof flush, " --eventlog-flush-interval=%.3f", (double)every / 2 / 1e9);
    const int length = asprintf(&options, "-l -ol%s%s%s%s", run->path, flush,
                                settings->rts ? " " : "", settings->rts ? settings->rts : "");
    return length < 0 ? NULL : options;
}

/* PROG +RTS options -RTS ARG…; cuts the options into words. NULL: no memory. */
static char **arguments_with(char *options, int argc, char **argv)
{
    char **all = calloc((size_t)argc + strlen(options) + 4, sizeof *all);
    if (!all) return NULL;
    size_t count = 0;
    all[count++] = argv[0];
    all[count++] = (char *)"+RTS";
    char *rest;
    for (char *word = strtok_r(options, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        all[count++] = word;
    all[count++] = (char *)"-RTS";
    for (int i = 1; i < argc; i++)
        all[count++] = argv[i];
    return all;
}

static bool set_environment(const char *options)
{
    const char *old = getenv("GHCRTS");
    char *all;
    if (asprintf(&all, "%s%s%s", old ? old : "", old ? " " : "", options) < 0) return false;
    const bool set = setenv("GHCRTS", all, 1) == 0;
    free(all);
    return set;
}

/* Starts it; what went wrong in the child comes through a pipe. Returns 0 or an errno. */
static int start(struct running *run, const char *path, char **arguments, const sigset_t *mask)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    run->child = fork();
    if (run->child == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execv(path, arguments);
        const int why = errno;
        _exit(write(report[1], &why, sizeof why) == sizeof why ? PROGRAM_NOT_EXECUTABLE
                                                               : PROGRAM_FAILED);
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
    const struct timespec time = {.tv_nsec = (run->path ? 1 : 50) * MS};
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
            tool_complain("%s: %s: no more of the log is kept", run->settings->log,
                          strerror(errno));
            close(run->kept);
            run->kept = -1;
        }
    }
}

/* What was read need not stay on the disk. Where it cannot be given back, it stays. */
static void give_back(struct running *run)
{
    if (run->position - run->punched < PUNCH_SIZE) return;
    const off_t from = (off_t)run->punched, to = (off_t)(run->position / 4096 * 4096);
    if (fallocate(run->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from) == 0)
        run->punched = (uint64_t)to;
    else
        run->punched = run->position;
}

static void put_report(struct running *run)
{
    hectic_stat_result result;
    struct sink *sink = NULL;
    if (!run->stat || !hectic_stat_tell(run->stat, NULL, HECTIC_STAT_END, &result)) return;
    if ((sink = sink_on_stderr())) {
        report_print(sink, &(struct report){.result = &result, .is_whole = true});
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
            run->stat = hectic_stat_new();
        } else if (result == HECTIC_COMPLETE && run->stat) {
            hectic_stat_ended(run->stat);
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
    watching_report(run->watching);
    watching_free(run->watching);
    run->watching = NULL;
}

static void take(struct running *run, const char *bytes, size_t size)
{
    keep(run, bytes, size);
    take_stat(run, bytes, size);
    if (run->watching && !watching_bytes(run->watching, bytes, size, watching_now()))
        stop_watching(run);
    run->position += size;
    give_back(run);
}

/* Reads what there is. */
static void read_log(struct running *run, char *buffer)
{
    ssize_t size;
    while ((size = pread(run->fd, buffer, READ_SIZE, (off_t)run->position)) > 0)
        take(run, buffer, (size_t)size);
    if (run->position > 0) hide_log(run);
    if (run->watching && !watching_tick(run->watching, watching_now())) stop_watching(run);
}

static void follow(struct running *run, char *buffer)
{
    while (!run->ended) {
        nap(run);
        run->ended = waitpid(run->child, &run->status, WNOHANG) == run->child;
        read_log(run, buffer);
    }
    if (run->watching) {
        watching_end_bytes(run->watching, watching_now());
        stop_watching(run);
    }
    if (!run->settings->no_report) put_report(run);
    if (run->position == 0)
        tool_complain("%s has written no eventlog: if it said nothing itself, link it again with "
                      "-eventlog -rtsopts; -ol needs GHC 8.8 or newer",
                      run->name);
}

/* --- The verb -------------------------------------------------------------------------------- */

static bool open_outputs(struct running *run)
{
    const struct run_settings *settings = run->settings;
    if (settings->log) {
        run->kept = open(settings->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (run->kept < 0) tool_complain("%s: %s", settings->log, strerror(errno));
        if (run->kept < 0) return false;
    }
    run->out = settings->output ? fopen(settings->output, "we") : stderr;
    if (!run->out) tool_complain("%s: %s", settings->output, strerror(errno));
    if (!run->out) return false;
    if (!settings->watch.quiet || settings->output) {
        run->watching = watching_new(&settings->watch, run->out, run->name);
        if (!run->watching) return false;
    }
    if (!settings->no_report) run->decoder = hectic_decoder_new();
    return true;
}

static int run_program(struct running *run, const struct program *program, int argc, char **argv,
                       char *buffer)
{
    const enum through through = run->settings->through;
    /* Who does not take arguments for its runtime takes them for its own, or ignores GHCRTS. */
    const bool by_arguments = through == THROUGH_ARGUMENTS || (through == THROUGH_WHAT_IT_TAKES &&
                                                               program->options != PROGRAM_UNKNOWN);
    if (!open_outputs(run) || !make_log(run)) return PROGRAM_FAILED;
    char *options = options_for(run, program);
    char **arguments = options && by_arguments ? arguments_with(options, argc, argv) : argv;
    if (!options || !arguments || (!by_arguments && !set_environment(options))) {
        tool_complain("out of memory");
        free(options);
        return PROGRAM_FAILED;
    }
    sigset_t mask;
    hold_signals(&mask);
    const int why = start(run, program->path, arguments, &mask);
    if (by_arguments) free(arguments);
    free(options);
    if (why != 0) {
        tool_complain("%s: %s", run->name, strerror(why));
        return PROGRAM_NOT_EXECUTABLE;
    }
    forward_signals(run->child, &mask);
    follow(run, buffer);
    return TOOL_OK;
}

static void clear(struct running *run)
{
    hide_log(run);
    remove_folder(run);
    if (run->fd >= 0) close(run->fd);
    if (run->kept >= 0) close(run->kept);
    if (run->out && run->out != stderr) fclose(run->out);
    watching_free(run->watching);
    hectic_decoder_free(run->decoder);
    hectic_stat_free(run->stat);
}

static int run_verb(void *given, int argc, char **argv)
{
    const struct run_settings *settings = given;
    struct program program;
    if (settings->watch.json && settings->watch.csv) {
        tool_complain("--json excludes --csv");
        return TOOL_USAGE;
    }
    int code = program_inspect(argv[0], &program);
    if (code == TOOL_OK && !is_fit(&program, argv[0], settings->through)) code = PROGRAM_FAILED;
    char *buffer = code == TOOL_OK ? malloc(READ_SIZE) : NULL;
    if (!buffer) {
        if (code == TOOL_OK) tool_complain("out of memory");
        free(program.path);
        return code ? code : PROGRAM_FAILED;
    }
    struct running run = {.settings = settings, .name = argv[0], .fd = -1, .kept = -1};
    code = run_program(&run, &program, argc, argv, buffer);
    clear(&run);
    free(buffer);
    free(program.path);
    return run.ended ? end_like(run.status) : code;
}

static bool set_through(void *field, const char *argument)
{
    enum through *through = field;
    *through = strcmp(argument, "arguments") == 0     ? THROUGH_ARGUMENTS
               : strcmp(argument, "environment") == 0 ? THROUGH_ENVIRONMENT
                                                      : THROUGH_WHAT_IT_TAKES;
    if (*through != THROUGH_WHAT_IT_TAKES) return true;
    tool_complain("--through is arguments or environment, not \"%s\"", argument);
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
    .group = "Watch a living program",
    .brief = "start a program, watch it",
    .summary = "Start a Haskell program as it is, and watch it live",
    .usage = (const char *const[]){"[OPTION]... [--] PROG [ARG]...", NULL},
    .description =
        (const char *const[]){
            "Starts PROG with its eventlog switched on, prints a line for each second of it on "
            "stderr (as hectic watch does), and at its end the report of hectic stat. The program "
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
        (const struct option_group[]){
            {"The program", run_options, 0, NULL},
            {"Lines", watch_options, offsetof(struct run_settings, watch), watch_columns_note},
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
