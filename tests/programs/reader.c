/* reader unix PATH | tcp HOST PORT, then MS: copies the received bytes to stdout, for MS or (0) to
 * the end. Tries for a minute to connect. When the time is up, or by SIGTERM, it disconnects at the
 * next pause: not between the blocks of caps that are flushed together, one of which shows the
 * order of dependent events. */
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT_MS = 50, LATEST_MS = 5000 };

static volatile sig_atomic_t must_leave;

static void leave(int number)
{
    (void)number;
    must_leave = 1;
}

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static int try_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

static int try_tcp(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *a;
    if (getaddrinfo(host, port, &hints, &a) != 0) return -1;
    int fd = socket(a->ai_family, SOCK_STREAM, 0);
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(a);
    return fd;
}

int main(int argc, char **argv)
{
    if (argc < 4) return 64;
    const int is_tcp = strcmp(argv[1], "tcp") == 0;
    int fd = -1;
    for (int i = 0; i < 6000 && fd < 0; i++) {
        fd = is_tcp ? try_tcp(argv[2], argv[3]) : try_unix(argv[2]);
        if (fd < 0) usleep(10000);
    }
    if (fd < 0) return 2;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = leave}, NULL);
    const long long ms = atoll(argv[argc - 1]);
    long long end = ms ? now_ms() + ms : LLONG_MAX;
    for (;;) {
        static char bytes[1 << 16];
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        const long long now = now_ms();
        if (must_leave && now < end) end = now;
        const int leaves = now >= end;
        const int is_ready = poll(&ready, 1, leaves ? MOMENT_MS : ms ? (int)(end - now) : -1);
        if (leaves && (is_ready == 0 || now - end > LATEST_MS)) return 0;
        if (is_ready <= 0) continue;
        const ssize_t got = read(fd, bytes, sizeof bytes);
        if (got <= 0) return 0;
        fwrite(bytes, 1, (size_t)got, stdout);
        fflush(stdout);
    }
}
