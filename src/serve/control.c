/* The protocol of commands. */
#include <hectic/control.h>

#include <string.h>

enum { VERSION_AT = 4, LENGTH_AT = 5, NAME_AT = 6 };
static const uint8_t magic[] = {0xf0, 0x9e, 0x97, 0x8c, 0}; /* magic and version */

size_t hectic_control_encode(uint8_t *out, size_t capacity, const char *name, uint8_t id)
{
    const size_t length = strlen(name), size = NAME_AT + length + 1;
    if (length == 0 || length > HECTIC_CONTROL_NAMESPACE_MAX) return 0;
    if (size > capacity) return size;
    memcpy(out, magic, sizeof magic);
    out[LENGTH_AT] = (uint8_t)length;
    memcpy(out + NAME_AT, name, length);
    out[NAME_AT + length] = id;
    return size;
}

/* Is that byte valid at that position of a message? */
static bool is_valid(uint16_t at, uint8_t byte)
{
    if (at <= VERSION_AT) return byte == magic[at];
    return at != LENGTH_AT || byte != 0;
}

hectic_control_result hectic_control_parse(hectic_control_parser *p, uint8_t byte,
                                           hectic_control_command *command)
{
    p->invalid = p->invalid || !is_valid(p->length, byte);
    if (p->invalid) return HECTIC_CONTROL_INVALID;
    p->message[p->length++] = byte;
    if (p->length <= NAME_AT || p->length < NAME_AT + p->message[LENGTH_AT] + 1)
        return HECTIC_CONTROL_PARTIAL;
    p->length = 0;
    *command = (hectic_control_command){.length = p->message[LENGTH_AT], .id = byte};
    memcpy(command->name, p->message + NAME_AT, command->length);
    return HECTIC_CONTROL_COMMAND;
}
