/* What a program emits. */
#include "soak.h"

#include <stdio.h>
#include <stdlib.h>

hectic_emitter *program_begin(const program *p)
{
    /* The name that the relay knows it by. */
    const char *const args[] = {p->name ? p->name : "program", NULL};
    const hectic_emitter_options options = {.args = args, .buffer_size = p->name ? 1 << 16 : 0};
    const hectic_destination to = {.kind = p->is_file ? HECTIC_TO_FILE : HECTIC_TO_UNIX,
                                   .when_blocked = HECTIC_BLOCKED_WAIT,
                                   .wait_ms = 60000,
                                   .path = p->path};
    hectic_emitter *emitter = hectic_emitter_new(&options);
    if (!emitter || hectic_emitter_start(emitter, &to) != HECTIC_EMIT_OK) {
        fprintf(stderr, "soak: an emitter cannot begin\n");
        exit(2);
    }
    hectic_emitter_flush_every(emitter, p->flush_ms);
    return emitter;
}

void emit_value(hectic_emit_cap *cap, uint64_t number, uint64_t value)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, value, number & 0xff);
    hectic_emit_user_msg(cap, text);
}
