/* pass_input.c — passes over an input. */
#include "read/decode/pass.h"

#include <stdlib.h>

enum { PIECE = 1 << 18 };

/* `position`: NULL if the input is read at its own. */
static pass_end pass_pieces(hectic_input *input, uint64_t *position, hectic_decoder *decoder,
                            const struct pass_consumer *consumer, void *self, uint8_t *piece,
                            hectic_error *error)
{
    ptrdiff_t length;
    while ((length = position ? hectic_input_pread(input, *position, piece, PIECE, error)
                              : hectic_input_read(input, piece, PIECE, error)) > 0) {
        /* A short read: the writer of the log is slower than this. What it has written is shown. */
        const bool waits = length < PIECE && consumer->drain;
        pass_end end = pass_piece(decoder, consumer, self, piece, (size_t)length);
        if (end == PASS_DONE && waits) end = pass_piece(decoder, consumer, self, NULL, 0);
        if (end != PASS_DONE) return end;
        if (position) *position += (uint64_t)length;
        if (waits && !consumer->drain(self)) return PASS_STOPPED;
        uint64_t done, all;
        hectic_input_progress(input, &done, &all);
        if (all > 0 && consumer->progress) consumer->progress(self, (double)done / (double)all);
    }
    if (length < 0 && error->kind != HECTIC_COMPRESSION) return PASS_FAILED;
    return pass_piece(decoder, consumer, self, NULL, 0);
}

static pass_end pass(hectic_input *input, uint64_t *position, hectic_decoder *decoder,
                     const struct pass_consumer *consumer, void *self, hectic_error *error)
{
    uint8_t *piece = aligned_alloc(HECTIC_INPUT_ALIGNMENT, PIECE);
    if (!piece) {
        *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
        return PASS_FAILED;
    }
    const pass_end end = pass_pieces(input, position, decoder, consumer, self, piece, error);
    free(piece);
    return end;
}

pass_end pass_input(hectic_input *input, hectic_decoder *decoder,
                    const struct pass_consumer *consumer, void *self, hectic_error *error)
{
    return pass(input, NULL, decoder, consumer, self, error);
}

pass_end pass_random(hectic_input *input, hectic_decoder *decoder,
                     const struct pass_consumer *consumer, void *self, hectic_error *error)
{
    uint64_t position = 0;
    return pass(input, &position, decoder, consumer, self, error);
}
