#include "transform/pump.h"

#include <stdlib.h>

enum { PIECE = 1 << 18 };

static pump_end pump_pieces(hectic_input *input, hectic_decoder *decoder, pump_item item,
                            pump_drain drain, void *self, uint8_t *piece, hectic_error *error)
{
    ptrdiff_t length;
    while ((length = hectic_input_read(input, piece, PIECE, error)) > 0) {
        hectic_decoder_push(decoder, piece, (size_t)length);
        hectic_event event;
        hectic_result result;
        while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
            if (!item(self, decoder, result, &event)) return PUMP_STOPPED;
            if (result == HECTIC_ERROR) hectic_decoder_resync(decoder);
        }
        /* A short read: the writer of the log is slower than this. */
        if (length < PIECE && drain && !drain(self)) return PUMP_STOPPED;
    }
    return length < 0 && error->kind != HECTIC_COMPRESSION ? PUMP_FAILED : PUMP_DONE;
}

pump_end pump(hectic_input *input, hectic_decoder *decoder, pump_item item, pump_drain drain,
              void *self, hectic_error *error)
{
    uint8_t *piece = aligned_alloc(HECTIC_INPUT_ALIGNMENT, PIECE);
    if (!piece) {
        *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
        return PUMP_FAILED;
    }
    pump_end end = pump_pieces(input, decoder, item, drain, self, piece, error);
    free(piece);
    return end;
}
