/* Listening sockets. */
#include "serve/serve.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024 }; /* beyond it, clients wait for a second or are refused */

static int new_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Does a process listen there? If not, connecting is refused. */
static bool is_in_use(const struct sockaddr_un *address)
{
    const int fd = new_socket(AF_UNIX);
    const bool refused =
        connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 && errno == ECONNREFUSED;
    close(fd);
    return !refused;
}

/* Removes a stale socket. NULL: done; or why not. */
static const char *remove_stale(const struct sockaddr_un *address)
{
    struct stat status;
    if (lstat(address->sun_path, &status) < 0) return NULL;
    errno = EEXIST;
    if (!S_ISSOCK(status.st_mode))
        return "a file that is not a socket is in the way: choose another path";
    const bool alive = is_in_use(address);
    errno = EADDRINUSE;
    if (alive) return "another running program listens there: choose another path for one of them";
    return unlink(address->sun_path) == 0 ? NULL : strerror(errno);
}

/* Binds fd; NULL or why not. */
static const char *bind_unix(int fd, const struct sockaddr_un *address)
{
    /* Before it has a name, so that no other user can connect. */
    if (fchmod(fd, 0600) != 0) return strerror(errno);
    const struct sockaddr *a = (const struct sockaddr *)address;
    if (bind(fd, a, sizeof *address) == 0) return NULL;
    if (errno != EADDRINUSE) return strerror(errno);
    const char *why = remove_stale(address);
    if (why) return why;
    return bind(fd, a, sizeof *address) == 0 ? NULL : strerror(errno);
}

static bool listen_unix(listener *l, const char *path, char *message, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(path);
    if (length >= sizeof address.sun_path) {
        snprintf(message, size,
                 "the socket path has %zu bytes, the system allows %zu: choose a shorter path",
                 length, sizeof address.sun_path - 1);
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(address.sun_path, path, length);
    l->fd = new_socket(AF_UNIX);
    const char *why = l->fd < 0 ? strerror(errno) : bind_unix(l->fd, &address);
    if (!why && listen(l->fd, BACKLOG) < 0) why = strerror(errno);
    struct stat status;
    if (!why && (l->path = strdup(path)) && stat(path, &status) == 0) {
        l->device = status.st_dev;
        l->inode = status.st_ino;
        return true;
    }
    snprintf(message, size, "cannot listen on %s: %s", path, why ? why : strerror(errno));
    return false;
}

static bool bind_tcp(listener *l, const struct addrinfo *address)
{
    l->fd = new_socket(address->ai_family);
    if (l->fd < 0) return false;
    setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(l->fd, address->ai_addr, address->ai_addrlen) == 0 && listen(l->fd, BACKLOG) == 0)
        return true;
    const int error = errno;
    close(l->fd);
    l->fd = -1;
    errno = error;
    return false;
}

/* The reason of a failed lookup; sets errno, too. */
static const char *lookup_error(int answer)
{
    if (answer != EAI_SYSTEM) errno = answer == EAI_SERVICE ? EINVAL : EHOSTUNREACH;
    switch (answer) {
    case EAI_SYSTEM: return strerror(errno);
    case EAI_SERVICE: return "a port is a number from 0 to 65535";
    case EAI_NONAME: return "unknown host";
    default: return gai_strerror(answer);
    }
}

static bool listen_tcp(listener *l, const hectic_destination *at, char *message, size_t size)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *all;
    const int answer = getaddrinfo(at->host, at->port, &hints, &all);
    if (answer) {
        snprintf(message, size, "cannot listen on %s, port %s: %s", at->host, at->port,
                 lookup_error(answer));
        return false;
    }
    for (const struct addrinfo *a = all; a && l->fd < 0; a = a->ai_next)
        bind_tcp(l, a);
    if (l->fd < 0)
        snprintf(message, size, "cannot listen on %s, port %s: %s%s", at->host, at->port,
                 strerror(errno),
                 errno == EADDRINUSE ? ": choose another port, or 0 for any free port" : "");
    const int error = errno;
    freeaddrinfo(all);
    errno = error;
    return l->fd >= 0;
}

listener *listener_new(const hectic_destination *at, char *message, size_t size)
{
    if (at->token_file) {
        snprintf(message, size,
                 "a listener sends no token: remove ,token-file=%s (hectic relay requires one with "
                 "--token-file FILE)",
                 at->token_file);
        errno = EINVAL;
        return NULL;
    }
    listener *l = calloc(1, sizeof *l);
    if (!l) {
        snprintf(message, size, "out of memory");
        return NULL;
    }
    l->fd = -1;
    if (at->path ? listen_unix(l, at->path, message, size) : listen_tcp(l, at, message, size))
        return l;
    const int error = errno;
    listener_free(l, false);
    errno = error;
    return NULL;
}

void listener_hide(listener *l)
{
    struct stat status;
    if (l->path && lstat(l->path, &status) == 0 && status.st_dev == l->device &&
        status.st_ino == l->inode)
        unlink(l->path);
    free(l->path);
    l->path = NULL;
}

void listener_free(listener *l, bool remove)
{
    if (remove) listener_hide(l);
    if (l->fd >= 0) close(l->fd);
    free(l->path);
    free(l);
}
