/* signals.c — see signals.h. */
#include "tool/cli/signals.h"

#include "os/clock.h"
#include "tool/cli/message.h"
#include "tool/cli/verb.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

const char *const signals_paragraphs[] = {
    "While a finished log is read, SIGHUP, SIGINT (Ctrl-C), SIGQUIT and SIGTERM terminate the "
    "command: no output file appears, and the shell's status is 128 plus the number of the signal.",
    "While the log is still being written (a live source such as unix:PATH, a pipe, a FIFO, a file "
    "that is followed), the first of these signals ends the input instead. What has arrived is "
    "read, the output is finished and gets its name, and the exit status is that of a log that "
    "ends there: 0, or as listed above; 2 if nothing has arrived. A second signal has no effect. A "
    "third or later signal terminates the command if a second has passed since the first, and the "
    "output file is lost. A SIGHUP that was ignored from the start (nohup) stays ignored.",
    "Until it is complete and on the disk, an output file has no name, or one that begins with "
    ".hectic. If it cannot be written to its end, for example because the disk is full, there is "
    "no file. For a log that was still being written, the file holds what could be written, and "
    "the exit status is 2.",
    NULL};

static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { NUMBERS = sizeof numbers / sizeof *numbers, SECOND = 1000000000 };

static volatile sig_atomic_t live;
static atomic_int count;
static _Atomic int64_t first_at; /* ns; monotonic */
static int wake = -1;            /* readable after a signal */
static const char *_Atomic to_remove;
static void (*_Atomic to_remove_by)(void);
static void (*_Atomic to_restore)(void);
static bool hangups_ignored;

static void remove_files(void)
{
    void (*by)(void) = to_remove_by;
    if (to_remove) unlink(to_remove);
    if (by) by();
}

/* The default action of the signal. */
static void die(int number)
{
    sigset_t set;
    void (*restore)(void) = to_restore;
    remove_files();
    if (restore) restore();
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number); /* the first process of a container survives its signals */
}

static void wake_up(void)
{
    static const uint64_t one = 1;
    /* EAGAIN: it is readable already. */
    if (write(wake, &one, sizeof one) < 0) return;
}

static void on_signal(int number)
{
    const int error = errno;
    /* A process in the background may change the terminal then, and is not stopped. */
    if (to_restore) signal(SIGTTOU, SIG_IGN);
    if (!live) die(number);
    const int64_t at = (int64_t)clock_ns();
    int64_t none = 0;
    atomic_compare_exchange_strong(&first_at, &none, at);
    const int before = atomic_fetch_add(&count, 1);
    if (before == 0) wake_up();
    if (before >= 2 && at - first_at >= SECOND) die(number);
    errno = error;
}

/* Unlike an ignored signal, a handler is not inherited by programs that are started. */
static void do_nothing(int number)
{
    (void)number;
}

static void handle(int number, void (*handler)(int number))
{
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(number, &action, NULL);
}

static void fail(const char *why)
{
    tool_message("cannot wait for signals: %s", why);
    exit(TOOL_UNUSABLE);
}

void signals_start(void)
{
    atexit(remove_files); /* also where exit(3) is called early */
    wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0) fail(strerror(errno));
    for (size_t i = 0; i < NUMBERS; i++) {
        struct sigaction old;
        const bool ignored = sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN;
        if (numbers[i] == SIGHUP) hangups_ignored = ignored;
        if (!ignored) handle(numbers[i], on_signal);
    }
    /* The file size limit becomes an error of write(2). */
    handle(SIGXFSZ, do_nothing);
    /* The parent may have ignored SIGPIPE; without a reader, the process should end quietly. */
    signal(SIGPIPE, SIG_DFL);
}

void signals_end_input(void)
{
    if (live) return;
    live = true;
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers[i] != SIGHUP || !hangups_ignored) handle(numbers[i], on_signal);
}

void signals_end_now(void)
{
    if (live) wake_up();
}

bool signals_input_is_live(void)
{
    return live;
}

bool signals_have_arrived(void)
{
    return count > 0;
}

void signals_restore(void (*restore)(void))
{
    static const int others[] = {SIGPIPE,   SIGALRM, SIGUSR1, SIGUSR2,
                                 SIGVTALRM, SIGPROF, SIGXCPU, SIGIO};
    to_restore = restore;
    signals_end_input();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        handle(others[i], on_signal);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        handle(number, on_signal);
}

void signals_remove(const char *path)
{
    to_remove = path;
}

void signals_remove_by(void (*remove)(void))
{
    to_remove_by = remove;
}

void signals_outlive_readers(void)
{
    handle(SIGPIPE, do_nothing);
}

/* --- On a loop ------------------------------------------------------------------------------- */

static void on_wake(uv_poll_t *poll, int status, int events)
{
    struct signal_watch *watch = poll->data;
    (void)status, (void)events;
    uv_poll_stop(poll); /* it stays readable */
    watch->call(watch->user);
}

void signal_watch_start(struct signal_watch *watch, uv_loop_t *loop, void (*call)(void *user),
                        void *user)
{
    signals_end_input();
    watch->call = call;
    watch->user = user;
    watch->poll.data = watch;
    int error = uv_poll_init(loop, &watch->poll, wake);
    if (!error) error = uv_poll_start(&watch->poll, UV_READABLE, on_wake);
    if (error) fail(uv_strerror(error));
}

void signal_watch_close(struct signal_watch *watch)
{
    uv_handle_t *handle = (uv_handle_t *)&watch->poll;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}
