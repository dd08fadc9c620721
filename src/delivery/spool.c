/* spool.c — see spool.h. */
#define _GNU_SOURCE /* flock */
#include "delivery/spool.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 64, PATH_ROOM = 4096 + NAME_SIZE, FILES_MAX = 1 << 18 };

struct file {
    uint64_t number, items, size;
};

struct delivery_spool {
    char *path;
    int folder, lock;
    uint64_t bytes_max, bytes, items, next;
    struct file *file; /* in the order of their numbers, from `first` on */
    size_t first, end, capacity;
};

void delivery_block_free(struct delivery_block *block)
{
    if (!block) return;
    buffer_free(&block->bytes);
    free(block);
}

/* --- Files ----------------------------------------------------------------------------------- */

static const char ending[] = ".rows", temporary[] = ".part";

static void name_of(char name[NAME_SIZE], uint64_t number, uint64_t items, const char *end)
{
    snprintf(name, NAME_SIZE, "%020" PRIu64 "-%" PRIu64 "%s", number, items, end);
}

/* By its path: ThreadSanitizer does not know openat, and takes the descriptor for that of another
 * thread. */
static int open_file(const delivery_spool *spool, const char *name, int flags)
{
    char path[PATH_ROOM];
    const int length = snprintf(path, sizeof path, "%s/%s", spool->path, name);
    if ((size_t)length >= sizeof path) return errno = ENAMETOOLONG, -1;
    return open(path, flags | O_CLOEXEC, 0600);
}

static bool write_all(int fd, const struct buffer *bytes)
{
    for (size_t done = 0; done < bytes->size;) {
        const ssize_t n = write(fd, bytes->bytes + done, bytes->size - done);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

bool delivery_spool_write(const delivery_spool *spool, const struct delivery_block *block)
{
    char part[NAME_SIZE], name[NAME_SIZE];
    name_of(part, block->number, block->items, temporary);
    name_of(name, block->number, block->items, ending);
    const int fd = open_file(spool, part, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0) return false;
    bool done = write_all(fd, &block->bytes);
    int error = errno;
    if (close(fd) != 0 && done) done = false, error = errno;
    if (done && renameat(spool->folder, part, spool->folder, name) == 0) return true;
    if (done) error = errno;
    unlinkat(spool->folder, part, 0);
    errno = error;
    return false;
}

static bool read_all(int fd, struct buffer *bytes)
{
    struct stat about;
    if (fstat(fd, &about) != 0) return false;
    uint8_t *room = buffer_room(bytes, (size_t)about.st_size + 1);
    if (!room) return errno = ENOMEM, false;
    while (bytes->size < (size_t)about.st_size) {
        const ssize_t n = read(fd, room + bytes->size, (size_t)about.st_size - bytes->size);
        if (n == 0) return errno = EIO, false;
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes->size += (size_t)n;
    }
    /* A file of another program has perhaps no statement. */
    return memchr(room, 0, bytes->size) || (errno = EINVAL, false);
}

struct delivery_block *delivery_spool_read(const delivery_spool *spool, uint64_t number,
                                           uint64_t items)
{
    char name[NAME_SIZE];
    name_of(name, number, items, ending);
    struct delivery_block *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    *block = (struct delivery_block){.number = number, .items = items};
    const int fd = open_file(spool, name, O_RDONLY);
    const bool done = fd >= 0 && read_all(fd, &block->bytes);
    const int error = errno;
    if (fd >= 0) close(fd);
    if (done) return block;
    delivery_block_free(block);
    errno = error;
    return NULL;
}

/* --- The list -------------------------------------------------------------------------------- */

static bool add_file(delivery_spool *spool, const struct file *added)
{
    if (spool->first > 0 && spool->first == spool->end) spool->first = spool->end = 0;
    if (spool->first > spool->end / 2) {
        spool->end -= spool->first;
        memmove(spool->file, spool->file + spool->first, spool->end * sizeof *spool->file);
        spool->first = 0;
    }
    if (!array_reserve(spool->file, spool->capacity, spool->end + 1)) return false;
    size_t i = spool->end++;
    for (; i > spool->first && spool->file[i - 1].number > added->number; i--)
        spool->file[i] = spool->file[i - 1];
    spool->file[i] = *added;
    spool->bytes += added->size;
    spool->items += added->items;
    if (added->number >= spool->next) spool->next = added->number + 1;
    return true;
}

struct delivery_spool_state delivery_spool_get_state(const delivery_spool *spool)
{
    struct delivery_spool_state state = {.files = spool->end - spool->first,
                                         .bytes = spool->bytes,
                                         .items = spool->items,
                                         .next = spool->next};
    if (state.files > 0) {
        state.first = spool->file[spool->first].number;
        state.first_items = spool->file[spool->first].items;
    }
    return state;
}

bool delivery_spool_has_room(const delivery_spool *spool, size_t size)
{
    return spool->end - spool->first < FILES_MAX && spool->bytes + size <= spool->bytes_max;
}

bool delivery_spool_add(delivery_spool *spool, const struct delivery_block *block)
{
    return add_file(spool, &(struct file){block->number, block->items, block->bytes.size});
}

void delivery_spool_remove(delivery_spool *spool)
{
    char name[NAME_SIZE];
    const struct file *file = &spool->file[spool->first++];
    name_of(name, file->number, file->items, ending);
    unlinkat(spool->folder, name, 0);
    spool->bytes -= file->size;
    spool->items -= file->items;
}

/* --- Opening --------------------------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Lists what a previous process has left; what it was still writing is removed. */
static bool list_files(delivery_spool *spool)
{
    const int again = openat(spool->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = again >= 0 ? fdopendir(again) : NULL;
    bool done = directory;
    if (!directory && again >= 0) close(again);
    for (struct dirent *entry; done && (entry = readdir(directory));) {
        struct file file;
        struct stat about;
        char name[NAME_SIZE];
        if (sscanf(entry->d_name, "%" SCNu64 "-%" SCNu64, &file.number, &file.items) != 2) continue;
        name_of(name, file.number, file.items, temporary);
        if (strcmp(entry->d_name, name) == 0) unlinkat(spool->folder, name, 0);
        name_of(name, file.number, file.items, ending);
        if (strcmp(entry->d_name, name) != 0 || fstatat(spool->folder, name, &about, 0) != 0)
            continue;
        file.size = (uint64_t)about.st_size;
        done = array_reserve(spool->file, spool->capacity, spool->end + 1);
        if (!done) break;
        spool->file[spool->end++] = file;
        spool->bytes += file.size;
        spool->items += file.items;
        if (file.number >= spool->next) spool->next = file.number + 1;
    }
    if (directory) closedir(directory);
    if (done && spool->end > 0) qsort(spool->file, spool->end, sizeof *spool->file, compare_files);
    return done;
}

/* Makes the folder, and those that it is in. */
static bool make_folders(const char *path)
{
    char part[4096];
    const size_t length = strlen(path);
    if (length >= sizeof part) return errno = ENAMETOOLONG, false;
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0700) != 0 && errno != EEXIST) return false;
    }
    return true;
}

void delivery_spool_folder(char *folder, size_t size, const char *all, const char *url)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";
    size_t end = strlen(url);
    while (end > 0 && url[end - 1] == '/')
        end--;
    const int length = snprintf(folder, size, "%s/%.*s", all, (int)end, url);
    for (size_t i = strlen(all) + 1; length > 0 && i < size && folder[i]; i++)
        if (!strchr(plain, folder[i])) folder[i] = '_';
}

delivery_spool *delivery_spool_open(const char *path, uint64_t bytes_max, char *message,
                                    size_t size)
{
    delivery_spool *spool = calloc(1, sizeof *spool);
    if (!spool) return snprintf(message, size, "out of memory"), NULL;
    *spool =
        (delivery_spool){.path = strdup(path), .folder = -1, .lock = -1, .bytes_max = bytes_max};
    if (spool->path && make_folders(path))
        spool->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (spool->folder >= 0)
        spool->lock = openat(spool->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (spool->lock >= 0 && flock(spool->lock, LOCK_EX | LOCK_NB) == 0 && list_files(spool))
        return spool;
    if (spool->lock >= 0 && errno == EWOULDBLOCK)
        snprintf(message, size, "%s: another relay has its spool there: choose one by --spool",
                 path);
    else
        snprintf(message, size, "%s: %s", path, strerror(errno));
    delivery_spool_close(spool);
    return NULL;
}

void delivery_spool_close(delivery_spool *spool)
{
    if (!spool) return;
    if (spool->folder >= 0) close(spool->folder);
    if (spool->lock >= 0) close(spool->lock);
    free(spool->file);
    free(spool->path);
    free(spool);
}
