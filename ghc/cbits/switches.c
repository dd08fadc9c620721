#include "switches.h"

#include "gap.h"
#include "optional.h"
#include "runtime_log.h"
#include "threads.h"

#include <hectic/gaps.h>

#include <stdio.h>
#include <stdlib.h>

enum { LOGGING = CLASSES, SWITCHES };
#define BIT(number) (1u << (number))

static const char *const names[SWITCHES] = {
    [CLASS_SCHEDULER] = " of scheduler",
    [CLASS_GC] = " of gc",
    [CLASS_NONMOVING_GC] = " of nonmoving",
    [CLASS_SPARKS_SAMPLED] = " of spark",
    [CLASS_SPARKS_FULL] = " of spark-full",
    [CLASS_USER] = " of user",
    [CLASS_CAP] = " of cap",
    [CLASS_INFO_TABLES] = " of info-table",
    [LOGGING] = "",
};

static struct {
    bool known;
    bool silent;              /* the log ends when logging is switched off */
    uint32_t wanted;          /* bits of switches to be on; atomic */
    uint32_t present;         /* bits of switches that are on; atomic, changed at rest */
    uint64_t since[SWITCHES]; /* when it was switched off; 0: off since the program's start */
    gap_thread *threads;      /* live threads when scheduler events were switched off */
    size_t thread_count;
    gap_caps caps; /* when cap events were switched off */
    gap_writer out;
} switches;

/* --- What is on ------------------------------------------------------------------------------- */

/* By the options of the program. */
static bool is_on_by_option(unsigned class_)
{
    switch (class_) {
    case CLASS_SCHEDULER: return RtsFlags.TraceFlags.scheduler;
    case CLASS_GC: return RtsFlags.TraceFlags.gc;
    case CLASS_NONMOVING_GC: return RtsFlags.TraceFlags.nonmoving_gc;
    case CLASS_SPARKS_SAMPLED: return RtsFlags.TraceFlags.sparks_sampled;
    case CLASS_SPARKS_FULL: return RtsFlags.TraceFlags.sparks_full;
    case CLASS_USER: return RtsFlags.TraceFlags.user;
    default: return true;
    }
}

static void begin(void)
{
    if (switches.known) return;
    switches.known = true;
    switches.present = BIT(LOGGING);
    for (unsigned c = 0; c < CLASSES; c++) {
        const int on = optional_class_is_on(c);
        if (on < 0 ? is_on_by_option(c) : on) switches.present |= BIT(c);
    }
    switches.wanted = switches.present;
}

/* Do readers get events of that class? Events of caps are logged even if logging is off. */
static bool is_visible(uint32_t set, unsigned class_)
{
    return (set & BIT(class_)) && ((set & BIT(LOGGING)) || class_ == CLASS_CAP);
}

/* --- At rest ---------------------------------------------------------------------------------- */

static void write_out(void *server, const void *bytes, size_t length)
{
    hectic_server_write(server, bytes, length);
}

static void log_switch(unsigned number, bool on)
{
    enum { S = 1000000000 };
    char text[128];
    const unsigned long long since = switches.since[number];
    if (on)
        snprintf(text, sizeof text,
                 HECTIC_GAP_LOGGING "%s" HECTIC_GAP_ON "; it was off since %llu.%09llu s",
                 names[number], since / S, since % S);
    else
        snprintf(text, sizeof text, HECTIC_GAP_LOGGING "%s" HECTIC_GAP_OFF, names[number]);
    if (on || !switches.silent) gap_message(&switches.out, text);
    switches.since[number] = switches.out.time;
}

static void keep_threads(gap_thread *now, size_t count)
{
    free(switches.threads);
    switches.threads = now;
    switches.thread_count = count;
}

static void report_threads(gap_thread *now, size_t count)
{
    gap_threads(&switches.out, switches.threads, switches.thread_count, now, count);
    free(now);
    keep_threads(NULL, 0);
}

static void change_caps(bool on)
{
    const gap_caps now = {.count = n_capabilities, .enabled = enabled_capabilities};
    if (on) gap_of_caps(&switches.out, switches.caps, now);
    switches.caps = now;
}

static void begin_writing(void)
{
    switches.out.time = runtime_time();
    switches.out.write = write_out;
    switches.out.user = runtime_server();
}

void switches_missed(void)
{
    begin_writing();
    gap_message(&switches.out,
                HECTIC_GAP_LOGGING HECTIC_GAP_ON "; it was off, and which threads ended or began "
                                                 "meanwhile is not known");
    gap_end(&switches.out);
}

static void change(uint32_t before, uint32_t after, gap_thread *threads, size_t count)
{
    for (unsigned i = 0; i < SWITCHES; i++)
        if ((before ^ after) & BIT(i)) log_switch(i, after & BIT(i));
    if ((before ^ after) & BIT(CLASS_CAP)) change_caps(after & BIT(CLASS_CAP));
    if (threads && is_visible(after, CLASS_SCHEDULER))
        report_threads(threads, count);
    else if (threads)
        keep_threads(threads, count);
    gap_end(&switches.out);
}

/* Switches the classes in the runtime. */
static void set_classes(uint32_t set)
{
    for (unsigned c = 0; c < CLASSES; c++)
        if (!optional_class_fixed(c)) optional_set_class(c, is_visible(set, c));
}

static bool switch_at_rest(const struct GCDetails_ *details)
{
    const uint32_t before = switches.present,
                   after = __atomic_load_n(&switches.wanted, __ATOMIC_ACQUIRE);
    const bool of_threads =
        is_visible(before, CLASS_SCHEDULER) != is_visible(after, CLASS_SCHEDULER);
    hectic_server *server = runtime_server();
    size_t count = 0;
    if (details->threads > 1 || (of_threads && threads_are_listed() == THREADS_MARKED))
        return false;
    gap_thread *threads = of_threads ? threads_list(&count) : NULL;
    if (of_threads && !threads) return true; /* no memory: nothing is changed */
    runtime_flush_at_rest();
    begin_writing();
    if (after & BIT(LOGGING)) hectic_server_hold(server, false);
    change(before, after, threads, count);
    if (!(after & BIT(LOGGING))) hectic_server_hold(server, true);
    set_classes(after);
    __atomic_store_n(&switches.present, after, __ATOMIC_RELEASE);
    return true;
}

/* --- Requests --------------------------------------------------------------------------------- */

static uint32_t present(void)
{
    return __atomic_load_n(&switches.present, __ATOMIC_ACQUIRE);
}

static const char *switch_to(uint32_t set, bool outside)
{
    if (set == switches.wanted && set == present()) return NULL;
    const char *why = runtime_has_no_rest();
    if (why) return why;
    if (threads_are_listed() == THREADS_HIDDEN)
        return "this program's runtime hides the threads of its nonmoving collector: link the "
               "program statically";
    __atomic_store_n(&switches.wanted, set, __ATOMIC_RELEASE);
    why = runtime_at_rest(REST_SWITCH, switch_at_rest, outside);
    if (why || set == present()) return why;
    __atomic_store_n(&switches.wanted, present(), __ATOMIC_RELEASE);
    return "out of memory";
}

/* `wanted` with that bit set or cleared. */
static uint32_t wanted_with(unsigned number, bool on)
{
    begin();
    return on ? switches.wanted | BIT(number) : switches.wanted & ~BIT(number);
}

const char *switches_set_class(unsigned class_, bool on, bool outside)
{
    const char *fixed = optional_class_fixed(class_);
    const uint32_t set = wanted_with(class_, on);
    switches.silent = false;
    if (fixed) return fixed;
    if (!(set & BIT(LOGGING))) return "logging is off: start it first";
    return switch_to(set, outside);
}

const char *switches_set_logging(bool on, bool says, bool outside)
{
    switches.silent = !says;
    return switch_to(wanted_with(LOGGING, on), outside);
}

bool switches_are_logging(void)
{
    begin();
    return present() & BIT(LOGGING);
}
