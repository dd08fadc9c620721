/* hectic/hectic.h — the whole library, one header per subject, except hectic/eventlogging.h, whose
 * names have no prefix: include that separately. */
#ifndef HECTIC_HECTIC_H
#define HECTIC_HECTIC_H

#include <hectic/catalogue.h>
#include <hectic/collections.h>
#include <hectic/control.h>
#include <hectic/decoder.h>
#include <hectic/emit.h>
#include <hectic/encoder.h>
#include <hectic/error.h>
#include <hectic/exponential.h>
#include <hectic/filter.h>
#include <hectic/gaps.h>
#include <hectic/header.h>
#include <hectic/heap_profile.h>
#include <hectic/heap_samples.h>
#include <hectic/histogram.h>
#include <hectic/input.h>
#include <hectic/live_stats.h>
#include <hectic/log.h>
#include <hectic/machine.h>
#include <hectic/mmu.h>
#include <hectic/nonmoving.h>
#include <hectic/processes.h>
#include <hectic/render.h>
#include <hectic/server.h>
#include <hectic/spans.h>
#include <hectic/sparks.h>
#include <hectic/stacks.h>
#include <hectic/stat.h>
#include <hectic/stream.h>
#include <hectic/summary.h>
#include <hectic/symbols.h>
#include <hectic/tasks.h>
#include <hectic/threads.h>
#include <hectic/ticky.h>
#include <hectic/time_profile.h>
#include <hectic/time_samples.h>
#include <hectic/transform.h>
#include <hectic/verdict.h>
#include <hectic/version.h>
#include <hectic/writer.h>

#endif
