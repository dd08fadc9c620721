/* packer.h — makes pages: their headers, and their compressed contents. */
#ifndef HECTIC_SRC_PARQUET_PACKER_H
#define HECTIC_SRC_PARQUET_PACKER_H

#include "base/buffer.h"

enum parquet_encoding {
    ENCODING_PLAIN = 0,
    ENCODING_RLE = 3,
    ENCODING_DELTAS = 5,     /* DELTA_BINARY_PACKED */
    ENCODING_DICTIONARY = 8, /* RLE_DICTIONARY */
};

/* What the columns of a file share. */
struct packer {
    void *compressor;
    struct buffer raw;    /* the contents of the page that is made */
    struct buffer packed; /* the same, compressed */
    size_t size;          /* of the pages of the group so far */
    bool failed;          /* out of memory */
};

bool packer_begin(struct packer *packer); /* false: out of memory */
void packer_free(struct packer *packer);

/* The codec, as the metadata has it. */
int32_t packer_codec(void);

/* Appends a page with what is in `raw`, which it empties: of rows, or a dictionary's. */
struct page {
    bool is_dictionary;
    size_t rows; /* or the values of the dictionary */
    enum parquet_encoding encoding;
};
void packer_page(struct packer *packer, const struct page *page, struct buffer *out,
                 size_t *plain_size);

#endif
