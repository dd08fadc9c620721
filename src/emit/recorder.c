/* Dumps on signals.
 *
 * The handler of a signal that requests a dump only counts it; the service writes the dump. A crash
 * is dumped in the handler: only the first one, since others are its consequences; other crashing
 * threads wait. Then the former action is restored and the signal raised again unchanged, so that
 * core dump and exit status are as without the recorder.
 *
 * Signal actions are properties of the process, not of an emitter. They are changed with the
 * process's lock; handlers read them without it. */
#include "emit/emitter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALS = 65, MILLISECOND = 1000000 };

typedef struct watch {
    struct watch *next;
    int signal;
    unsigned seen; /* of asked[signal] */
    unsigned dumps;
    char path[];
} watch;

/* The destination of a crash dump, allocated in advance. */
typedef struct crash {
    sink *sink;
    uint8_t room[2 * HECTIC_EVENT_MAX];
} crash;

struct recorder {
    watch *watches;
    crash *crash; /* NULL: disabled. Read by handlers */
};

static unsigned requests[SIGNALS]; /* counts by signal; written by handlers */

/* Each emitter has a recorder, created on first use. With the lock. */
static recorder *recorder_of(hectic_emitter *e)
{
    if (!e->recorder) __atomic_store_n(&e->recorder, calloc(1, sizeof(recorder)), __ATOMIC_RELEASE);
    return e->recorder;
}

/* --- Actions: with the lock ------------------------------------------------------------------- */

typedef void handler(int number, siginfo_t *info, void *context);

static struct action {
    struct sigaction former;
    unsigned users;
    int raised_by; /* the thread for which the former action was restored */
} actions[SIGNALS];

static bool is_ours(int number, handler *own)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
           now.sa_sigaction == own;
}

static bool install_handler(int number, handler *own)
{
    struct action *a = &actions[number];
    struct sigaction action = {.sa_sigaction = own,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigfillset(&action.sa_mask);
    if (!is_ours(number, own) && sigaction(number, &action, &a->former) != 0) return false;
    a->raised_by = 0;
    a->users++;
    return true;
}

/* Keeps an action that someone else has installed since. */
static void uninstall_handler(int number, handler *own)
{
    struct action *a = &actions[number];
    if (--a->users == 0 && is_ours(number, own)) sigaction(number, &a->former, NULL);
}

/* --- On request ------------------------------------------------------------------------------- */

static void wake(hectic_emitter *e, void *user)
{
    (void)user;
    service_wake(e);
}

static void on_request(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    __atomic_add_fetch(&requests[number], 1, __ATOMIC_RELEASE);
    process_visit(wake, NULL);
}

static void remove_watch(watch **link)
{
    watch *w = *link;
    *link = w->next;
    uninstall_handler(w->signal, on_request);
    free(w);
}

/* Removes watches of that signal, except the newest if `keep`. */
static void remove_watches(recorder *r, int number, bool keep)
{
    for (watch **link = &r->watches; *link;) {
        const bool found = (*link)->signal == number;
        if (found && !keep)
            remove_watch(link);
        else
            link = &(*link)->next;
        if (found) keep = false;
    }
}

static hectic_emit_status add_watch(recorder *r, int number, const char *path)
{
    watch *w = malloc(sizeof *w + strlen(path) + 1);
    if (!w || !install_handler(number, on_request)) {
        free(w);
        return w ? HECTIC_EMIT_INVALID : HECTIC_EMIT_NO_MEMORY;
    }
    *w = (watch){.next = r->watches,
                 .signal = number,
                 .seen = __atomic_load_n(&requests[number], __ATOMIC_RELAXED)};
    strcpy(w->path, path);
    r->watches = w;
    return HECTIC_EMIT_OK;
}

/* The path, with "%n" replaced by the number of the dump; to be freed. */
static char *numbered(const watch *w)
{
    enum { DIGITS = 10 };
    const char *from = w->path;
    char *path = malloc(strlen(from) * DIGITS + 1), *to = path;
    while (path && *from) {
        if (from[0] == '%' && from[1] == 'n') {
            to += sprintf(to, "%u", w->dumps);
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    if (path) *to = 0;
    return path;
}

/* NULL: no dump requested. */
static char *next_path(recorder *r)
{
    char *path = NULL;
    process_lock();
    for (watch *w = r->watches; w && !path; w = w->next) {
        const unsigned now = __atomic_load_n(&requests[w->signal], __ATOMIC_ACQUIRE);
        if (w->seen == now) continue;
        w->seen = now;
        w->dumps++;
        path = numbered(w);
    }
    process_unlock();
    return path;
}

void recorder_serve(hectic_emitter *e)
{
    recorder *r = __atomic_load_n(&e->recorder, __ATOMIC_ACQUIRE);
    for (char *path; r && (path = next_path(r));) {
        hectic_emitter_dump(e, &(hectic_destination){.path = path});
        free(path);
    }
}

/* --- Crashes ---------------------------------------------------------------------------------- */

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
enum { CRASHES = sizeof crashes / sizeof *crashes };

static bool is_crash(int number)
{
    for (size_t i = 0; i < CRASHES; i++)
        if (crashes[i] == number) return true;
    return false;
}

static void crash_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < CRASHES; i++)
        sigaddset(set, crashes[i]);
}

void recorder_unblock_crashes(sigset_t *blocked)
{
    for (size_t i = 0; i < CRASHES; i++)
        sigdelset(blocked, crashes[i]);
}

enum { NOBODY = 0, OVER = -1 };
static int crasher; /* the thread that dumps */

/* Data that crashes the dump, because the crash has destroyed it, is left out. */
static sigjmp_buf retreat;
static volatile sig_atomic_t can_retreat;

static void attempt(void (*what)(void *user), void *user)
{
    if (sigsetjmp(retreat, 1) == 0) {
        can_retreat = true;
        what(user);
    }
    can_retreat = false;
}

static void dump_crash(hectic_emitter *e, void *user)
{
    (void)user;
    const recorder *r = __atomic_load_n(&e->recorder, __ATOMIC_ACQUIRE);
    crash *c = r ? __atomic_load_n(&r->crash, __ATOMIC_SEQ_CST) : NULL;
    if (c) dump_in_handler(e, c->sink, c->room, sizeof c->room, attempt);
}

/* Restores the former action, to be taken when the handler has returned. If that calls this handler
 * again, restores the default action. */
static void raise_again(int number, siginfo_t *info, int self)
{
    struct action *a = &actions[number];
    const int before = __atomic_exchange_n(&a->raised_by, self, __ATOMIC_RELAXED);
    const struct sigaction none = {.sa_handler = SIG_DFL};
    sigaction(number, before == self ? &none : &a->former, NULL);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), self, number, info) != 0) raise(number);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int error = errno, self = (int)syscall(SYS_gettid);
    int other = NOBODY;
    if (__atomic_compare_exchange_n(&crasher, &other, self, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
        sigset_t set;
        crash_set(&set);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        process_visit(dump_crash, NULL);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        __atomic_store_n(&crasher, OVER, __ATOMIC_SEQ_CST);
    } else if (other == self && can_retreat) {
        siglongjmp(retreat, 1);
    } else if (other != self) {
        while (__atomic_load_n(&crasher, __ATOMIC_SEQ_CST) > NOBODY)
            nanosleep(&(struct timespec){.tv_nsec = MILLISECOND}, NULL);
    }
    raise_again(number, info, self);
    errno = error;
}

void recorder_forked(void)
{
    if (crasher > NOBODY) crasher = NOBODY;
}

/* --- An alternate stack for the handler, in case of a stack overflow -------------------------- */

enum { STACK_SIZE = 128 << 10 };

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static bool has_stack_key;

static void free_stack(void *stack)
{
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stack)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap(stack, STACK_SIZE);
}

static void make_stack_key(void)
{
    has_stack_key = pthread_key_create(&stack_key, free_stack) == 0;
}

static void set_alternate_stack(void)
{
    stack_t now;
    pthread_once(&stack_once, make_stack_key);
    if (!has_stack_key || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return;
    if (pthread_setspecific(stack_key, stack) != 0 ||
        sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = STACK_SIZE}, NULL) != 0)
        munmap(stack, STACK_SIZE);
}

/* --- Registration: with the lock -------------------------------------------------------------- */

static void end_crash(recorder *r)
{
    crash *c = r->crash;
    if (!c) return;
    __atomic_store_n(&r->crash, NULL, __ATOMIC_SEQ_CST);
    process_settle();
    for (size_t i = 0; i < CRASHES; i++)
        uninstall_handler(crashes[i], on_crash);
    sink_free(c->sink);
    free(c);
}

static hectic_emit_status begin_crash(recorder *r, const char *path)
{
    crash *c = malloc(sizeof *c);
    sink *s = c ? sink_new(&(hectic_destination){.path = path}) : NULL;
    if (!s) {
        const int error = c ? errno : ENOMEM;
        free(c);
        return error == ENOMEM ? HECTIC_EMIT_NO_MEMORY : HECTIC_EMIT_INVALID;
    }
    c->sink = s;
    set_alternate_stack();
    __atomic_store_n(&r->crash, c, __ATOMIC_SEQ_CST);
    __atomic_store_n(&crasher, NOBODY, __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < CRASHES; i++)
        install_handler(crashes[i], on_crash);
    return HECTIC_EMIT_OK;
}

hectic_emit_status hectic_emitter_dump_on_signal(hectic_emitter *e, int number, const char *path)
{
    if (number <= 0 || number >= SIGNALS || is_crash(number)) return HECTIC_EMIT_INVALID;
    process_lock();
    recorder *r = recorder_of(e);
    hectic_emit_status status = r ? HECTIC_EMIT_OK : HECTIC_EMIT_NO_MEMORY;
    if (r && path) status = add_watch(r, number, path);
    if (status == HECTIC_EMIT_OK) remove_watches(r, number, path != NULL);
    process_unlock();
    return status;
}

hectic_emit_status hectic_emitter_dump_on_crash(hectic_emitter *e, const char *path)
{
    process_lock();
    recorder *r = recorder_of(e);
    hectic_emit_status status = r ? HECTIC_EMIT_OK : HECTIC_EMIT_NO_MEMORY;
    if (r) end_crash(r);
    if (r && path) status = begin_crash(r, path);
    process_unlock();
    return status;
}

void recorder_free(hectic_emitter *e)
{
    recorder *r = e->recorder;
    if (!r) return;
    process_lock();
    while (r->watches)
        remove_watch(&r->watches);
    end_crash(r);
    process_unlock();
    free(r);
}
