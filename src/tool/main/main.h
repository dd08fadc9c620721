/* main.h — the list of verbs, and what the command prints about them. */
#ifndef HECTIC_TOOL_MAIN_H
#define HECTIC_TOOL_MAIN_H

#include "tool/cli/verb.h"

#define VERB(name) extern const struct verb verb_##name;
#include "tool/main/verbs.def"
#undef VERB

/* All verbs; NULL ends. */
extern const struct verb *const tool_verbs[];

void version_print(bool verbose);
void help_overview(void);
void help_verb(const struct verb *verb);
void man_page(const struct verb *verb); /* NULL: hectic(1) */
bool completions(const char *shell);    /* false: unknown shell */

bool verb_has_option(const struct verb *verb, const char *name);

/* What replaced an option's spelling, as "use --limit N"; NULL: nothing. */
const char *tool_replacement(const struct verb *verb, const char *spelling);

#endif
