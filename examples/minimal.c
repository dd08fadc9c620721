/* A minimal producer: three threads, one after the other, on one cap.
 *
 *     ./minimal && hectic show minimal.eventlog */
#include <hectic/emit.h>

enum { STOPPED_FINISHED = 5 };

int main(void)
{
    hectic_emitter *emitter = hectic_emitter_new(NULL);
    const hectic_destination file = {.path = "minimal.eventlog"};
    if (!emitter || hectic_emitter_start(emitter, &file) != HECTIC_EMIT_OK) return 1;

    hectic_emit_cap *cap = hectic_emitter_cap(emitter, 0);
    for (uint32_t thread = 1; thread <= 3; thread++) {
        hectic_emit_create_thread(cap, thread);
        hectic_emit_thread_label(cap, thread, "worker");
        hectic_emit_run_thread(cap, thread);
        hectic_emit_user_msg(cap, "hello");
        hectic_emit_stop_thread(cap, thread, STOPPED_FINISHED, 0);
    }
    hectic_emitter_free(emitter);
    return 0;
}
