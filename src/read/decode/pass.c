/* pass.c — decodes the pieces of a log. pass_input.c reads them. */
#include "read/decode/pass.h"

/* May reading continue after the error? */
static bool is_damage(const hectic_decoder *decoder)
{
    return hectic_decoder_header(decoder) &&
           hectic_decoder_error(decoder)->kind != HECTIC_NO_MEMORY;
}

pass_end pass_piece(hectic_decoder *decoder, const struct pass_consumer *consumer, void *self,
                    const void *bytes, size_t length)
{
    hectic_decoder_push(decoder, bytes, length);
    hectic_event event;
    hectic_result result;
    while ((result = consumer->pull ? consumer->pull(self, decoder)
                                    : hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
        if (consumer->pull && result == HECTIC_GOT_EVENT) return PASS_STOPPED;
        if (!consumer->item(self, decoder, result, &event)) return PASS_STOPPED;
        if (result != HECTIC_ERROR) continue;
        if (!is_damage(decoder)) return PASS_UNUSABLE;
        hectic_decoder_resync(decoder);
    }
    return PASS_DONE;
}
