/* trace_text.c — texts of traces: valid UTF-8, and of stacks. */
#include "render/text.h"
#include "tool/verbs/export/profile.h"
#include "tool/verbs/export/trace/trace_writer.h"

size_t trace_texts(const struct trace_event *event)
{
    size_t texts = event->is_constant ? 0 : strlen(event->name);
    for (size_t i = 0; i < event->args; i++)
        texts += event->arg[i].text ? strlen(event->arg[i].text) : 0;
    return texts;
}

size_t trace_frames(const struct trace_stack *stack, uint32_t node[TRACE_FRAMES])
{
    const hectic_stack_node *nodes = hectic_stacks_nodes(stack->stacks);
    size_t frames = 0;
    uint32_t at = stack->node;
    while (at != HECTIC_STACKS_ROOT && frames < TRACE_FRAMES) {
        node[frames++] = at;
        at = nodes[at].parent;
    }
    if (frames == 0) node[frames++] = HECTIC_STACKS_ROOT;
    for (size_t i = 0; i < frames / 2; i++) {
        const uint32_t inner = node[i];
        node[i] = node[frames - 1 - i];
        node[frames - 1 - i] = inner;
    }
    return frames;
}

const char *trace_frame(const struct trace_stack *stack, uint32_t node, char text[TRACE_FRAME_TEXT])
{
    char name[FRAME_NAME];
    frame_name(stack->symbols, &hectic_stacks_nodes(stack->stacks)[node], name);
    return text_cut_as_utf8(name, strlen(name), TRACE_FRAME_TEXT / 4 - 1, text);
}
