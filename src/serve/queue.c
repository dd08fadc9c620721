/* The queue of blocks for readers. */
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>

chunk *chunk_new(const void *bytes, size_t size)
{
    return chunk_join(&(struct iovec){(void *)(uintptr_t)bytes, size}, 1);
}

chunk *chunk_join(const struct iovec *piece, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += piece[i].iov_len;
    chunk *c = malloc(sizeof *c + size);
    if (!c) return NULL;
    *c = (chunk){.references = 1};
    for (int i = 0; i < count; i++) {
        memcpy(c->bytes + c->size, piece[i].iov_base, piece[i].iov_len);
        c->size += piece[i].iov_len;
    }
    return c;
}

void chunk_release(chunk *c)
{
    if (c && --c->references == 0) free(c);
}

void queue_append(queue *q, chunk *c)
{
    c->next = NULL;
    *(q->last ? &q->last->next : &q->first) = c;
    q->last = c;
    q->bytes += sizeof *c + c->size;
}

chunk *queue_take(queue *q)
{
    chunk *c = q->first;
    if (!c) return NULL;
    q->first = c->next;
    if (!q->first) q->last = NULL;
    q->bytes -= sizeof *c + c->size;
    return c;
}
