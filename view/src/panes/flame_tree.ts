// The stacks of a time profile as a tree, and where its frames are in a flame graph.
import type { Hottest, ProfAnswer } from "../engine/requests";
import { visible } from "../text";

export interface Node {
    label: string;
    module: string;
    location: string;
    /** -1: none. */
    parent: number;
    depth: number;
    /** ns, of the stack itself and with all that extend it. */
    own: number;
    total: number;
    ownTicks: number;
    ticks: number;
    children: number[];
}

/** A time in which the same stack was the hottest. */
export interface Stretch {
    from: number;
    to: number;
    node: number;
}

export interface Tree {
    /** A parent comes before its children; the first is the root of all. */
    nodes: Node[];
    stretches: Stretch[];
    title: string;
    samples: number;
    /** Stacks that are counted as part of their callers only. */
    leftOut: number;
}

export function treesOf({ profiles }: ProfAnswer): Tree[] {
    return profiles.map(({ tree, by_time, source, samples }) => {
        const nodes: Node[] = [];
        for (const [at, number] of tree.parent.entries()) {
            const name = tree.names[tree.name[at] ?? -1];
            const parent = at === 0 ? -1 : (number ?? 0);
            if (parent >= at) throw new Error("prof: unexpected format");
            nodes.push({
                label: at === 0 ? "all" : visible(name?.label ?? ""),
                module: visible(name?.module ?? ""),
                location: visible(name?.location ?? ""),
                parent,
                depth: at === 0 ? 0 : nodes[parent]!.depth + 1,
                own: tree.own_ns[at] ?? 0,
                total: tree.total_ns[at] ?? 0,
                ownTicks: tree.own_ticks[at] ?? 0,
                ticks: tree.total_ticks[at] ?? 0,
                children: [],
            });
            if (at > 0) nodes[parent]!.children.push(at);
        }
        for (const node of nodes) node.children.sort((a, b) => nodes[b]!.total - nodes[a]!.total || a - b);
        const stretches = stretchesOf(by_time, nodes.length);
        return { nodes, stretches, title: visible(source ?? ""), samples: samples ?? 0, leftOut: tree.left_out };
    });
}

/** The hottest stack of each column of the time. */
function stretchesOf({ node: columns, from_ns: from, to_ns: to }: Hottest, count: number): Stretch[] {
    const step = (to - from) / Math.max(columns.length, 1);
    const found: Stretch[] = [];
    columns.forEach((node, column) => {
        if (node === null || node >= count) return;
        const last = found.at(-1);
        const at = from + column * step;
        if (last?.node === node && Math.abs(last.to - at) < step / 2) last.to = at + step;
        else found.push({ node, from: at, to: at + step });
    });
    return found;
}

export interface Box {
    node: number;
    depth: number;
    /** 0 … 1 of the width. */
    left: number;
    right: number;
}

export const pathTo = ({ nodes }: Tree, node: number): number[] => {
    const path = [];
    for (let at = node; at >= 0; at = nodes[at]!.parent) path.unshift(at);
    return path;
};

/** All callers of `focus` over the whole width, and below it what it calls, the largest on the left.
 *  Boxes narrower than `least` are left out. */
export function leftHeavy(tree: Tree, focus: number, least: number): Box[] {
    const { nodes } = tree;
    const boxes: Box[] = pathTo(tree, focus).map((node) => ({ node, depth: nodes[node]!.depth, left: 0, right: 1 }));
    const whole = Math.max(nodes[focus]!.total, 1);
    const open: Box[] = [boxes.at(-1)!];
    for (let box = open.pop(); box; box = open.pop()) {
        let { left } = box;
        for (const child of nodes[box.node]!.children) {
            const right = left + nodes[child]!.total / whole;
            if (right - left >= least) {
                const made = { node: child, depth: box.depth + 1, left, right: Math.min(right, 1) };
                boxes.push(made);
                open.push(made);
            }
            left = right;
        }
    }
    return boxes;
}

/** What was seen when. Equal frames at the same depth are one box until another one comes between. */
export function byTime(tree: Tree, focus: number, from: number, to: number, least: number): Box[] {
    const boxes: Box[] = [];
    const length = Math.max(to - from, 1);
    let open: Box[] = [];
    let end = -Infinity;
    for (const stretch of tree.stretches) {
        const path = pathTo(tree, stretch.node);
        if (!path.includes(focus) || stretch.to <= from || stretch.from >= to) continue;
        const left = Math.max((stretch.from - from) / length, 0);
        const right = Math.min((stretch.to - from) / length, 1);
        let same = 0;
        // A hole of less than a pixel is not seen.
        if (left - end <= least) while (same < path.length && open[same]?.node === path[same]) same++;
        open = open.slice(0, same);
        for (const box of open) box.right = Math.max(box.right, right);
        for (const node of path.slice(same)) {
            const box = { node, depth: tree.nodes[node]!.depth, left: Math.max(left, Math.min(end, right)), right };
            boxes.push(box);
            open.push(box);
        }
        end = right;
    }
    return boxes.filter(({ left, right }) => right - left >= least / 4);
}

export interface FrameSum {
    label: string;
    module: string;
    location: string;
    own: number;
    total: number;
    ownTicks: number;
    ticks: number;
}

/** Sums by frame, of what is below `focus`; a frame that calls itself counts once. */
export function frameSums({ nodes }: Tree, focus: number): FrameSum[] {
    const found = new Map<string, FrameSum>();
    const keyOf = ({ label, module, location }: Node) => `${label}\n${module}\n${location}`;
    const active = new Map<string, number>();
    const visit: { node: number; leave: boolean }[] = [{ node: focus, leave: false }];
    for (let step = visit.pop(); step; step = visit.pop()) {
        const node = nodes[step.node]!;
        const key = keyOf(node);
        const above = active.get(key) ?? 0;
        if (step.leave) {
            active.set(key, above - 1);
            continue;
        }
        active.set(key, above + 1);
        visit.push({ node: step.node, leave: true }, ...node.children.map((child) => ({ node: child, leave: false })));
        if (step.node === 0) continue;
        let sum = found.get(key);
        if (!sum) {
            const { label, module, location } = node;
            found.set(key, (sum = { label, module, location, own: 0, total: 0, ownTicks: 0, ticks: 0 }));
        }
        sum.own += node.own;
        sum.ownTicks += node.ownTicks;
        if (above > 0) continue;
        sum.total += node.total;
        sum.ticks += node.ticks;
    }
    return [...found.values()];
}

/** The nodes whose label, module or place match. */
export function matching({ nodes }: Tree, pattern: RegExp): Set<number> {
    const found = new Set<number>();
    nodes.forEach(({ label, module, location }, index) => {
        if (index > 0 && [label, module, location, `${module}.${label}`].some((part) => pattern.test(part))) found.add(index);
    });
    return found;
}

/** The share of the time below `focus` in stacks with one of `found`. */
export function shareOf({ nodes }: Tree, focus: number, found: ReadonlySet<number>): number {
    let sum = 0;
    const open = [focus];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (found.has(at)) sum += nodes[at]!.total;
        else open.push(...nodes[at]!.children);
    }
    return nodes[focus]!.total > 0 ? sum / nodes[focus]!.total : 0;
}
