#define _GNU_SOURCE /* memmem */
#include "source/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Finding ---------------------------------------------------------------------------------- */

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static char *find_in_path(const char *name)
{
    const char *directories = getenv("PATH");
    for (const char *at = directories ? directories : "/usr/bin:/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        const int length = (int)strcspn(at, ":");
        char *path;
        if (asprintf(&path, "%.*s%s%s", length, at, length ? "/" : "./", name) < 0) return NULL;
        if (is_executable(path)) return path;
        free(path);
    }
    return NULL;
}

/* --- Inspection ------------------------------------------------------------------------------- */

struct contents {
    const char *bytes;
    size_t size;
};

static const char *find(const struct contents *file, const char *text)
{
    return memmem(file->bytes, file->size, text, strlen(text));
}

/* GHC's linker stores its options, in Haskell's syntax, in a section that strip removes. */
static enum executable_options options_of(const struct contents *file)
{
    static const struct {
        const char *text;
        enum executable_options options;
    } markers[] = {
        {",RtsOptsAll,", EXECUTABLE_ALL},        {",RtsOptsSafeOnly,", EXECUTABLE_SOME},
        {",RtsOptsNone,", EXECUTABLE_NONE},      {",RtsOptsIgnore,", EXECUTABLE_NONE},
        {",RtsOptsIgnoreAll,", EXECUTABLE_NONE},
    };
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (find(file, markers[i].text)) return markers[i].options;
    return EXECUTABLE_UNKNOWN;
}

/* From "libHSrts_thr_l-ghc9.0.2.so": does the runtime have the eventlog, a flush interval, and
 * profiling? */
static void inspect_library(const struct contents *file, const char *name,
                            struct executable *executable)
{
    char text[64] = "";
    const size_t left = file->size - (size_t)(name - file->bytes);
    memcpy(text, name, left < sizeof text ? left : sizeof text - 1);
    const char *version = strstr(text, "-ghc");
    int major = 0, minor = 0;
    if (version) sscanf(version, "-ghc%d.%d", &major, &minor);
    const bool since_9_4 = major > 9 || (major == 9 && minor >= 4);
    executable->has_flush_interval = since_9_4;
    executable->has_eventlog = since_9_4 || !version || strncmp(version - 2, "_l", 2) == 0 ||
                               strstr(text, "_debug") || strstr(text, "_p");
    executable->is_threaded = strstr(text, "_thr");
    executable->profiling = strstr(text, "_p") ? PROFILING_PRESENT : PROFILING_ABSENT;
}

static void inspect(const struct contents *file, struct executable *executable)
{
    executable->is_script = file->size >= 2 && memcmp(file->bytes, "#!", 2) == 0;
    executable->options = options_of(file);
    const char *library = find(file, "libHSrts");
    executable->is_haskell = library || find(file, "GHCRTS");
    /* A message of the runtime without the eventlog. */
    executable->has_eventlog = !find(file, "requires the program to be built with -eventlog");
    executable->has_flush_interval = find(file, "--eventlog-flush-interval");
    /* A message of the runtime without profiling. */
    const bool is_without = find(file, "requires the program to be built with -prof");
    if (executable->is_haskell)
        executable->profiling = is_without ? PROFILING_ABSENT : PROFILING_PRESENT;
    executable->is_threaded = find(file, "rts_thr");
    if (library) inspect_library(file, library, executable);
}

int executable_look(const char *name, struct executable *executable, char *message, size_t size)
{
    *executable = (struct executable){0};
    errno = 0;
    executable->path = strchr(name, '/') ? strdup(name) : find_in_path(name);
    if (!executable->path && errno == ENOMEM) {
        snprintf(message, size, "out of memory");
        return EXECUTABLE_FAILED;
    }
    if (!executable->path) {
        snprintf(message, size, "%s: not found in PATH (to run one in this directory: ./%s)", name,
                 name);
        return EXECUTABLE_NOT_FOUND;
    }
    if (!is_executable(executable->path)) {
        struct stat status;
        const bool is_there = stat(executable->path, &status) == 0;
        snprintf(message, size, "%s: %s", name,
                 !is_there                 ? strerror(errno)
                 : S_ISDIR(status.st_mode) ? "is a directory"
                                           : "is not executable");
        return is_there ? EXECUTABLE_CANNOT : EXECUTABLE_NOT_FOUND;
    }
    const int fd = open(executable->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0) {
        /* Executable but not readable: unknown. */
        if (fd >= 0) close(fd);
        executable->is_haskell = executable->has_eventlog = true;
        return 0;
    }
    struct contents file = {.size = (size_t)status.st_size};
    void *bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) {
        snprintf(message, size, "%s: %s", name, strerror(errno));
        return EXECUTABLE_FAILED;
    }
    file.bytes = bytes;
    inspect(&file, executable);
    munmap(bytes, file.size);
    return 0;
}
