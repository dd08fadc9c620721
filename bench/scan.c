/* The bare scan: a minimal loop that steps from event to event through a mapped eventlog, looks at
 * nothing but each event's type and length, and counts. No reader that visits every event in
 * sequence on one core can be faster: the next event's place is not known before this one's type
 * has been loaded. It is the yardstick of the other numbers.
 *
 *     scan LOG        prints the number of events and the time per event
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint16_t load16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return __builtin_bswap16(v);
}

static uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return __builtin_bswap32(v);
}

/* What an event takes in the log, by its type: 0: undeclared, or the end; VARIABLE: it says. */
enum { VARIABLE = 1 };
static uint32_t step[65536];

/* Fills step[] from the header; returns where the events begin. Trusts the header: it reads only
 * logs that make_log wrote. */
static const uint8_t *read_header(const uint8_t *p)
{
    p += 8; /* hdrb hetb */
    while (memcmp(p, "etb", 4) == 0) {
        uint16_t number = load16(p + 4), size = load16(p + 6);
        step[number] = size == 0xffff ? VARIABLE : 10u + size;
        p += 8;
        p += 4 + load32(p); /* the description */
        p += 4 + load32(p); /* the extra info */
        p += 4;             /* ete */
    }
    return p + 12; /* hete hdre datb */
}

int main(int argc, char **argv)
{
    struct stat about;
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &about) != 0) {
        fprintf(stderr, "scan: cannot open the log\n");
        return 1;
    }
    size_t size = (size_t)about.st_size;
    const uint8_t *log = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (log == MAP_FAILED) {
        fprintf(stderr, "scan: cannot map the log\n");
        return 1;
    }
    madvise((void *)(uintptr_t)log, size, MADV_SEQUENTIAL);
    const uint8_t *p = read_header(log), *end = log + size;

    struct timespec begin, done;
    uint64_t events = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (end - p >= 12) {
        uint32_t length = step[load16(p)];
        if (length == VARIABLE)
            length = 12u + load16(p + 10);
        else if (length == 0)
            break;
        p += length;
        events++;
    }
    clock_gettime(CLOCK_MONOTONIC, &done);
    double ns = (double)(done.tv_sec - begin.tv_sec) * 1e9 + (double)(done.tv_nsec - begin.tv_nsec);
    printf("%llu events, %.2f ns each, %.3f s\n", (unsigned long long)events,
           events ? ns / (double)events : 0, ns / 1e9);
    close(fd);
    return 0;
}
