/* The part of docs/events.md on GHC's own description of the format. */
#ifndef HECTIC_TOOLS_USERS_GUIDE_H
#define HECTIC_TOOLS_USERS_GUIDE_H

#include <hectic/catalogue.h>

/* Prints the differences between the User's Guide and the catalogue. */
void print_differences(const hectic_shape *shapes, size_t count);

/* GitHub's link to an event's entry. */
void print_link(const hectic_shape *shape);

#endif
