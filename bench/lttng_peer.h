/* LTTng's tracepoint with the two fields of the event that bench/emit.c emits. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER hectic_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_peer.h"

#if !defined(HECTIC_BENCH_LTTNG_PEER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define HECTIC_BENCH_LTTNG_PEER_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(hectic_bench, wakeup,
    LTTNG_UST_TP_ARGS(uint32_t, thread, uint16_t, other_cap),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint32_t, thread, thread)
        lttng_ust_field_integer(uint16_t, other_cap, other_cap)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
