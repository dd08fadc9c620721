/* hectic/version.h — the version of the library. */
#ifndef HECTIC_VERSION_H
#define HECTIC_VERSION_H

#define HECTIC_VERSION "0.1.0"

/** The version of the library in use, as HECTIC_VERSION was when it was built. */
const char *hectic_version(void);

#endif
