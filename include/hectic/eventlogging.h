/* hectic/eventlogging.h — the event logging API that was proposed for GHC's runtime, with the
 * proposed names, on one emitter for the whole program.
 *
 *     initEventLogging();                   all settings are the defaults
 *     setDestination(fd);                   settings, as needed
 *     sendHeader();
 *     startEventLogging();
 *     hectic_emit_user_msg(eventLogCap(0), "hello");
 *     stopEventLogging();                   and again: settings, sendHeader …
 *
 * Calls must be in this sequence: change settings while nothing is sent; set the destination before
 * the header. A call out of sequence changes nothing and returns HECTIC_EMIT_SEQUENCE
 * (hectic_emit_status_text has its message). These functions may be called by one thread at a time;
 * for events see hectic/emit.h. Other functions can be used on eventLogEmitter(), such as
 * redirecting the log while the program runs. A program that creates threads before
 * startEventLogging, or stops and starts again, must set a reporter (hectic_emitter_set_reporter),
 * which reports the current state at the start.
 *
 * All functions are inline, and the emitter is a weak symbol: all files of a program that include
 * this header share it, and it can be linked with GHC's runtime, which has functions with some of
 * these names. Do not include GHC's headers in the same file. */
#ifndef HECTIC_EVENTLOGGING_H
#define HECTIC_EVENTLOGGING_H

#include <hectic/emit.h>

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Classes of events (GHC's -l flags and further ones), for enableEvents and disableEvents. */
enum {
    EVENTS_SCHED = 1 << HECTIC_CLASS_SCHEDULER | 1 << HECTIC_CLASS_TASK, /**< s */
    EVENTS_GC = 1 << HECTIC_CLASS_GC,                                    /**< g */
    EVENTS_NONMOVING_GC = 1 << HECTIC_CLASS_NONMOVING,                   /**< n */
    EVENTS_SPARK_SAMPLED = 1 << HECTIC_CLASS_SPARK,                      /**< p */
    EVENTS_SPARK_FULL = 1 << HECTIC_CLASS_SPARK_FULL,                    /**< f */
    EVENTS_USER = 1 << HECTIC_CLASS_USER,                                /**< u */
    EVENTS_TICKY = 1 << HECTIC_CLASS_TICKY,                              /**< T */
    EVENTS_HEAP_PROFILE = 1 << HECTIC_CLASS_HEAP_PROFILE,
    EVENTS_TIME_PROFILE = 1 << HECTIC_CLASS_TIME_PROFILE,
    EVENTS_INFO_TABLE = 1 << HECTIC_CLASS_INFO_TABLE,
    EVENTS_ALL = EVENTS_SCHED | EVENTS_GC | EVENTS_NONMOVING_GC | EVENTS_SPARK_SAMPLED |
                 EVENTS_SPARK_FULL | EVENTS_USER | EVENTS_TICKY | EVENTS_HEAP_PROFILE |
                 EVENTS_TIME_PROFILE | EVENTS_INFO_TABLE,
};

/* Shared by all files of the program. Internal. */
struct hectic_event_logging {
    hectic_emitter *emitter; /* NULL: not initialized */
    bool has_fd;
    int fd;
};
extern struct hectic_event_logging hectic_event_logging;
__attribute__((weak)) struct hectic_event_logging hectic_event_logging;

#ifdef __linux__
extern char *program_invocation_short_name;
#endif

typedef enum hectic_event_logging_stage {
    HECTIC_STAGE_NONE,   /* not initialized */
    HECTIC_STAGE_READY,  /* settings can be changed */
    HECTIC_STAGE_HEADER, /* the header has been sent */
    HECTIC_STAGE_ACTIVE, /* events are being sent */
} hectic_event_logging_stage;

static inline hectic_event_logging_stage hectic_event_logging_now(void)
{
    if (!hectic_event_logging.emitter) return HECTIC_STAGE_NONE;
    const hectic_emitter_state state = hectic_emitter_get_state(hectic_event_logging.emitter);
    if (state.destination == HECTIC_DESTINATION_NONE) return HECTIC_STAGE_READY;
    return state.logging ? HECTIC_STAGE_ACTIVE : HECTIC_STAGE_HEADER;
}

/* HECTIC_EMIT_OK if settings can be changed now and the arguments are valid. */
static inline hectic_emit_status hectic_event_logging_may_set(bool is_valid)
{
    const hectic_event_logging_stage stage = hectic_event_logging_now();
    if (stage != HECTIC_STAGE_READY && stage != HECTIC_STAGE_HEADER) return HECTIC_EMIT_SEQUENCE;
    return is_valid ? HECTIC_EMIT_OK : HECTIC_EMIT_INVALID;
}

/** The emitter, for the functions of hectic/emit.h; NULL before initEventLogging. */
static inline hectic_emitter *eventLogEmitter(void)
{
    return hectic_event_logging.emitter;
}

/** Cap `number`, and the buffer for events that do not belong to a cap. Call after
 *  initEventLogging. */
static inline hectic_emit_cap *eventLogCap(uint32_t number)
{
    return hectic_emitter_cap(hectic_event_logging.emitter, number);
}

static inline hectic_emit_cap *eventLogGlobal(void)
{
    return hectic_emitter_global(hectic_event_logging.emitter);
}

/** Initializes event logging, once, with the defaults: a file PROGRAM.eventlog in the current
 *  directory, buffers of 2 MiB, all classes of events; only full buffers are flushed. */
static inline hectic_emit_status initEventLogging(void)
{
    if (hectic_event_logging_now() != HECTIC_STAGE_NONE) return HECTIC_EMIT_SEQUENCE;
    hectic_emitter_options options;
    memset(&options, 0, sizeof options);
    options.buffer_size = 2097152;
    hectic_event_logging.emitter = hectic_emitter_new(&options);
    return hectic_event_logging.emitter ? HECTIC_EMIT_OK : HECTIC_EMIT_NO_MEMORY;
}

/** Sets the file descriptor that the log is written to, before the header is sent. The caller owns
 *  it and must keep it open until stopEventLogging. */
static inline hectic_emit_status setDestination(int fd)
{
    if (hectic_event_logging_now() != HECTIC_STAGE_READY) return HECTIC_EMIT_SEQUENCE;
    if (fd < 0) return HECTIC_EMIT_INVALID;
    hectic_event_logging.has_fd = true;
    hectic_event_logging.fd = fd;
    return HECTIC_EMIT_OK;
}

/** Sets the size of the buffer of each cap, in machine words. */
static inline hectic_emit_status setBufferSize(int words)
{
    const hectic_emit_status status = hectic_event_logging_may_set(words > 0);
    if (status != HECTIC_EMIT_OK) return status;
    return hectic_emitter_set_buffer_size(hectic_event_logging.emitter,
                                          (size_t)words * sizeof(void *));
}

/** Enables a class of events, with its first `count` parameters: see hectic_emitter_enable. */
static inline hectic_emit_status enableEventsWith(hectic_class class_, const uint64_t *parameter,
                                                  size_t count)
{
    const hectic_emit_status status = hectic_event_logging_may_set(true);
    if (status != HECTIC_EMIT_OK) return status;
    return hectic_emitter_enable(hectic_event_logging.emitter, class_, parameter, count);
}

/** Enables or disables classes of events: bits of EVENTS_ALL. */
static inline hectic_emit_status enableEvents(long classes)
{
    hectic_emit_status status = hectic_event_logging_may_set((classes & ~(long)EVENTS_ALL) == 0);
    for (int c = 0; c < HECTIC_CLASS_COUNT && status == HECTIC_EMIT_OK; c++)
        if (classes >> c & 1)
            status = hectic_emitter_enable(hectic_event_logging.emitter, (hectic_class)c, NULL, 0);
    return status;
}

static inline hectic_emit_status disableEvents(long classes)
{
    hectic_emit_status status = hectic_event_logging_may_set((classes & ~(long)EVENTS_ALL) == 0);
    for (int c = 0; c < HECTIC_CLASS_COUNT && status == HECTIC_EMIT_OK; c++)
        if (classes >> c & 1)
            status = hectic_emitter_disable(hectic_event_logging.emitter, (hectic_class)c);
    return status;
}

/** Flushes a cap's buffer after `ms` milliseconds in which nothing was written to it; 0: flushes
 *  full buffers only. */
static inline hectic_emit_status flushEventLog(int ms)
{
    const hectic_emit_status status = hectic_event_logging_may_set(ms >= 0);
    if (status != HECTIC_EMIT_OK) return status;
    return hectic_emitter_flush_idle(hectic_event_logging.emitter, (uint32_t)ms);
}

/** Sends the header and the state of the process to the destination. This is the descriptor that
 *  was set, or else the value of the environment variable HECTIC_EVENTLOG (parsed by
 *  hectic_destination_parse, such as listen:unix:PATH; INVALID if that fails), or else the default
 *  file, which is created or truncated. */
static inline hectic_emit_status sendHeader(void)
{
    if (hectic_event_logging_now() != HECTIC_STAGE_READY) return HECTIC_EMIT_SEQUENCE;
    char path[300], buffer[4096];
    const char *const variable = getenv("HECTIC_EVENTLOG");
    hectic_destination destination;
    memset(&destination, 0, sizeof destination);
    if (hectic_event_logging.has_fd) {
        destination.kind = HECTIC_TO_FD;
        destination.fd = hectic_event_logging.fd;
    } else if (variable && *variable) {
        if (!hectic_destination_parse(&destination, variable, buffer, sizeof buffer))
            return HECTIC_EMIT_INVALID;
    } else {
#ifdef __linux__
        const char *const program = program_invocation_short_name;
#else
        const char *const program = getprogname();
#endif
        snprintf(path, sizeof path, "%.255s.eventlog", program);
        destination.kind = HECTIC_TO_FILE;
        destination.path = path;
    }
    hectic_emitter_set_logging(hectic_event_logging.emitter, false);
    return hectic_emitter_start(hectic_event_logging.emitter, &destination);
}

/** Starts sending events to the destination. */
static inline hectic_emit_status startEventLogging(void)
{
    if (hectic_event_logging_now() != HECTIC_STAGE_HEADER) return HECTIC_EMIT_SEQUENCE;
    return hectic_emitter_set_logging(hectic_event_logging.emitter, true);
}

/** Stops sending events and completes the log: see hectic_emitter_stop. */
static inline hectic_emit_status stopEventLogging(void)
{
    if (hectic_event_logging_now() != HECTIC_STAGE_ACTIVE) return HECTIC_EMIT_SEQUENCE;
    return hectic_emitter_stop(hectic_event_logging.emitter);
}

#ifdef __cplusplus
}
#endif
#endif
