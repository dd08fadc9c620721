/* completions.c — completions for shells, from the verbs' tables. */
#include "tool/cli/tool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef void visit(const struct tool_option *option);

static void each_option(const struct verb *verb, visit *visit)
{
    for (const struct option_group *group = verb->groups; group->title; group++)
        for (const struct tool_option *option = group->options; option->name; option++)
            visit(option);
}

static void print_lower(const char *word)
{
    for (; *word; word++)
        putchar(tolower((unsigned char)*word));
    putchar(' ');
}

/* The classes and names that --event takes, each once. */
static void print_events(void)
{
    for (int c = 0; c < HECTIC_CLASS_COUNT; c++)
        printf("%s ", hectic_class_name((hectic_class)c));
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || shape[i].number != shape[i - 1].number) print_lower(shape[i].name);
}

static void print_verbs(void)
{
    for (const struct verb *const *verb = tool_verbs; *verb; verb++)
        printf("%s ", (*verb)->name);
}

/* --- bash ------------------------------------------------------------------------------------ */

static void bash_name(const struct tool_option *option)
{
    printf("--%s ", option->name);
    if (option->letter) printf("-%c ", option->letter);
}

/* What to do after an option that takes an argument. */
static void bash_argument(const struct tool_option *option)
{
    if (option->argument == NULL) return;
    printf("        --%s", option->name);
    if (option->letter) printf(" | -%c", option->letter);
    if (option->choices == NULL)
        printf(") return ;;\n");
    else if (strcmp(option->choices, "@files") == 0)
        printf(")\n"
               "            compopt -o filenames\n"
               "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
               "            return\n"
               "            ;;\n");
    else
        printf(") mapfile -t COMPREPLY < <(compgen -W \"%s\" -- \"$word\"); return ;;\n",
               strcmp(option->choices, "@events") == 0 ? "$events" : option->choices);
}

static void bash(void)
{
    printf("# Completions for hectic in bash, generated from its table of verbs.\n"
           "_hectic() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    # bash makes \"--name=value\" three words.\n"
           "    [[ $word == = ]] && word=\n"
           "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"");
    print_verbs();
    printf("--help --version\" -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    local end events=\"");
    print_events();
    printf("\"\n    local options= words=\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (const struct verb *const *verb = tool_verbs; *verb; verb++) {
        printf("    %s)\n        options=\"", (*verb)->name);
        each_option(*verb, bash_name);
        printf("--help\"\n        words=\"%s\"\n        case $before in\n",
               (*verb)->words ? (*verb)->words : "");
        each_option(*verb, bash_argument);
        printf("        esac\n        ;;\n");
    }
    printf("    help) words=\"");
    print_verbs();
    printf("\" ;;\n"
           "    esac\n"
           "    if [[ $word == -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "    else\n"
           "        compopt -o filenames\n"
           "        mapfile -t COMPREPLY < <(\n"
           "            compgen -W \"$words\" -- \"$word\"\n"
           "            compgen -d -- \"$word\"\n"
           "            for end in '' .gz .zst; do\n"
           "                compgen -f -X \"!*.eventlog$end\" -- \"$word\"\n"
           "            done\n"
           "        )\n"
           "    fi\n"
           "}\n"
           "complete -F _hectic hectic\n");
}

/* --- zsh ------------------------------------------------------------------------------------- */

/* Inside '…[…]': quotes, brackets, colons and backslashes mean something there. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr("[]:\\", *text)) putchar('\\');
        putchar(*text);
    }
}

static void zsh_spec(const struct tool_option *option, const char *spelling, bool is_long)
{
    printf("            '*%s%s[", spelling, !option->argument ? "" : is_long ? "=" : "+");
    zsh_text(option->help ? option->help : (option - 1)->help);
    putchar(']');
    if (option->argument) {
        putchar(':');
        zsh_text(option->argument);
        putchar(':');
        if (option->choices && strcmp(option->choices, "@files") == 0)
            printf("_files");
        else if (option->choices && strcmp(option->choices, "@events") == 0)
            printf("_sequence compadd - -a events");
        else if (option->choices)
            printf("(%s)", option->choices);
    }
    printf("' \\\n");
}

static void zsh_option(const struct tool_option *option)
{
    char spelling[64];
    snprintf(spelling, sizeof spelling, "--%s", option->name);
    zsh_spec(option, spelling, true);
    if (option->letter == 0) return;
    snprintf(spelling, sizeof spelling, "-%c", option->letter);
    zsh_spec(option, spelling, false);
}

static void zsh(void)
{
    printf("#compdef hectic\n"
           "# Completions for hectic in zsh, generated from its table of verbs.\n"
           "# Logs, and the words that may stand before one.\n"
           "_hectic_logs() {\n"
           "    (($#)) && compadd -- \"$@\"\n"
           "    _files -g '*.eventlog(|.gz|.zst)'\n"
           "}\n"
           "_hectic() {\n"
           "    local -a verbs events\n"
           "    verbs=(\n");
    for (const struct verb *const *verb = tool_verbs; *verb; verb++) {
        printf("        '%s:", (*verb)->name);
        zsh_text((*verb)->summary);
        printf("'\n");
    }
    printf("    )\n    events=(");
    print_events();
    printf(")\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe verb verbs\n"
           "        return\n"
           "    fi\n"
           "    local verb=$words[2]\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $verb in\n");
    for (const struct verb *const *verb = tool_verbs; *verb; verb++) {
        printf("    %s)\n        _arguments \\\n", (*verb)->name);
        each_option(*verb, zsh_option);
        printf("            '--help[about this verb]' \\\n");
        if ((*verb)->words) printf("            '1:log: _hectic_logs %s' \\\n", (*verb)->words);
        printf("            '*:log: _hectic_logs'\n        ;;\n");
    }
    printf("    esac\n}\n_hectic \"$@\"\n");
}

bool completions(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        bash();
    else if (strcmp(shell, "zsh") == 0)
        zsh();
    else
        return false;
    return true;
}
