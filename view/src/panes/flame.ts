// Where the time goes: the stacks of a time profile as a flame graph, and the sums of each frame.
import { Drawing, type Paper } from "../draw/drawing";
import { fitted } from "../draw/pen";
import { inkOn, othersColor, tintOf } from "../draw/series";
import type { Range } from "../state/range";
import { duration, grouped, percent } from "../text";
import type { Theme } from "../theme";
import { choice, wideButton } from "./choice";
import { byTime, frameSums, leftHeavy, matching, pathTo, shareOf, treesOf, type Box, type FrameSum, type Tree } from "./flame_tree";
import { List } from "./list";
import { requestPane, type Pane } from "./pane";
import { element } from "./table";

const rowHeight = 19;
const leastRows = 6;
const mostPath = 60;
/** Of the flame graph by time: a column is seen in a narrow pane, too. */
const timeColumns = 360;

type Order = "weight" | "time";

/** A text, or a regular expression between slashes; null: matches nothing, as it is empty or malformed. */
export function patternOf(wanted: string): RegExp | null | undefined {
    const [, source, flags] = /^\/(.+)\/(i?)$/.exec(wanted) ?? [];
    try {
        if (source !== undefined) return new RegExp(source, flags);
    } catch {
        return undefined;
    }
    return wanted ? new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i") : null;
}

export function flamePane(theme: Theme): Pane {
    let trees: Tree[] = [];
    let chosen = 0;
    let order: Order = "weight";
    let range: Range = { from: 0, to: 1 };
    /** The node over the whole width, and those before it. */
    let focus = 0;
    let history: number[] = [];
    /** The path of labels to the focus: it is kept when the range changes. */
    let kept: string[] = [];
    let marked = -1;
    let found: ReadonlySet<number> | null = null;

    const tree = (): Tree | undefined => trees[chosen];
    const boxes = (width: number): Box[] => {
        const now = tree();
        if (!now) return [];
        const least = 0.3 / Math.max(width, 1);
        return order === "weight" ? leftHeavy(now, focus, least) : byTime(now, focus, range.from, range.to, least);
    };
    const depthOf = (list: readonly Box[]) => list.reduce((most, { depth }) => Math.max(most, depth), 0) + 1;

    const drawing = new Drawing(
        "Flame graph",
        theme,
        (width) => Math.max(depthOf(boxes(width)), leastRows) * rowHeight + 1,
        (paper) => draw(paper, boxes(paper.width)),
    );
    const { canvas } = drawing;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Flame graph: arrows choose a frame, Enter focuses it, Backspace goes back");
    const tip = element("div", "", "tip");
    tip.hidden = true;
    const status = element("output", "", "pointed");
    const path = element("nav", "", "path");
    path.setAttribute("aria-label", "Callers of the focused frame");
    const search = element("input");
    search.type = "search";
    search.placeholder = "Find frames: text or /regex/";
    search.setAttribute("aria-label", search.placeholder);
    const count = element("output", "", "remark");
    const back = element("button", "Back", "small");
    const select = element("select");
    select.setAttribute("aria-label", "Time profile");
    const controls = element("p", "", "controls");
    const modes: [Order, string][] = [["weight", "Left-heavy"], ["time", "By time"]];
    const orders = choice("Order", modes, order, (name) => {
        order = name;
        drawing.schedule();
    });
    controls.append(orders, back, wideButton(), select);
    const picture = element("div", "", "picture");
    picture.append(canvas, tip);

    const timeColumn = (title: string, key: "own" | "total") => ({
        title,
        value: (row: FrameSum) => row[key],
        text: (value: number) => duration(value),
        width: 9,
    });
    const shareColumn = (title: string, key: "own" | "total") => ({
        title,
        value: (row: FrameSum) => row[key] / Math.max(tree()?.nodes[0]!.total ?? 1, 1),
        text: percent,
        width: 10,
    });
    const list = new List<FrameSum>({
        caption: "Frames",
        columns: [
            { title: "frame", value: ({ label }) => label, width: 16 },
            timeColumn("own", "own"),
            shareColumn("own share", "own"),
            timeColumn("total", "total"),
            shareColumn("total share", "total"),
            { title: "ticks", value: ({ ownTicks }) => ownTicks, text: (value) => grouped(value), width: 7 },
            { title: "module", value: ({ module }) => module, width: 12 },
            { title: "place", value: ({ location }) => location, width: 14 },
        ],
        sort: 1,
        open: ({ label, module }) => {
            search.value = module ? `${module}.${label}` : label;
            find();
        },
        filter: "Filter frames",
    });

    function draw({ pen, width, height, palette, dark }: Paper, list: readonly Box[]): void {
        const now = tree();
        if (!now) return;
        pen.textBaseline = "middle";
        pen.font = `11px ${palette.font}`;
        for (const { node, depth, left, right } of list) {
            const { label, module } = now.nodes[node]!;
            const x = left * width;
            const room = (right - left) * width;
            const y = depth * rowHeight;
            const isPath = now.nodes[node]!.depth < now.nodes[focus]!.depth || node === 0;
            const fill = isPath ? othersColor(dark) : found && !found.has(node) ? othersColor(dark) : tintOf(`${module}.${label}`);
            pen.fillStyle = fill;
            pen.fillRect(x, y, Math.max(room - (room > 3 ? 1 : 0), 0.5), rowHeight - 1);
            if (node === marked) {
                pen.strokeStyle = palette.accent;
                pen.lineWidth = 2;
                pen.strokeRect(x + 1, y + 1, Math.max(room - 3, 1), rowHeight - 3);
            }
            if (room < 18) continue;
            const text = fitted(pen, label, room - 8);
            pen.fillStyle = inkOn(fill);
            if (text) pen.fillText(text, x + 4, y + rowHeight / 2);
        }
        if (list.length === 0) {
            pen.fillStyle = palette.faint;
            pen.fillText("No samples here.", 8, height / 2);
        }
    }

    function texts(node: number): string[] {
        const now = tree();
        const item = now?.nodes[node];
        if (!now || !item) return [];
        const all = Math.max(now.nodes[0]!.total, 1);
        const place = [item.module, item.location].filter(Boolean).join(", ");
        return [
            item.label,
            ...(place ? [place] : []),
            `own ${duration(item.own)} (${percent(item.own / all)}), ${grouped(item.ownTicks)} ticks`,
            `total ${duration(item.total)} (${percent(item.total / all)}), ${grouped(item.ticks)} ticks`,
        ];
    }

    function mark(node: number): void {
        if (node === marked) return;
        marked = node;
        status.textContent = node >= 0 ? texts(node).join(" · ") : "";
        drawing.schedule();
    }

    function go(node: number): void {
        const now = tree();
        if (!now) return;
        focus = node;
        kept = pathTo(now, node).slice(1).map((at) => now.nodes[at]!.label);
        back.disabled = history.length === 0;
        const names = pathTo(now, node);
        path.hidden = node === 0;
        path.replaceChildren(
            ...names.slice(-mostPath).map((at) => {
                const button = element("button", now.nodes[at]!.label, "small");
                button.disabled = at === node;
                button.addEventListener("click", () => visit(at));
                return button;
            }),
        );
        list.set(frameSums(now, focus));
        showFound();
        drawing.schedule();
    }

    function visit(node: number): void {
        if (node === focus) return;
        history.push(focus);
        go(node);
    }

    function goBack(): void {
        const before = history.pop();
        if (before !== undefined) go(before);
    }

    function find(): void {
        const pattern = patternOf(search.value.trim());
        const now = tree();
        search.setAttribute("aria-invalid", String(pattern === undefined));
        found = pattern && now ? matching(now, pattern) : null;
        showFound();
        drawing.schedule();
    }

    function showFound(): void {
        const now = tree();
        count.textContent =
            found && now
                ? `${grouped(found.size)} of ${grouped(now.nodes.length - 1)} stacks match: ${percent(shareOf(now, focus, found))} of the time`
                : "";
    }

    function boxAt(x: number, y: number): Box | undefined {
        const width = canvas.clientWidth;
        const depth = Math.floor(y / rowHeight);
        return boxes(width).find((box) => box.depth === depth && box.left * width <= x && x < Math.max(box.right * width, box.left * width + 1));
    }

    canvas.addEventListener("pointermove", (event) => {
        const box = boxAt(event.offsetX, event.offsetY);
        mark(box?.node ?? -1);
        tip.hidden = !box;
        if (!box) return;
        tip.replaceChildren(...texts(box.node).map((text, index) => element(index ? "span" : "strong", text)));
        const room = canvas.clientWidth - tip.offsetWidth;
        // Below the pointer or, if it would be cut off there, above it.
        const above = event.offsetY - tip.offsetHeight - 8;
        const edge = canvas.getBoundingClientRect().top + event.offsetY + 16 + tip.offsetHeight;
        const top = edge > innerHeight && above > -canvas.getBoundingClientRect().top ? above : event.offsetY + 16;
        tip.style.transform = `translate(${Math.max(Math.min(event.offsetX + 10, room), 0)}px, ${top}px)`;
    });
    canvas.addEventListener("pointerleave", () => {
        tip.hidden = true;
        mark(-1);
    });
    canvas.addEventListener("click", (event) => {
        const box = boxAt(event.offsetX, event.offsetY);
        if (box) visit(box.node);
    });
    canvas.addEventListener("keydown", (event) => {
        const now = tree();
        if (!now || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
        const at = marked >= 0 ? marked : focus;
        const { parent, children } = now.nodes[at]!;
        const siblings = parent >= 0 ? now.nodes[parent]!.children : [at];
        const place = siblings.indexOf(at);
        const moves: Record<string, () => number | undefined> = {
            ArrowUp: () => parent,
            ArrowDown: () => children[0],
            ArrowLeft: () => siblings[place - 1],
            ArrowRight: () => siblings[place + 1],
        };
        const move = moves[event.key];
        if (move) {
            const next = marked >= 0 ? move() : at;
            if (next !== undefined && next >= 0) mark(next);
        } else if (event.key === "Enter") {
            visit(at);
        } else if (event.key === "Backspace") {
            goBack();
        } else if (event.key === "Escape" && focus !== 0) {
            visit(0);
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    });
    search.addEventListener("input", find);
    back.addEventListener("click", goBack);
    select.addEventListener("change", () => {
        chosen = Number(select.value);
        start();
    });

    /** After another answer, the focus stays on the same stack if it is there. */
    function start(): void {
        const now = tree();
        history = [];
        marked = -1;
        status.textContent = "";
        let at = 0;
        for (const label of kept) {
            const next = now?.nodes[at]!.children.find((child) => now.nodes[child]!.label === label);
            if (next === undefined) {
                at = 0;
                break;
            }
            at = next;
        }
        find();
        go(at);
    }

    return requestPane({
        name: "flame",
        title: "Flame graph",
        isJob: true,
        request: "prof",
        keys: { width: timeColumns },
        show(answer, question) {
            trees = treesOf(answer).filter(({ nodes }) => nodes.length > 1);
            range = question.range;
            if (trees.length === 0) {
                return [
                    element(
                        "p",
                        "No time profile here. Build with ghc -prof and run with +RTS -p -l, or use the package ghc-stack-profiler.",
                        "missing",
                    ),
                ];
            }
            chosen = Math.min(chosen, trees.length - 1);
            select.hidden = trees.length < 2;
            select.replaceChildren(
                ...trees.map(({ title, samples }, index) => {
                    const option = element("option", `${title}, ${grouped(samples)} samples`);
                    option.value = String(index);
                    option.selected = index === chosen;
                    return option;
                }),
            );
            start();
            const { leftOut } = trees[chosen]!;
            const note = leftOut > 0 ? [element("p", `${grouped(leftOut)} smaller stacks are counted as part of their callers.`, "remark")] : [];
            return [controls, search, count, path, picture, ...note, status, list.element];
        },
    });
}
