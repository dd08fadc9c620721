/* client.h — posts requests to HTTP servers, by libcurl, and repeats them. A client is not for
 * several threads at a time. */
#ifndef HECTIC_SRC_DELIVERY_CLIENT_H
#define HECTIC_SRC_DELIVERY_CLIENT_H

#include "base/buffer.h"
#include "delivery/curl.h"

typedef struct http_client http_client;

struct http_client_options {
    const char *content_type;
    size_t answer_max;                /* bytes: the rest of an answer is not received */
    uint32_t stalled_ms;              /* a request without a byte for so long is given up */
    const char *authorities;          /* a file of certificates that are trusted; NULL: that of
                                         SSL_CERT_FILE, or else those of the system */
    bool uses_netrc;                  /* the user and the password may be in ~/.netrc */
    bool (*is_cancelled)(void *user); /* asked now and then: true ends a request; may be NULL */
    void *user;
};

/* Call it before there are threads. NULL: out of memory. Without libcurl, all requests fail. */
http_client *http_client_new(const struct http_client_options *options);
void http_client_free(http_client *client);

/* For all requests from now on. NULL: without this header. False: out of memory. */
bool http_client_add_header(http_client *client, const char *name, const char *value);

/* libcurl, for addresses; NULL: it is not there. */
const struct curl_library *http_client_curl(const http_client *client);

/* What has become of an attempt. */
enum attempt { ATTEMPT_DONE, ATTEMPT_FAILED, ATTEMPT_AGAIN /* it may succeed later */ };

struct http_answer {
    long status;               /* 0: none, see http_client_error */
    uint64_t after;            /* ms: until then, the server wants no other request; 0: not given */
    const char *redirect;      /* the address where it is to be sent; NULL: to this one */
    const struct buffer *body; /* with a NUL behind it; both are valid until the next request */
};

/* Done: there is an answer, whatever its status is. */
enum attempt http_client_post(http_client *client, const char *url, const void *body, size_t size,
                              struct http_answer *answer);

/* Why the last request had no answer: one line. */
const char *http_client_error(const http_client *client);

/* Why the address of a server cannot be used; NULL if it can, or without libcurl. `is_base`: paths
 * are added to its end. */
const char *http_address_problem(const char *url, bool is_base);

/* Does a server with this status perhaps work later? As gateways and OTLP have it. */
bool http_status_is_temporary(long status);

/* Makes attempts until one is done or has failed, or another would begin after `patience` ms. An
 * attempt may set *wait, ms, to what the server asks for. `waits` is called before the second one;
 * it may be NULL. */
enum attempt try_until_done(uint64_t patience, enum attempt (*attempt)(void *user, uint64_t *wait),
                            void (*waits)(void *user), void *user);

#endif
