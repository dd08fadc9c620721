/* paths.h — shortens the paths in texts, which name users and machines. */
#ifndef HECTIC_SRC_REDACT_PATHS_H
#define HECTIC_SRC_REDACT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of absolute paths in the text, also those of Windows, only the last part is left; of home
 * directories, "~"; of URLs, all but the user and the password. Of a text that `is_path`, also a
 * relative one, only its last part. A path ends at a blank. Shortening the result changes nothing.
 * Writes at most `size` bytes, perhaps in place; returns how many. */
size_t paths_shorten(const uint8_t *text, size_t size, bool is_path, uint8_t *out);

#endif
