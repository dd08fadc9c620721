/* Prints the heap samples of a log, in the order of the file, in the form of GHC's .hp files. */
#include "profiles/heap_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static hectic_heap_samples *samples;

static bool print(void *user, const hectic_heap_sample *sample)
{
    char label[1 << 17];
    (void)user;
    printf("BEGIN_SAMPLE %" PRIu64 "\n", sample->time);
    for (size_t i = 0; i < sample->bands; i++) {
        hectic_band_text(hectic_heap_samples_stacks(samples), hectic_heap_samples_symbols(samples),
                         sample->band[i].node, label, sizeof label);
        printf("%s\t%" PRIu64 "\n", label, sample->band[i].bytes);
    }
    printf("END_SAMPLE %" PRIu64 "\n", sample->time);
    return true;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    hectic_decoder *decoder = hectic_decoder_new();
    samples = hectic_heap_samples_new(NULL, print, NULL);
    if (!file || !decoder || !samples) return 64;
    char piece[1 << 16];
    size_t length;
    while ((length = fread(piece, 1, sizeof piece, file)) > 0) {
        hectic_decoder_push(decoder, piece, length);
        hectic_event event;
        hectic_result result;
        while ((result = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL) {
            if (result == HECTIC_ERROR) return 2;
            if (result == HECTIC_GOT_EVENT && !hectic_heap_samples_event(samples, &event)) return 1;
        }
    }
    const hectic_heap_warnings w = hectic_heap_samples_warnings(samples);
    hectic_heap_samples_free(samples);
    hectic_decoder_free(decoder);
    fclose(file);
    return w.incomplete + w.outside + w.malformed + w.omitted > 0 ? 2 : 0;
}
