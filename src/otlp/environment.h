/* environment.h — variables of OpenTelemetry in the environment. One that is empty is not there. */
#ifndef HECTIC_SRC_OTLP_ENVIRONMENT_H
#define HECTIC_SRC_OTLP_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* A list "name=value,name=value". Values have other characters as %20; spaces around are ignored.
 * Source: OpenTelemetry, Resource SDK, "Specifying resource information via an environment
 * variable", and Protocol Exporter, "Specifying headers via environment variables". */
struct otlp_list {
    char *copy, *rest;
    const char *name;  /* of the pair: visible ASCII, without the separators of HTTP */
    const char *value; /* UTF-8 without control characters */
    bool is_malformed; /* a pair was skipped */
    bool failed;       /* out of memory */
};

struct otlp_list otlp_list_begin(const char *variable);
void otlp_list_end(struct otlp_list *list);

/* The next pair; its texts are valid until otlp_list_end. False: there is none. */
bool otlp_list_next(struct otlp_list *list);

/* A time, ms: at least `least`; `usual` if it is not there or no positive number. */
uint64_t otlp_environment_ms(const char *variable, uint64_t usual, uint64_t least);

/* Are requests to be compressed? */
bool otlp_environment_compresses(void);

/* A file of certificates of authorities that are trusted; NULL: not given. */
const char *otlp_environment_authorities(void);

/* The name of the service; NULL: not given. */
const char *otlp_environment_service(void);

/* Reports what is ignored since it is malformed, once for each variable. */
void otlp_environment_check(void (*note)(void *user, const char *text), void *user);

#endif
