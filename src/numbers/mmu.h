/* mmu.h — minimum mutator utilisation: how much of its time a program could run in the worst
 * moment, for windows of any length.
 *
 * In a window of time, the utilisation is the share in which the program (the mutator) was not
 * stopped by the garbage collector. The minimum over all windows of length w that lie in an
 * interval is the minimum mutator utilisation MMU(w). It is 0 up to the longest pause, and at the
 * length of the interval it is the share of the whole. Unlike a list of pauses, it shows pauses
 * that follow each other closely.
 *
 * Cheng and Blelloch, A Parallel, Real-Time Garbage Collector (PLDI 2001), define it; go tool trace
 * shows it for Go. GHC's collections stop all caps: a pause is the time from GC_START to GC_END of
 * the cap that leads the collection (facts/collections.h).
 *
 * The result is exact, not a sample of windows: the least utilisation is found in a window that
 * begins with a pause, ends with one, or touches an end of the interval.
 */
#ifndef HECTIC_SRC_MMU_H
#define HECTIC_SRC_MMU_H

#include <stddef.h>
#include <stdint.h>

/* from <= t < to, ns. */
typedef struct hectic_pause {
    uint64_t from, to;
} hectic_pause;

/* Sorts pauses, clips them to an interval, and joins those that overlap or touch. Returns the
 *  number of the remaining ones, which are at the beginning of the array. */
size_t hectic_mmu_prepare(hectic_pause *pause, size_t count, uint64_t from, uint64_t to);

/* The longest time that the program was stopped in a window of that length, ns: MMU(window) is
 *  1 - this / window. The pauses are prepared; 0 < window <= to - from. Linear in their number. */
uint64_t hectic_mmu_stopped(const hectic_pause *pause, size_t count, uint64_t from, uint64_t to,
                            uint64_t window);

/* The windows of the rows of the table utilization. */
enum { HECTIC_MMU_ROWS = 4 };
extern const struct hectic_mmu_row {
    const char *name; /* "1ms" */
    uint64_t length;  /* ns */
} hectic_mmu_rows[HECTIC_MMU_ROWS];

enum { HECTIC_MMU_WINDOWS = 160 };

/* Sets the lengths of windows, ten for each power of ten: from 100 us to `length` ns, which is the
 *  last one. Returns their number; 0 if the length is 0. */
size_t hectic_mmu_windows(uint64_t length, uint64_t window[HECTIC_MMU_WINDOWS]);

#endif
