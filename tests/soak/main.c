/* soak HECTIC DIRECTORY short|long ROW: a relay under load and faults. Prints the row's lines of a
 * table; ends with 1 where something that must hold does not. */
#include "soak.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct row {
    const char *name;
    void (*run)(const soak *s);
} rows[] = {
    {"flood", row_flood}, {"fleet", row_fleet},     {"latency", row_latency},
    {"kills", row_kills}, {"garbage", row_garbage},
};

void place(char *out, const char *directory, const char *name)
{
    snprintf(out, PLACE_SIZE, "%s/%s", directory, name);
}

static void must_be_tidy(const soak *s)
{
    char what[PLACE_SIZE];
    const bool children = has_children();
    const unsigned files = files_in(s->temporary);
    snprintf(what, sizeof what, "%s: processes, temporary files left behind", s->row);
    must(!children && files == 0, what, "none; 0", "%s; %u", children ? "some" : "none", files);
}

int main(int argc, char **argv)
{
    if (argc != 5) return 64;
    const char *directory = argv[2];
    soak s = {.hectic = argv[1], .row = argv[4], .is_long = strcmp(argv[3], "long") == 0};
    place(s.in, directory, "in");
    place(s.out, directory, "out");
    place(s.each, directory, "each");
    place(s.record, directory, "record");
    place(s.temporary, directory, "temporary");
    place(s.said, directory, "said");
    place(s.file, directory, "file");
    mkdir(s.each, 0700);
    mkdir(s.temporary, 0700);
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    expect_no_more();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, argv[4]) == 0) {
            rows[i].run(&s);
            must_be_tidy(&s);
            return !all_held();
        }
    return 64;
}
