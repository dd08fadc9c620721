/* Every event's text and JSON stays within its bound, is UTF-8, and the JSON is JSON. */
#include "fuzz.h"
#include "json.h"

static void check_text(const char *text, size_t length, size_t room)
{
    REQUIRE(length <= room);
    REQUIRE(is_utf8(text, length));
}

static void render(const hectic_renderer *renderer, const hectic_event *event)
{
    size_t room = hectic_render_bound(event);
    REQUIRE(room <= HECTIC_RENDER_MAX);
    char *out = must_allocate(room);
    for (int i = 0; i < 2; i++) {
        hectic_time_format format = i ? HECTIC_TIME_PRETTY : HECTIC_TIME_RAW;
        hectic_unknown_text unknown = i ? HECTIC_UNKNOWN_NUMBERED : HECTIC_UNKNOWN_DESCRIBED;
        check_text(out, hectic_render_text(renderer, event, unknown, out), room);
        check_text(out, hectic_render_line(renderer, event, format, unknown, out), room);
    }
    size_t length = hectic_render_json(renderer, event, out);
    REQUIRE(length <= room);
    REQUIRE(is_json_object(out, length));
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_renderer *renderer = NULL;
    hectic_event event;
    hectic_result result;
    REQUIRE(decoder);
    hectic_decoder_push(decoder, data, length);
    while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_HEADER) {
            hectic_renderer_free(renderer);
            renderer = hectic_renderer_new(hectic_decoder_header(decoder));
            REQUIRE(renderer);
        } else if (result == HECTIC_GOT_EVENT) {
            render(renderer, &event);
        } else if (result == HECTIC_ERROR) {
            if (!renderer) break;
            hectic_decoder_resync(decoder);
        }
    }
    hectic_renderer_free(renderer);
    hectic_decoder_free(decoder);
    return 0;
}
