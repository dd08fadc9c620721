/* verbs.c — the list of verbs. */
#include "tool/main/main.h"

const struct verb *const tool_verbs[] = {
#define VERB(name) &verb_##name,
#include "tool/main/verbs.def"
#undef VERB
    NULL,
};
