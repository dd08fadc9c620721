/* logs.h — parts of opening logs that few verbs need; see tool.h for the others. */
#ifndef HECTIC_LOGS_H
#define HECTIC_LOGS_H

#include "tool/cli/tool.h"

/* Is the file at `path` a program instead of a log (ELF, or a script with #!)? Then prints a
 * message that names hectic run, and the process exits with TOOL_USAGE. */
bool logs_refuse_program_at(const char *path);

/* Reports damage that was skipped: "hectic: LOG: byte 123: …; skipped 5 bytes". */
void logs_report_damage(const char *path, const hectic_damage *damage);

#endif
