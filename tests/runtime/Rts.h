/* A fake of GHC's runtime for tests of the C part of hectic-eventlog: the part of Rts.h that it
 * uses, as in version FAKE_GHC (900 … 916). For behavior that the installed GHC does not have. */
#ifndef FAKE_RTS_H
#define FAKE_RTS_H

#include <ghcversion.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Configuration */

typedef struct GCDetails_ {
    uint32_t gen, threads;
} GCDetails;

typedef struct EventLogWriter {
    void (*initEventLogWriter)(void);
    bool (*writeEventLog)(void *eventlog, size_t eventlog_size);
    void (*flushEventLog)(void);
    void (*stopEventLogWriter)(void);
} EventLogWriter;

typedef struct RtsConfig {
    const char *rts_opts;
    bool rts_hs_main;
    const EventLogWriter *eventlog_writer;
    void (*onExitHook)(void);
    void (*gcDoneHook)(const struct GCDetails_ *details);
} RtsConfig;

typedef struct StgClosure StgClosure;
int hs_main(int argc, char **argv, StgClosure *main_closure, RtsConfig config);
extern char *prog_name;

enum { TRACE_EVENTLOG = 1 };
extern struct {
    struct {
        int tracing;
        bool scheduler, gc, nonmoving_gc, sparks_sampled, sparks_full, user;
        char *trace_output;
    } TraceFlags;
    struct {
        bool useNonmoving;
    } GcFlags;
    struct {
        bool parGcEnabled;
    } ParFlags;
    struct {
        uint32_t doHeapProfile;
    } ProfFlags;
} RtsFlags;

/* --- Functions */

enum EventLogStatus { EVENTLOG_NOT_SUPPORTED, EVENTLOG_NOT_CONFIGURED, EVENTLOG_RUNNING };
enum EventLogStatus eventLogStatus(void);
bool startEventLogging(const EventLogWriter *writer);
void endEventLogging(void);
void startProfTimer(void);
void stopProfTimer(void);
void performGC(void);
int rtsSupportsBoundThreads(void);
int rts_isProfiled(void);
#if __GLASGOW_HASKELL__ >= 902
typedef struct Capability_ Capability;
void flushEventLog(Capability **cap);
#endif

/* --- Threads */

typedef struct StgFunTable {
    void *function[3];
} StgFunTable;
typedef struct StgRegTable {
    uint64_t reg[20];
} StgRegTable;
typedef struct StgArrBytes {
    size_t bytes;
    uint64_t payload[];
} StgArrBytes;

typedef struct StgTSO_ {
    struct StgTSO_ *global_link;
    uint16_t what_next, why_blocked;
    uint64_t id;
    struct Capability_ *cap;
#if __GLASGOW_HASKELL__ >= 906
    StgArrBytes *label;
#endif
} StgTSO;

typedef struct generation_ {
    StgTSO *threads;
    struct generation_ *to;
} generation;

extern generation *g0;
extern uint32_t n_capabilities, enabled_capabilities;
extern StgTSO stg_END_TSO_QUEUE_closure;
#define END_TSO_QUEUE (&stg_END_TSO_QUEUE_closure)

enum { ThreadRunGHC = 1, ThreadKilled = 3, ThreadComplete = 4 };
enum {
    NotBlocked = 0,
    BlockedOnMVar = 1,
    BlockedOnCCall = 10,
    BlockedOnCCall_Interruptible = 11,
    ThreadMigrating = 13,
};

#endif
