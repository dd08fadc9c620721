/* The peer of a socket, for messages: "process 4242 (Main)", "tcp:127.0.0.1:52301". */
#ifndef HECTIC_SRC_PEER_NAME_H
#define HECTIC_SRC_PEER_NAME_H

#include <stddef.h>

enum { PEER_NAME_SIZE = 128 };

void peer_name(int fd, char name[PEER_NAME_SIZE]);

#endif
