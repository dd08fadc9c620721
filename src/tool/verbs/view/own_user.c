/* own_user.c — see own_user.h. */
#include "tool/verbs/view/own_user.h"

#include "base/text.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ADDRESS = 32, LINE = 256 };

/* Is the client's socket in a list of the kernel, as one of this user? */
static bool is_listed(const char *path, const struct sockaddr_in *client,
                      const struct sockaddr_in *server)
{
    char line[LINE], address[ADDRESS + 1], wanted[ADDRESS + 1];
    unsigned from, to, user;
    bool found = false;
    FILE *file = fopen(path, "re");
    if (!file) return false;
    /* Ends an address of IPv6 that contains one of IPv4, too. */
    snprintf(wanted, sizeof wanted, "%08X", (unsigned)client->sin_addr.s_addr);
    while (!found && fgets(line, sizeof line, file))
        found = sscanf(line, "%*d: %32[0-9A-F]:%x %*32[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %u",
                       address, &from, &to, &user) == 4 &&
                from == ntohs(client->sin_port) && to == ntohs(server->sin_port) &&
                text_ends(address, wanted) && user == getuid();
    fclose(file);
    return found;
}

bool is_own_user(int fd)
{
    struct sockaddr_in client, server;
    socklen_t size = sizeof client;
    if (getpeername(fd, (struct sockaddr *)&client, &size) != 0 || size != sizeof client)
        return false;
    size = sizeof server;
    if (getsockname(fd, (struct sockaddr *)&server, &size) != 0 || client.sin_family != AF_INET)
        return false;
    return is_listed("/proc/net/tcp", &client, &server) ||
           is_listed("/proc/net/tcp6", &client, &server);
}
