/* hectic/control.h — commands to a running program, over the connection that carries its log.
 *
 * A message of eventlog-socket's protocol: F0 9E 97 8C, a version (0), the length of a namespace (1
 * … 255), the namespace, and the command's number in it. The protocol has no answers. A
 * hectic_server answers with a LOG_MSG in the log (hectic/server.h); hectic relay forwards the
 * program's answer.
 *
 * The functions keep no state and do not allocate.
 */
#ifndef HECTIC_CONTROL_H
#define HECTIC_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The namespace that every program with a control socket supports, and its commands. */
#define HECTIC_CONTROL_CORE "eventlog-socket"
enum {
    HECTIC_CONTROL_START_PROFILE = 1, /**< attribute ticks to cost centres */
    HECTIC_CONTROL_STOP_PROFILE = 2,
    HECTIC_CONTROL_START_HEAP_PROFILE = 3, /**< take heap censuses periodically */
    HECTIC_CONTROL_STOP_HEAP_PROFILE = 4,
    HECTIC_CONTROL_HEAP_CENSUS = 5, /**< take one census, soon */
};

/** The namespace that programs with a hectic_server support as well, and its commands. */
#define HECTIC_CONTROL_HECTIC "hectic"
enum {
    HECTIC_CONTROL_FLUSH = 1,
    HECTIC_CONTROL_START_LOGGING = 2, /**< event logging as a whole */
    HECTIC_CONTROL_STOP_LOGGING = 3,
    HECTIC_CONTROL_REPLAY = 4,     /**< replay the live state to all readers */
    HECTIC_CONTROL_CLASS_ON = 16,  /**< + the runtime's trace flag, 0 … 15 */
    HECTIC_CONTROL_CLASS_OFF = 32, /**< likewise */
};

/** A relay's answer for a program that does not answer. */
#define HECTIC_CONTROL_FORWARDED "forwarded; the program does not report the result"

#define HECTIC_CONTROL_NAMESPACE_MAX 255u
/** Bytes of the longest message. */
#define HECTIC_CONTROL_MESSAGE_MAX (4u + 1u + 1u + HECTIC_CONTROL_NAMESPACE_MAX + 1u)

typedef struct hectic_control_command {
    char name[HECTIC_CONTROL_NAMESPACE_MAX + 1]; /**< the namespace, NUL-terminated */
    uint8_t length;                              /**< of the namespace, which may contain NULs */
    uint8_t id;
} hectic_control_command;

/** Encodes a message. Returns its length, or the required `capacity` if it is too small; 0: the
 *  namespace is empty or longer than 255 bytes. */
size_t hectic_control_encode(uint8_t *out, size_t capacity, const char *name, uint8_t id);

/** The state of a parser for a stream of messages. All zeros initially. */
typedef struct hectic_control_parser {
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    uint16_t length; /**< of the incomplete message */
    bool invalid;    /**< the stream contained a byte that is not part of a message */
} hectic_control_parser;

typedef enum hectic_control_result {
    HECTIC_CONTROL_PARTIAL, /**< the message needs more bytes */
    HECTIC_CONTROL_COMMAND, /**< *command is complete */
    HECTIC_CONTROL_INVALID, /**< the stream is invalid: close the connection */
} hectic_control_result;

/** Parses the next byte of the stream, which must consist of messages only. Any other byte makes it
 *  invalid permanently: a message inside other input, such as the body of an HTTP request, is never
 *  a command. */
hectic_control_result hectic_control_parse(hectic_control_parser *parser, uint8_t byte,
                                           hectic_control_command *command);

#ifdef __cplusplus
}
#endif
#endif
