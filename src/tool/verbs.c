/* verbs.c — the list of verbs. */
#include "tool.h"

const struct verb *const tool_verbs[] = {
#define VERB(name) &verb_##name,
#include "verbs.def"
#undef VERB
    NULL,
};
