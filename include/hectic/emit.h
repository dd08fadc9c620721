/* hectic/emit.h — the producing side: a program that writes an eventlog while it runs.
 *
 *     hectic_emitter *e = hectic_emitter_new(NULL);
 *     hectic_emitter_start(e, &(hectic_destination){.path = "program.eventlog"});
 *     hectic_emit_user_msg(hectic_emitter_cap(e, 0), "hello");
 *     hectic_emitter_free(e);
 *
 * Which thread may touch what:
 *
 *     thread A ──▶ cap 0 ─▶ [buffer] ─┐                        ┌─▶ file, fd, FIFO, socket,
 *     thread B ──▶ cap 1 ─▶ [buffer] ─┼─▶ full ─▶ the service ─┤   a writer of yours
 *     any thread ─▶ global ▶ [buffer]─┘  buffers     thread    └─▶ or nowhere: a ring in memory
 *     any thread ─▶ control (hectic_emitter_…)
 *
 * A cap is used by one thread at a time. It takes no lock and makes no system call unless its
 * buffer is full, when it takes another. Threads that hand a cap from one to the other synchronise
 * as for any other memory. The global buffer, which is for events that belong to no cap, may be
 * used by any thread at any time, and takes a lock. Every hectic_emitter_… function may be called
 * by any thread while events are being written; only hectic_emitter_free needs that nobody uses the
 * emitter any more. Nothing here may be called by a signal handler.
 *
 * A log is told whole to whoever begins to read it: every destination gets a header, then what a
 * reader must know (the process, caps, living threads and their labels, heap parameters,
 * definitions, and what each thread is doing), then blocks of events. The emitter remembers that
 * from the events that left it; memory for it depends on what lives, not on what happened.
 *
 * The emitter never writes to a destination in a way that could block the thread for ever, raises
 * no SIGPIPE, and retries what was interrupted. A child made by fork has the emitter stopped, with
 * its destination closed and nothing written; it may start it again with one of its own. When the
 * program exits, what was written so far is flushed and the log ended.
 */
#ifndef HECTIC_EMIT_H
#define HECTIC_EMIT_H

#include <hectic/catalogue.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_emitter hectic_emitter;
typedef struct hectic_emit_cap hectic_emit_cap;

/** What a control function came to. */
typedef enum hectic_emit_status {
    HECTIC_EMIT_OK = 0,
    HECTIC_EMIT_SEQUENCE, /**< not in this state: stop what is not started, start twice … */
    HECTIC_EMIT_INVALID,  /**< an argument that can never be right */
    HECTIC_EMIT_NO_MEMORY,
    HECTIC_EMIT_SYSTEM,  /**< the system refused: hectic_emitter_state tells the errno */
    HECTIC_EMIT_TIMEOUT, /**< the destination has not taken everything in time. Nothing is lost by
                              this: it goes on when it can */
    HECTIC_EMIT_LOST,    /**< the destination is gone: what was not written yet is kept while the
                              buffers suffice, for the next one */
} hectic_emit_status;

/** "called out of sequence …": what is the matter; a constant text. */
const char *hectic_emit_status_text(hectic_emit_status status);

/* --- Destinations --------------------------------------------------------------------------- */

typedef enum hectic_destination_kind {
    HECTIC_TO_FILE,   /**< `path` is made or emptied. A FIFO there is treated as one */
    HECTIC_TO_FIFO,   /**< `path` is a FIFO. While nobody reads it the emitter waits for a reader;
                           when one has gone, for the next, who gets a whole log again */
    HECTIC_TO_FD,     /**< `fd`, which stays the caller's: it is neither closed nor are its flags
                           changed. It must stay open until another destination, or stop */
    HECTIC_TO_UNIX,   /**< connects to the Unix socket at `path`; again when the peer has gone */
    HECTIC_TO_TCP,    /**< connects to `host`, `port`; again when the peer has gone */
    HECTIC_TO_WRITER, /**< calls `writer` */
    HECTIC_TO_LISTEN, /**< listens at the Unix socket `path` or, without one, at `host`, `port`: see
                           below */
    HECTIC_TO_RING,   /**< nowhere: the last `ring_size` bytes are kept in memory (a flight
                           recorder), for hectic_emitter_dump */
} hectic_destination_kind;

/** What to do when all buffers are full because the destination does not take them. Whatever is
 *  dropped is whole blocks of one cap; it is counted, and the log tells in its place how many
 *  events are missing, by a LOG_MSG ("hectic: 123 events were dropped here"). When the destination
 *  has caught up it is told again (hectic_emitter_sync) what holds by then. */
typedef enum hectic_when_blocked {
    HECTIC_BLOCKED_DEFAULT,     /**< wait for files, descriptors and writers; else drop oldest, as
                                     a ring always does */
    HECTIC_BLOCKED_WAIT,        /**< the emitting thread waits for `wait_ms` at most; then the
                                     newest is dropped until the destination takes something */
    HECTIC_BLOCKED_DROP_NEWEST, /**< the block that has just been filled */
    HECTIC_BLOCKED_DROP_OLDEST, /**< the oldest block that waits to be written */
} hectic_when_blocked;

/** The caller's own way out, as GHC's EventLogWriter. All are called by one thread at a time, not
 *  always the same; each may be NULL but `write`. They must not call the emitter. */
typedef struct hectic_emit_writer {
    bool (*init)(void *user);                                    /**< false: cannot be used */
    bool (*write)(void *user, const void *bytes, size_t length); /**< all of them, or false: from
                                                                      then on it is given none */
    void (*flush)(void *user);                                   /**< after each flush */
    void (*stop)(void *user);                                    /**< once, at the end */
} hectic_emit_writer;

/* HECTIC_TO_LISTEN serves readers that connect, as hectic_server (hectic/server.h) does: up to 256
 * at a time, which come and go when they like, at a socket that only the user may open (mode 0600)
 * or at a TCP port (0: any, see hectic_emitter_state.port). Each gets a header, the state, and the
 * log from then on. `ring_size` bytes of the log are kept for readers to come, and for those that
 * are slow; whoever is slower misses the oldest blocks, and its log says so. The emitter never
 * waits for a reader, so that `when_blocked` means nothing; but stop, and redirecting elsewhere,
 * give readers 2 s to take what is left. SYSTEM and EADDRINUSE: somebody listens there already.
 *
 * A reader may send commands over its connection, as hectic ctl does (hectic/control.h): flush,
 * logging on and off, classes on and off. They are obeyed by a thread of the server, which for them
 * calls hectic_emitter_flush, _set_logging and _set_classes, and so the reporter's functions; the
 * answer is in that reader's log. */

/** Where a log goes. Zero is "a file"; strings and *writer are copied. */
typedef struct hectic_destination {
    hectic_destination_kind kind;
    hectic_when_blocked when_blocked;
    uint32_t wait_ms; /**< 0: 1,000 */
    int fd;
    const char *path;
    const char *host; /**< a name or an address */
    const char *port; /**< a number or a service's name */
    /** Of TCP, or NULL: a file whose first line is the token (16 to 255 letters) that the peer asks
     *  for, as hectic relay does. Read once, and said on each connection before the log. SYSTEM:
     *  the errno is why it cannot be read; EBADMSG: its first line is no token. */
    const char *token_file;
    const hectic_emit_writer *writer;
    void *user;       /**< of writer */
    size_t ring_size; /**< bytes, of RING and LISTEN; 0: 16 MiB */
} hectic_destination;

/** A destination from its text: "PATH", "file:PATH", "fifo:PATH", "unix:PATH", "tcp:HOST:PORT"
 *  ("tcp:[::1]:4242", "tcp:far:4242,token-file=FILE"), "listen:unix:PATH", "listen:tcp:HOST:PORT",
 *  "fd:N", "-" for stdout, "ring", "ring:SIZE" (64M, 1G: powers of 1024). Writes the strings that
 * it needs to room[0 … room_size-1] (strlen(text) + 1 are enough); they are used by *destination.
 * False: it is none of these, or the room is too small. */
bool hectic_destination_parse(hectic_destination *destination, const char *text, char *room,
                              size_t room_size);

/* --- Emitters ------------------------------------------------------------------------------- */

/** How an event's time is taken: nanoseconds since the emitter was made. */
typedef enum hectic_emit_clock {
    HECTIC_CLOCK_AUTO,      /**< TSC where hectic_emit_tsc_is_reliable, else MONOTONIC */
    HECTIC_CLOCK_MONOTONIC, /**< clock_gettime(CLOCK_MONOTONIC) */
    HECTIC_CLOCK_TSC,       /**< the CPU's time stamp counter, calibrated against the former; falls
                                 back to it where the CPU has no invariant one */
    HECTIC_CLOCK_CALLER,    /**< options.now. For other clocks and for made-up logs */
} hectic_emit_clock;

/** True where the TSC is invariant, the kernel itself keeps time by it (which it does only as long
 *  as it finds all cores' counters in step), and no step back was found when it was read on all
 *  cores in turn, which is tried when this is first asked (some milliseconds). */
bool hectic_emit_tsc_is_reliable(void);

/** All zero is a good choice, as is NULL for it. */
typedef struct hectic_emitter_options {
    uint32_t caps;      /**< caps at the beginning: 0 … caps-1; 0: 1. More may come */
    size_t buffer_size; /**< see hectic_emitter_set_buffer_size; 0: 256 KiB */
    uint64_t classes;   /**< HECTIC_CLASS_BITs that are on at first; 0: all of GHC's. PROCESS always
                             is. Eden's, Mercury's and perf's event types are in the header only
                             if their classes are named here */
    hectic_emit_clock clock;
    uint64_t (*now)(void *user); /**< HECTIC_CLOCK_CALLER: nanoseconds, which should not go back:
                                      if they do, the cap's last time is used again */
    const char *runtime;         /**< RTS_IDENTIFIER; NULL: "hectic VERSION" */
    const char *const *args;     /**< argv, ended by NULL; NULL: as the system knows them */
    bool with_env;               /**< log the environment (PROGRAM_ENV). It may hold secrets */
    bool no_process;             /**< log nothing of the process; tell it yourself */
    bool no_thread; /**< no service thread: buffers are written by the thread that fills
                         one, and only flush, sync and start do what is due by time */
    void *user;     /**< of now */
} hectic_emitter_options;

/** An emitter, not yet logging; NULL: no memory or threads, or options that cannot be. */
hectic_emitter *hectic_emitter_new(const hectic_emitter_options *options);

/** Stops it and frees it. Nobody may use it any more. NULL is allowed. */
void hectic_emitter_free(hectic_emitter *emitter);

/** The cap of that number, at most 65,534; made, with all caps below it, if it is new. Valid as
 *  long as the emitter. NULL: no memory, or no such cap. */
hectic_emit_cap *hectic_emitter_cap(hectic_emitter *emitter, uint32_t number);

/** The buffer for events that belong to no cap; any thread may use it. */
hectic_emit_cap *hectic_emitter_global(hectic_emitter *emitter);

/** Opens the destination, writes the header and what a reader must know, and logs from now on.
 *  SEQUENCE where it is started already: see redirect. */
hectic_emit_status hectic_emitter_start(hectic_emitter *emitter,
                                        const hectic_destination *destination);

/** Logs no more, writes out all buffers and the end marker, closes the destination. TIMEOUT: that
 *  took more than 2 s, or nobody was there to take it; the log was left without its end, and what
 *  had not been taken is lost. */
hectic_emit_status hectic_emitter_stop(hectic_emitter *emitter);

/** Sends the log elsewhere while it goes on: flushes and ends it in the old destination, begins it
 *  in the new one. No event is lost or told twice. Where the new one cannot be opened the old one
 *  stays. What the old one has not taken within 2 s goes to the new one. */
hectic_emit_status hectic_emitter_redirect(hectic_emitter *emitter,
                                           const hectic_destination *destination);

/** Switches logging off and on as a whole. Off costs an event a load and a branch. A started
 *  emitter keeps its destination open. Before start: what start begins with. On at first. While it
 *  was off, events were missed: see hectic_emitter_set_reporter. */
hectic_emit_status hectic_emitter_set_logging(hectic_emitter *emitter, bool on);

/** The most parameters of a class. */
#define HECTIC_CLASS_PARAMETERS 4

/** Switches a class on, with its first `count` parameters (the rest keep their values):
 *      spark, heap-profile, ticky   [0] the period of samples in ns (hectic_emit_due)
 *      time-profile                 [0] the period of samples in ns
 *      perf                         [0] what is sampled, [1] by what, [2] the period
 *  and what a producer takes them for in other classes. 0 at first. */
hectic_emit_status hectic_emitter_enable(hectic_emitter *emitter, hectic_class class_,
                                         const uint64_t *parameter, size_t count);
/** Switches a class off. INVALID: PROCESS and FRAMING are always on. */
hectic_emit_status hectic_emitter_disable(hectic_emitter *emitter, hectic_class class_);
/** Switches several at once: these HECTIC_CLASS_BITs are on, as far as their events are in the
 *  header (see hectic_emitter_options.classes); all others are off, but for PROCESS and FRAMING. */
hectic_emit_status hectic_emitter_set_classes(hectic_emitter *emitter, uint64_t classes);

/** The HECTIC_CLASS_BITs that are on, whether logging is or not. */
uint64_t hectic_emitter_classes(const hectic_emitter *emitter);
uint64_t hectic_emitter_parameter(const hectic_emitter *emitter, hectic_class class_, size_t index);

/** The classes that GHC's -l would switch by these letters: "sgpfunT", "-" before a letter takes
 *  it away, "a" is all: of the bits `classes`, what they are then. UINT64_MAX: an unknown letter.
 */
uint64_t hectic_classes_by_flags(uint64_t classes, const char *flags);

/** Brings out what every cap and the global buffer held before the call; waits for `timeout_ms`
 *  at most (0: 2,000). OK: the destination has taken it all. */
hectic_emit_status hectic_emitter_flush(hectic_emitter *emitter, uint32_t timeout_ms);

/** Flush every N ms (0: never, the default), and flush a cap that has written nothing for N ms
 *  (0: never, the default). Need the service thread. */
hectic_emit_status hectic_emitter_flush_every(hectic_emitter *emitter, uint32_t ms);
hectic_emit_status hectic_emitter_flush_idle(hectic_emitter *emitter, uint32_t ms);

/** Tells again, now or every N ms, all that a reader must know. It is told by SYNC events, each of
 *  which holds an event that is still true, so that readers who knew it are not confused. */
hectic_emit_status hectic_emitter_sync(hectic_emitter *emitter);
hectic_emit_status hectic_emitter_sync_every(hectic_emitter *emitter, uint32_t ms);

/** What a cap fills before it is written out: at least the largest event, 65,547 bytes, to which
 *  smaller sizes are raised. There are two such buffers for each cap and for the global one, two
 *  more, and those that a ring takes. A cap changes when its present buffer is full. */
hectic_emit_status hectic_emitter_set_buffer_size(hectic_emitter *emitter, size_t bytes);

/** The first number that hectic_emitter_register chooses. */
#define HECTIC_CUSTOM_EVENTS 2000u

/** A new event type, for the header: `number`, or 0 to have one chosen; a payload of `size` bytes,
 *  or HECTIC_VARIABLE; a description, which is copied, for readers that do not know the type.
 * Events of a `definition` are remembered and told to every destination. Its number is *registered.
 * SEQUENCE: a header has been written, and cannot be changed; register before start, or after stop.
 * INVALID: the number is taken, or no event's. */
hectic_emit_status hectic_emitter_register(hectic_emitter *emitter, uint16_t number, uint16_t size,
                                           hectic_class class_, bool definition,
                                           const char *description, uint16_t *registered);

/* --- Reporting what was missed --------------------------------------------------------------- */

/* While logging, or a class of events, is off, nobody sees what happens: threads are created and
 * finish, and the log knows nothing of it. When it is on again the log has to be true again. Only
 * the producer knows what is there by then: it reports that, whenever the emitter asks for it. The
 * emitter compares the report with what the log knows, and logs the difference as ordinary events:
 * threads that are new are created, those that are gone finish, the others stop, wake, migrate and
 * run as they have. So the log goes on without a contradiction, for readers who were there before
 * and for those who come later.
 *
 * It asks when a log starts, and when logging or a class is switched on; never when a log is
 * redirected, for then it knows.
 *
 * A producer that may be switched off, which readers with hectic ctl may do, too, has the duty to
 * set a reporter. Without one, threads that have finished meanwhile stay in the log for ever. */

typedef struct hectic_emit_report hectic_emit_report;

/** The producer's functions. `pause` and `resume` may be NULL where no other thread emits events on
 *  caps while logging is switched.
 *
 *  All are called by the thread that has called hectic_emitter_start, _redirect (of an emitter that
 *  is not started), _set_logging, _enable, _disable or _set_classes, or by the server's thread that
 *  obeys a reader's command; by one at a time, without any lock of the emitter that the writing of
 *  events needs. They must not call these functions. Do not call these functions with a lock that
 *  `pause` takes; a thread that is in one of them counts as paused. */
typedef struct hectic_emit_reporter {
    /** Returns when no thread emits an event on a cap any more, until `resume`: all have stopped
     *  between two events, or wait for a lock that this takes. */
    void (*pause)(void *user);
    /** Reports all that is there, by the functions that log events, on caps of
     *  hectic_emit_report_cap: for each thread CREATE_THREAD, THREAD_LABEL if it has one,
     *  RUN_THREAD if it runs just now, RUN_THREAD and STOP_THREAD if it is blocked; TASK_CREATE;
     *  HEAP_INFO_GHC, and the counters HEAP_SIZE, HEAP_ALLOCATED, SPARK_COUNTERS …; a collection
     *  or heap census that is going on, by the events that began it; definitions, such as cost
     *  centres and HEAP_PROF_BEGIN. What is not reported has ended. Events of classes that are not
     *  asked for are refused, as if they were off. What the emitter itself has told of the process
     *  and its caps need not be reported. */
    void (*report)(void *user, hectic_emit_report *report);
    void (*resume)(void *user);
} hectic_emit_reporter;

/** Sets the producer's functions, which are copied; NULL: none. At any time, best before start.
 *  INVALID: `report` is NULL. */
hectic_emit_status hectic_emitter_set_reporter(hectic_emitter *emitter,
                                               const hectic_emit_reporter *reporter, void *user);

/** Where to report what is on the cap of that number (HECTIC_CAP_NONE: on none). Valid until it is
 *  called again, or `report` returns. Its events are not logged as they are. NULL: no such cap. */
hectic_emit_cap *hectic_emit_report_cap(hectic_emit_report *report, uint32_t number);

/* --- The flight recorder -------------------------------------------------------------------- */

/** Writes what the ring holds, as a log by itself: header, what a reader must know of all that has
 *  left the ring, then the events. The ring keeps it, and threads go on emitting; where they
 *  overtake the dump, the log tells how many events are missing. Other control, and fork, wait for
 *  it. TIMEOUT: the destination has not taken it within 5 s. SEQUENCE: the emitter has no ring.
 *  INVALID: the destination is one. */
hectic_emit_status hectic_emitter_dump(hectic_emitter *emitter,
                                       const hectic_destination *destination);

/** Dumps to the file `path` whenever the process gets that signal, in the service thread (without
 *  one, in the next flush). "%n" in the path is the number of the dump, from 1. NULL: no more; the
 *  signal's former action returns. INVALID: a signal that cannot be caught, or tells of a crash. */
hectic_emit_status hectic_emitter_dump_on_signal(hectic_emitter *emitter, int signal_number,
                                                 const char *path);

/** Dumps to the file `path` when the program crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
 *  SIGSYS, SIGTRAP), in the signal's handler; then the signal's former action is done as if there
 *  had been no other, so that core dump and exit status stay what they are. The file is made when
 *  it happens. Without a ring it gets what had not been written yet. NULL: no more.
 *
 *  The first crash is dumped, until this is called again. The calling thread gets a stack for
 *  signals, unless it has one. Where another thread overflows its stack and has none of those
 *  (sigaltstack), the kernel ends the program without a dump; it may call this, too, with the same
 *  path. */
hectic_emit_status hectic_emitter_dump_on_crash(hectic_emitter *emitter, const char *path);

/* --- State ---------------------------------------------------------------------------------- */

typedef enum hectic_destination_state {
    HECTIC_DESTINATION_NONE,    /**< not started */
    HECTIC_DESTINATION_READY,   /**< takes what it is given */
    HECTIC_DESTINATION_BLOCKED, /**< takes nothing just now: a slow reader, a full disk */
    HECTIC_DESTINATION_WAITING, /**< waits for a reader or peer, and tries again and again */
    HECTIC_DESTINATION_FAILED,  /**< is given up: redirect. The newest events are kept for that */
} hectic_destination_state;

typedef struct hectic_emitter_state {
    hectic_destination_state destination;
    int error;              /**< errno of its last trouble; 0: none */
    uint64_t bytes_written; /**< to all destinations */
    uint64_t blocks_written;
    uint64_t events_dropped; /**< since the emitter was made; of a ring: all that left it */
    uint64_t bytes_dropped;
    uint64_t memory; /**< bytes of all buffers */
    bool logging;
    bool tsc;         /**< times are taken from the TSC */
    uint32_t readers; /**< of LISTEN: that are connected */
    uint16_t port;    /**< of LISTEN at a TCP port: which one; else 0 */
} hectic_emitter_state;

hectic_emitter_state hectic_emitter_get_state(hectic_emitter *emitter);

/* --- Events --------------------------------------------------------------------------------- */

/** Is the class logged now? */
static inline bool hectic_emit_enabled(const hectic_emit_cap *cap, hectic_class class_);

/** True when the class is on and a sample of it is due on this cap: parameter 0 is the period in
 *  ns (0: always due). Takes the time. */
bool hectic_emit_due(hectic_emit_cap *cap, hectic_class class_);

/** The time that an event of this cap would get now, in ns. */
static inline uint64_t hectic_emit_now(hectic_emit_cap *cap);

/** Any event of the header by its number: its payload as it is on the wire. False, and nothing is
 *  logged: its class is off, the header does not declare it, or not with this size. */
bool hectic_emit_bytes(hectic_emit_cap *cap, uint16_t number, const void *payload, size_t size);

/** Any event of the catalogue by its number, from the values of its fields as
 *  hectic_encode_fields takes them. False also where that cannot encode them. */
bool hectic_emit_fields(hectic_emit_cap *cap, uint16_t number, const hectic_value *value,
                        size_t count);

/* A typed function for every event of the catalogue, hectic_emit_create_thread(cap, thread) and so
 * on, is in hectic/emit_events.h, which is included below. */

/* --- What the functions above are made of: not for use ---------------------------------------- */

/** A straight line from the TSC to the clock. */
struct hectic_emit_line {
    uint64_t tsc, ns;
    uint64_t slope; /**< ns per tick, times 2^32 */
};

struct hectic_emit_cap {
    uint64_t classes; /**< bits; written by control, read by the cap's thread */
    uint8_t *at;      /**< where the next event goes. Written by the cap's thread, read by all */
    uint8_t *end;     /**< of the room. The cap's thread's own */
    uint64_t last;    /**< the last event's time. Written by the cap's thread, read by all */
    const struct hectic_emit_line *line; /**< NULL: no TSC */
    bool shared; /**< the global buffer: hectic_emit_reserve locks, hectic_emit_release unlocks */
};

uint8_t *hectic_emit_reserve(hectic_emit_cap *cap, size_t size); /* NULL: none; else `size` bytes */
void hectic_emit_release(hectic_emit_cap *cap, uint8_t *end);
uint64_t hectic_emit_clock_time(const hectic_emit_cap *cap);

static inline bool hectic_emit_enabled(const hectic_emit_cap *cap, hectic_class class_)
{
    /* "Unlikely", since what is off is to cost least: it stays out of the program's way. */
    return __builtin_expect(__atomic_load_n(&cap->classes, __ATOMIC_RELAXED) >> class_ & 1, 0);
}

static inline uint64_t hectic_emit_line_time(const struct hectic_emit_line *line, uint64_t tsc)
{
    __extension__ typedef unsigned __int128 wide;
    const uint64_t ticks = tsc - line->tsc;
    /* Another core may be some ticks behind the one that drew the line. */
    if ((int64_t)ticks < 0) return line->ns;
    return line->ns + (uint64_t)((wide)ticks * line->slope >> 32);
}

static inline uint64_t hectic_emit_read_clock(const hectic_emit_cap *cap)
{
#ifdef __x86_64__
    const struct hectic_emit_line *line = __atomic_load_n(&cap->line, __ATOMIC_ACQUIRE);
    if (line) {
        /* Not RDTSC, which takes half the time, but may be done before what stands before it: the
         * time of a thread that was just handed something could be before that of the giver. */
        unsigned core;
        return hectic_emit_line_time(line, __builtin_ia32_rdtscp(&core));
    }
#endif
    return hectic_emit_clock_time(cap);
}

static inline uint64_t hectic_emit_now(hectic_emit_cap *cap)
{
    const uint64_t time = hectic_emit_read_clock(cap);
    const uint64_t last = __atomic_load_n(&cap->last, __ATOMIC_RELAXED);
    return time > last ? time : last;
}

static inline void hectic_emit_put16(uint8_t *out, uint16_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap16(value);
#endif
    memcpy(out, &value, sizeof value);
}

static inline void hectic_emit_put32(uint8_t *out, uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    memcpy(out, &value, sizeof value);
}

static inline void hectic_emit_put64(uint8_t *out, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(out, &value, sizeof value);
}

/* Begins an event of `size` bytes in all: writes its number and time. NULL: it cannot be logged.
 * What follows must be written, then hectic_emit_commit called. */
static inline uint8_t *hectic_emit_begin(hectic_emit_cap *cap, uint16_t number, size_t size)
{
    uint8_t *at = cap->at;
    if (__builtin_expect((size_t)(cap->end - at) < size, 0)) {
        at = hectic_emit_reserve(cap, size);
        if (!at) return NULL;
    }
    const uint64_t time = hectic_emit_now(cap);
    __atomic_store_n(&cap->last, time, __ATOMIC_RELAXED);
    hectic_emit_put16(at, number);
    hectic_emit_put64(at + 2, time);
    return at;
}

/* The event that ends at `end` is whole: from now on a flush writes it. */
static inline void hectic_emit_commit(hectic_emit_cap *cap, uint8_t *end)
{
    if (__builtin_expect(cap->shared, 0))
        hectic_emit_release(cap, end);
    else
        __atomic_store_n(&cap->at, end, __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif

#include <hectic/emit_events.h>

#endif
