#define _GNU_SOURCE /* struct ucred */
#include "clients/peer_name.h"

#include <fcntl.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The command name of a process; "": it has ended or is not visible. */
static void command_of(pid_t pid, char *command, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? 0 : read(fd, command, size - 1);
    if (fd >= 0) close(fd);
    command[length > 0 ? length : 0] = 0;
    command[strcspn(command, "\n")] = 0;
}

static bool name_address(int fd, char *name)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[64], port[8];
    if (getpeername(fd, (struct sockaddr *)&address, &size) != 0 || address.ss_family == AF_UNIX ||
        getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    const bool colons = strchr(host, ':');
    snprintf(name, PEER_NAME_SIZE, "tcp:%s%s%s:%s", colons ? "[" : "", host, colons ? "]" : "",
             port);
    return true;
}

void peer_name(int fd, char name[PEER_NAME_SIZE])
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    char command[32];
    if (name_address(fd, name)) return;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid == 0) {
        snprintf(name, PEER_NAME_SIZE, "unknown process");
        return;
    }
    command_of(peer.pid, command, sizeof command);
    if (*command)
        snprintf(name, PEER_NAME_SIZE, "process %d (%s)", (int)peer.pid, command);
    else
        snprintf(name, PEER_NAME_SIZE, "process %d", (int)peer.pid);
}
