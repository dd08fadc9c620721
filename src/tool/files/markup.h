/* markup.h — text in HTML, SVG and other XML. */
#ifndef HECTIC_MARKUP_H
#define HECTIC_MARKUP_H

#include "tool/files/sink.h"

/* Appends untrusted text, as an element or an attribute in double quotes can have it: as
 * hectic_render_visible shows it, with references for what is syntax. */
void markup_text(struct sink *sink, const char *text);

#endif
