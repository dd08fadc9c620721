/* pass.h — one pass over a log, in the order of its bytes: decodes pieces, and continues after
 * damage. What reads a log in that order is a consumer of it. hectic/log.h and hectic/stream.h are
 * passes in order of time. */
#ifndef HECTIC_SRC_PASS_H
#define HECTIC_SRC_PASS_H

#include <hectic/decoder.h>
#include <hectic/input.h>

struct pass_consumer {
    /* Each item but HECTIC_PARTIAL, also HECTIC_ERROR; `event` is set for HECTIC_GOT_EVENT. False:
     * stop. */
    bool (*item)(void *self, const hectic_decoder *decoder, hectic_result result,
                 const hectic_event *event);
    /* NULL: hectic_decoder_pull. Otherwise it takes the events itself; HECTIC_GOT_EVENT means stop.
     */
    hectic_result (*pull)(void *self, hectic_decoder *decoder);
    /* The others are called after each piece of an input, and may be NULL. `drain` is called before
     * waiting for slow input: write pending output. False: stop. `progress`: the part from 0 to 1
     * that is read. */
    bool (*drain)(void *self);
    void (*progress)(void *self, double done);
};

typedef enum pass_end {
    PASS_DONE,     /* all was taken; of an input with *error HECTIC_COMPRESSION, up to the damage */
    PASS_STOPPED,  /* by the consumer */
    PASS_UNUSABLE, /* there is no header before the damage, or no memory: after that item */
    PASS_FAILED,   /* the input could not be read: *error */
} pass_end;

/* Decodes a piece of a log. */
pass_end pass_piece(hectic_decoder *decoder, const struct pass_consumer *consumer, void *self,
                    const void *bytes, size_t length);

/* Reads the input to its end. */
pass_end pass_input(hectic_input *input, hectic_decoder *decoder,
                    const struct pass_consumer *consumer, void *self, hectic_error *error);

/* The same from the first byte, with hectic_input_pread: the input's position stays. */
pass_end pass_random(hectic_input *input, hectic_decoder *decoder,
                     const struct pass_consumer *consumer, void *self, hectic_error *error);

#endif
