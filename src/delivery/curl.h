/* curl.h — libcurl, which is loaded when it is needed: with the libraries that it uses, loading it
 * takes twice as long as the rest of the command. */
#ifndef HECTIC_SRC_CURL_H
#define HECTIC_SRC_CURL_H

#include <stdbool.h>
#include <stddef.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* The functions that are used, without "curl_". */
#define CURL_FUNCTIONS(F)                                                                          \
    F(easy_cleanup)                                                                                \
    F(easy_getinfo)                                                                                \
    F(easy_init)                                                                                   \
    F(easy_perform)                                                                                \
    F(easy_setopt)                                                                                 \
    F(easy_strerror)                                                                               \
    F(free)                                                                                        \
    F(global_init)                                                                                 \
    F(slist_append)                                                                                \
    F(slist_free_all)                                                                              \
    F(url)                                                                                         \
    F(url_cleanup)                                                                                 \
    F(url_get)                                                                                     \
    F(url_set)

struct curl_library {
#define CURL_MEMBER(name) __typeof__(curl_##name) *name;
    CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
};

/* Loads it, for the rest of the process; call it before there are threads. False: it cannot be, for
 * the reason in the message. */
bool curl_load(struct curl_library *curl, char *message, size_t size);

#endif
