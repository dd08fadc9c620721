// The trees of a flame graph, from random stacks: who calls a frame, what it calls, and what is left without some frames,
// as sums over the stacks themselves; and of two runs together, each run's own sums.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { work } from "../support/page.mjs";

const { buildSync } = createRequire(`${process.env.HECTIC_MODULES}/view/package.json`)("esbuild");
const outfile = `${work}/flame_tree.mjs`;
buildSync({ entryPoints: ["view/src/panes/flame_tree.ts"], bundle: true, format: "esm", outfile });
const { around, frameSums, keyOf, leftHeavy, matching, together, treesOf, without } = await import(pathToFileURL(outfile).href);

/** Numbers below a limit, the same in each run. */
function drawing(seed) {
    let state = BigInt(seed);
    return (limit) => {
        state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
        return Number((state >> 33n) % BigInt(limit));
    };
}

/** Stacks, outermost first, each with its ns; few names, so that frames call themselves. */
const randomStacks = (draw) =>
    Array.from({ length: 1 + draw(60) }, () => ({ stack: Array.from({ length: 1 + draw(9) }, () => "abcdef"[draw(6)]), ns: draw(1000), ticks: draw(5) }));

/** The tree of an answer that has them. */
function treeOf(stacks) {
    const [name, parent, own, total, ownTicks, ticks] = [[0], [null], [0], [0], [0], [0]];
    const places = new Map([["", 0]]);
    for (const { stack, ns, ticks: number } of stacks) {
        for (let depth = 0; depth <= stack.length; depth++) {
            const path = stack.slice(0, depth).join("");
            if (!places.has(path)) {
                places.set(path, name.length);
                name.push("abcdef".indexOf(stack[depth - 1]));
                parent.push(places.get(path.slice(0, -1)));
                for (const list of [own, total, ownTicks, ticks]) list.push(0);
            }
            const at = places.get(path);
            total[at] += ns;
            ticks[at] += number;
            if (depth < stack.length) continue;
            own[at] += ns;
            ownTicks[at] += number;
        }
    }
    const names = [..."abcdef"].map((label) => ({ label, module: "M", location: `M.hs:${label}` }));
    const tree = { names, name, parent, own_ns: own, total_ns: total, own_ticks: ownTicks, total_ticks: ticks, left_out: 0 };
    return treesOf({ profiles: [{ tree, by_time: { node: [], from_ns: 0, to_ns: 0 }, source: "test", samples: 1 }] })[0];
}

/** own and total by path from the root, of the nodes whose depths have a sign. */
function sums({ nodes }, sign) {
    const found = {};
    nodes.forEach((node, at) => {
        if (Math.sign(node.depth) !== sign) return;
        const path = [];
        for (let one = at; one > 0; one = nodes[one].parent) path.unshift(nodes[one].label);
        found[path.join("")] = [node.own, node.total, node.ownTicks, node.ticks];
    });
    return found;
}

/** The same from lists of frames. */
function expected(lists) {
    const found = {};
    for (const { list, ns, ticks, endsHere } of lists) {
        for (let length = 1; length <= list.length; length++) {
            const sum = (found[list.slice(0, length).join("")] ??= [0, 0, 0, 0]);
            const isOwn = endsHere === undefined ? length === list.length : endsHere;
            if (isOwn) sum[0] += ns;
            sum[1] += ns;
            if (isOwn) sum[2] += ticks;
            sum[3] += ticks;
        }
    }
    return found;
}

/** own and total of the drawn run and of the other one, by path; without those that have none. */
function sidesOf({ nodes }, sign) {
    const sides = ["own otherOwn", "total otherTotal"].map((pair) => pair.split(" "));
    return [0, 1].map((side) => {
        const of = nodes.map((node) => ({ ...node, own: node[sides[0][side]], total: node[sides[1][side]], ownTicks: 0, ticks: 0 }));
        return Object.fromEntries(Object.entries(sums({ nodes: of }, sign)).filter(([, [own, total]]) => own || total));
    });
}

/** Both runs of a tree are those of their own trees. */
function isOfBoth(both, drawn, other, what) {
    for (const sign of [-1, 0, 1]) {
        const [left, right] = [drawn, other].map((tree) => (tree ? sidesOf(tree, sign)[0] : {}));
        assert.deepEqual(sidesOf(both, sign), [left, right], what);
    }
}

for (let seed = 1; seed <= 400; seed++) {
    const draw = drawing(seed);
    const [old, latest] = [treeOf(randomStacks(draw)), treeOf(randomStacks(draw))];
    for (const [drawn, other] of [[old, latest], [latest, old]]) {
        const both = together(old, latest, drawn);
        isOfBoth(both, drawn, other, `seed ${seed}`);
        const key = keyOf(drawn.nodes[1]);
        const has = (tree) => tree.nodes.some((node, at) => at > 0 && keyOf(node) === key);
        isOfBoth(around(both, key), around(drawn, key), has(other) && around(other, key), `seed ${seed}: around`);
        const pattern = new RegExp(`^[${"abcdef"[draw(6)]}${"abcdef"[draw(6)]}]$`);
        const rest = (tree) => without(tree, matching(tree, pattern));
        isOfBoth(rest(both), rest(drawn), rest(other), `seed ${seed}: without`);
        for (const frame of frameSums(both, 0)) {
            const own = [drawn, other].map((tree) => frameSums(tree, 0).find((one) => keyOf(one) === keyOf(frame)));
            assert.deepEqual([frame.own, frame.total, frame.otherOwn, frame.otherTotal], own.flatMap((one) => [one?.own ?? 0, one?.total ?? 0]));
        }
    }
}

for (let seed = 1; seed <= 400; seed++) {
    const draw = drawing(seed);
    const stacks = randomStacks(draw);
    const tree = treeOf(stacks);
    const before = JSON.stringify(tree);
    const all = frameSums(tree, 0);
    for (const frame of all) {
        const within = stacks.filter(({ stack }) => stack.includes(frame.label));
        const made = around(tree, keyOf(frame));
        const [root] = made.nodes;
        assert.deepEqual([root.label, root.total, root.ticks], [frame.label, frame.total, frame.ticks], `seed ${seed}`);
        assert.equal(root.total, within.reduce((sum, { ns }) => sum + ns, 0));
        const first = ({ stack }) => stack.indexOf(frame.label);
        const isEnd = (one) => first(one) === one.stack.length - 1;
        assert.deepEqual(sums(made, -1), expected(within.map((one) => ({ ...one, list: one.stack.slice(0, first(one)).reverse(), endsHere: isEnd(one) }))), `seed ${seed}: callers`);
        assert.deepEqual(sums(made, 1), expected(within.map((one) => ({ ...one, list: one.stack.slice(first(one) + 1) }))), `seed ${seed}: called`);
        // Boxes of both sides lie over the frame.
        const boxes = leftHeavy(made, 0, 0);
        assert.equal(boxes.length, made.nodes.length);
        for (const { node, left, right, depth } of boxes) {
            assert.equal(depth, made.nodes[node].depth);
            assert.ok(left >= 0 && right <= 1 && right >= left);
        }
    }
    const dropped = new RegExp(`^[${"abcdef"[draw(6)]}${"abcdef"[draw(6)]}]$`);
    const rest = without(tree, matching(tree, dropped));
    assert.deepEqual(sums(rest, 1), expected(stacks.map((one) => ({ ...one, list: one.stack.filter((label) => !dropped.test(label)) }))), `seed ${seed}: dropped`);
    assert.equal(rest.nodes[0].total, tree.nodes[0].total);
    assert.equal(JSON.stringify(tree), before, "it is not changed");
}
