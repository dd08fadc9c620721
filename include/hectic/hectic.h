/* hectic/hectic.h — the whole library, one header per subject, except hectic/eventlogging.h, whose
 * names have no prefix: include that separately. */
#ifndef HECTIC_HECTIC_H
#define HECTIC_HECTIC_H

#include <hectic/batch.h>
#include <hectic/catalogue.h>
#include <hectic/control.h>
#include <hectic/decoder.h>
#include <hectic/emit.h>
#include <hectic/encoder.h>
#include <hectic/error.h>
#include <hectic/filter.h>
#include <hectic/gaps.h>
#include <hectic/header.h>
#include <hectic/input.h>
#include <hectic/log.h>
#include <hectic/machine.h>
#include <hectic/render.h>
#include <hectic/server.h>
#include <hectic/stream.h>
#include <hectic/tables.h>
#include <hectic/transform.h>
#include <hectic/version.h>
#include <hectic/writer.h>

#endif
