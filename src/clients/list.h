/* Intrusive doubly linked lists: a member is added and removed in constant time. A list is a link,
 * too; an empty list is linked to itself. */
#ifndef HECTIC_SRC_LIST_H
#define HECTIC_SRC_LIST_H

#include <stddef.h>

typedef struct list_link {
    struct list_link *next, *previous;
} list_link;

static inline void list_init(list_link *list)
{
    list->next = list->previous = list;
}

/* At the beginning. */
static inline void list_add(list_link *list, list_link *member)
{
    member->next = list->next;
    member->previous = list;
    list->next->previous = member;
    list->next = member;
}

/* The member may be removed again, or added, afterwards. */
static inline void list_remove(list_link *member)
{
    member->next->previous = member->previous;
    member->previous->next = member->next;
    list_init(member);
}

/* NULL: the end. */
static inline list_link *list_next(const list_link *list, const list_link *member)
{
    return member->next == list ? NULL : member->next;
}

static inline list_link *list_previous(const list_link *list, const list_link *member)
{
    return member->previous == list ? NULL : member->previous;
}

/* The structure that contains a link; NULL for NULL. */
#define LIST_MEMBER(link, type, field)                                                             \
    ((link) ? (type *)(void *)((char *)(link)-offsetof(type, field)) : NULL)

#endif
