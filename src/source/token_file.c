#include "source/token_file.h"

#include <stdio.h>
#include <string.h>

bool token_of_place(char *place, char line[TOKEN_LINE_SIZE], char *message, size_t size)
{
    const char *file;
    line[0] = message[0] = 0;
    if (!token_file_of(place, &file)) {
        snprintf(
            message, size,
            "tcp:%s: only ,token-file=FILE may follow the port; the token is FILE's first line",
            place);
        return false;
    }
    if (!file) return true;
    if (token_read(file, line, message, size) != 0) return false;
    strcat(line, "\n");
    return true;
}

const char *token_hint(const char *line)
{
    return line[0] ? "if a token is required, the one in the given file is wrong"
                   : "if a token is required, use tcp:HOST:PORT,token-file=FILE";
}
