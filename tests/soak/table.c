/* The table that is printed, and the numbers in it. */
#include "soak.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static bool missed;

static void line(const char *what, const char *limit, const char *verdict, const char *format,
                 va_list arguments)
{
    char measured[PLACE_SIZE];
    vsnprintf(measured, sizeof measured, format, arguments);
    printf("| %-58s | %30s | %10s | %s |\n", what, measured, limit, verdict);
}

void must(bool holds, const char *what, const char *limit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    line(what, limit, holds ? "pass" : "MISS", format, arguments);
    va_end(arguments);
    missed = missed || !holds;
}

void target(const soak *s, bool holds, const char *what, const char *limit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    line(what, limit, holds ? "pass" : s->is_long ? "MISS" : "miss", format, arguments);
    va_end(arguments);
    missed = missed || (s->is_long && !holds);
}

void measured(const char *what, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    line(what, "", "", format, arguments);
    va_end(arguments);
}

bool all_held(void)
{
    return !missed;
}

uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void pause_ms(unsigned ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double quantile(double *value, size_t count, double share)
{
    qsort(value, count, sizeof *value, by_size);
    return count ? value[(size_t)((double)(count - 1) * share)] : 0;
}
