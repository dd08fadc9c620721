/* The core of the library in use: a log from standard input, through the decoder in small pieces,
 * to standard output as lines of text ("text") or encoded anew ("log"). */
#include <hectic/catalogue.h>
#include <hectic/render.h>
#include <hectic/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1000 };

static bool print(void *user, const void *bytes, size_t length)
{
    (void)user;
    return fwrite(bytes, 1, length, stdout) == length;
}

static bool print_event(const hectic_decoder *decoder, const hectic_event *event)
{
    static hectic_renderer *renderer;
    static const hectic_header *header;
    if (header != hectic_decoder_header(decoder)) {
        header = hectic_decoder_header(decoder);
        hectic_renderer_free(renderer);
        renderer = hectic_renderer_new(header);
    }
    char *line = malloc(hectic_render_bound(event) + 1);
    if (!renderer || !line) return false;
    size_t length =
        hectic_render_line(renderer, event, HECTIC_TIME_RAW, HECTIC_UNKNOWN_NUMBERED, line);
    line[length] = '\n';
    bool printed = print(NULL, line, length + 1);
    free(line);
    return printed;
}

static bool encode_item(const hectic_decoder *decoder, hectic_writer *writer, hectic_result result,
                        const hectic_event *event)
{
    if (result == HECTIC_GOT_EVENT) return hectic_writer_event(writer, event);
    if (result == HECTIC_COMPLETE) return hectic_writer_data_end(writer);
    size_t count;
    const hectic_event_type *types = hectic_header_types(hectic_decoder_header(decoder), &count);
    return hectic_writer_header(writer, types, count);
}

int main(int argc, char **argv)
{
    bool as_text = argc > 1 && strcmp(argv[1], "text") == 0;
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_writer *writer = hectic_writer_new(0, print, NULL);
    if (!decoder || !writer) return 2;

    char piece[PIECE];
    size_t length;
    while ((length = fread(piece, 1, sizeof piece, stdin)) > 0) {
        hectic_decoder_push(decoder, piece, length);
        hectic_event event;
        hectic_result result;
        while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
            if (result == HECTIC_ERROR) return 1;
            if (!as_text && !encode_item(decoder, writer, result, &event)) return 2;
            if (as_text && result == HECTIC_GOT_EVENT && !print_event(decoder, &event)) return 2;
        }
    }
    size_t left;
    const uint8_t *tail = hectic_decoder_tail(decoder, &left);
    return as_text || hectic_writer_bytes(writer, tail, left) ? 0 : 2;
}
