/* page.h — the page view.html, which is beside the command or installed with it. */
#ifndef HECTIC_VIEW_PAGE_H
#define HECTIC_VIEW_PAGE_H

#include <stddef.h>

/* NULL: this build has none. To be freed. */
char *page_read(size_t *length);

/* Why there is none. */
extern const char page_missing[];

#endif
