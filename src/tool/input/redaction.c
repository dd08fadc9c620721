/* redaction.c — see redaction.h. */
#include "tool/input/redaction.h"

#include "redact/redact.h"
#include "tool/cli/message.h"
#include "tool/files/input_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PURPOSES "team performance structure"

static bool set_purpose(void *field, const char *argument)
{
    *(const char **)field = argument;
    return tool_choose(argument, PURPOSES) >= 0;
}

#define FIELD(name) offsetof(struct redaction_settings, name)

const struct tool_option redaction_choices[] = {
    {"for", 0, "PURPOSE", "team, performance (the default) or structure", PURPOSES, FIELD(purpose),
     set_purpose},
    {"keep", 0, "KINDS", "keep these: messages,labels,...", NULL, FIELD(keep), tool_set_text},
    {"replace", 0, "KINDS", "replace these by pseudonyms", NULL, FIELD(replace), tool_set_text},
    {"drop", 0, "KINDS", "remove these", NULL, FIELD(drop), tool_set_text},
    {"key-file", 0, "FILE", "the same pseudonyms as with FILE before", "@files", FIELD(key_file),
     tool_set_text},
    {0},
};

const struct tool_option redaction_options[] = {
    {"redact", 0, NULL, "without secrets: see hectic redact --help", NULL, FIELD(is_wanted),
     tool_set_flag},
    {"redact-for", 0, "P", NULL, PURPOSES, FIELD(purpose), set_purpose},
    {"keep", 0, "K", NULL, NULL, FIELD(keep), tool_set_text},
    {"replace", 0, "K", NULL, NULL, FIELD(replace), tool_set_text},
    {"drop", 0, "K", NULL, NULL, FIELD(drop), tool_set_text},
    {"key-file", 0, "F", NULL, "@files", FIELD(key_file), tool_set_text},
    {0},
};

const char redaction_note[] = "KINDS (K) are names separated by commas: "
#define KIND(NAME, name, team, performance, structure, meaning) name ", "
#include "redact/kinds.def"
#undef KIND
                              "or all. hectic-redact(1) explains them.";

bool redaction_is_wanted(const struct redaction_settings *settings)
{
    return settings->is_wanted || settings->purpose || settings->keep || settings->replace ||
           settings->drop || settings->key_file;
}

/* Sets the treatment of the kinds in a list; or of all, if it names them so. */
static bool set_kinds(hectic_redaction *redaction, const char *option, const char *list,
                      hectic_treatment treatment, bool of_all)
{
    while (list && *list) {
        enum { NAME_MAX_ = 32 };
        char name[NAME_MAX_];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < NAME_MAX_ ? length : NAME_MAX_), list);
        list += length + (list[length] == ',');
        const bool is_all = strcmp(name, "all") == 0;
        if (is_all && of_all)
            memset(redaction->treatment, (int)treatment, sizeof redaction->treatment);
        else if (!is_all && !of_all && !hectic_redaction_set(redaction, name, treatment))
            return tool_invalid("kind", name, option, "hectic-redact(1) lists them");
    }
    return true;
}

/* --- Keys ------------------------------------------------------------------------------------ */

static bool make_key(uint64_t key[2])
{
    return getrandom(key, 2 * sizeof *key, 0) == 2 * sizeof *key;
}

static int key_failed(const char *path)
{
    tool_message("%s: %s", path, strerror(errno));
    return TOOL_UNUSABLE;
}

/* Makes a file with a new key, which only its owner can read. Returns the exit code. */
static int write_key(const char *path, uint64_t key[2])
{
    struct stat status;
    if (!make_key(key)) return key_failed(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return key_failed(path);
    const bool written = dprintf(fd, "%016" PRIx64 "%016" PRIx64 "\n", key[0], key[1]) > 0;
    const bool is_kept = fsync(fd) == 0 || errno == EINVAL;
    if (fstat(fd, &status) == 0 && !input_files_note(&status)) return close(fd), TOOL_UNUSABLE;
    if (close(fd) == 0 && written && is_kept) return TOOL_OK;
    const int code = key_failed(path);
    unlink(path);
    return code;
}

/* Reads 32 hexadecimal digits. */
static int read_key(const char *path, uint64_t key[2])
{
    enum { DIGITS = 32 };
    char text[DIGITS + 2] = "", half[DIGITS / 2 + 1] = "";
    struct stat status;
    FILE *file = fopen(path, "re");
    if (!file) return errno == ENOENT ? write_key(path, key) : key_failed(path);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    const bool is_over = fgetc(file) == EOF;
    /* No output may replace it. */
    const bool is_noted = fstat(fileno(file), &status) != 0 || input_files_note(&status);
    const int code = ferror(file) ? key_failed(path) : is_noted ? TOOL_OK : TOOL_UNUSABLE;
    fclose(file);
    if (code != TOOL_OK) return code;
    if (strspn(text, "0123456789abcdef") != DIGITS || !is_over ||
        (size > DIGITS && text[DIGITS] != '\n')) {
        tool_message(
            "%s: not a key: 32 hexadecimal digits; hectic redact --key-file makes a file that "
            "does not exist",
            path);
        return TOOL_UNUSABLE;
    }
    for (size_t i = 0; i < 2; i++) {
        memcpy(half, text + i * (DIGITS / 2), DIGITS / 2);
        sscanf(half, "%" SCNx64, &key[i]);
    }
    return TOOL_OK;
}

bool redaction_rules(const struct redaction_settings *settings, const char *purpose,
                     struct redaction *redaction)
{
    hectic_redaction *rules = &redaction->rules;
    if (settings->is_wanted) purpose = "performance";
    *redaction = (struct redaction){0};
    hectic_redaction_begin(rules, settings->purpose ? settings->purpose : purpose);
    /* "all" first: --drop all --keep labels. */
    for (int of_all = 1; of_all >= 0; of_all--)
        if (!set_kinds(rules, "--keep", settings->keep, HECTIC_KEEP, of_all) ||
            !set_kinds(rules, "--replace", settings->replace, HECTIC_REPLACE, of_all) ||
            !set_kinds(rules, "--drop", settings->drop, HECTIC_DROP, of_all))
            return false;
    return true;
}

int redaction_key(const struct redaction_settings *settings, struct redaction *redaction)
{
    if (settings->key_file) return read_key(settings->key_file, redaction->rules.key);
    if (make_key(redaction->rules.key)) return TOOL_OK;
    tool_message("no random numbers: %s", strerror(errno));
    return TOOL_UNUSABLE;
}

int redaction_make(const struct redaction_settings *settings, const char *purpose,
                   struct redaction *redaction)
{
    if (!redaction_rules(settings, purpose, redaction)) return TOOL_USAGE;
    return redaction_key(settings, redaction);
}

/* --- Inputs ---------------------------------------------------------------------------------- */

hectic_input *redaction_input(hectic_input *input, const char *path, struct redaction *redaction)
{
    redaction->losses.path = path;
    hectic_input *redacted =
        redact_input(input, &redaction->rules, logs_report_lost, &redaction->losses);
    if (!redacted) tool_message("out of memory");
    return redacted;
}

bool redaction_hides_program(const struct redaction *redaction)
{
    return redaction->rules.treatment[REDACT_ARGUMENTS] >= HECTIC_REPLACE;
}
