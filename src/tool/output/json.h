/* json.h — JSON as it is written: nothing is kept, whatever its size. Integers are exact up to
 * 2^64-1; readers that make doubles of them lose digits from 2^53 on. */
#ifndef HECTIC_JSON_H
#define HECTIC_JSON_H

#include "tool/cli/tool.h"

#include <stdio.h>

struct json {
    void (*put)(void *to, const char *bytes, size_t size);
    void *to;
    bool follows; /* something stands before the next value in its object or array */
};

struct json json_on_sink(struct sink *sink);
struct json json_on_file(FILE *file);

/* Each writes "key":VALUE; without the key where that is NULL, for elements of arrays. What is not
 * known is null. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
void json_number(struct json *json, const char *key, bool known, uint64_t number);
void json_real(struct json *json, const char *key, bool known, double real);
void json_flag(struct json *json, const char *key, bool known, bool flag);
void json_text(struct json *json, const char *key, const char *text); /* NULL: not known */

/* The end of a value that stands on a line of its own. */
void json_end_line(struct json *json);

#endif
