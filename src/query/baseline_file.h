/* baseline_file.h — a baseline in a file. */
#ifndef HECTIC_SRC_BASELINE_FILE_H
#define HECTIC_SRC_BASELINE_FILE_H

#include "compare/baseline.h"

/* Does the file begin like a baseline? */
bool baseline_is(const char *path);

/* As baseline_parse. */
enum baseline_result baseline_read(struct runs *runs, const char *path, char **options,
                                   size_t *line);

#endif
