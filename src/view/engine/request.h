/* request.h — a request as text: NAME?KEY=VALUE&… */
#ifndef HECTIC_SRC_VIEW_REQUEST_H
#define HECTIC_SRC_VIEW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REQUEST_BYTES = 4096, REQUEST_KEYS = 16 };

struct request {
    const char *name;
    size_t keys;
    struct {
        const char *key, *value;
    } pair[REQUEST_KEYS];
    char text[REQUEST_BYTES]; /* to which the others point */
};

/* False: it is malformed, or too long. */
bool request_parse(struct request *request, const char *text);

/* The value of a key; NULL: it has none. */
const char *request_text(const struct request *request, const char *key);

/* Sets *number to the value of a key, or to `otherwise` if it has none. False: the value is not a
 * number. */
bool request_number(const struct request *request, const char *key, uint64_t otherwise,
                    uint64_t *number);

#endif
