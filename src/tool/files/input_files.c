/* input_files.c — see input_files.h. */
#include "tool/files/input_files.h"

#include "base/array.h"
#include "tool/cli/message.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct input {
    dev_t device;
    ino_t inode;
} * inputs;
static size_t count, room;

static bool is_noted(const struct stat *status)
{
    for (size_t i = 0; i < count; i++)
        if (inputs[i].device == status->st_dev && inputs[i].inode == status->st_ino) return true;
    return false;
}

static bool can_be_overwritten(const struct stat *status)
{
    return S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode) || S_ISBLK(status->st_mode);
}

bool input_files_note(const struct stat *status)
{
    if (!can_be_overwritten(status) || is_noted(status)) return true;
    if (!array_reserve(inputs, room, count + 1)) {
        tool_message("out of memory");
        return false;
    }
    inputs[count++] = (struct input){status->st_dev, status->st_ino};
    return true;
}

static bool is_file(int fd, const struct stat *status)
{
    struct stat other;
    return fstat(fd, &other) == 0 && other.st_dev == status->st_dev &&
           other.st_ino == status->st_ino;
}

/* A message would be written to the file, too. */
static void silence(int fd)
{
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0) return;
    dup2(nothing, fd);
    close(nothing);
}

static bool refuse(const char *name)
{
    tool_message("%s: it is an input and would be overwritten: choose another output file", name);
    return false;
}

bool input_files_may_read(const struct stat *status)
{
    if (can_be_overwritten(status) && is_file(STDERR_FILENO, status)) {
        silence(STDERR_FILENO);
        return false;
    }
    if (can_be_overwritten(status) && is_file(STDOUT_FILENO, status))
        return refuse("standard output");
    return input_files_note(status);
}

bool input_files_allow_open(int fd, const char *name)
{
    struct stat status;
    return fstat(fd, &status) != 0 || !is_noted(&status) || refuse(name);
}

bool input_files_allow(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || !is_noted(&status) || refuse(path);
}
