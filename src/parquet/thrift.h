/* thrift.h — writes the compact protocol of Apache Thrift, in which Parquet has its metadata. */
#ifndef HECTIC_SRC_PARQUET_THRIFT_H
#define HECTIC_SRC_PARQUET_THRIFT_H

#include "base/buffer.h"

enum thrift_type {
    THRIFT_BYTE = 3,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST,
    THRIFT_STRUCT = 12
};

enum { THRIFT_DEPTH = 8 };

/* A structure that is written. Set `out`; the rest is zero. */
struct thrift {
    struct buffer *out;
    int field[THRIFT_DEPTH]; /* the last one of each structure */
    unsigned depth;          /* of structures in structures */
};

/* Fields, in ascending order of their numbers. */
void thrift_flag(struct thrift *thrift, int field, bool flag);
void thrift_byte(struct thrift *thrift, int field, uint8_t byte);
void thrift_i32(struct thrift *thrift, int field, int32_t number);
void thrift_i64(struct thrift *thrift, int field, uint64_t number);
void thrift_bytes(struct thrift *thrift, int field, const void *bytes, size_t size);
void thrift_text(struct thrift *thrift, int field, const char *text);
void thrift_begin(struct thrift *thrift, int field); /* a structure */
void thrift_end(struct thrift *thrift);              /* of it, or of an element; or of all */

/* A list; its elements follow. */
void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t count);
void thrift_element(struct thrift *thrift); /* a structure begins */
void thrift_i32_element(struct thrift *thrift, int32_t number);
void thrift_text_element(struct thrift *thrift, const char *text);

#endif
