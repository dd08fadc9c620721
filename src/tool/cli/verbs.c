/* verbs.c — the list of verbs. */
#include "tool/cli/tool.h"

const struct verb *const tool_verbs[] = {
#define VERB(name) &verb_##name,
#include "tool/cli/verbs.def"
#undef VERB
    NULL,
};
