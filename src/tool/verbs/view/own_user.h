/* own_user.h — does a TCP client on this host belong to the user of this process? */
#ifndef HECTIC_VIEW_OWN_USER_H
#define HECTIC_VIEW_OWN_USER_H

#include <stdbool.h>

/* `fd`: the server's end of a connection over IPv4. False also where there is no /proc. */
bool is_own_user(int fd);

#endif
