/* What LTTng-UST takes for a tracepoint with two fields, measured as bench/emit.c measures hectic's
 * event. Whether it is enabled is up to the session that bench/run-emit has made.
 *
 *     lttng_peer        prints nanoseconds
 */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_peer.h"

#include "bursts.h"

#include <stdio.h>

static void burst(void *user, uint32_t count)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++)
        lttng_ust_tracepoint(hectic_bench, wakeup, i, (uint16_t)(i & 3));
}

int main(void)
{
    pin(0);
    printf("%.3f\n", bursts_median(burst, NULL));
    return 0;
}
