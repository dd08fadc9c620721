#include "sink/token.h"

#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_TIMEOUT_MS = 5000 };

bool token_file_of(char *address, const char **file)
{
    static const char option[] = "token-file=";
    const size_t length = sizeof option - 1;
    char *end = strchr(address, ',');
    *file = NULL;
    if (!end) return true;
    *end = 0;
    *file = end + 1 + length;
    return strncmp(end + 1, option, length) == 0 && **file;
}

/* Reads the first line, or as much as fits; or -1. */
static ssize_t read_line(int fd, char *text, size_t size)
{
    const int64_t until = (int64_t)clock_ms() + PIPE_TIMEOUT_MS;
    size_t got = 0;
    while (got < size && !memchr(text, '\n', got)) {
        const int64_t now = (int64_t)clock_ms();
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        poll(&ready, 1, now < until ? (int)(until - now) : 0);
        const ssize_t n = read(fd, text + got, size - got);
        if (n == 0) break;
        if (n < 0 && (now >= until || (errno != EAGAIN && errno != EINTR))) return -1;
        got += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)got;
}

int token_read(const char *path, char token[TOKEN_MAX + 1], char *message, size_t size)
{
    char text[TOKEN_MAX + 2] = {0}; /* one more byte detects longer lines */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read_line(fd, text, sizeof text - 1);
    const int error = errno;
    struct stat status;
    const bool is_public =
        fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IROTH);
    if (fd >= 0) close(fd);
    if (got < 0) {
        snprintf(message, size, "%s: %s", path, strerror(error));
        return error;
    }
    const size_t length = strcspn(text, "\r\n");
    const bool is_line = text[length] || length == (size_t)got; /* without NUL */
    if (is_line && length >= TOKEN_MIN && length <= TOKEN_MAX) {
        memcpy(token, text, length);
        token[length] = 0;
        if (size > 0) message[0] = 0;
        if (is_public)
            snprintf(message, size,
                     "%s: warning: every user of this host can read its token: chmod o-rwx %s",
                     path, path);
        return 0;
    }
    snprintf(message, size,
             "%s: invalid token: the first line must have %d to %d characters; create one with: "
             "head -c 32 /dev/urandom | base64 > FILE",
             path, TOKEN_MIN, TOKEN_MAX);
    return EBADMSG;
}
