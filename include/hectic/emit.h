/* hectic/emit.h — the emitter: writes an eventlog from a running program.
 *
 *     hectic_emitter *e = hectic_emitter_new(NULL);
 *     hectic_emitter_start(e, &(hectic_destination){.path = "program.eventlog"});
 *     hectic_emit_user_msg(hectic_emitter_cap(e, 0), "hello");
 *     hectic_emitter_free(e);
 *
 * Threads:
 *
 *     thread A ──▶ cap 0 ─▶ [buffer] ─┐                        ┌─▶ file, fd, FIFO, socket,
 *     thread B ──▶ cap 1 ─▶ [buffer] ─┼─▶ full ─▶ the service ─┤   a writer of yours
 *     any thread ─▶ global ▶ [buffer]─┘  buffers     thread    └─▶ or nowhere: a ring in memory
 *     any thread ─▶ control (hectic_emitter_…)
 *
 * A cap may be used by one thread at a time. Writing an event takes no lock and makes no system
 * call unless the buffer is full; the cap then gets another buffer. Threads that pass a cap to each
 * other must synchronize as for any shared memory. The global buffer, for events that do not belong
 * to a cap, may be used by any thread at any time, and takes a lock. Every hectic_emitter_…
 * function may be called by any thread while events are being written, except hectic_emitter_free:
 * no thread may use the emitter any more. No function here is async-signal-safe.
 *
 * Every reader gets a complete log: each destination gets a header, then the live state (the
 * process, caps, live threads and their labels, heap parameters, definitions, and the state of each
 * thread), then blocks of events. The emitter maintains the live state from the events that it has
 * written; memory depends on the number of live objects, not on the number of events.
 *
 * The emitter never blocks indefinitely on a destination, raises no SIGPIPE, and retries
 * interrupted calls. In a forked child the emitter is stopped and its destination closed, with
 * nothing written; the child may start it again with its own destination. At exit the emitter
 * flushes its buffers and ends the log.
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

/** The result of a control function. */
typedef enum hectic_emit_status {
    HECTIC_EMIT_OK = 0,
    HECTIC_EMIT_SEQUENCE, /**< not allowed in this state: stopping before starting, starting twice …
                           */
    HECTIC_EMIT_INVALID, /**< an invalid argument */
    HECTIC_EMIT_NO_MEMORY,
    HECTIC_EMIT_SYSTEM,  /**< a system call failed: hectic_emitter_state has the errno */
    HECTIC_EMIT_TIMEOUT, /**< the destination did not accept everything in time. Nothing is lost:
                            writing continues when possible */
    HECTIC_EMIT_LOST,    /**< the destination failed: events not yet written are kept for the next
                            destination, as far as the buffers suffice */
} hectic_emit_status;

/** The message of a status: "called out of sequence …"; a constant text. */
const char *hectic_emit_status_text(hectic_emit_status status);

/* --- Destinations --------------------------------------------------------------------------- */

typedef enum hectic_destination_kind {
    HECTIC_TO_FILE, /**< `path` is created or truncated. A FIFO there is treated as HECTIC_TO_FIFO
                     */
    HECTIC_TO_FIFO, /**< `path` is a FIFO. The emitter waits for a reader; when it disconnects, for
                       the next one, which gets a complete log again */
    HECTIC_TO_FD, /**< `fd`, which the caller owns: it is not closed, and its flags are not changed.
                     It must stay open until the emitter is redirected or stopped */
    HECTIC_TO_UNIX, /**< connects to the Unix socket `path`; reconnects when the peer disconnects */
    HECTIC_TO_TCP,  /**< connects to `host`, `port`; reconnects when the peer disconnects */
    HECTIC_TO_WRITER, /**< calls `writer` */
    HECTIC_TO_LISTEN, /**< listens on the Unix socket `path` or, if that is NULL, on `host`, `port`:
                         see below */
    HECTIC_TO_RING,   /**< keeps the last `ring_size` bytes in memory (a flight recorder), for
                         hectic_emitter_dump */
} hectic_destination_kind;

/** What to do when all buffers are full because the destination is too slow. Events are dropped as
 *  whole blocks of one cap; they are counted, and a LOG_MSG in their place reports the number
 *  ("hectic: 123 events were dropped here"). When the destination has caught up, the live state is
 *  replayed to it (hectic_emitter_sync). */
typedef enum hectic_when_blocked {
    HECTIC_BLOCKED_DEFAULT, /**< WAIT for files, descriptors and writers; otherwise DROP_OLDEST, as
                               a ring always does */
    HECTIC_BLOCKED_WAIT, /**< the emitting thread waits for at most `wait_ms`; then drops the newest
                            block until the destination accepts data */
    HECTIC_BLOCKED_DROP_NEWEST, /**< drop the block that was filled last */
    HECTIC_BLOCKED_DROP_OLDEST, /**< drop the oldest block that has not been written */
} hectic_when_blocked;

/** A custom destination, as GHC's EventLogWriter. The functions are called by one thread at a time,
 *  not always the same one. All except `write` may be NULL. They must not call the emitter. */
typedef struct hectic_emit_writer {
    bool (*init)(void *user); /**< false: failed */
    bool (*write)(void *user, const void *bytes,
                  size_t length); /**< writes all bytes; after false it is not called again */
    void (*flush)(void *user);    /**< after each flush */
    void (*stop)(void *user);     /**< once, at the end */
} hectic_emit_writer;

/* HECTIC_TO_LISTEN serves clients, as hectic_server (hectic/server.h) does: up to 256 at a time,
 * which can connect and disconnect at any time, on a Unix socket that only the user can open (mode
 * 0600) or on a TCP port (0: any, see hectic_emitter_state.port). Each gets a header, the live
 * state, and the log from then on: all caps' events from one time on. `ring_size` bytes of the log
 * are kept for later and for slow clients; a client that is slower misses the oldest flushes, which
 * its log reports. A flush succeeds when its events are in the server's memory. The emitter
 * never waits for a client, so `when_blocked` has no effect; but stop and redirect give clients 2 s
 * to read the rest. SYSTEM with EADDRINUSE: another process listens there already.
 *
 * A client may send commands over its connection, as hectic ctl does (hectic/control.h): flush,
 * logging on and off, classes on and off. A thread of the server executes them by calling
 * hectic_emitter_flush, _set_logging and _set_classes, and so the reporter's functions; the answer
 * is in that client's log. */

/** The destination of a log; `kind` 0 is a file. Strings and *writer are copied. */
typedef struct hectic_destination {
    hectic_destination_kind kind;
    hectic_when_blocked when_blocked;
    uint32_t wait_ms; /**< 0: 1,000 */
    int fd;
    const char *path;
    const char *host; /**< a name or an address */
    const char *port; /**< a number or a service name */
    /** For TCP, or NULL: a file whose first line is the token (16 to 255 letters) that the peer
     *  (such as hectic relay) requires. It is read once, and sent on each connection before the
     *  log. SYSTEM: it cannot be read; EBADMSG: its first line is not a token. */
    const char *token_file;
    const hectic_emit_writer *writer;
    void *user;       /**< for `writer` */
    size_t ring_size; /**< bytes, for RING and LISTEN; 0: 16 MiB */
} hectic_destination;

/** Parses a destination: "PATH", "file:PATH", "fifo:PATH", "unix:PATH", "tcp:HOST:PORT"
 *  ("tcp:[::1]:4242", "tcp:far:4242,token-file=FILE"), "listen:unix:PATH", "listen:tcp:HOST:PORT",
 *  "fd:N", "-" for stdout, "ring", "ring:SIZE" (64M, 1G: powers of 1024). Writes its strings to
 *  buffer[0 … buffer_size-1] (strlen(text) + 1 bytes are sufficient), to which *destination then
 *  points. False: `text` is invalid, or the buffer is too small. */
bool hectic_destination_parse(hectic_destination *destination, const char *text, char *buffer,
                              size_t buffer_size);

/* --- Emitters ------------------------------------------------------------------------------- */

/** The clock for event times: nanoseconds since the emitter was created. */
typedef enum hectic_emit_clock {
    HECTIC_CLOCK_AUTO, /**< TSC if it is invariant, the clock source of the kernel, and reading it
                          on all cores in turn finds no step back; otherwise MONOTONIC */
    HECTIC_CLOCK_MONOTONIC, /**< clock_gettime(CLOCK_MONOTONIC) */
    HECTIC_CLOCK_TSC, /**< the CPU's time stamp counter, calibrated against MONOTONIC, which is used
                         if the CPU has no invariant TSC */
    HECTIC_CLOCK_CALLER, /**< options.now, for other clocks and for synthetic logs */
} hectic_emit_clock;

/** Zero for a field is its default; NULL instead of options: all defaults. */
typedef struct hectic_emitter_options {
    uint32_t caps;      /**< initial number of caps; 0: 1. More can be added */
    size_t buffer_size; /**< see hectic_emitter_set_buffer_size; 0: 256 KiB */
    uint64_t
        classes; /**< HECTIC_CLASS_BITs that are on initially; 0: all of GHC's. PROCESS is always
                    on. The header has event types of Eden, Mercury and perf only if listed here */
    hectic_emit_clock clock;
    uint64_t (*now)(void *user); /**< for HECTIC_CLOCK_CALLER: nanoseconds. If they go back, the
                                    cap's last time is used instead */
    const char *runtime;         /**< RTS_IDENTIFIER; NULL: "hectic VERSION" */
    const char *const *args;     /**< argv, ended by NULL; NULL: the process's own */
    bool with_env;   /**< log the environment (PROGRAM_ENV), which may contain secrets */
    bool no_process; /**< do not log the process's events; the program logs its own */
    bool no_thread;  /**< no service thread: the thread that fills a buffer writes it; periodic work
                        is done only by flush, sync and start */
    void *user;      /**< for `now` */
} hectic_emitter_options;

/** A new emitter, not started; NULL: out of memory or threads, or invalid options. */
hectic_emitter *hectic_emitter_new(const hectic_emitter_options *options);

/** Stops and frees the emitter. No other thread may use it any more. NULL is allowed. */
void hectic_emitter_free(hectic_emitter *emitter);

/** Cap `number`, at most 65,534; a new one is created, with all caps below it. Valid until the
 *  emitter is freed. NULL: out of memory, or an invalid number. */
hectic_emit_cap *hectic_emitter_cap(hectic_emitter *emitter, uint32_t number);

/** The buffer for events that do not belong to a cap; any thread may use it. */
hectic_emit_cap *hectic_emitter_global(hectic_emitter *emitter);

/** Opens the destination, writes the header and the live state, and starts logging. SEQUENCE: the
 *  emitter is started already; use redirect. */
hectic_emit_status hectic_emitter_start(hectic_emitter *emitter,
                                        const hectic_destination *destination);

/** Stops logging, writes all buffers and the end marker, and closes the destination. TIMEOUT: that
 *  took more than 2 s, or there was no reader; the log has no end marker, and the unwritten data
 *  are lost. */
hectic_emit_status hectic_emitter_stop(hectic_emitter *emitter);

/** Changes the destination while logging continues: flushes and ends the log in the old
 *  destination, and begins one in the new destination. No event is lost or duplicated. If the new
 *  destination cannot be opened, the old one stays. Data that the old destination has not accepted
 *  within 2 s go to the new one. */
hectic_emit_status hectic_emitter_redirect(hectic_emitter *emitter,
                                           const hectic_destination *destination);

/** Switches logging as a whole off or on. While it is off, an event costs a load and a branch, and
 *  the destination stays open. Before start it sets the initial state, which is on by default.
 *  Events are missed while logging is off: see hectic_emitter_set_reporter. */
hectic_emit_status hectic_emitter_set_logging(hectic_emitter *emitter, bool on);

/** The maximum number of parameters of a class. */
#define HECTIC_CLASS_PARAMETERS 4

/** Switches a class on, with its first `count` parameters (the rest keep their values):
 *      spark, heap-profile, ticky   [0] the sampling period in ns (hectic_emit_due)
 *      time-profile                 [0] the sampling period in ns
 *      perf                         [0] the sampled data, [1] the sampling event, [2] the period
 *  and in other classes as the producer defines them. Initially 0. */
hectic_emit_status hectic_emitter_enable(hectic_emitter *emitter, hectic_class class_,
                                         const uint64_t *parameter, size_t count);
/** Switches a class off. INVALID: PROCESS and FRAMING are always on. */
hectic_emit_status hectic_emitter_disable(hectic_emitter *emitter, hectic_class class_);
/** Switches all classes at once: exactly these HECTIC_CLASS_BITs are on, if their events are in the
 *  header (see hectic_emitter_options.classes), and PROCESS and FRAMING. */
hectic_emit_status hectic_emitter_set_classes(hectic_emitter *emitter, uint64_t classes);

/** The HECTIC_CLASS_BITs that are on, even while logging is off. */
uint64_t hectic_emitter_classes(const hectic_emitter *emitter);
uint64_t hectic_emitter_parameter(const hectic_emitter *emitter, hectic_class class_, size_t index);

/** Applies flags of GHC's -l option to `classes`: the letters "sgpfunT" add a class, "a" all; a "-"
 *  before a letter removes it. Returns the resulting HECTIC_CLASS_BITs; UINT64_MAX: an unknown
 *  letter.
 */
uint64_t hectic_classes_by_flags(uint64_t classes, const char *flags);

/** Writes all events that the caps and the global buffer held before the call; waits for at most
 *  `timeout_ms` (0: 2,000). OK: the destination has accepted them. */
hectic_emit_status hectic_emitter_flush(hectic_emitter *emitter, uint32_t timeout_ms);

/** Flushes every `ms` milliseconds, or flushes a cap that has written nothing for `ms`
 *  milliseconds. 0: never, the default. Both need the service thread. */
hectic_emit_status hectic_emitter_flush_every(hectic_emitter *emitter, uint32_t ms);
hectic_emit_status hectic_emitter_flush_idle(hectic_emitter *emitter, uint32_t ms);

/** Replays the live state, now or every `ms` milliseconds (0: never), as SYNC events. Each contains
 *  an event that still holds; readers that know it already can ignore it. */
hectic_emit_status hectic_emitter_sync(hectic_emitter *emitter);
hectic_emit_status hectic_emitter_sync_every(hectic_emitter *emitter, uint32_t ms);

/** The size of a cap's buffer, which is written when it is full: at least 65,547 bytes, the largest
 *  event; smaller values are raised. There are two buffers for each cap and two for the global one,
 *  two more, and those of a ring. The new size applies when a cap's current buffer is full. */
hectic_emit_status hectic_emitter_set_buffer_size(hectic_emitter *emitter, size_t bytes);

/** The first number that hectic_emitter_register assigns. */
#define HECTIC_CUSTOM_EVENTS 2000u

/** Adds an event type to the header: `number`, or 0 to assign one; a payload of `size` bytes, or
 *  HECTIC_VARIABLE; a description, which is copied, for readers that do not know the type. Events
 *  of a type with `definition` become part of the live state. Sets *registered to the number.
 *  SEQUENCE: a header has been written already; register before start, or after stop. INVALID: the
 *  number is in use or not allowed. */
hectic_emit_status hectic_emitter_register(hectic_emitter *emitter, uint16_t number, uint16_t size,
                                           hectic_class class_, bool definition,
                                           const char *description, uint16_t *registered);

/* --- Reporting what was missed --------------------------------------------------------------- */

/* While logging or a class of events is off, changes are not logged: threads are created and
 * finish. When it is on again, the log must match the program's state, which only the producer has:
 * it reports this state when the emitter requests it. The emitter compares the report with the live
 * state of the log, and logs the difference as ordinary events: new threads are created, missing
 * ones finish, others stop, wake, migrate and run. So the log continues without a contradiction,
 * for current and for later readers.
 *
 * The emitter requests a report when a log starts, and when logging or a class is switched on; not
 * when a log is redirected.
 *
 * A producer whose logging can be switched off, which clients can do with hectic ctl, must set a
 * reporter. Without one, threads that finished meanwhile stay alive in the log. */

typedef struct hectic_emit_report hectic_emit_report;

/** The producer's functions. `pause` and `resume` may be NULL if no other thread emits events on
 *  caps while logging is switched.
 *
 *  They are called by the thread that called hectic_emitter_start, _redirect (of an emitter that is
 *  not started), _set_logging, _enable, _disable or _set_classes, or by the server's thread that
 *  executes a client's command; by one thread at a time, without any lock that writing events
 *  needs. They must not call these functions. Do not call these functions while holding a lock that
 *  `pause` takes; a thread inside one of them counts as paused. */
typedef struct hectic_emit_reporter {
    /** Returns when no thread emits events on a cap any more, until `resume`: each has stopped
     *  between two events, or waits for a lock that `pause` takes. */
    void (*pause)(void *user);
    /** Reports the current state with the functions that log events, on caps of
     *  hectic_emit_report_cap: for each thread CREATE_THREAD, THREAD_LABEL if it has one,
     *  RUN_THREAD if it is running, RUN_THREAD and STOP_THREAD if it is blocked; TASK_CREATE;
     *  HEAP_INFO_GHC, and the counters HEAP_SIZE, HEAP_ALLOCATED, SPARK_COUNTERS …; a
     *  collection or heap census in progress, by the events that began it; definitions, such as
     *  cost centres and HEAP_PROF_BEGIN. Anything not reported counts as ended. Events of
     *  classes that are not requested are rejected, as if their class were off. The process and
     *  its caps, which the emitter logs itself, need not be reported. */
    void (*report)(void *user, hectic_emit_report *report);
    void (*resume)(void *user);
} hectic_emit_reporter;

/** Sets the producer's functions, which are copied; NULL: none. Can be called at any time,
 *  preferably before start. INVALID: `report` is NULL. */
hectic_emit_status hectic_emitter_set_reporter(hectic_emitter *emitter,
                                               const hectic_emit_reporter *reporter, void *user);

/** The cap for reporting the state of cap `number` (HECTIC_CAP_NONE: of no cap). Valid until the
 *  next call, or until `report` returns. Its events are not logged themselves. NULL: no such cap.
 */
hectic_emit_cap *hectic_emit_report_cap(hectic_emit_report *report, uint32_t number);

/* --- The flight recorder -------------------------------------------------------------------- */

/** Writes the content of the ring as a self-contained log: header, the live state at its beginning,
 *  then the events. The ring keeps its content, and threads continue to emit; if they overtake the
 *  dump, the log reports the number of missing events. Other control functions, and fork, wait for
 *  the dump. TIMEOUT: the destination did not accept it within 5 s. SEQUENCE: the emitter has no
 *  ring. INVALID: the destination is a ring. */
hectic_emit_status hectic_emitter_dump(hectic_emitter *emitter,
                                       const hectic_destination *destination);

/** Dumps to the file `path` whenever the process gets the signal, in the service thread (without
 *  one, in the next flush). "%n" in the path is the number of the dump, from 1. NULL: disables this
 *  and restores the signal's former action. INVALID: the signal cannot be caught, or indicates a
 *  crash. */
hectic_emit_status hectic_emitter_dump_on_signal(hectic_emitter *emitter, int signal_number,
                                                 const char *path);

/** Dumps to the file `path` when the program crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
 *  SIGSYS, SIGTRAP), in the signal handler; then the signal's former action is performed, so that
 *  core dump and exit status are unchanged. The file is created at the crash. Without a ring it
 *  gets the events that were not written yet. NULL: disables this.
 *
 *  Only the first crash is dumped, unless this is called again. The calling thread gets an
 *  alternate signal stack (sigaltstack) unless it has one. If another thread without one overflows
 *  its stack, the kernel kills the program without a dump; such threads can call this, too, with
 *  the same path. */
hectic_emit_status hectic_emitter_dump_on_crash(hectic_emitter *emitter, const char *path);

/* --- State ---------------------------------------------------------------------------------- */

typedef enum hectic_destination_state {
    HECTIC_DESTINATION_NONE,    /**< not started */
    HECTIC_DESTINATION_READY,   /**< accepts data */
    HECTIC_DESTINATION_BLOCKED, /**< does not accept data: a slow reader, a full disk */
    HECTIC_DESTINATION_WAITING, /**< waits for a reader or peer, retrying */
    HECTIC_DESTINATION_FAILED,  /**< failed permanently: redirect. The newest events are kept for
                                   that */
} hectic_destination_state;

typedef struct hectic_emitter_state {
    hectic_destination_state destination;
    int error;              /**< errno of its last error; 0: none */
    uint64_t bytes_written; /**< to all destinations */
    uint64_t blocks_written;
    uint64_t
        events_dropped; /**< since the emitter was created; for a ring: all that were overwritten */
    uint64_t bytes_dropped;
    uint64_t memory; /**< bytes of all buffers */
    bool logging;
    bool tsc;         /**< times are taken from the TSC */
    uint32_t readers; /**< for LISTEN: connected clients */
    uint16_t port;    /**< for LISTEN on TCP: the port; otherwise 0 */
} hectic_emitter_state;

hectic_emitter_state hectic_emitter_get_state(hectic_emitter *emitter);

/* --- Events --------------------------------------------------------------------------------- */

/** True if the class is logged now. */
static inline bool hectic_emit_enabled(const hectic_emit_cap *cap, hectic_class class_);

/** True if the class is on and a sample of it is due on this cap: parameter 0 is the period in ns
 *  (0: always due). Starts the next period. */
bool hectic_emit_due(hectic_emit_cap *cap, hectic_class class_);

/** The time that an event on this cap would get now, in ns. */
static inline uint64_t hectic_emit_now(hectic_emit_cap *cap);

/** Logs any event of the header by its number, with its payload as encoded in a log. False, and
 *  nothing is logged: its class is off, or the header does not declare it with this size. */
bool hectic_emit_bytes(hectic_emit_cap *cap, uint16_t number, const void *payload, size_t size);

/** Logs any event of the catalogue by its number, from the values of its fields as in
 *  hectic_encode_fields. False also if that cannot encode them. */
bool hectic_emit_fields(hectic_emit_cap *cap, uint16_t number, const hectic_value *value,
                        size_t count);

/* hectic/emit_events.h, which is included below, has a typed function for every event of the
 * catalogue: hectic_emit_create_thread(cap, thread) and so on. */

/* --- Internal: used by the inline functions -----------------------------------------------------
 */

/** A linear function from the TSC to the clock. */
struct hectic_emit_line {
    uint64_t tsc, ns;
    uint64_t slope; /**< ns per tick, times 2^32 */
};

struct hectic_emit_cap {
    uint64_t
        classes;   /**< HECTIC_CLASS_BITs; written by control functions, read by the cap's thread */
    uint8_t *at;   /**< address of the next event. Written by the cap's thread, read by all */
    uint8_t *end;  /**< end of the buffer. Used by the cap's thread only */
    uint64_t last; /**< the last event's time. Written by the cap's thread, read by all */
    const struct hectic_emit_line *line; /**< NULL: no TSC */
    bool shared; /**< the global buffer: hectic_emit_reserve locks, hectic_emit_release unlocks */
};

uint8_t *hectic_emit_reserve(hectic_emit_cap *cap, size_t size); /* `size` bytes, or NULL */
void hectic_emit_release(hectic_emit_cap *cap, uint8_t *end);
uint64_t hectic_emit_clock_time(const hectic_emit_cap *cap);

static inline bool hectic_emit_enabled(const hectic_emit_cap *cap, hectic_class class_)
{
    /* Unlikely: a disabled class must cost the least. */
    return __builtin_expect(__atomic_load_n(&cap->classes, __ATOMIC_RELAXED) >> class_ & 1, 0);
}

static inline uint64_t hectic_emit_line_time(const struct hectic_emit_line *line, uint64_t tsc)
{
    __extension__ typedef unsigned __int128 wide;
    const uint64_t ticks = tsc - line->tsc;
    /* Another core may be some ticks behind the one on which the line was calibrated. */
    if ((int64_t)ticks < 0) return line->ns;
    return line->ns + (uint64_t)((wide)ticks * line->slope >> 32);
}

static inline uint64_t hectic_emit_read_clock(const hectic_emit_cap *cap)
{
#ifdef __x86_64__
    const struct hectic_emit_line *line = __atomic_load_n(&cap->line, __ATOMIC_ACQUIRE);
    if (line) {
        /* Not RDTSC, which takes half the time but can be executed before preceding instructions: a
         * thread that has just received an object could get an earlier time than its
         * sender. */
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

/* Begins an event of `size` bytes in total: writes its number and time. NULL: it cannot be logged.
 * Write the payload, then call hectic_emit_commit. */
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

/* Completes the event that ends at `end`: a flush now writes it. */
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
