/* Preloaded by tests: the monotonic clock runs 1000 times as fast, so that what only appears in
 * long work, such as progress, appears in short work, too. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int code = (int)syscall(SYS_clock_gettime, clock, time);
    if (code != 0 || clock != CLOCK_MONOTONIC) return code;
    time->tv_sec = time->tv_sec * 1000 + time->tv_nsec / 1000000;
    time->tv_nsec = time->tv_nsec % 1000000 * 1000;
    return 0;
}
