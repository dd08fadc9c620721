/* bounds.c — see bounds.h. */
#include "parquet/bounds.h"

#include <math.h>
#include <string.h>

/* What is no number has no order. */
void bounds_real(struct bounds *bounds, double real)
{
    if (isnan(real)) return;
    if (!bounds->are_known || real < bounds->least.real) bounds->least.real = real;
    if (!bounds->are_known || real > bounds->greatest.real) bounds->greatest.real = real;
    bounds->are_known = true;
}

static int compare(const void *bytes, size_t size, const struct bound *bound)
{
    const size_t common = size < bound->size ? size : bound->size;
    const int order = common > 0 ? memcmp(bytes, bound->bytes, common) : 0;
    return order ? order : size < bound->size ? -1 : size > bound->size;
}

static void set_bytes(struct bound *bound, const void *bytes, size_t size)
{
    if (size > 0) memcpy(bound->bytes, bytes, size);
    bound->size = size;
}

void bounds_bytes(struct bounds *bounds, const void *bytes, size_t size)
{
    bounds->are_unknown = bounds->are_unknown || size > BOUND_SIZE;
    if (bounds->are_unknown) return;
    if (!bounds->are_known || compare(bytes, size, &bounds->least) < 0)
        set_bytes(&bounds->least, bytes, size);
    if (!bounds->are_known || compare(bytes, size, &bounds->greatest) > 0)
        set_bytes(&bounds->greatest, bytes, size);
    bounds->are_known = true;
}

/* As a value of the type is in a page. `zero`: which of the two zeros stands for both. */
static void put_bound(const struct bound *bound, enum parquet_type type, double zero,
                      struct thrift *thrift, int field)
{
    uint8_t bytes[sizeof(uint64_t)];
    uint64_t number = bound->number;
    const double real = bound->real == 0 ? zero : bound->real;
    if (type == PARQUET_TEXT || type == PARQUET_BLOB) {
        thrift_bytes(thrift, field, bound->bytes, bound->size);
        return;
    }
    if (type == PARQUET_REAL) memcpy(&number, &real, sizeof number);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    thrift_bytes(thrift, field, bytes, type == PARQUET_FLAG ? 1 : sizeof bytes);
}

void bounds_describe(const struct bounds *bounds, enum parquet_type type, uint64_t nulls,
                     struct thrift *thrift, int field)
{
    thrift_begin(thrift, field);
    thrift_i64(thrift, 3, nulls);
    if (bounds->are_known && !bounds->are_unknown) {
        put_bound(&bounds->greatest, type, 0.0, thrift, 5);
        put_bound(&bounds->least, type, -0.0, thrift, 6);
    }
    thrift_end(thrift);
}
