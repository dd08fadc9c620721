/* A small file system, which fills up: for tests that define _GNU_SOURCE. */
#ifndef HECTIC_TEST_DISK_H
#define HECTIC_TEST_DISK_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mounts it at a new directory, for this process alone; returns false, and says why, where it may
 * not. */
static inline bool disk_mount(const char *path, const char *options)
{
    mkdir(path, 0700);
    /* In a chroot, "/" need not be a mount point (EINVAL): then the mount is removed by
     * disk_unmount only. */
    if (unshare(CLONE_NEWNS) == 0 &&
        (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 || errno == EINVAL) &&
        mount("none", path, "tmpfs", 0, options) == 0)
        return true;
    printf("SKIPPED: cannot mount a file system: %s\n", strerror(errno));
    rmdir(path);
    return false;
}

static inline void disk_unmount(const char *path)
{
    umount2(path, MNT_DETACH);
    rmdir(path);
}

#endif
