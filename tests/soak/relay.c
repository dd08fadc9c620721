/* The relay, as the command runs it. */
#define _GNU_SOURCE
#include "soak.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct call {
    const soak *soak;
    bool records;
};

static void execute(void *user)
{
    const struct call *c = user;
    const soak *s = c->soak;
    char from[PLACE_SIZE + 16], out[PLACE_SIZE + 16], each[PLACE_SIZE + 32];
    snprintf(from, sizeof from, "listen:unix:%s", s->in);
    snprintf(out, sizeof out, "unix:%s", s->out);
    snprintf(each, sizeof each, "unix:%s/%%n", s->each);
    const int said = open(s->said, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(said, STDERR_FILENO);
    setenv("TMPDIR", s->temporary, 1);
    execl(s->hectic, "hectic", "relay", "--from", from, "--listen", out, "--listen", each,
          c->records ? "--record" : NULL, s->record, "--keep-free", "1M", NULL);
    _exit(127);
}

pid_t relay_start(const soak *s, bool records)
{
    return start(execute, &(struct call){s, records});
}

void relay_end(const soak *s, pid_t relay)
{
    char what[PLACE_SIZE];
    kill(relay, SIGTERM);
    const bool ended = ends_well(relay);
    const unsigned sockets =
        files_in(s->each) + (access(s->in, F_OK) == 0) + (access(s->out, F_OK) == 0);
    snprintf(what, sizeof what, "%s: the relay ends with 0; sockets left behind", s->row);
    must(ended && sockets == 0, what, "yes; 0", "%s; %u", ended ? "yes" : "no", sockets);
}

bool relay_says(const soak *s, const char *text)
{
    char line[1024];
    bool found = false;
    FILE *file = fopen(s->said, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, text) != NULL;
    if (file) fclose(file);
    return found;
}

long relay_kb(pid_t relay, const char *what)
{
    char path[64], line[256];
    long kb = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)relay);
    FILE *file = fopen(path, "r");
    while (file && kb < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0) kb = atol(line + strlen(what) + 1);
    if (file) fclose(file);
    return kb;
}

unsigned relay_descriptors(pid_t relay)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)relay);
    return files_in(path);
}

unsigned files_in(const char *path)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    for (const struct dirent *each; directory && (each = readdir(directory));)
        count += each->d_name[0] != '.';
    if (directory) closedir(directory);
    return count;
}

double relay_seconds(pid_t relay)
{
    char path[64];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)relay);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                       &user, &system) != 2)
        user = system = 0;
    if (file) fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}
