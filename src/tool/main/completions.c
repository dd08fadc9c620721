/* completions.c — completions for shells, from the tables of the verbs. */
#include "tool/main/main.h"
#include "tool/output/table.h"

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

/* The classes and event names that --event takes, each once. */
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

static bool has_choices(const struct tool_option *option, const char *choices)
{
    return option->choices && strcmp(option->choices, choices) == 0;
}

/* Is the first operand a live source? */
static bool takes_source(const struct verb *verb)
{
    return strstr(verb->usage[0], "SOURCE") != NULL;
}

static void print_columns(const struct verb *verb)
{
    for (const struct table_column *column = verb->columns; column && column->name; column++)
        if (column->kind != CELL_BAR) printf("%s ", column->name);
}

/* --- bash ------------------------------------------------------------------------------------ */

static void bash_name(const struct tool_option *option)
{
    printf("--%s ", option->name);
    if (option->letter) printf("-%c ", option->letter);
}

static void bash_name_with_argument(const struct tool_option *option)
{
    if (option->argument) bash_name(option);
}

/* How to complete the option's argument. */
static void bash_argument(const struct tool_option *option)
{
    if (option->argument == NULL) return;
    printf("        --%s", option->name);
    if (option->letter) printf(" | -%c", option->letter);
    if (strcmp(option->name, "sort") == 0)
        printf(") _hectic_words \"$columns\"; return ;;\n");
    else if (option->choices == NULL)
        printf(") return ;;\n");
    else if (has_choices(option, "@files") || has_choices(option, "@sources"))
        printf(") _hectic_files; return ;;\n"); /* unix: is handled before */
    else if (has_choices(option, "@events"))
        printf(") _hectic_events; return ;;\n");
    else
        printf(") _hectic_words \"%s\"; return ;;\n", option->choices);
}

static void bash_verb(const struct verb *verb)
{
    printf("    %s)\n        options=\"", verb->name);
    each_option(verb, bash_name);
    printf("--help\"\n        columns=\"");
    print_columns(verb);
    printf("\"\n");
    if (verb->takes_command) {
        printf("        with_argument=\" ");
        each_option(verb, bash_name_with_argument);
        printf("\"\n        _hectic_command && return\n");
    } else if (takes_source(verb)) {
        printf("        words=\"unix: tcp: run: fd:\"\n");
        if (verb->words) printf("        ((COMP_CWORD > 2)) && words=\"%s\"\n", verb->words);
    } else if (verb->words) {
        printf("        words=\"%s\"\n", verb->words);
    }
    printf("        case $before in\n");
    each_option(verb, bash_argument);
    printf("        esac\n        ;;\n");
}

static const char bash_functions[] =
    "# These use the variables of _hectic.\n"
    "_hectic_words() {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n"
    "}\n"
    "_hectic_files() {\n"
    "    compopt -o filenames\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "}\n"
    "# Files for which \"test $1\" succeeds, and directories.\n"
    "_hectic_files_of_type() {\n"
    "    local file\n"
    "    compopt -o filenames\n"
    "    for file in \"$word\"*; do\n"
    "        if [[ -d $file ]] || test \"$1\" \"$file\"; then COMPREPLY+=(\"$prefix$file\"); fi\n"
    "    done\n"
    "}\n"
    "_hectic_logs() {\n"
    "    local end\n"
    "    compopt -o filenames\n"
    "    mapfile -t COMPREPLY < <(\n"
    "        compgen -W \"$words\" -- \"$word\"\n"
    "        compgen -d -- \"$word\"\n"
    "        for end in '' .gz .zst; do\n"
    "            compgen -f -X \"!*.eventlog$end\" -- \"$word\"\n"
    "        done\n"
    "    )\n"
    "    if [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *: ]]; then compopt -o nospace; fi\n"
    "}\n"
    "# A comma-separated list in upper or lower case.\n"
    "_hectic_events() {\n"
    "    local last=${word##*,} list=${word%,*},\n"
    "    [[ $word == *,* ]] || list=\n"
    "    [[ $last == *[A-Z]* ]] && events=${events^^} last=${last^^}\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$events\" -- \"$last\")\n"
    "}\n"
    "# A program after the options, and its arguments.\n"
    "_hectic_command() {\n"
    "    local i=2\n"
    "    while ((i < COMP_CWORD)) && [[ ${COMP_WORDS[i]} == -?* ]]; do\n"
    "        if [[ ${COMP_WORDS[i]} != -- && $with_argument == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
    "            [[ ${COMP_WORDS[i + 1]-} == = ]] && ((++i))\n"
    "            ((++i))\n"
    "        fi\n"
    "        ((++i))\n"
    "    done\n"
    "    if ((i < COMP_CWORD)); then\n"
    "        _hectic_files\n"
    "    elif ((i > COMP_CWORD)) || [[ $word == -* ]]; then\n"
    "        return 1 # an option, or its argument\n"
    "    elif [[ $word == */* ]]; then\n"
    "        _hectic_files_of_type -x\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(compgen -c -- \"$word\"; compgen -d -S / -- \"$word\")\n"
    "    fi\n"
    "}\n";

static void bash(void)
{
    printf("# Completions for hectic in bash, generated from its table of verbs.\n%s"
           "_hectic() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local prefix= scheme= options= words= columns= with_argument= verbs=\"",
           bash_functions);
    print_verbs();
    printf("\"\n    local events=\"");
    print_events();
    printf("\"\n"
           "    COMPREPLY=()\n"
           "    # bash makes three words of \"--name=value\" and of \"unix:path\".\n"
           "    case $word:$before in\n"
           "    =:*) word= ;;\n"
           "    *:=) before=${COMP_WORDS[COMP_CWORD - 2]} ;;\n"
           "    ::*) scheme=$before word= ;;\n"
           "    *::) scheme=${COMP_WORDS[COMP_CWORD - 2]} ;;\n"
           "    unix:*) scheme=unix word=${word#unix:} prefix=unix: ;;\n"
           "    esac\n"
           "    if [[ $scheme == unix ]]; then\n"
           "        _hectic_files_of_type -S\n"
           "        return\n"
           "    fi\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        words=\"$verbs --help --version\"\n"
           "        _hectic_logs\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (const struct verb *const *verb = tool_verbs; *verb; verb++)
        bash_verb(*verb);
    printf("    help) words=$verbs ;;\n"
           "    esac\n"
           "    if [[ $word == -* ]]; then\n"
           "        _hectic_words \"$options\"\n"
           "    else\n"
           "        _hectic_logs\n"
           "    fi\n"
           "}\n"
           "complete -F _hectic hectic\n");
}

/* --- zsh ------------------------------------------------------------------------------------- */

/* Text inside '…[…]', where quotes, brackets, colons and backslashes are escaped. */
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
    const struct tool_option *helped = option; /* it is listed with that */
    while (!helped->help)
        helped--;
    zsh_text(helped->help);
    putchar(']');
    if (option->argument) {
        putchar(':');
        zsh_text(option->argument);
        putchar(':');
        if (strcmp(option->name, "sort") == 0)
            printf("compadd -a columns");
        else if (has_choices(option, "@files"))
            printf("_files");
        else if (has_choices(option, "@sources"))
            printf("_hectic_sources");
        else if (has_choices(option, "@events"))
            printf("_hectic_events");
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

static void zsh_operands(const struct verb *verb)
{
    if (verb->takes_command)
        printf("            '(-)1:program: _command_names -e' \\\n"
               "            '*::argument: _normal'\n");
    else if (takes_source(verb) && verb->words)
        printf("            '1:source: _hectic_sources' \\\n            '*:command:(%s)'\n",
               verb->words);
    else if (takes_source(verb))
        printf("            '1:source: _hectic_sources' \\\n            '*:file: _files'\n");
    else if (verb->words)
        printf("            '1:log: _hectic_logs %s' \\\n            '*:log: _hectic_logs'\n",
               verb->words);
    else
        printf("            '*:log: _hectic_logs'\n");
}

static const char zsh_functions[] = "# Logs, and the words that may precede one.\n"
                                    "_hectic_logs() {\n"
                                    "    (($#)) && compadd -- \"$@\"\n"
                                    "    _files -g '*.eventlog(|.gz|.zst)'\n"
                                    "}\n"
                                    "_hectic_sources() {\n"
                                    "    compset -P '*='\n"
                                    "    if compset -P 'unix:'; then\n"
                                    "        _files -g '*(=)'\n"
                                    "    else\n"
                                    "        compadd -S '' -- unix: tcp: run: fd:\n"
                                    "        _hectic_logs\n"
                                    "    fi\n"
                                    "}\n"
                                    "# A comma-separated list in upper or lower case.\n"
                                    "_hectic_events() {\n"
                                    "    _sequence compadd -M 'm:{a-zA-Z}={A-Za-z}' - -a events\n"
                                    "}\n";

static void zsh(void)
{
    printf("#compdef hectic\n"
           "# Completions for hectic in zsh, generated from its table of verbs.\n%s"
           "_hectic() {\n"
           "    local -a verbs events columns\n"
           "    verbs=(\n",
           zsh_functions);
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
           "        _hectic_logs\n"
           "        return\n"
           "    fi\n"
           "    local verb=$words[2]\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $verb in\n");
    for (const struct verb *const *verb = tool_verbs; *verb; verb++) {
        printf("    %s)\n        columns=(", (*verb)->name);
        print_columns(*verb);
        printf(")\n        _arguments \\\n");
        each_option(*verb, zsh_option);
        printf("            '--help[help for this verb]' \\\n");
        zsh_operands(*verb);
        printf("        ;;\n");
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
