/* hectic/version.h — the version of the library. */
#ifndef HECTIC_VERSION_H
#define HECTIC_VERSION_H

#define HECTIC_VERSION "0.2.0"

/** The version of the linked library: HECTIC_VERSION when it was built. */
const char *hectic_version(void);

#endif
