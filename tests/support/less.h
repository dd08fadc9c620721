/* less.h — how much a test does: less under a sanitizer, where each step costs many times as much,
 * and which looks for faults of memory and threads, not for rare numbers. */
#ifndef HECTIC_TEST_LESS_H
#define HECTIC_TEST_LESS_H

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LESS(all, less) (less)
#endif
#endif
#ifndef LESS
#define LESS(all, less) (all)
#endif

#endif
