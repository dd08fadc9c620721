/* microhttpd.h — libmicrohttpd, which is loaded when it is needed: with GnuTLS, which it uses,
 * loading it takes as long as the rest of the command. */
#ifndef HECTIC_SRC_MICROHTTPD_H
#define HECTIC_SRC_MICROHTTPD_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

/* The functions that are used, without "MHD_". */
#define MHD_FUNCTIONS(F)                                                                           \
    F(add_connection)                                                                              \
    F(add_response_header)                                                                         \
    F(create_response_from_buffer)                                                                 \
    F(create_response_from_callback)                                                               \
    F(destroy_response)                                                                            \
    F(get_connection_info)                                                                         \
    F(get_connection_values)                                                                       \
    F(get_daemon_info)                                                                             \
    F(get_timeout)                                                                                 \
    F(get_version)                                                                                 \
    F(lookup_connection_value)                                                                     \
    F(queue_response)                                                                              \
    F(resume_connection)                                                                           \
    F(run)                                                                                         \
    F(set_connection_option)                                                                       \
    F(start_daemon)                                                                                \
    F(stop_daemon)                                                                                 \
    F(suspend_connection)

struct mhd_library {
#define MHD_MEMBER(name) __typeof__(MHD_##name) *name;
    MHD_FUNCTIONS(MHD_MEMBER)
#undef MHD_MEMBER
};

/* Set by mhd_load, once for the process. */
extern struct mhd_library mhd;

/* Not in two threads at once. False: it cannot be loaded, for the reason in the message. */
bool mhd_load(char *message, size_t size);

#endif
