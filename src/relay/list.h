/* Lists whose members are linked both ways: each is added and removed at once, wherever it is. A
 * list is a link, too; one that is empty is linked to itself. */
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

/* Not linked to others afterwards: it may be removed again, or added. */
static inline void list_remove(list_link *member)
{
    member->next->previous = member->previous;
    member->previous->next = member->next;
    list_init(member);
}

/* NULL ends. */
static inline list_link *list_next(const list_link *list, const list_link *member)
{
    return member->next == list ? NULL : member->next;
}

static inline list_link *list_previous(const list_link *list, const list_link *member)
{
    return member->previous == list ? NULL : member->previous;
}

/* What a link is in; NULL of NULL. */
#define LIST_MEMBER(link, type, field)                                                             \
    ((link) ? (type *)(void *)((char *)(link)-offsetof(type, field)) : NULL)

#endif
