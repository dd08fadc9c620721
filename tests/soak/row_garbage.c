/* Clients that connect as programs and send something else are disconnected, without effect on
 * others. */
#include "soak.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { SOUP_MAX = 100 << 20, PATIENCE = 60 };

/* What they send first, and if that is followed by 0xff without an end. Those that fall silent are
 * given ten seconds, for which the short form has no time. */
static const struct nuisance {
    const char *bytes;
    bool noise, is_silent;
} nuisances[] = {
    {"", true, false},
    {"hdrbhetb", true, false},
    {"GET / HTTP/1.1\r\n\r\n", false, true},
    {"hdrbhetbetb", false, true},
    {"", false, true},
};

enum { NUISANCES = sizeof nuisances / sizeof *nuisances };

struct visit {
    const soak *soak;
    const struct nuisance *nuisance;
    _Atomic bool *disconnected; /* shared */
};

static bool send_noise(int fd)
{
    static uint8_t noise[1 << 16];
    memset(noise, 0xff, sizeof noise);
    for (size_t sent = 0; sent < SOUP_MAX;) {
        const ssize_t taken = send(fd, noise, sizeof noise, MSG_NOSIGNAL);
        if (taken < 0) return false;
        sent += (size_t)taken;
    }
    return true;
}

static void visit(void *user)
{
    const struct visit *v = user;
    const struct nuisance *n = v->nuisance;
    const int fd = reach(v->soak->in, PATIENCE);
    const struct timeval patience = {.tv_sec = PATIENCE};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char byte;
    const bool sent =
        send(fd, n->bytes, strlen(n->bytes), MSG_NOSIGNAL) >= 0 && (!n->noise || send_noise(fd));
    const ssize_t got = sent ? recv(fd, &byte, 1, 0) : 0;
    *v->disconnected = !sent || got == 0 || (got < 0 && errno == ECONNRESET);
}

void row_garbage(const soak *s)
{
    const pid_t relay = relay_start(s, false);
    pid_t pids[NUISANCES] = {0};
    _Atomic bool *disconnected = shared(NUISANCES * sizeof *disconnected);
    unsigned came = 0, went = 0;
    for (unsigned i = 0; i < NUISANCES; i++) {
        if (nuisances[i].is_silent && !s->is_long) continue;
        pids[i] = start(visit, &(struct visit){s, &nuisances[i], &disconnected[i]});
        came++;
    }
    flooded sum = {0};
    flood_relay(s, &(flood){.count = 4000000, .is_on_leash = true}, &sum);
    for (unsigned i = 0; i < NUISANCES; i++)
        if (pids[i]) went += ends_well(pids[i]) && disconnected[i];
    must(went == came, "garbage: clients disconnected that send no log", "all", "%u of %u", went,
         came);
    const bool no_log = relay_says(s, "disconnected: not an eventlog");
    must(no_log, "garbage: the relay says that it was no log", "yes", "%s", no_log ? "yes" : "no");
    if (s->is_long) {
        const bool in_time = relay_says(s, "disconnected: timeout: no eventlog received");
        must(in_time, "garbage: and that none came in time", "yes", "%s", in_time ? "yes" : "no");
    }
    flood_must("garbage beside it", &sum);
    relay_end(s, relay);
}
