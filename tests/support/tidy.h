/* Tests that leave no descriptor open and raise no signal: TEST(name) in the list of tests. */
#ifndef HECTIC_TEST_TIDY_H
#define HECTIC_TEST_TIDY_H

#include "bytes.h"

#include <fcntl.h>
#include <signal.h>

static volatile sig_atomic_t signals; /* those that were raised */

static inline void count_signal(int number)
{
    (void)number;
    signals++;
}

/* Counts SIGPIPE and SIGXFSZ, which no test may raise. */
static inline void count_signals(void)
{
    const struct sigaction action = {.sa_handler = count_signal};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

static inline unsigned count_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 1000; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static unsigned open_before;

static inline int before(void **state)
{
    (void)state;
    open_before = count_descriptors();
    signals = 0;
    return 0;
}

static inline int after(void **state)
{
    (void)state;
    const bool leaks = count_descriptors() != open_before;
    if (signals) print_error("a signal was raised\n");
    if (leaks) print_error("a descriptor was left open\n");
    return signals || leaks ? -1 : 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before, after)

#endif
