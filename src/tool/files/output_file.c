/* output_file.c — see output_file.h. */
#define _GNU_SOURCE /* asprintf, O_TMPFILE */
#include "tool/files/output_file.h"

#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/files/input_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char own_files[] = "/proc/self/fd";

/* The directory of a path, with a slash. To be freed; NULL: no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path + 1)) : strdup("./");
}

char *output_file_temporary(const char *path)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path + 1) : 0;
    uint64_t number = 0;
    char *name;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0) number = (uint64_t)getpid();
    return asprintf(&name, "%.*s.hectic.%016" PRIx64, folder, path, number) < 0 ? NULL : name;
}

/* Gives the file a temporary name by `make`, which returns 0 or an errno. */
static int name_temporarily(struct output_file *file, int (*make)(struct output_file *file))
{
    enum { TRIES = 10 };
    int error = EEXIST;
    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        file->temporary = output_file_temporary(file->folder);
        signals_remove(file->temporary);
        error = file->temporary ? make(file) : ENOMEM;
        if (error == 0) return 0;
        signals_remove(NULL);
        free(file->temporary);
        file->temporary = NULL;
    }
    return error;
}

/* --- Opening --------------------------------------------------------------------------------- */

/* An unnamed file disappears with the process. Not every file system supports such files, and
 * without /proc they could not get a name later. */
static bool open_unnamed(struct output_file *file)
{
#ifdef O_TMPFILE
    if (access(own_files, X_OK) == 0)
        file->fd = open(file->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#endif
    return file->fd >= 0;
}

static int create_temporary(struct output_file *file)
{
    file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return file->fd >= 0 ? 0 : errno;
}

static int open_regular(struct output_file *file)
{
    file->is_regular = true;
    return !file->is_named && open_unnamed(file) ? 0 : name_temporarily(file, create_temporary);
}

enum { NOT_A_FILE = -1 }; /* instead of an errno */

static int open_place(struct output_file *file)
{
    struct stat status;
    if (stat(file->path, &status) != 0) {
        const mode_t mask = umask(0);
        umask(mask);
        file->mode = 0666 & ~mask;
        return open_regular(file);
    }
    file->mode = status.st_mode & 07777;
    if (S_ISDIR(status.st_mode)) return EISDIR;
    if (S_ISREG(status.st_mode)) return open_regular(file);
    if (file->is_named) return NOT_A_FILE;
    file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->fd >= 0 ? 0 : errno;
}

static bool open_file(struct output_file *file, const char *path)
{
    if (!input_files_allow(path)) return false;
    /* The target of a link is replaced. */
    char *real = realpath(path, NULL);
    file->path = real ? real : strdup(path);
    file->folder = file->path ? folder_of(file->path) : NULL;
    const int error = file->folder ? open_place(file) : ENOMEM;
    if (error) {
        tool_message("%s: %s", path,
                     error == NOT_A_FILE ? "it is no regular file" : strerror(error));
        output_file_close(file);
        return false;
    }
    signals_outlive_readers();
    return true;
}

bool output_file_open(struct output_file *file, const char *path)
{
    *file = (struct output_file){.fd = -1};
    return open_file(file, path);
}

bool output_file_open_named(struct output_file *file, const char *path)
{
    *file = (struct output_file){.fd = -1, .is_named = true};
    return open_file(file, path);
}

/* --- Publishing ------------------------------------------------------------------------------ */

int output_file_sync(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

/* A directory that cannot be read is not synced. */
static int sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    const int error = output_file_sync(fd);
    close(fd);
    return error;
}

/* The path of the open file, also without a name. */
static const char *own_path(const struct output_file *file, char room[OUTPUT_FILE_PATH])
{
    snprintf(room, OUTPUT_FILE_PATH, "%s/%d", own_files, file->fd);
    return room;
}

const char *output_file_readable(const struct output_file *file, char room[OUTPUT_FILE_PATH])
{
    return file->temporary ? file->temporary : own_path(file, room);
}

static int link_as(const struct output_file *file, const char *name)
{
    char room[OUTPUT_FILE_PATH];
    const char *own = own_path(file, room);
    return linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int link_temporarily(struct output_file *file)
{
    return link_as(file, file->temporary);
}

/* Only a named file can replace another one: it has a temporary name for a moment. */
static int give_name(struct output_file *file)
{
    int error = file->temporary ? EEXIST : link_as(file, file->path);
    if (error == EEXIST && !file->temporary) error = name_temporarily(file, link_temporarily);
    if (!file->temporary) return error;
    if (rename(file->temporary, file->path) != 0) return errno;
    signals_remove(NULL);
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

static int publish(struct output_file *file, bool partial)
{
    if (fchmod(file->fd, file->mode) != 0) return errno;
    const int unsynced = output_file_sync(file->fd);
    if (unsynced && !partial) return unsynced;
    const int error = give_name(file);
    return error ? error : unsynced ? unsynced : sync_folder(file->folder);
}

bool output_file_publish(struct output_file *file, bool partial)
{
    int error = 0;
    if (file->is_regular) {
        if (!input_files_allow(file->path)) return false;
        error = publish(file, partial);
    } else {
        error = close(file->fd) == 0 ? 0 : errno;
        file->fd = -1;
    }
    if (error) tool_message("%s: %s", file->path, strerror(error));
    return error == 0;
}

void output_file_close(struct output_file *file)
{
    if (file->fd >= 0) close(file->fd);
    if (file->temporary) unlink(file->temporary);
    signals_remove(NULL);
    free(file->temporary);
    free(file->folder);
    free(file->path);
    *file = (struct output_file){.fd = -1};
}
