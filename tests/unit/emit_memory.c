/* Emitting without memory: each allocation in turn fails, alone or with all later ones. The
 * output is a valid log, or empty. */
#include "emit.h"

#include <errno.h>
#include <sys/wait.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_ALLOCATOR 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined __GLIBC__
#define HAS_ALLOCATOR 1
#endif

#ifdef HAS_ALLOCATOR
int main(void)
{
    puts("The allocator cannot be replaced here.");
    return 77;
}
#else

static bool counting, all;
static long left; /* allocations that still succeed */

static bool fails(void)
{
    if (!__atomic_load_n(&counting, __ATOMIC_RELAXED)) return false;
    const long now = __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED);
    if (now > 0 || (now < 0 && !all)) return false;
    errno = ENOMEM;
    return true;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

/* A hectic_emit_writer that does not allocate. */
struct room {
    uint8_t bytes[1 << 22];
    size_t used;
};

static bool fill(void *user, const void *bytes, size_t length)
{
    struct room *r = user;
    if (length > sizeof r->bytes - r->used) return false;
    memcpy(r->bytes + r->used, bytes, length);
    r->used += length;
    return true;
}

static const hectic_emit_writer filling = {.write = fill};
static struct room first, second;

static void emit_some(hectic_emitter *e, uint16_t number)
{
    for (uint32_t i = 0; i < 4000; i++) {
        hectic_emit_cap *cap = hectic_emitter_cap(e, i % 3);
        if (i % 500 == 0) {
            hectic_emit_create_thread(cap, i);
            hectic_emit_thread_label(cap, i, "worker");
        }
        hectic_emit_user_msg(cap, "a message that is neither long nor short");
        hectic_emit_bytes(cap, number, &(uint64_t){i}, 8);
    }
}

static void emit(const hectic_destination *to, const hectic_destination *then)
{
    const hectic_emitter_options options = {
        .caps = 3, .buffer_size = 1, .clock = HECTIC_CLOCK_MONOTONIC};
    uint16_t number = 0;
    hectic_emitter *e = hectic_emitter_new(&options);
    if (!e) return;
    hectic_emitter_register(e, 0, 8, HECTIC_CLASS_USER, true, "a definition", &number);
    hectic_emitter_start(e, to);
    emit_some(e, number);
    hectic_emit_cap *later = hectic_emitter_cap(e, 5);
    if (later) hectic_emit_user_msg(later, "made later");
    hectic_emitter_sync(e);
    hectic_emitter_flush(e, 0);
    if (to->kind == HECTIC_TO_RING)
        hectic_emitter_dump(e, then);
    else
        hectic_emitter_redirect(e, then);
    emit_some(e, number);
    hectic_emitter_stop(e);
    hectic_emitter_free(e);
}

static void check(const struct room *r)
{
    struct found f = found_in(r->bytes, r->used);
    assert_int_equal(f.errors, 0);
    assert_true(f.headers <= 1);
    found_free(&f);
}

/* In a separate process. True: fewer allocations were made than succeed. */
static bool try_with(long succeeding, const hectic_destination *to)
{
    enum { ENOUGH = 9 };
    const hectic_destination then = {
        .kind = HECTIC_TO_WRITER, .writer = &filling, .user = &second, .wait_ms = 1};
    const pid_t child = fork();
    if (child == 0) {
        left = succeeding;
        counting = true;
        emit(to, &then);
        counting = false;
        check(&first);
        check(&second);
        _exit(left > 0 ? ENOUGH : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("signal %d with %ld allocations", WTERMSIG(status), succeeding);
    if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != ENOUGH)
        fail_msg("a broken log with %ld allocations", succeeding);
    return WEXITSTATUS(status) == ENOUGH;
}

static void failed_allocations_are_handled(void **state)
{
    (void)state;
    const hectic_destination to[] = {
        {.kind = HECTIC_TO_WRITER, .writer = &filling, .user = &first, .wait_ms = 1},
        {.kind = HECTIC_TO_RING, .ring_size = 200000},
    };
    for (unsigned i = 0; i < 4; i++) {
        all = i % 2;
        for (long succeeding = 0; !try_with(succeeding, &to[i / 2]); succeeding++)
            ;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_allocations_are_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
