/* Processes, and memory that they share. */
#define _GNU_SOURCE
#include "soak.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void *shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) return memory;
    perror("soak");
    exit(2);
}

pid_t start(void (*run)(void *user), void *user)
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0) {
        perror("soak");
        exit(2);
    }
    if (pid > 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    run(user);
    _exit(0);
}

void expect_no_more(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool ends_well(pid_t pid)
{
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void slay(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

bool comes_true(bool (*is)(void *user), void *user, unsigned seconds)
{
    const uint64_t until = now_ns() + seconds * UINT64_C(1000000000);
    while (!is(user)) {
        if (now_ns() > until) return false;
        pause_ms(10);
    }
    return true;
}
