// The stacks of a time profile as a tree, and where its frames are in a flame graph.
import type { Hottest, ProfAnswer } from "../engine/requests";
import { visible } from "../text";

export interface FrameName {
    label: string;
    module: string;
    location: string;
}

export interface Node extends FrameName {
    /** -1: none. */
    parent: number;
    /** Of callers of the root, in the tree around a frame: negative. */
    depth: number;
    /** ns, of the stack itself and with all that extend it. */
    own: number;
    total: number;
    /** The weight, likewise: shares are those of ticks, as in GHC's .prof files. */
    ownTicks: number;
    ticks: number;
    /** Of the other run, in a tree of two: 0 without. */
    otherOwn: number;
    otherTotal: number;
    children: number[];
}

const members = ["own", "total", "ownTicks", "ticks", "otherOwn", "otherTotal"] as const;

const ownMembers = ["own", "ownTicks", "otherOwn"] as const;

type Numbers = Pick<Node, (typeof members)[number]>;

const zero: Numbers = { own: 0, total: 0, ownTicks: 0, ticks: 0, otherOwn: 0, otherTotal: 0 };

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
                ...zero,
                own: tree.own_ns[at] ?? 0,
                total: tree.total_ns[at] ?? 0,
                ownTicks: tree.own_ticks[at] ?? 0,
                ticks: tree.total_ticks[at] ?? 0,
                children: [],
            });
            if (at > 0) nodes[parent]!.children.push(at);
        }
        for (const node of nodes) node.children.sort((a, b) => nodes[b]!.ticks - nodes[a]!.ticks || a - b);
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

export const keyOf = ({ label, module, location }: FrameName): string => `${label}\n${module}\n${location}`;

/** Nodes that are added one by one: equal frames of the same caller are one. */
class Growing {
    readonly nodes: Node[];
    private readonly byKey = new Map<string, number>();

    constructor(root: FrameName) {
        this.nodes = [{ ...root, ...zero, parent: -1, depth: 0, children: [] }];
    }

    /** The node of a frame beside `parent`, with what is added to it. */
    add(parent: number, step: 1 | -1, frame: FrameName, numbers: Numbers): number {
        const key = `${parent} ${step} ${keyOf(frame)}`;
        let at = this.byKey.get(key);
        if (at === undefined) {
            at = this.nodes.length;
            const { label, module, location } = frame;
            const depth = this.nodes[parent]!.depth + step;
            this.nodes.push({ label, module, location, ...zero, parent, depth, children: [] });
            this.nodes[parent]!.children.push(at);
            this.byKey.set(key, at);
        }
        this.grow(at, numbers);
        return at;
    }

    grow(at: number, numbers: Numbers): void {
        const node = this.nodes[at]!;
        for (const member of members) node[member] += numbers[member];
    }

    sorted(): Node[] {
        for (const { children } of this.nodes) children.sort((a, b) => this.nodes[b]!.ticks - this.nodes[a]!.ticks || a - b);
        return this.nodes;
    }
}

/** A frame wherever it was called. Beside the root, of positive depths, is what it calls; of negative depths, who calls
 *  it, with its time in their calls. What it calls itself is a part of its outermost call. */
export function around(tree: Tree, key: string): Tree {
    const { nodes } = tree;
    const isIt = nodes.map((node, at) => at > 0 && keyOf(node) === key);
    const isInside: boolean[] = [];
    const grown = new Growing(nodes[isIt.indexOf(true)] ?? nodes[0]!);
    nodes.forEach((node, at) => {
        isInside[at] = node.parent >= 0 && (isInside[node.parent]! || isIt[node.parent]!);
        if (!isIt[at] || isInside[at]) return;
        grown.grow(0, node);
        let called = 0;
        for (let caller = node.parent; caller > 0; caller = nodes[caller]!.parent) called = grown.add(called, -1, nodes[caller]!, node);
        const open: [child: number, parent: number][] = node.children.map((child) => [child, 0]);
        for (let next = open.pop(); next; next = open.pop()) {
            const [child, parent] = next;
            const made = grown.add(parent, 1, nodes[child]!, nodes[child]!);
            for (const one of nodes[child]!.children) open.push([one, made]);
        }
    });
    return { ...tree, nodes: grown.sorted(), stretches: [] };
}

/** Without some nodes: their time is that of their callers. */
export function without(tree: Tree, dropped: ReadonlySet<number>): Tree {
    const { nodes } = tree;
    const grown = new Growing(nodes[0]!);
    /** Where the time of each node is. */
    const place = [0];
    nodes.forEach((node, at) => {
        if (at === 0) return grown.grow(0, node);
        const parent = place[node.parent]!;
        if (dropped.has(at)) grown.grow(parent, { ...zero, own: node.own, ownTicks: node.ownTicks, otherOwn: node.otherOwn });
        place[at] = dropped.has(at) ? parent : grown.add(parent, 1, node, node);
    });
    return { ...tree, nodes: grown.sorted(), stretches: tree.stretches.map((stretch) => ({ ...stretch, node: place[stretch.node]! })) };
}

/** The stacks of two runs; the numbers of one are drawn. As in the command, the same frame has the same module and label:
 *  every edit moves its place, which is that in the latest run. */
export function together(old: Tree, latest: Tree, drawn: Tree): Tree {
    const other = drawn === old ? latest : old;
    const nameOf = ({ label, module }: FrameName) => `${label}\n${module}`;
    const places = new Map([...old.nodes, ...latest.nodes].map((node) => [nameOf(node), node.location]));
    const grown = new Growing(drawn.nodes[0]!);
    const add = ({ nodes }: Tree, numbersOf: (node: Node) => Numbers) => {
        const place: number[] = [];
        for (const node of nodes) {
            if (node.parent >= 0) {
                place.push(grown.add(place[node.parent]!, 1, { ...node, location: places.get(nameOf(node))! }, numbersOf(node)));
                continue;
            }
            grown.grow(0, numbersOf(node));
            place.push(0);
        }
        return place;
    };
    const place = add(drawn, (node) => node);
    add(other, ({ own, total }) => ({ ...zero, otherOwn: own, otherTotal: total }));
    const stretches = drawn.stretches.map((stretch) => ({ ...stretch, node: place[stretch.node]! }));
    return { ...drawn, nodes: grown.sorted(), stretches, leftOut: drawn.leftOut + other.leftOut };
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

/** All callers of `focus` over the whole width, and below it what it calls, the largest on the left; in the tree around a
 *  frame, likewise above it who calls it. Boxes narrower than `least` are left out. */
export function leftHeavy(tree: Tree, focus: number, least: number): Box[] {
    const { nodes } = tree;
    const boxes: Box[] = pathTo(tree, focus).map((node) => ({ node, depth: nodes[node]!.depth, left: 0, right: 1 }));
    const whole = Math.max(nodes[focus]!.ticks, 1);
    const open: Box[] = [boxes.at(-1)!];
    for (let box = open.pop(); box; box = open.pop()) {
        let [below, above] = [box.left, box.left];
        for (const child of nodes[box.node]!.children) {
            const { depth, ticks } = nodes[child]!;
            const left = depth > box.depth ? below : above;
            const right = left + ticks / whole;
            if (right - left >= least) {
                const made = { node: child, depth, left: Math.min(left, 1), right: Math.min(right, 1) };
                boxes.push(made);
                open.push(made);
            }
            if (depth > box.depth) below = right;
            else above = right;
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

export type FrameSum = FrameName & Numbers;

/** Sums by frame, of what is below `focus`; a frame that calls itself counts once. */
export function frameSums({ nodes }: Tree, focus: number): FrameSum[] {
    const found = new Map<string, FrameSum>();
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
            found.set(key, (sum = { label, module, location, ...zero }));
        }
        for (const member of above > 0 ? ownMembers : members) sum[member] += node[member];
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

/** The share of the ticks below `focus` in stacks with one of `found`. */
export function shareOf({ nodes }: Tree, focus: number, found: ReadonlySet<number>): number {
    let sum = 0;
    const open = [focus];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (found.has(at)) sum += nodes[at]!.ticks;
        else open.push(...nodes[at]!.children);
    }
    return nodes[focus]!.ticks > 0 ? sum / nodes[focus]!.ticks : 0;
}
