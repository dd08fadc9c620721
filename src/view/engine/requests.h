/* requests.h — the table of a page's requests: requests.def. */
#ifndef HECTIC_SRC_VIEW_REQUESTS_H
#define HECTIC_SRC_VIEW_REQUESTS_H

#include "tables/json.h"
#include "view/engine/request.h"

#include "view/engine/view.h"

/* From what a request is answered. */
enum request_how {
    REQUEST_INDEX, /* the index is enough: a snapshot has it */
    REQUEST_ONCE,  /* a few events */
    REQUEST_STEPS, /* events, a part for each time that it is asked (job.h) */
    REQUEST_TEXT,  /* what follows the line of the request */
};

/* Which answers a report has. */
enum request_held {
    HELD_NOT,
    HELD_WHOLE,   /* that for the whole run */
    HELD_ROWS,    /* likewise; with fewer rows if it is too large */
    HELD_PICTURE, /* that for the whole run, which also answers for its parts */
};

enum key_kind {
    KEY_NUMBER,
    KEY_TIME,   /* ns, of the log's clock */
    KEY_EVEN,   /* an even number */
    KEY_NEEDED, /* a number that must be given */
    KEY_ROWS,   /* a number; any other value means the largest one */
    KEY_TEXT,
    KEY_FLAG,   /* on, unless it is missing or "0" */
    KEY_CHOICE, /* one of the words of `problem`; the first, if it is missing */
};

struct request_key {
    const char *name;
    enum key_kind kind;
    uint64_t least, most, otherwise;
    const char *problem;
};

struct request_kind {
    const char *name; /* NULL: a key of the request before it */
    bool (*answer)(hectic_view *view, struct json *json);
    enum request_how how;
    enum request_held held;
    struct request_key key;
};

/* NULL: the name is unknown. */
const struct request_kind *request_find(const char *name);

/* The requests of the table, in order; NULL: the first; returns NULL after the last. */
const struct request_kind *request_next(const struct request_kind *kind);

/* Writes what is wrong with a key of a request to `message`. Returns whether all are right. */
bool request_check(const struct request_kind *kind, const struct request *request, char *message,
                   size_t size);

/* Of a request that was checked: a number, or which one of a choice. */
uint64_t request_value(const struct request_kind *kind, const struct request *request,
                       const char *key);

#endif
