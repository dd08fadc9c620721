/* tool.h — the headers that all verbs include. */
#ifndef HECTIC_TOOL_H
#define HECTIC_TOOL_H

#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/cli/verb.h"
#include "tool/input/filters.h"
#include "tool/input/logs.h"
#include "tool/output/sink.h"

#endif
