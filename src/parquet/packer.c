/* packer.c — see packer.h. */
#include "parquet/packer.h"

#include "parquet/thrift.h"

#ifdef HECTIC_ZSTD
#include <zstd.h>

enum { LEVEL = 1, CODEC = 6 };

bool packer_begin(struct packer *packer)
{
    packer->compressor = ZSTD_createCCtx();
    return packer->compressor;
}

static void compress(struct packer *packer)
{
    struct buffer *out = &packer->packed;
    const size_t room = ZSTD_compressBound(packer->raw.size);
    out->size = 0;
    uint8_t *to = buffer_room(out, room);
    const size_t size = to ? ZSTD_compressCCtx(packer->compressor, to, room, packer->raw.bytes,
                                               packer->raw.size, LEVEL)
                           : 0;
    if (ZSTD_isError(size))
        packer->failed = true;
    else
        out->size = size;
}

static void free_compressor(struct packer *packer)
{
    ZSTD_freeCCtx(packer->compressor);
}
#else
enum { CODEC = 0 };

bool packer_begin(struct packer *packer)
{
    (void)packer;
    return true;
}

static void compress(struct packer *packer)
{
    packer->packed.size = 0;
    buffer_add(&packer->packed, packer->raw.bytes, packer->raw.size);
}

static void free_compressor(struct packer *packer)
{
    (void)packer;
}
#endif

int32_t packer_codec(void)
{
    return CODEC;
}

void packer_free(struct packer *packer)
{
    free_compressor(packer);
    buffer_free(&packer->raw);
    buffer_free(&packer->packed);
}

enum page_type { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };

static void put_header(const struct packer *packer, const struct page *page, struct buffer *out)
{
    struct thrift header = {.out = out};
    thrift_i32(&header, 1, page->is_dictionary ? DICTIONARY_PAGE : DATA_PAGE);
    thrift_i32(&header, 2, (int32_t)packer->raw.size);
    thrift_i32(&header, 3, (int32_t)packer->packed.size);
    thrift_begin(&header, page->is_dictionary ? 7 : 5);
    thrift_i32(&header, 1, (int32_t)page->rows);
    thrift_i32(&header, 2, (int32_t)page->encoding);
    if (!page->is_dictionary) {
        thrift_i32(&header, 3, ENCODING_RLE); /* which values are null */
        thrift_i32(&header, 4, ENCODING_RLE); /* repetitions: there are none */
    }
    thrift_end(&header);
    thrift_end(&header);
}

void packer_page(struct packer *packer, const struct page *page, struct buffer *out,
                 size_t *plain_size)
{
    const size_t begin = out->size;
    compress(packer);
    put_header(packer, page, out);
    *plain_size += out->size - begin + packer->raw.size;
    buffer_add(out, packer->packed.bytes, packer->packed.size);
    packer->size += out->size - begin;
    packer->failed = packer->failed || packer->raw.failed || packer->packed.failed || out->failed ||
                     packer->raw.size > INT32_MAX || packer->packed.size > INT32_MAX;
    packer->raw.size = 0;
}
