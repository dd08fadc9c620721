/* joint_pass.c — see joint_pass.h. */
#include "read/joint_pass.h"

#include <pthread.h>
#include <stdlib.h>

struct member {
    struct joint_pass *joint;
    pthread_t thread;
    void (*function)(void *user);
    void *user;
    const struct time_consumer *consumer; /* NULL: it does not wait for the pass */
    void *self;
    bool is_settled;   /* it waits, or has ended */
    bool is_stopped;   /* by the consumer */
    pass_next section; /* what the consumer wants of the current one */
    bool has_begun;    /* it takes part in the section, which it may skip later */
};

struct joint_pass {
    hectic_log *log;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_over;
    hectic_result last;
    void (*progress)(void *user, double done);
    void *user;
    size_t members;
    struct member member[];
};

struct joint_pass *joint_pass_new(hectic_log *log, size_t most)
{
    struct joint_pass *joint = calloc(1, sizeof *joint + most * sizeof joint->member[0]);
    if (!joint) return NULL;
    joint->log = log;
    pthread_mutex_init(&joint->mutex, NULL);
    pthread_cond_init(&joint->changed, NULL);
    return joint;
}

void joint_pass_free(struct joint_pass *joint)
{
    pthread_mutex_destroy(&joint->mutex);
    pthread_cond_destroy(&joint->changed);
    free(joint);
}

/* --- Members --------------------------------------------------------------------------------- */

static _Thread_local struct member *current; /* that of the thread */

static void settle(struct member *member)
{
    struct joint_pass *joint = member->joint;
    pthread_mutex_lock(&joint->mutex);
    member->is_settled = true;
    pthread_cond_broadcast(&joint->changed);
    pthread_mutex_unlock(&joint->mutex);
}

static void *run_member(void *user)
{
    struct member *member = current = user;
    member->function(member->user);
    settle(member);
    return NULL;
}

bool joint_pass_add(struct joint_pass *joint, void (*function)(void *user), void *user)
{
    struct member *member = &joint->member[joint->members];
    *member = (struct member){.joint = joint, .function = function, .user = user};
    if (pthread_create(&member->thread, NULL, run_member, member) != 0) return false;
    joint->members++;
    pthread_mutex_lock(&joint->mutex);
    while (!member->is_settled)
        pthread_cond_wait(&joint->changed, &joint->mutex);
    pthread_mutex_unlock(&joint->mutex);
    return true;
}

hectic_result joint_pass_wait(struct joint_pass *joint, const struct time_consumer *consumer,
                              void *self)
{
    struct member *member = current;
    member->consumer = consumer;
    member->self = self;
    settle(member);
    pthread_mutex_lock(&joint->mutex);
    while (!joint->is_over)
        pthread_cond_wait(&joint->changed, &joint->mutex);
    pthread_mutex_unlock(&joint->mutex);
    return member->is_stopped ? HECTIC_GOT_EVENT : joint->last;
}

/* --- The pass -------------------------------------------------------------------------------- */

static bool takes_part(const struct member *member)
{
    return member->consumer && !member->is_stopped;
}

static void set_next(struct member *member, pass_next next)
{
    member->section = next;
    member->is_stopped = member->is_stopped || next == PASS_STOP;
}

/* What all members want. */
static pass_next next_of_all(const struct joint_pass *joint)
{
    pass_next next = PASS_STOP;
    for (size_t i = 0; i < joint->members; i++)
        if (takes_part(&joint->member[i]) && joint->member[i].section < next)
            next = joint->member[i].section;
    return next;
}

static pass_next begin(void *self, const struct log_section *section)
{
    struct joint_pass *joint = self;
    for (size_t i = 0; i < joint->members; i++) {
        struct member *member = &joint->member[i];
        if (!takes_part(member)) continue;
        set_next(member, member->consumer->begin ? member->consumer->begin(member->self, section)
                                                 : PASS_ON);
        member->has_begun = member->section == PASS_ON;
    }
    return next_of_all(joint);
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    struct joint_pass *joint = self;
    for (size_t i = 0; i < joint->members; i++) {
        struct member *member = &joint->member[i];
        if (takes_part(member) && member->section == PASS_ON)
            set_next(member, member->consumer->events(member->self, event, count));
    }
    return next_of_all(joint);
}

static bool end(void *self, const struct log_section *section)
{
    struct joint_pass *joint = self;
    for (size_t i = 0; i < joint->members; i++) {
        struct member *member = &joint->member[i];
        if (takes_part(member) && member->has_begun && member->consumer->end &&
            !member->consumer->end(member->self, section))
            member->is_stopped = true;
    }
    return next_of_all(joint) != PASS_STOP;
}

static void show_progress(void *self, double done)
{
    const struct joint_pass *joint = self;
    if (joint->progress) joint->progress(joint->user, done);
}

void joint_pass_run(struct joint_pass *joint, void (*progress)(void *user, double done), void *user)
{
    static const struct time_consumer consumer = {begin, take_events, end, show_progress};
    joint->progress = progress;
    joint->user = user;
    joint->last = time_pass(joint->log, &consumer, joint);
    pthread_mutex_lock(&joint->mutex);
    joint->is_over = true;
    pthread_cond_broadcast(&joint->changed);
    pthread_mutex_unlock(&joint->mutex);
    for (size_t i = 0; i < joint->members; i++)
        pthread_join(joint->member[i].thread, NULL);
}
