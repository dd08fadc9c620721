/* Arbitrary bytes are parsed as commands and other bytes; encoded again, commands parse the same.
 */
#include "fuzz.h"

#include <hectic/control.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    hectic_control_parser parser = {0}, other = {0};
    hectic_control_command command, again;
    uint64_t used = 0, valid = 0;
    for (size_t i = 0; i < length; i++) {
        const hectic_control_result result = hectic_control_parse(&parser, data[i], &command);
        REQUIRE(result == HECTIC_CONTROL_INVALID || valid == i);
        valid += result != HECTIC_CONTROL_INVALID;
        if (result != HECTIC_CONTROL_COMMAND) continue;
        REQUIRE(command.length > 0 && command.name[command.length] == 0);
        used += 7 + (uint64_t)command.length;
        if (memchr(command.name, 0, command.length)) continue;
        uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
        const size_t size =
            hectic_control_encode(message, sizeof message, command.name, command.id);
        REQUIRE(size == 7 + (size_t)command.length);
        for (size_t j = 0; j + 1 < size; j++)
            REQUIRE(hectic_control_parse(&other, message[j], &again) == HECTIC_CONTROL_PARTIAL);
        REQUIRE(hectic_control_parse(&other, message[size - 1], &again) == HECTIC_CONTROL_COMMAND);
        REQUIRE(memcmp(&again, &command, sizeof again) == 0);
    }
    REQUIRE(used + parser.length == valid);
    return 0;
}
