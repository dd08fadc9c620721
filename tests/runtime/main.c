/* Switches the fake runtime's log off and on, redirects it, and prints the results.
 *
 *     main KIND FIRST SECOND: logs go to those files. KIND is the kind of runtime; "moved": the log
 *     is redirected, while the caps write their buffers at different times. */
#include "runtime.h"

#include <hectic_eventlog.h>

#include <hectic/control.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void expect(const char *what, char *why, const char *wanted)
{
    const bool as_wanted = why ? wanted && strstr(why, wanted) : !wanted;
    if (!as_wanted)
        fprintf(stderr, "%s: \"%s\", not \"%s\"\n", what, why ? why : "done",
                wanted ? wanted : "done");
    failed |= !as_wanted;
    free(why);
}

static char *set_class(char letter, bool on)
{
    static const char letters[] = "sgnpfucI";
    const int class_ = (int)(strchr(letters, letter) - letters);
    return hectic_eventlog_command(
        HECTIC_CONTROL_HECTIC,
        (uint8_t)(class_ + (on ? HECTIC_CONTROL_CLASS_ON : HECTIC_CONTROL_CLASS_OFF)));
}

static char *file(const char *name)
{
    static char place[512];
    snprintf(place, sizeof place, "file:%s", name);
    return place;
}

/* Threads that exist during a gap, end in it, begin in it, both. */
static struct {
    StgTSO *stays, *ends, *moves_on, *begins;
} thread;

static void before_gap(void)
{
    thread.stays = runtime_create(0, "stays");
    runtime_block(thread.stays, BlockedOnMVar);
    thread.ends = runtime_create(1, "ends");
    runtime_block(thread.ends, BlockedOnCCall);
    thread.moves_on = runtime_create(2, "moves on");
    runtime_block(thread.moves_on, BlockedOnMVar);
}

static void gap(void)
{
    runtime_wake(thread.ends);
    runtime_finish(thread.ends);
    runtime_wake(thread.moves_on);
    thread.begins = runtime_create(3, "begins");
    runtime_block(thread.begins, BlockedOnCCall);
    runtime_finish(runtime_create(3, "brief"));
    runtime_say(1, "in the gap");
}

static void after_gap(void)
{
    runtime_finish(thread.moves_on);
    runtime_wake(thread.begins);
    runtime_finish(thread.begins);
    runtime_wake(thread.stays);
    runtime_finish(thread.stays);
}

/* `refused`: part of the expected error. */
static void switch_scheduler(const char *refused)
{
    before_gap();
    expect("class off", set_class('s', false), refused);
    expect("class off once more", set_class('s', false), refused);
    gap();
    runtime_mark(3);
    expect("class on", set_class('s', true), refused);
    after_gap();
}

static void switch_logging(const char *refused)
{
    before_gap();
    expect("logging off", hectic_eventlog_set_logging(false), refused);
    if (!refused) expect("class while off", set_class('u', true), "logging is off");
    gap();
    expect("logging on", hectic_eventlog_set_logging(true), NULL);
    after_gap();
}

static void start_anew(const char *second)
{
    before_gap();
    hectic_eventlog_stop();
    gap();
    for (int i = 0; i < 20000; i++) /* more than buffers hold */
        runtime_finish(runtime_create(0, "brief"));
    runtime_say(0, "nobody hears");
    expect("start again", hectic_eventlog_start(file(second), NULL), NULL);
    after_gap();
    runtime_say(0, "second");
}

/* Between the flush of the first log and the beginning of the second one. */
static void migrate_and_finish(void)
{
    runtime_migrate(thread.moves_on, 0);
    runtime_finish(thread.moves_on);
    runtime_fill(0);
}

static void move(const char *second)
{
    thread.moves_on = runtime_create(1, "moves on");
    runtime_after_rest = migrate_and_finish;
    expect("move", hectic_eventlog_move(file(second)), NULL);
    if (runtime_after_rest) failed = fprintf(stderr, "the caps were not stopped\n");
    runtime_say(0, "second");
}

#ifndef FAKE_SHARED
#define FAKE_SHARED 0
#endif

static const char *kind, *first, *second;

static void program(void)
{
    const bool c_main = strcmp(kind, "c-main") == 0, is_shared = FAKE_SHARED;
    RtsFlags.GcFlags.useNonmoving = strcmp(kind, "marking") == 0;
    if (!c_main) {
        expect("before start", set_class('s', false), "the program is not logging");
        expect("start", hectic_eventlog_start(file(first), NULL), NULL);
    }
    runtime_say(0, "first");
    if (strcmp(kind, "moved") == 0) {
        move(second);
        hectic_eventlog_stop();
        return;
    }
    switch_scheduler(is_shared ? "hides TRACE_sched" : NULL);
    expect("info tables", set_class('I', false),
           FAKE_GHC >= 916 ? NULL : "cannot switch info tables");
    switch_logging(!is_shared        ? NULL
                   : FAKE_GHC >= 902 ? "a program linked statically"
                   : c_main          ? NULL
                                     : "linked statically, or with a main in C");
    start_anew(second);
    hectic_eventlog_stop();
    if (!is_shared && runtime_unflushed > 0) /* the runtime reports each on stderr */
        failed = fprintf(stderr, "%d buffers unflushed\n", runtime_unflushed);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 64;
    kind = argv[1];
    first = argv[2];
    second = argv[3];
    if (strcmp(kind, "c-main") == 0) {
        setenv("HECTIC_EVENTLOG", first, 1);
        hectic_eventlog_main(argc, argv, (RtsConfig){0}, (StgClosure *)(uintptr_t)program);
    } else {
        program();
    }
    return failed != 0;
}
