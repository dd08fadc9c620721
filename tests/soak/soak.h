/* Shared by the rows of the soak test: a relay, programs and readers, each a separate process, and
 * the table that the rows fill.
 *
 *     main.c      the rows
 *     table.c     conditions and measurements
 *     child.c     processes, and memory that they share
 *     relay.c     the relay, as the command runs it
 *     program.c   what a program emits: events that are numbered
 *     reader.c    what a reader gets: a log by the library's decoder, numbers without a gap
 *     flood.c     one program, three readers
 *     row_….c     a row each
 *
 * Events of programs are numbered from 0 on, modulo 256: a THREAD_WAKEUP's thread is its number, a
 * USER_MSG holds a value and its number. So a reader sees if one is missing, or is there twice,
 * except for as many as its log reports as missing there.
 */
#ifndef HECTIC_TESTS_SOAK_H
#define HECTIC_TESTS_SOAK_H

#include <hectic/hectic.h>

#include <inttypes.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { PLACE_SIZE = 96 }; /* a Unix socket's path is 107 bytes long at most */

typedef struct soak {
    const char *hectic, *row;
    bool is_long;
    char in[PLACE_SIZE], out[PLACE_SIZE]; /* where programs and readers connect */
    char each[PLACE_SIZE];                /* a directory of sockets, one for each program */
    char record[PLACE_SIZE], temporary[PLACE_SIZE], said[PLACE_SIZE], file[PLACE_SIZE];
} soak;

/* --- main.c; the rows */

void place(char *out, const char *directory, const char *name); /* of PLACE_SIZE */

void row_flood(const soak *s);
void row_fleet(const soak *s);
void row_latency(const soak *s);
void row_kills(const soak *s);
void row_garbage(const soak *s);

/* --- table.c */

/* A line of the table; what does not hold is remembered. */
void must(bool holds, const char *what, const char *limit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for conditions that depend on the machine: required in the long form only. */
void target(const soak *s, bool holds, const char *what, const char *limit, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A measurement without a condition. */
void measured(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool all_held(void);

uint64_t now_ns(void);
void pause_ms(unsigned ms);
/* Sorts. The value below which a share of them is. */
double quantile(double *value, size_t count, double share);

/* --- child.c */

void *shared(size_t size); /* zeroed, and the children's as well */
/* A child that ends with 0 when `run` has returned, and dies with its parent. */
pid_t start(void (*run)(void *user), void *user);
void expect_no_more(void); /* waits for orphans of a child */
bool ends_well(pid_t pid); /* waits for that */
void slay(pid_t pid);
bool has_children(void);
/* Asks every 10 ms; false: not within so many seconds. */
bool comes_true(bool (*is)(void *user), void *user, unsigned seconds);

/* --- relay.c */

pid_t relay_start(const soak *s, bool records);
void relay_end(const soak *s, pid_t relay);
bool relay_says(const soak *s, const char *text);
long relay_kb(pid_t relay, const char *what); /* "VmHWM": the most that it ever had; "VmRSS" */
unsigned relay_descriptors(pid_t relay);
unsigned files_in(const char *directory);
/* Of the relay's processor time so far: seconds. */
double relay_seconds(pid_t relay);

/* --- program.c */

typedef struct program {
    const char *path;
    bool is_file;
    const char *name; /* NULL: the process's */
    unsigned flush_ms;
} program;

hectic_emitter *program_begin(const program *p);
static inline void emit_number(hectic_emit_cap *cap, uint64_t number)
{
    hectic_emit_thread_wakeup(cap, number & 0xff, 0);
}
void emit_value(hectic_emit_cap *cap, uint64_t number, uint64_t value);

/* --- reader.c */

/* What a reader has come to so far. */
typedef struct tally {
    _Atomic uint64_t logs, whole, cut; /* begun; ended by their marker, otherwise */
    _Atomic uint64_t broken, wrong;    /* no logs; numbers that do not follow */
    _Atomic uint64_t empty;            /* without one event of the program */
    _Atomic uint64_t events, missed;   /* of the program; reported missing */
    _Atomic uint64_t greatest;         /* value */
} tally;

typedef struct reader {
    char path[PLACE_SIZE];
    tally *tally;
    uint64_t for_ms;          /* then it leaves; 0: it stays to the end */
    void (*took)(void *user); /* some bytes; NULL: nothing is done then */
    void (*value)(void *user, uint64_t value);
    void *user;
} reader;

int reach(const char *path, unsigned seconds); /* a connection; -1: nothing listens */
void read_from(const reader *r, int fd);       /* a log */
void read_log(const reader *r);                /* one, if it begins within 10 s */
void read_logs(void *reader);                  /* one after the other, for ever */

/* --- flood.c */

typedef struct flood {
    uint64_t count;
    unsigned work;    /* steps of computation between two events */
    bool is_on_leash; /* the program waits for the readers that are awake */
} flood;

/* What came of floods, summed up. */
typedef struct flooded {
    unsigned floods;
    unsigned naps;        /* in which the sleeper missed some, and woke while there was more */
    unsigned dropped;     /* in which the program could not emit all */
    uint64_t events;      /* that were emitted */
    uint64_t lost;        /* of two readers that are awake */
    uint64_t reported;    /* reported missing to the sleeper */
    uint64_t unaccounted; /* neither delivered to the sleeper nor reported missing, or both */
    uint64_t unsound;     /* logs: broken, not whole, of numbers that do not follow */
} flooded;

/* How many million events per second; 0: it failed. */
double flood_file(const soak *s, const flood *f);
/* The same to a relay that has three readers, of which one sleeps in between. */
double flood_relay(const soak *s, const flood *f, flooded *sum);
uint64_t flood_compute(uint64_t seed, unsigned steps);
void flood_must(const char *row, const flooded *sum);

#endif
