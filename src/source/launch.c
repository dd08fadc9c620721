#define _GNU_SOURCE /* fallocate */
#include "source/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PUNCH_SIZE = 1 << 20, PAGE = 4096, NOTHING_TO_REMOVE = -1 };

extern char **environ;

const char launch_no_log[] =
    "no eventlog was written here: unless the program printed the reason or has its own -ol, "
    "relink it with -eventlog -rtsopts (GHC 8.8 or newer)";

static int refuse(int code, char *message, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int refuse(int code, char *message, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, size, format, arguments);
    va_end(arguments);
    return code;
}

/* Do the options have one that begins with `option`? */
static bool has_option(const char *options, const char *option)
{
    const size_t length = strlen(option);
    for (const char *at = options; at && *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strncmp(at, option, length) == 0) return true;
    }
    return false;
}

static bool adds_heap(const struct launch_options *options)
{
    return options->heap && !has_option(options->rts, "-h");
}

/* Why it cannot be profiled as requested, with a remedy; NULL: it can. */
static const char *find_obstacle_to_profile(const struct executable *executable,
                                            const struct launch_options *options)
{
    if (executable->profiling != PROFILING_ABSENT) return NULL;
    if (options->prof)
        return "was linked without profiling, so its runtime has no time profile: build it with "
               "ghc -prof -fprof-auto -rtsopts and another -outputdir (cabal build "
               "--enable-profiling --profiling-detail=toplevel-functions)";
    if (adds_heap(options) && executable->options == EXECUTABLE_SOME)
        return "was linked without -rtsopts, which the option -hT of a heap profile requires: "
               "relink it with -rtsopts (in a cabal file: ghc-options: -rtsopts)";
    return NULL;
}

/* Without -threaded, GHC 9.0 writes ticks and censuses into one buffer, from two threads without a
 * lock. */
static bool may_damage_log(const struct executable *executable,
                           const struct launch_options *options)
{
    return executable->profiling == PROFILING_PRESENT && !executable->is_threaded &&
           adds_heap(options) && options->prof;
}

static const char launch_damage[] =
    "was linked without -threaded: its runtime may damage a log that has both a heap profile and a "
    "time profile. Relink it with -threaded, or use --heap and --prof in two runs";

/* Why its log cannot be enabled, with a remedy; NULL: it can. */
static const char *find_obstacle(const struct executable *executable,
                                 const struct launch_options *options)
{
    const enum launch_through through = options->through;
    const char *to_profile = find_obstacle_to_profile(executable, options);
    if (through == LAUNCH_ENVIRONMENT) return to_profile;
    if (executable->is_script)
        return "is a script: name the program that it starts, or pass the options to every Haskell "
               "program it starts: hectic run --through environment";
    if (!executable->is_haskell)
        return "is not a Haskell program: it contains no GHC runtime. If it starts one, name that "
               "one, or use: hectic run --through environment";
    if (!executable->has_eventlog)
        return "was linked without the eventlog: relink it with -eventlog -rtsopts (in a cabal "
               "file: ghc-options: -eventlog -rtsopts)";
    if (executable->options == EXECUTABLE_NONE && through != LAUNCH_ARGUMENTS)
        return "was linked without support for RTS options: relink it with -rtsopts (in a cabal "
               "file: ghc-options: -rtsopts)";
    return to_profile;
}

/* --- Arguments and environment ---------------------------------------------------------------- */

/* The options for profiles. -hT is accepted by every runtime, -po only with profiling: its files
 * are written to the private directory. Free it with free(). NULL: out of memory. */
static char *make_profiling(const struct launch *launch, const struct launch_options *options)
{
    const bool is_profiled = launch->executable.profiling == PROFILING_PRESENT;
    const char *heap = !adds_heap(options) ? "" : is_profiled ? " -hc" : " -hT";
    const bool has_place = is_profiled && (options->heap || options->prof);
    char *made;
    if (asprintf(&made, "%s%s%s%s", heap, options->prof ? " -p" : "", has_place ? " -po" : "",
                 has_place ? launch->path : "") < 0)
        return NULL;
    return made;
}

/* "-l -olPATH" and additional options. In the environment they follow the existing options, because
 * the last one wins. */
static bool make_options(struct launch *launch, const struct launch_options *options,
                         bool as_arguments)
{
    const char *old = getenv("GHCRTS");
    char before[] = "GHCRTS=", flush[64] = "";
    if (as_arguments) before[0] = 0;
    if (as_arguments || !old) old = "";
    char *profiling = make_profiling(launch, options);
    if (!profiling) return false;
    if (launch->executable.has_flush_interval)
        snprintf(flush, sizeof flush, " --eventlog-flush-interval=%.3f",
                 (double)options->every / 1e9);
    if (asprintf(&launch->options, "%s%s%s-l -ol%s%s%s%s%s", before, old, *old ? " " : "",
                 launch->path, flush, profiling, options->rts ? " " : "",
                 options->rts ? options->rts : "") < 0)
        launch->options = NULL;
    free(profiling);
    return launch->options;
}

static size_t count_words(char **words)
{
    size_t count = 0;
    while (words[count])
        count++;
    return count;
}

/* PROG +RTS options -RTS ARG…; splits the options into words. */
static bool set_arguments(struct launch *launch)
{
    char **from = launch->arguments, *rest;
    const size_t most = count_words(from) + strlen(launch->options) + 4;
    char **to = launch->own = launch->arguments = calloc(most, sizeof *to);
    if (!to) return false;
    *to++ = *from++;
    *to++ = (char *)"+RTS";
    for (char *word = strtok_r(launch->options, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        *to++ = word;
    *to++ = (char *)"-RTS";
    while (*from)
        *to++ = *from++;
    return true;
}

static bool set_environment(struct launch *launch)
{
    char **to = launch->own = launch->environment =
        calloc(count_words(environ) + 2, sizeof *launch->own);
    if (!to) return false;
    for (char **from = environ; *from; from++)
        if (strncmp(*from, "GHCRTS=", 7) != 0) *to++ = *from;
    *to = launch->options;
    return true;
}

static bool set_command(struct launch *launch, const struct launch_options *options,
                        char **arguments)
{
    /* Without RTS options on the command line, +RTS would be an argument of the program itself. */
    const bool as_arguments =
        options->through == LAUNCH_ARGUMENTS || (options->through == LAUNCH_WHAT_IT_TAKES &&
                                                 launch->executable.options != EXECUTABLE_UNKNOWN);
    launch->arguments = arguments;
    launch->environment = environ;
    return make_options(launch, options, as_arguments) &&
           (as_arguments ? set_arguments(launch) : set_environment(launch));
}

/* --- The directory of the log ----------------------------------------------------------------- */

static void remove_directory(const char *folder)
{
    static const char *const endings[] = {"", ".prof", ".hp"};
    char path[4096];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (snprintf(path, sizeof path, "%s/eventlog%s", folder, endings[i]) < (int)sizeof path)
            unlink(path);
    rmdir(folder);
}

/* Closes all descriptors from that one on. */
static void close_from(unsigned first)
{
    enum { USUAL = 1024 };
    if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
    for (unsigned fd = first; fd < USUAL; fd++)
        close((int)fd);
}

/* The remover: waits until no process is left that could tell it the program's pid, and until the
 * program has ended. Other threads may have held locks when it was forked. */
static _Noreturn void wait_and_remove(const char *folder, int told)
{
    sigset_t all;
    pid_t program = 0;
    int running = -1;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    dup2(told, STDIN_FILENO);
    close_from(STDIN_FILENO + 1);
    if (chdir("/") != 0) _exit(1);
    while (read(STDIN_FILENO, &program, sizeof program) == sizeof program &&
           program != NOTHING_TO_REMOVE)
        running = (int)syscall(SYS_pidfd_open, program, 0);
    if (program == NOTHING_TO_REMOVE) _exit(0);
    if (running >= 0) poll(&(struct pollfd){.fd = running, .events = POLLIN}, 1, -1);
    while (running < 0 && program > 0 && (kill(program, 0) == 0 || errno == EPERM))
        sleep(1);
    remove_directory(folder);
    _exit(0);
}

/* It is not a child of this process, which need not wait for it. */
static void start_remover(struct launch *launch)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
    const pid_t parent = fork();
    if (parent == 0 && fork() == 0) wait_and_remove(launch->folder, pair[0]);
    if (parent == 0) _exit(0);
    close(pair[0]);
    while (parent > 0 && waitpid(parent, NULL, 0) < 0 && errno == EINTR)
        ;
    launch->tell = pair[1];
}

void launch_tell(const struct launch *launch, pid_t program)
{
    if (launch->tell >= 0) (void)!send(launch->tell, &program, sizeof program, MSG_NOSIGNAL);
}

static void stop_remover(struct launch *launch)
{
    launch_tell(launch, NOTHING_TO_REMOVE);
    if (launch->tell >= 0) close(launch->tell);
    launch->tell = -1;
}

/* --- The log ---------------------------------------------------------------------------------- */

/* In a private directory. Its path has no spaces, which separate options in GHCRTS. */
static int make_log(struct launch *launch, char *message, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    if (!temporary || temporary[0] != '/' || strpbrk(temporary, " \t\n")) temporary = "/tmp";
    uint64_t name = 0;
    if (getrandom(&name, sizeof name, 0) != sizeof name ||
        asprintf(&launch->folder, "%s/hectic-run.%016" PRIx64, temporary, name) < 0)
        launch->folder = NULL;
    if (launch->folder) start_remover(launch); /* first, so that nothing is left in any case */
    if (!launch->folder || mkdir(launch->folder, 0700) != 0) {
        const int error = errno;
        stop_remover(launch);
        free(launch->folder);
        launch->folder = NULL;
        return refuse(EXECUTABLE_FAILED, message, size, "%s: %s", temporary, strerror(error));
    }
    if (asprintf(&launch->path, "%s/eventlog", launch->folder) < 0) launch->path = NULL;
    if (launch->path) launch->fd = open(launch->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (launch->fd >= 0) return 0;
    return refuse(EXECUTABLE_FAILED, message, size, "%s: %s", launch->folder, strerror(errno));
}

/* Unlinks the log. The directory stays until the program ends, because its children may have got
 * the same path. */
static void hide_log(struct launch *launch)
{
    if (launch->path) unlink(launch->path);
    free(launch->path);
    launch->path = NULL;
}

/* Releases the disk space of bytes that were read, if the file system can. */
static void release_space(struct launch *launch)
{
    if (launch->position - launch->punched < PUNCH_SIZE) return;
    const off_t from = (off_t)launch->punched, to = (off_t)(launch->position / PAGE * PAGE);
    if (fallocate(launch->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from) == 0)
        launch->punched = (uint64_t)to;
    else
        launch->punched = launch->position;
}

ssize_t launch_read(struct launch *launch, void *buffer, size_t size)
{
    const ssize_t length = pread(launch->fd, buffer, size, (off_t)launch->position);
    if (length <= 0) return length;
    launch->position += (uint64_t)length;
    hide_log(launch);
    release_space(launch);
    return length;
}

/* --- Launch ----------------------------------------------------------------------------------- */

int launch_prepare(struct launch *launch, const struct launch_options *options, char **arguments,
                   char *message, size_t size)
{
    *launch = (struct launch){.fd = -1, .tell = -1};
    message[0] = 0;
    int code = executable_look(arguments[0], &launch->executable, message, size);
    if (code) return code;
    const char *why = find_obstacle(&launch->executable, options);
    if (why) return refuse(EXECUTABLE_FAILED, message, size, "%s %s", arguments[0], why);
    code = make_log(launch, message, size);
    if (code == 0 && may_damage_log(&launch->executable, options))
        snprintf(message, size, "%s %s", arguments[0], launch_damage);
    if (code || set_command(launch, options, arguments)) return code;
    return refuse(EXECUTABLE_FAILED, message, size, "out of memory");
}

void launch_clear(struct launch *launch)
{
    hide_log(launch);
    if (launch->folder) remove_directory(launch->folder);
    stop_remover(launch);
    free(launch->folder);
    launch->folder = NULL;
    if (launch->fd >= 0) close(launch->fd);
    launch->fd = -1;
    free(launch->own);
    free(launch->options);
    free(launch->executable.path);
    launch->own = NULL;
    launch->options = launch->executable.path = NULL;
}
