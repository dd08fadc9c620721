/* profile_types.h — the types of events that profiles are made from. */
#ifndef HECTIC_SRC_VIEW_PROFILE_TYPES_H
#define HECTIC_SRC_VIEW_PROFILE_TYPES_H

#include "view/engine/job.h"

/* Each adds the types of a heap profile, or of a time profile. */
void view_heap_types(type_set *types);
void view_time_types(type_set *types);

#endif
