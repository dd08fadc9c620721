/* Runs a command and prints what it used.
 *
 *     measure [-c CPU] [-o OUTPUT] COMMAND ARGUMENT …
 *
 * prints "WALL USER SYSTEM PEAK STATUS": seconds, seconds, seconds, resident kilobytes, exit
 * status. -c pins the command to one processor; -o is where its output goes (default /dev/null;
 * a file is made anew).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static _Noreturn void become(char **command, const char *output, int cpu)
{
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(126);
    }
    int in = open("/dev/null", O_RDONLY);
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0) _exit(126);
    dup2(in, 0);
    dup2(out, 1);
    execvp(command[0], command);
    _exit(127);
}

int main(int argc, char **argv)
{
    const char *output = "/dev/null";
    int cpu = -1, option;
    while ((option = getopt(argc, argv, "+c:o:")) != -1) {
        if (option == 'c')
            cpu = atoi(optarg);
        else if (option == 'o')
            output = optarg;
        else
            return 2;
    }
    if (optind >= argc) {
        fprintf(stderr, "usage: measure [-c CPU] [-o OUTPUT] COMMAND ...\n");
        return 2;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) become(argv + optind, output, cpu);
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child) return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double wall = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    printf("%.4f %.4f %.4f %ld %d\n", wall, seconds(used.ru_utime), seconds(used.ru_stime),
           used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
