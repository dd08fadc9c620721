/* one_reader SOCKET LOG: serves a log as eventlog-socket does, to one reader at a time and without
 * answers. For each reader it prints a line, in hexadecimal: the bytes as they arrive until it
 * disconnects. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void serve(int fd, const void *log, size_t size)
{
    struct pollfd reader = {.fd = fd, .events = POLLIN};
    uint8_t byte;
    printf("reader ");
    fflush(stdout);
    send(fd, log, size, MSG_NOSIGNAL);
    while (poll(&reader, 1, -1) == 1 && recv(fd, &byte, 1, 0) == 1) {
        printf("%02x", byte);
        fflush(stdout);
    }
    puts(reader.revents & POLLHUP ? "" : " and shut one side");
    fflush(stdout);
    close(fd);
}

int main(int argc, char **argv)
{
    static uint8_t log[1 << 20];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!file) return 64;
    const size_t size = fread(log, 1, sizeof log, file);
    strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
    const int at = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(at, (struct sockaddr *)&address, sizeof address) != 0 || listen(at, 5) != 0) return 2;
    for (;;)
        serve(accept(at, NULL, NULL), log, size);
}
