/* What a reader gets. */
#define _GNU_SOURCE
#include "soak.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };

int reach(const char *path, unsigned seconds)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    for (unsigned i = 0; i < seconds * 100; i++) {
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
        close(fd);
        pause_ms(10);
    }
    return -1;
}

/* Where a log is. */
struct log {
    const reader *reader;
    uint64_t events, missed;
    bool begun, whole, broken;
    uint8_t next; /* number */
};

static void take_number(struct log *l, uint64_t number)
{
    if (l->events++ > 0 && number != l->next) l->reader->tally->wrong++;
    l->next = (uint8_t)(number + 1);
}

static void take_text(struct log *l, const hectic_event *event)
{
    char text[96];
    uint64_t value, number;
    const reader *r = l->reader;
    const size_t length = event->size < sizeof text - 1 ? event->size : sizeof text - 1;
    memcpy(text, event->payload, length);
    text[length] = 0;
    if (event->type == HECTIC_EVENT_LOG_MSG) {
        if (sscanf(text, "hectic: %" SCNu64 " events were dropped", &number) != 1) return;
        l->missed += number;
        l->next = (uint8_t)(l->next + number);
    } else if (sscanf(text, "%" SCNu64 " %" SCNu64, &value, &number) == 2) {
        take_number(l, number);
        if (r->value) r->value(r->user, value);
        if (value > r->tally->greatest) r->tally->greatest = value;
    }
}

static void take(struct log *l, const hectic_event *event)
{
    const uint8_t *at = event->payload;
    if (event->type == HECTIC_EVENT_THREAD_WAKEUP)
        take_number(l,
                    (uint64_t)at[0] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 8 | at[3]);
    else if (event->type == HECTIC_EVENT_USER_MSG || event->type == HECTIC_EVENT_LOG_MSG)
        take_text(l, event);
}

/* All events of the pushed bytes. */
static void decode(struct log *l, hectic_decoder *decoder)
{
    hectic_event event;
    hectic_result result;
    while (!l->broken && (result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
        l->reader->tally->logs += result == HECTIC_HEADER && !l->begun;
        l->begun = l->begun || result == HECTIC_HEADER;
        l->whole = result == HECTIC_COMPLETE;
        l->broken = result == HECTIC_ERROR;
        if (result == HECTIC_GOT_EVENT) take(l, &event);
    }
}

/* Reads what there is; 0: the end, or it is time to leave. */
static size_t next_bytes(int fd, uint8_t *buffer, uint64_t leave)
{
    const uint64_t now = now_ns();
    if (leave && now >= leave) return 0;
    struct pollfd poll_ = {.fd = fd, .events = POLLIN};
    if (poll(&poll_, 1, leave ? (int)((leave - now) / 1000000) + 1 : -1) == 0) return 0;
    const ssize_t got = read(fd, buffer, BUFFER);
    return got > 0 ? (size_t)got : 0;
}

void read_from(const reader *r, int fd)
{
    uint8_t *buffer = malloc(BUFFER);
    hectic_decoder *decoder = hectic_decoder_new();
    struct log l = {.reader = r};
    const uint64_t leave = r->for_ms ? now_ns() + r->for_ms * 1000000 : 0;
    bool left = false;
    for (size_t got; !l.broken && (got = next_bytes(fd, buffer, leave)) > 0;) {
        const uint64_t events = l.events, missed = l.missed;
        hectic_decoder_push(decoder, buffer, got);
        decode(&l, decoder);
        r->tally->events += l.events - events;
        r->tally->missed += l.missed - missed;
        if (r->took) r->took(r->user);
    }
    left = leave && now_ns() >= leave;
    r->tally->broken += l.broken;
    r->tally->whole += l.whole;
    r->tally->cut += l.begun && !l.whole && !left;
    r->tally->empty += l.events == 0;
    hectic_decoder_free(decoder);
    free(buffer);
}

void read_log(const reader *r)
{
    const int fd = reach(r->path, 60);
    if (fd < 0) return;
    read_from(r, fd);
    close(fd);
}

void read_logs(void *user)
{
    for (;;) {
        read_log(user);
        pause_ms(1);
    }
}
