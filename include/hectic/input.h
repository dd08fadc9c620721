/* hectic/input.h — where a log's bytes come from: a file, a pipe, standard input, plain or
 * compressed (gzip by zlib, zstd by libzstd; recognised by their first bytes, not by name).
 *
 * One input is used by one thread at a time, but for hectic_input_pread.
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
 * HECTIC_UNSUPPORTED_COMPRESSION, HECTIC_NO_MEMORY) where that fails; a directory fails with
 * EISDIR. */
hectic_input *hectic_input_open(const char *path, hectic_error *error);

/** The same of an open file descriptor, which the input then owns. */
hectic_input *hectic_input_from_fd(int fd, hectic_error *error);

/** Where bytes come from that no descriptor gives. `user` is given to both functions. */
typedef struct hectic_reader {
    void *user;
    /** As hectic_input_read: waits for at least one byte; 0: the end; -1 and *error set. Called by
     *  the thread that reads the input, at its first reading and later. */
    ptrdiff_t (*read)(void *user, void *buffer, size_t size, hectic_error *error);
    /** hectic_input_make_random could not keep what comes (a full disk): true: the input ends
     * there, and what could be kept is used; false, or NULL: it fails. */
    bool (*cut)(void *user, const hectic_error *error);
    void (*close)(void *user); /**< when the input is freed; may be NULL */
} hectic_reader;

/** An input that reads from `reader`, which it closes. NULL: no memory; then nothing is closed. */
hectic_input *hectic_input_from_reader(const hectic_reader *reader);

/** Sets where the input ends before its bytes do: `enough` is asked of all that is read of it, in
 *  order and uncompressed. Behind what it is true of, nothing more is read. To be set before the
 *  first reading. */
void hectic_input_until(hectic_input *input,
                        bool (*enough)(void *user, const void *bytes, size_t length), void *user);

void hectic_input_free(hectic_input *input);

/** What a buffer to read into is best aligned to: the kernel copies twice as fast into one that
 *  begins at a page than into one that begins a little behind, as large ones of malloc do. */
#define HECTIC_INPUT_ALIGNMENT 4096u

/** Reads up to `size` uncompressed bytes in order. Waits for at least one byte; 0 at the end of
 *  the input (a growing file may have more later: call again); -1 and *error set on failure.
 *  Interrupted calls (EINTR) are repeated.
 *
 *  Where compressed data are damaged, all that was compressed before the damage is read first, to
 *  the byte, whatever the sizes of the buffers; then comes -1 with HECTIC_COMPRESSION, each time.
 *  Compressed data that merely stop are no failure: see hectic_input_is_cut_off. */
ptrdiff_t hectic_input_read(hectic_input *input, void *buffer, size_t size, hectic_error *error);

/** The damage that reading or spooling has met in compressed data; kind HECTIC_OK: none so far. */
const hectic_error *hectic_input_damage(const hectic_input *input);

/** Did the compressed data end before they were whole, as where their file is cut off? What was
 *  compressed before has been read. */
bool hectic_input_is_cut_off(const hectic_input *input);

/** True for an uncompressed regular file: hectic_input_pread works on it. */
bool hectic_input_is_random(const hectic_input *input);

/** Makes any input one that hectic_input_pread works on: spools what is not an uncompressed
 *  regular file into an unlinked file in $TMPDIR (or /tmp), from which hectic_input_read then
 *  reads too, from the beginning on. What does not begin with a whole log header is refused before
 *  anything is spooled. Of compressed data that are damaged, what comes before is spooled
 *  (hectic_input_damage then says so).
 *
 *  False and *error set on failure: the header's error; HECTIC_SPOOL, HECTIC_SPOOL_LIMIT,
 * HECTIC_IO, HECTIC_COMPRESSION, HECTIC_UNSUPPORTED_COMPRESSION or HECTIC_NO_MEMORY. */
bool hectic_input_make_random(hectic_input *input, hectic_error *error);

/** Limits what hectic_input_make_random may spool to so many bytes. By default (0) a twentieth of
 *  the file system's room stays free, but not more than 1 GiB; and compressed data may be
 * decompressed to HECTIC_DECOMPRESSED_FREE bytes and HECTIC_DECOMPRESSED_RATIO times their own
 * size. */
void hectic_input_limit_spool(hectic_input *input, uint64_t bytes);

#define HECTIC_DECOMPRESSED_FREE  (UINT64_C(1) << 28)
#define HECTIC_DECOMPRESSED_RATIO 1000u

/** Reads up to `size` bytes at `position` of an input that is random; may be called from several
 *  threads. Fewer bytes than asked for mean that the input ends there. -1 on failure. */
ptrdiff_t hectic_input_pread(const hectic_input *input, uint64_t position, void *buffer,
                             size_t size, hectic_error *error);

/** How much has been read, and of how much, in bytes of the input as it lies on disk; *size 0:
 *  not known (a pipe). For progress bars. */
void hectic_input_progress(const hectic_input *input, uint64_t *done, uint64_t *size);

/** "file", "pipe" (also what a reader gives), "gzip" or "zstd"; with a reader known once it was
 *  read from. */
const char *hectic_input_kind(const hectic_input *input);

#ifdef __cplusplus
}
#endif
#endif
