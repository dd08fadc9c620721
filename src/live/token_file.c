#include "live/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool token_read(const char *path, char token[TOKEN_MOST + 1], char *message, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, token, TOKEN_MOST);
    const int error = errno;
    if (fd >= 0) close(fd);
    if (length < 0) {
        snprintf(message, size, "%s: %s", path, strerror(error));
        return false;
    }
    token[length] = 0;
    token[strcspn(token, "\r\n")] = 0;
    if (strlen(token) >= TOKEN_LEAST) return true;
    snprintf(message, size,
             "%s: a token has at least %d letters: head -c 32 /dev/urandom | base64 > FILE", path,
             TOKEN_LEAST);
    return false;
}

bool token_of_place(char *place, char line[TOKEN_LINE_SIZE], char *message, size_t size)
{
    static const char option[] = "token-file=";
    char *end = strchr(place, ',');
    line[0] = 0;
    if (!end) return true;
    *end = 0;
    const char *path = end + 1;
    const bool is_option = strncmp(path, option, sizeof option - 1) == 0;
    if (is_option) path += sizeof option - 1;
    if (!is_option || !*path) {
        snprintf(message, size,
                 "tcp:%s: what may follow is ,token-file=FILE, with the token in FILE's first line",
                 place);
        return false;
    }
    if (!token_read(path, line, message, size)) return false;
    strcat(line, "\n");
    return true;
}

const char *token_doubt(const char *line)
{
    return line[0] ? "if it asks for a token, it is not the one in the file given"
                   : "if it asks for a token, give it as tcp:HOST:PORT,token-file=FILE";
}
