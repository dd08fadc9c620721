/* folded.c — Brendan Gregg's folded stacks: "outermost;…;innermost count", a line for each stack.
 */
#include "tool/verbs/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

/* The name of a frame, which must not contain a separator. */
static void put_frame(struct sink *sink, const struct profile *profile, uint32_t node)
{
    char whole[FRAME_NAME], name[FRAME_SHORT_ROOM];
    shorten(frame_name(profile->symbols, &profile->node[node], whole), name);
    for (char *c = strchr(name, ';'); c; c = strchr(c, ';'))
        *c = ',';
    sink_text(sink, name, strlen(name));
}

static void put_stack(struct sink *sink, const struct profile *profile, const uint32_t *path,
                      uint32_t depth, uint64_t value)
{
    for (uint32_t i = 0; i < depth; i++) {
        if (i > 0) sink_text(sink, ";", 1);
        put_frame(sink, profile, path[i]);
    }
    if (depth == 0) put_frame(sink, profile, HECTIC_STACKS_ROOT);
    sink_print(sink, " %" PRIu64 "\n", value);
}

bool folded_write(struct sink *sink, const struct profile *profile)
{
    struct tree tree;
    if (!tree_make(&tree, profile)) return false;
    /* Stacks are in the order of the tree, so each differs from the one before in its end only. */
    uint32_t *path = malloc((profile->nodes + 1) * sizeof *path);
    for (uint32_t i = 0; path && i < tree.count && !sink_failed(sink); i++) {
        const uint32_t node = tree.node[i], depth = profile->node[node].depth;
        if (depth > 0) path[depth - 1] = node;
        if (profile->weight[node] > 0) put_stack(sink, profile, path, depth, profile->weight[node]);
    }
    const bool has_memory = path != NULL;
    free(path);
    tree_clear(&tree);
    return has_memory;
}
