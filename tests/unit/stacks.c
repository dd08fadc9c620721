/* Trees of stacks: stacks of cost centres are found again, whatever their number; sums; limits. */
#include "bytes.h"

#include "format/event_bytes.h"

#include "profiles/stacks.h"

enum { STACKS = 30000, DEPTH_MAX = 255 };

struct tree {
    hectic_stacks *stacks;
    hectic_symbols *symbols;
};

static struct tree tree_new(uint32_t columns, uint32_t limit)
{
    const struct tree tree = {hectic_stacks_new(columns, limit), hectic_symbols_new(0)};
    assert_true(tree.stacks && tree.symbols);
    return tree;
}

static void tree_free(struct tree *tree)
{
    hectic_stacks_free(tree->stacks);
    hectic_symbols_free(tree->symbols);
}

/* The big-endian numbers of a random stack: of a few cost centres, so many have common callers. */
static size_t random_stack(uint64_t *random, uint8_t numbers[4 * DEPTH_MAX])
{
    const size_t depth = random_below(random, random_below(random, 100) ? 12 : DEPTH_MAX + 1);
    for (size_t i = 0; i < depth; i++)
        store32(numbers + 4 * i, (uint32_t)random_below(random, 4) * 1000003u);
    return depth;
}

static void check_path(const struct tree *tree, uint32_t node, const uint8_t *numbers, size_t depth)
{
    const hectic_stack_node *nodes = hectic_stacks_nodes(tree->stacks);
    assert_int_equal(nodes[node].depth, depth);
    for (size_t i = 0; i < depth; i++, node = nodes[node].parent) {
        const hectic_symbol symbol = hectic_symbols_get(tree->symbols, nodes[node].symbol);
        assert_int_equal(symbol.kind, HECTIC_SYMBOL_COST_CENTRE);
        assert_int_equal(symbol.number, load32(numbers + 4 * i));
        assert_true(nodes[node].parent < node);
    }
    assert_int_equal(node, HECTIC_STACKS_ROOT);
}

static void stacks_of_cost_centres_are_found_again(void **state)
{
    (void)state;
    struct tree tree = tree_new(1, 0);
    static uint8_t numbers[STACKS][4 * DEPTH_MAX];
    static size_t depth[STACKS];
    static uint32_t node[STACKS];
    uint64_t random = 1;
    for (size_t i = 0; i < STACKS; i++) {
        depth[i] = random_stack(&random, numbers[i]);
        node[i] = hectic_stacks_cost_centres(tree.stacks, tree.symbols, numbers[i], depth[i]);
        check_path(&tree, node[i], numbers[i], depth[i]);
    }
    const uint32_t count = hectic_stacks_count(tree.stacks);
    for (size_t i = 0; i < STACKS; i++)
        assert_int_equal(
            hectic_stacks_cost_centres(tree.stacks, tree.symbols, numbers[i], depth[i]), node[i]);
    assert_int_equal(hectic_stacks_count(tree.stacks), count);
    tree_free(&tree);
}

static void totals_are_those_of_the_subtrees(void **state)
{
    (void)state;
    struct tree tree = tree_new(2, 0);
    const uint32_t symbol = hectic_symbols_label(tree.symbols, "a", 1);
    const uint32_t a = hectic_stacks_child(tree.stacks, HECTIC_STACKS_ROOT, symbol);
    const uint32_t aa = hectic_stacks_child(tree.stacks, a, symbol);
    assert_int_equal(hectic_stacks_child(tree.stacks, a, symbol), aa);
    hectic_stacks_add(tree.stacks, a, 1, 5);
    hectic_stacks_add(tree.stacks, aa, 1, UINT64_MAX);
    hectic_stacks_add(tree.stacks, aa, 1, 1);
    assert_int_equal(hectic_stacks_count(tree.stacks), 4);
    assert_true(hectic_stacks_own(tree.stacks, aa, 1) == UINT64_MAX);
    assert_int_equal(hectic_stacks_own(tree.stacks, a, 1), 5);
    assert_int_equal(hectic_stacks_own(tree.stacks, a, 0), 0);
    hectic_stacks_reset(tree.stacks);
    assert_int_equal(hectic_stacks_own(tree.stacks, a, 1), 0);
    assert_int_equal(hectic_stacks_count(tree.stacks), 4);
    tree_free(&tree);
}

static void stacks_beyond_the_limit_are_others(void **state)
{
    (void)state;
    struct tree tree = tree_new(1, 5);
    uint8_t numbers[4 * 4];
    for (uint32_t i = 0; i < 4; i++)
        store32(numbers + 4 * i, i);
    for (int i = 0; i < 2; i++)
        assert_int_equal(hectic_stacks_cost_centres(tree.stacks, tree.symbols, numbers, 4),
                         HECTIC_STACKS_OTHERS);
    assert_int_equal(hectic_stacks_cost_centres(tree.stacks, tree.symbols, numbers + 8, 2), 3);
    assert_int_equal(hectic_stacks_cost_centres(tree.stacks, tree.symbols, numbers, 0),
                     HECTIC_STACKS_ROOT);
    assert_int_equal(hectic_stacks_child(tree.stacks, HECTIC_STACKS_ROOT, HECTIC_NO_SYMBOL),
                     HECTIC_STACKS_OTHERS);
    tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_cost_centres_are_found_again),
        cmocka_unit_test(totals_are_those_of_the_subtrees),
        cmocka_unit_test(stacks_beyond_the_limit_are_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
