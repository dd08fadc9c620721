/* Tests that fork, under sanitizers. */
#ifndef HECTIC_TEST_SANITIZERS_H
#define HECTIC_TEST_SANITIZERS_H

#include <stdbool.h>

/* The thread sanitizer does not support threads in a child of a process with threads; the leak
 * sanitizer reports their memory. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
static const bool child_may_log = false;
#else
static const bool child_may_log = true;
#endif

const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* By default, every child waits before it exits. */
const char *__tsan_default_options(void)
{
    return "atexit_sleep_ms=0";
}

#endif
