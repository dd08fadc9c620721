/* Runs a fuzz target over files and directories: former findings of the fuzzers and real logs are
 * tests without libFuzzer. */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned replayed;

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    uint8_t *data = NULL;
    size_t length = 0, got;
    do {
        data = realloc(data, length + (1 << 16));
        REQUIRE(data);
        got = fread(data + length, 1, 1 << 16, file);
        length += got;
    } while (got > 0);
    fclose(file);
    data = realloc(data, length ? length : 1); /* so that a sanitizer knows its end */
    LLVMFuzzerTestOneInput(data, length);
    free(data);
    replayed++;
}

static void replay(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) return;
    if (S_ISREG(about.st_mode)) {
        fprintf(stderr, "%s\n", path);
        replay_file(path);
    }
    DIR *directory = S_ISDIR(about.st_mode) ? opendir(path) : NULL;
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char inside[4096];
        int length = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && length < (int)sizeof inside) replay(inside);
    }
    closedir(directory);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%u inputs\n", replayed);
    return replayed > 0 ? 0 : 77;
}
