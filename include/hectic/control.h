/* hectic/control.h — commands to a living program, over the connection that carries its log.
 *
 * A message, as eventlog-socket's protocol has it: F0 9E 97 8C, a version (0), the length of a
 * namespace (1 … 255), the namespace, and the command's number in it. There are no answers in the
 * protocol; a hectic_server answers by a LOG_MSG in the log (hectic/server.h), hectic relay
 * with what the program has answered.
 *
 * Plain functions over memory of the caller.
 */
#ifndef HECTIC_CONTROL_H
#define HECTIC_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The namespace that every program with a control socket knows, and its commands. */
#define HECTIC_CONTROL_CORE "eventlog-socket"
enum {
    HECTIC_CONTROL_START_PROFILE = 1, /**< attribute ticks to cost centres */
    HECTIC_CONTROL_STOP_PROFILE = 2,
    HECTIC_CONTROL_START_HEAP_PROFILE = 3, /**< take censuses by the timer */
    HECTIC_CONTROL_STOP_HEAP_PROFILE = 4,
    HECTIC_CONTROL_HEAP_CENSUS = 5, /**< one, soon */
};

/** What programs with a hectic_server know besides. */
#define HECTIC_CONTROL_HECTIC "hectic"
enum {
    HECTIC_CONTROL_FLUSH = 1,
    HECTIC_CONTROL_START_LOGGING = 2, /**< event logging as a whole */
    HECTIC_CONTROL_STOP_LOGGING = 3,
    HECTIC_CONTROL_REPLAY = 4,     /**< the live state, to all readers */
    HECTIC_CONTROL_CLASS_ON = 16,  /**< + a runtime's trace flag, 0 … 15 */
    HECTIC_CONTROL_CLASS_OFF = 32, /**< likewise */
};

/** What a relay answers where the program does not. */
#define HECTIC_CONTROL_FORWARDED "passed on; the program does not say whether it obeys"

#define HECTIC_CONTROL_NAMESPACE_MAX 255u
/** Bytes of the longest message. */
#define HECTIC_CONTROL_MESSAGE_MAX (4u + 1u + 1u + HECTIC_CONTROL_NAMESPACE_MAX + 1u)

typedef struct hectic_control_command {
    char name[HECTIC_CONTROL_NAMESPACE_MAX + 1]; /**< the namespace; a NUL behind it */
    uint8_t length;                              /**< of it; it may hold further NULs */
    uint8_t id;
} hectic_control_command;

/** A message. Returns its length, or what `capacity` would have to be; 0: a namespace without
 *  letters, or with more than 255. */
size_t hectic_control_encode(uint8_t *out, size_t capacity, const char *name, uint8_t id);

/** Where a stream of messages has been read to. Begins as all zeros. */
typedef struct hectic_control_parser {
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    uint16_t length; /**< of the message that has begun */
    bool invalid;    /**< a byte was not part of a message */
} hectic_control_parser;

typedef enum hectic_control_result {
    HECTIC_CONTROL_PARTIAL, /**< the message needs more bytes */
    HECTIC_CONTROL_COMMAND, /**< *command is complete */
    HECTIC_CONTROL_INVALID, /**< the stream is not one of messages: close the connection */
} hectic_control_result;

/** The next byte of the stream, which is messages from its first byte on. Any other byte makes it
 *  invalid, and it stays so: a message that is hidden behind other input, such as in the body of an
 *  HTTP request, is never a command. */
hectic_control_result hectic_control_parse(hectic_control_parser *parser, uint8_t byte,
                                           hectic_control_command *command);

#ifdef __cplusplus
}
#endif
#endif
