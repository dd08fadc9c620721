/* hectic/input.h — reads a log's bytes from a file, a pipe or standard input, plain or compressed
 * (gzip with zlib, zstd with libzstd; detected by the first bytes, not by name).
 *
 * An input may be used by one thread at a time, except for hectic_input_pread.
 */
#ifndef HECTIC_INPUT_H
#define HECTIC_INPUT_H

#include <hectic/error.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_input hectic_input;

/** Opens `path` ("-": standard input). NULL and *error set (HECTIC_IO,
 *  HECTIC_UNSUPPORTED_COMPRESSION, HECTIC_NO_MEMORY) on failure; a directory fails with EISDIR. */
hectic_input *hectic_input_open(const char *path, hectic_error *error);

/** The same for an open file descriptor, which the input then owns. */
hectic_input *hectic_input_from_fd(int fd, hectic_error *error);

/** A custom source of bytes. `user` is passed to the functions. */
typedef struct hectic_reader {
    void *user;
    /** As hectic_input_read: waits for at least one byte; 0: the end; -1 with *error set. Called by
     *  the thread that reads the input. */
    ptrdiff_t (*read)(void *user, void *buffer, size_t size, hectic_error *error);
    /** Called if hectic_input_make_random cannot store the data (a full disk). True: the input ends
     *  there, and the stored part is used; false, or NULL: it fails. */
    bool (*cut)(void *user, const hectic_error *error);
    void (*close)(void *user); /**< called when the input is freed; may be NULL */
} hectic_reader;

/** An input that reads from `reader`, and closes it. NULL: out of memory; `reader` is not closed.
 */
hectic_input *hectic_input_from_reader(const hectic_reader *reader);

void hectic_input_free(hectic_input *input);

/** The best alignment of a buffer for reading: the kernel copies twice as fast to the beginning of
 *  a page than to an address shortly after it, as large blocks of malloc have. */
#define HECTIC_INPUT_ALIGNMENT 4096u

/** Reads up to `size` uncompressed bytes in order. Waits for at least one byte; 0 at the end of the
 *  input (a growing file may have more later: call again); -1 and *error set on failure.
 *  Interrupted calls (EINTR) are retried.
 *
 *  If compressed data are damaged, all data before the damage are read first, whatever the sizes of
 *  the buffers; then every call returns -1 with HECTIC_COMPRESSION. Truncated compressed data are
 *  not an error: see hectic_input_is_cut_off. */
ptrdiff_t hectic_input_read(hectic_input *input, void *buffer, size_t size, hectic_error *error);

/** The damage found so far in compressed data by reading or spooling; kind HECTIC_OK: none. */
const hectic_error *hectic_input_damage(const hectic_input *input);

/** True if the compressed data ended early, as in a truncated file. All data before that have been
 *  read. */
bool hectic_input_is_cut_off(const hectic_input *input);

/** True for an uncompressed regular file: hectic_input_pread works on it. */
bool hectic_input_is_random(const hectic_input *input);

/** Makes hectic_input_pread work on any input: spools everything except uncompressed regular files
 *  to an unlinked file in $TMPDIR (or /tmp), from which hectic_input_read then reads too, from the
 *  beginning. Data that do not begin with a complete log header are rejected before anything is
 *  spooled. Of damaged compressed data, the part before the damage is spooled (see
 *  hectic_input_damage).
 *
 *  False and *error set on failure: the header's error; HECTIC_SPOOL, HECTIC_SPOOL_LIMIT,
 *  HECTIC_IO, HECTIC_COMPRESSION, HECTIC_UNSUPPORTED_COMPRESSION or HECTIC_NO_MEMORY. */
bool hectic_input_make_random(hectic_input *input, hectic_error *error);

/** Limits the spool file of hectic_input_make_random to `bytes`. By default (0) a twentieth of the
 *  file system, but at most 1 GiB, stays free; and compressed data may expand to
 *  HECTIC_DECOMPRESSED_FREE bytes, or HECTIC_DECOMPRESSED_RATIO times their size if that is more.
 */
void hectic_input_limit_spool(hectic_input *input, uint64_t bytes);

#define HECTIC_DECOMPRESSED_FREE  (UINT64_C(1) << 28)
#define HECTIC_DECOMPRESSED_RATIO 1000u

/** Reads up to `size` bytes at `position` of a random-access input; may be called by several
 *  threads. Fewer bytes than requested mean that the input ends there. -1 on failure. */
ptrdiff_t hectic_input_pread(const hectic_input *input, uint64_t position, void *buffer,
                             size_t size, hectic_error *error);

/** How many bytes have been read, and the total size, both as stored on disk; *size 0: unknown (a
 *  pipe). For progress bars. */
void hectic_input_progress(const hectic_input *input, uint64_t *done, uint64_t *size);

/** "file", "pipe" (also for a reader), "gzip" or "zstd". For a reader, compression is known after
 *  the first read. */
const char *hectic_input_kind(const hectic_input *input);

#ifdef __cplusplus
}
#endif
#endif
