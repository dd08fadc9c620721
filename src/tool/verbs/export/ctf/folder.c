/* folder.c — the folder of a trace: it is written under a temporary name, file by file, and gets
 * its name at last. One that is replaced has the files of a trace and no others. */
#define _GNU_SOURCE /* asprintf */
#include "tool/verbs/export/ctf/ctf.h"

#include "render/units.h"
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/files/input_files.h"
#include "tool/files/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Names ----------------------------------------------------------------------------------- */

enum { NAME_ROOM = 64 };
static const char section_name[] = "section-", cap_name[] = "cap-";

/* Without stdio, for a handler of signals. Returns the length. */
static size_t put_number(char *name, const char *begin, uint64_t number)
{
    const size_t length = strlen(begin);
    memcpy(name, begin, length);
    return length + hectic_render_u64(number, name + length);
}

/* A section's folder, with a slash; 0: nothing. */
static size_t put_section(char *name, size_t section)
{
    const size_t length = section > 0 ? put_number(name, section_name, section) : 0;
    if (section > 0) strcpy(name + length, "/");
    return length + (section > 0);
}

static const char *put_file(char name[NAME_ROOM], size_t section, uint32_t file)
{
    char *end = name + put_section(name, section);
    if (file < HECTIC_CAP_NONE)
        end[put_number(end, cap_name, file)] = 0;
    else
        strcpy(end, file == CTF_METADATA ? "metadata" : "no-cap");
    return name;
}

/* Does the name begin so, and end with a number? */
static bool is_numbered(const char *name, const char *begin)
{
    const size_t length = strlen(begin);
    return strncmp(name, begin, length) == 0 && name[length] &&
           strspn(name + length, "0123456789") == strlen(name + length);
}

static bool is_of_trace(const char *name)
{
    return strcmp(name, "metadata") == 0 || strcmp(name, "no-cap") == 0 ||
           is_numbered(name, cap_name);
}

/* --- What is removed ------------------------------------------------------------------------- */

/* A set of files: bits. */
struct files {
    uint64_t bits[CTF_FILES / 64 + 1];
};

/* What was made under the temporary name. A handler of signals removes it. */
static struct {
    int fd;                     /* of the folder */
    const char *path;           /* of the folder */
    size_t section;             /* the current one; 0: it has no folder */
    struct files made, current; /* in all sections; in the current one */
} work;

static void add_file(struct files *files, uint32_t file)
{
    files->bits[file / 64] |= UINT64_C(1) << file % 64;
}

/* The first file of the set that is not before this one; CTF_FILES: there is none. */
static uint32_t next_file(const struct files *files, uint32_t file)
{
    while (file < CTF_FILES && !(files->bits[file / 64] >> file % 64))
        file += 64 - file % 64;
    while (file < CTF_FILES && !(files->bits[file / 64] >> file % 64 & 1))
        file++;
    return file < CTF_FILES ? file : CTF_FILES;
}

/* Not after it has got its name. */
static void remove_work(void)
{
    char name[NAME_ROOM];
    if (access(work.path, F_OK) != 0) return;
    for (size_t section = work.section > 0; section <= work.section; section++) {
        for (uint32_t file = 0; (file = next_file(&work.made, file)) < CTF_FILES; file++)
            unlinkat(work.fd, put_file(name, section, file), 0);
        if (put_section(name, section) > 0) unlinkat(work.fd, name, AT_REMOVEDIR);
    }
    rmdir(work.path);
}

/* --- A folder that is there ------------------------------------------------------------------ */

/* What to do with the entries of a folder. */
enum visit { CHECK_ENTRIES, REMOVE_ENTRIES };

static bool visit_folder(const char *path, enum visit visit, bool has_sections, size_t *count);

static bool visit_entry(const char *path, const char *name, enum visit visit, bool has_sections,
                        size_t *count)
{
    char *full;
    if (asprintf(&full, "%s/%s", path, name) < 0) return tool_message("out of memory"), false;
    const bool is_section = has_sections && is_numbered(name, section_name);
    bool done = is_section || is_of_trace(name);
    ++*count;
    if (!done) tool_message("%s is not part of a trace: not replacing %s", full, path);
    if (is_section) done = visit_folder(full, visit, false, count);
    if (done && visit == CHECK_ENTRIES && !is_section) done = input_files_allow(full);
    if (done && visit == REMOVE_ENTRIES) done = (is_section ? rmdir(full) : unlink(full)) == 0;
    free(full);
    return done;
}

/* Visits the entries of a folder, and those of its sections. False: after a message, unless they
 * are removed. */
static bool visit_folder(const char *path, enum visit visit, bool has_sections, size_t *count)
{
    DIR *folder = opendir(path);
    bool done = folder;
    if (!folder) tool_message("%s: %s", path, strerror(errno));
    for (const struct dirent *entry; done && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            done = visit_entry(path, entry->d_name, visit, has_sections, count);
    if (folder) closedir(folder);
    return done;
}

/* May the output be there? False after a message. */
static bool may_replace(struct ctf_folder *folder, bool force)
{
    struct stat status;
    size_t count = 0;
    if (stat(folder->path, &status) != 0) return true;
    folder->is_there = true;
    if (!S_ISDIR(status.st_mode)) return tool_message("%s: not a directory", folder->path), false;
    if (!visit_folder(folder->path, CHECK_ENTRIES, true, &count)) return false;
    if (count > 0 && !force)
        tool_message("%s already exists: use --force to replace it", folder->path);
    return count == 0 || force;
}

/* --- The folder ------------------------------------------------------------------------------ */

static bool fail(struct ctf_folder *folder)
{
    if (!folder->has_failed) tool_message("%s: %s", folder->path, strerror(errno));
    folder->has_failed = true;
    return false;
}

/* Its path without links, and without slashes at the end. NULL: no memory. */
static char *path_of(const char *path)
{
    char *real = realpath(path, NULL);
    if (!real) real = strdup(path);
    for (size_t length = real ? strlen(real) : 0; length > 1 && real[length - 1] == '/';)
        real[--length] = 0;
    return real;
}

bool ctf_folder_open(struct ctf_folder *folder, const struct output_settings *settings)
{
    *folder = (struct ctf_folder){.path = path_of(settings->path)};
    if (!folder->path) return tool_message("out of memory"), false;
    if (!may_replace(folder, settings->force)) return false;
    folder->temporary = output_file_temporary(folder->path);
    if (!folder->temporary) return tool_message("out of memory"), false;
    work.fd = -1;
    work.path = folder->temporary;
    signals_remove_by(remove_work);
    if (mkdir(work.path, 0700) != 0) return fail(folder);
    work.fd = open(work.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return work.fd >= 0 || fail(folder);
}

bool ctf_folder_begin(struct ctf_folder *folder, size_t section)
{
    char name[NAME_ROOM];
    work.section = section;
    return put_section(name, section) == 0 || mkdirat(work.fd, name, 0777) == 0 || fail(folder);
}

static int open_file(uint32_t file, int flags)
{
    char name[NAME_ROOM];
    return openat(work.fd, put_file(name, work.section, file), flags | O_CLOEXEC, 0666);
}

bool ctf_folder_write(struct ctf_folder *folder, uint32_t file, const void *bytes, size_t size)
{
    add_file(&work.made, file);
    add_file(&work.current, file);
    const int fd = open_file(file, O_WRONLY | O_APPEND | O_CREAT);
    if (fd < 0) return fail(folder);
    for (const char *rest = bytes; size > 0 && !folder->has_failed;) {
        const ssize_t written = write(fd, rest, size);
        if (written < 0 && errno != EINTR) fail(folder);
        if (written <= 0) continue;
        rest += written;
        size -= (size_t)written;
    }
    if (close(fd) != 0) fail(folder);
    return !folder->has_failed;
}

static bool sync_open(int fd)
{
    errno = output_file_sync(fd);
    return errno == 0;
}

/* Syncs and closes it. */
static void end_file(struct ctf_folder *folder, int fd)
{
    if (fd < 0 || !sync_open(fd)) fail(folder);
    if (fd >= 0) close(fd);
}

bool ctf_folder_end(struct ctf_folder *folder)
{
    char name[NAME_ROOM];
    for (uint32_t file = 0; (file = next_file(&work.current, file)) < CTF_FILES; file++) {
        end_file(folder, open_file(file, O_RDONLY));
        folder->streams += file != CTF_METADATA;
    }
    work.current = (struct files){0};
    if (put_section(name, work.section) > 0)
        end_file(folder, openat(work.fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return !folder->has_failed;
}

/* Moves it to its name, in place of `former`, which is removed. */
static bool replace(const struct ctf_folder *folder, const char *former)
{
    size_t count = 0;
    if (rename(folder->path, former) != 0) return false;
    if (rename(folder->temporary, folder->path) != 0) {
        const int error = errno;
        if (rename(former, folder->path) != 0) tool_message("%s is now %s", folder->path, former);
        errno = error;
        return false;
    }
    if (!visit_folder(former, REMOVE_ENTRIES, true, &count) || rmdir(former) != 0)
        tool_message("%s: %s", former, strerror(errno));
    return true;
}

static bool move(const struct ctf_folder *folder)
{
    char *former;
    if (!folder->is_there) return rename(folder->temporary, folder->path) == 0;
    if (asprintf(&former, "%s.former", folder->temporary) < 0) return errno = ENOMEM, false;
    const bool done = replace(folder, former);
    free(former);
    return done;
}

bool ctf_folder_publish(struct ctf_folder *folder)
{
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(work.fd, 0777 & ~mask) != 0 || !sync_open(work.fd) || !move(folder))
        return fail(folder);
    signals_remove_by(NULL);
    free(folder->temporary);
    folder->temporary = NULL;
    return true;
}

void ctf_folder_close(struct ctf_folder *folder)
{
    signals_remove_by(NULL);
    if (folder->temporary) remove_work();
    if (work.path) close(work.fd);
    work.path = NULL;
    free(folder->temporary);
    free(folder->path);
    *folder = (struct ctf_folder){0};
}
