/* arriving.h — the bytes of a log that is read at any position while it arrives. */
#ifndef HECTIC_VIEW_ARRIVING_H
#define HECTIC_VIEW_ARRIVING_H

#include <hectic/input.h>

struct arriving;

/* Takes ownership of the input. A file is read where it is; of anything else, a thread stores what
 * arrives in an unlinked file. NULL after a message. */
struct arriving *arriving_open(hectic_input *input, const char *path, uint64_t spool_limit);

/* As the read of a hectic_view_source; `arriving` is its user. */
ptrdiff_t arriving_read(void *arriving, uint64_t position, void *buffer, size_t size);

/* Bytes; 0: unknown. */
uint64_t arriving_size(const struct arriving *arriving);

/* As the grows of a hectic_view_source: of a file, whether a program has it open for writing. */
bool arriving_grows(void *arriving);

/* Is it a pipe or a live source that has ended? */
bool arriving_has_ended(const struct arriving *arriving);

/* The rest of the input is read, so that the program that writes it does not wait, but not stored.
 */
void arriving_drop(struct arriving *arriving);

/* The thread ends at the end of the input: until then, the memory stays in use. */
void arriving_close(struct arriving *arriving);

#endif
