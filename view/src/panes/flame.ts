// Where the time goes: the stacks of a time profile as a flame graph, and the sums of each frame.
import { Drawing, type Paper } from "../draw/drawing";
import { Refused } from "../engine/protocol";
import type { ProfAnswer, SamplePart } from "../engine/requests";
import { fitted } from "../draw/pen";
import { changeColor, inkOn, othersColor, tintOf } from "../draw/series";
import type { Range } from "../state/range";
import { duration, grouped, percent, visible } from "../text";
import type { Theme } from "../theme";
import { choice, wideButton } from "./choice";
import { around, byTime, frameSums, keyOf, leftHeavy, matching, pathTo, shareOf, treesOf, together, without, type Box, type FrameSum, type Tree } from "./flame_tree";
import { changeColumns, noPair, pairsOf, withSign } from "./fields";
import { List } from "./list";
import { about, paneOf, recorded, type Pane, type Question } from "./pane";
import { element } from "./table";

const rowHeight = 19;
const noProfile = "No time profile here. Build with ghc -prof and run with +RTS -p -l, or use the package ghc-stack-profiler.";
const leastRows = 6;
const mostPath = 60;
/** Of the flame graph by time: a column is seen in a narrow pane, too. */
const timeColumns = 360;

type Order = "weight" | "time" | "sandwich";
/** Which samples count. */
type By = "all" | "thread" | "span";
type Side = "new" | "old";
type Shade = "own" | "total";

/** Of a frame in the old and in the new run, by the side that is drawn. */
const bothOf = ({ own, total, otherOwn, otherTotal }: FrameSum, shade: Shade, side: Side): readonly [old: number, latest: number] => {
    const [drawn, other] = shade === "own" ? [own, otherOwn] : [total, otherTotal];
    return side === "new" ? [other, drawn] : [drawn, other];
};

const changeText = ([old, latest]: readonly [number, number]): string => {
    const change = latest - old;
    const part = old > 0 ? ` (${withSign(percent(change / old), change)})` : latest > 0 ? " (only new)" : "";
    return `${duration(old)} to ${duration(latest)}, ${withSign(duration(change), change)}${part}`;
};

/** Where one was: the focus, or the frame of the sandwich. */
type Place = number | string;

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

const partText = (by: By, { part, label }: SamplePart): string =>
    by === "span" ? visible(label ?? "") : part === null ? "no thread" : label ? `${visible(label)} (${part})` : `thread ${part}`;

export function flamePane(theme: Theme): Pane {
    let by: By = "all";
    /** A number of it; null: all samples. */
    let part: number | null = null;
    let again: () => void = () => undefined;
    let trees: Tree[] = [];
    /** Of two runs, which are compared. */
    let pairs: (readonly [old: Tree, latest: Tree])[] = [];
    let side: Side = "new";
    let shade: Shade = "own";
    /** ns: the largest change of a frame. */
    let most = 1;
    let chosen = 0;
    /** Frames that match are not shown. */
    let drops: RegExp[] = [];
    /** The tree without them; and that around the frame of the sandwich. */
    let base: Tree | undefined;
    let sandwich: { key: string; tree: Tree } | undefined;
    let order: Order = "weight";
    let range: Range = { from: 0, to: 1 };
    /** The node over the whole width, and those before it. */
    let focus = 0;
    let history: Place[] = [];
    /** The path of labels to the focus: it is kept when the range changes. */
    let kept: string[] = [];
    let marked = -1;
    let found: ReadonlySet<number> | null = null;

    const isSandwich = () => order === "sandwich";
    const tree = (): Tree | undefined => (isSandwich() ? sandwich?.tree : base);
    const boxes = (width: number): Box[] => {
        const now = tree();
        if (!now) return [];
        const least = 0.3 / Math.max(width, 1);
        const found = order === "time" ? byTime(now, focus, range.from, range.to, least) : leftHeavy(now, focus, least);
        const above = found.reduce((most, { depth }) => Math.max(most, -depth), 0);
        return above > 0 ? found.map((box) => ({ ...box, depth: box.depth + above })) : found;
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
    const drop = element("button", "Drop", "small");
    drop.title = "Leave out the frames that match: their time is that of their callers";
    const restore = element("button", "Show what was dropped", "small");
    const back = element("button", "Back", "small");
    const select = element("select");
    select.setAttribute("aria-label", "Time profile");
    const controls = element("p", "", "controls");
    const modes: [Order, string][] = [["weight", "Left-heavy"], ["time", "By time"], ["sandwich", "Sandwich"]];
    const orders = choice("Order", modes, order, (name) => {
        const node = base?.nodes[focus];
        const wasSandwich = isSandwich();
        order = name;
        if (isSandwich() === wasSandwich) return drawing.schedule();
        history = [];
        if (isSandwich()) surround(node && focus > 0 ? keyOf(node) : heaviest());
        else start();
    });
    controls.append(orders, back, wideButton(), select);
    const sampling = element("p", "", "controls");
    const samplings: [By, string][] = [["all", "All samples"], ["thread", "Of a thread"], ["span", "In spans"]];
    const partSelect = element("select");
    partSelect.setAttribute("aria-label", "Samples that count");
    sampling.append(
        choice("Samples", samplings, by, (name) => {
            by = name;
            part = null;
            again();
        }),
        partSelect,
    );
    partSelect.addEventListener("change", () => {
        part = partSelect.value === "" ? null : Number(partSelect.value);
        again();
    });
    const changing = element("p", "", "controls");
    const sides: [Side, string][] = [["new", "New"], ["old", "Old"]];
    const shades: [Shade, string][] = [["own", "Itself"], ["total", "With its calls"]];
    changing.append(
        element("span", "Widths", "of-choice"),
        choice("Widths", sides, side, (name) => {
            side = name;
            mergeAll();
            start();
        }),
        element("span", "Colors", "of-choice"),
        choice("Colors", shades, shade, (name) => {
            shade = name;
            measure();
            drawing.schedule();
        }),
    );
    /** What the colors mean. */
    const key = element("p", "", "runs");
    const fillKey = () => {
        const marks = [-1, 1].map((part) => {
            const mark = element("i");
            mark.style.background = changeColor(part, theme.dark);
            return mark;
        });
        key.replaceChildren(marks[0]!, "less time in the new log", marks[1]!, "more");
    };
    theme.listen(fillKey);
    fillKey();
    const searching = element("p", "", "controls");
    searching.append(search, drop, restore);
    restore.hidden = true;
    const picture = element("div", "", "picture");
    picture.append(canvas, tip);

    const timeColumn = (title: string, key: "own" | "total") => ({
        title,
        value: (row: FrameSum) => row[key],
        text: (value: number) => duration(value),
        width: 9,
    });
    const shareColumn = (title: string, key: "ownTicks" | "ticks") => ({
        title,
        value: (row: FrameSum) => row[key] / whole(),
        text: percent,
        width: 10,
    });
    const list = new List<FrameSum>({
        caption: "Frames",
        columns: [
            { title: "frame", value: ({ label }) => label, width: 16 },
            timeColumn("own", "own"),
            shareColumn("own share", "ownTicks"),
            timeColumn("total", "total"),
            shareColumn("total share", "ticks"),
            { title: "ticks", value: ({ ownTicks }) => ownTicks, text: (value) => grouped(value), width: 7 },
            { title: "module", value: ({ module }) => module, width: 12 },
            { title: "place", value: ({ location }) => location, width: 14 },
        ],
        sort: 2,
        open: openFrame,
        filter: "Filter frames",
    });

    const changeList = new List<FrameSum>({
        caption: "Frames",
        columns: [
            { title: "frame", value: ({ label }) => label, width: 16 },
            ...changeColumns<FrameSum>("own", (row) => bothOf(row, "own", side), duration),
            ...changeColumns<FrameSum>("total", (row) => bothOf(row, "total", side), duration),
            { title: "module", value: ({ module }) => module, width: 12 },
            { title: "place", value: ({ location }) => location, width: 14 },
        ],
        sort: 1,
        open: openFrame,
        filter: "Filter frames",
    });

    function openFrame(frame: FrameSum): void {
        const { label, module } = frame;
        if (isSandwich()) return visit(keyOf(frame));
        search.value = module ? `${module}.${label}` : label;
        find();
    }

    const compares = () => pairs.length > 0;

    function listFrames(sums: FrameSum[]): void {
        (compares() ? changeList : list).set(sums);
    }

    function mergeAll(): void {
        trees = pairs.map(([old, latest]) => together(old, latest, side === "new" ? latest : old));
    }

    const changeIn = (node: FrameSum): number => {
        const [old, latest] = bothOf(node, shade, side);
        return latest - old;
    };

    function measure(): void {
        most = (base?.nodes.slice(1) ?? []).reduce((max, node) => Math.max(max, Math.abs(changeIn(node))), 1);
    }

    function draw({ pen, width, height, palette, dark }: Paper, list: readonly Box[]): void {
        const now = tree();
        if (!now) return;
        pen.textBaseline = "middle";
        pen.font = `11px ${palette.font}`;
        for (const { node, depth, left, right } of list) {
            const { label, module } = now.nodes[node]!;
            const own = compares() ? changeColor(changeIn(now.nodes[node]!) / most, dark) : tintOf(`${module}.${label}`);
            const x = left * width;
            const room = (right - left) * width;
            const y = depth * rowHeight;
            const isPath = !isSandwich() && (now.nodes[node]!.depth < now.nodes[focus]!.depth || node === 0);
            const fill = isPath ? othersColor(dark) : found && !found.has(node) ? othersColor(dark) : own;
            pen.fillStyle = fill;
            pen.fillRect(x, y, Math.max(room - (room > 3 ? 1 : 0), 0.5), rowHeight - 1);
            if (node === marked || (isSandwich() && node === 0)) {
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
        const all = whole();
        const { label } = now.nodes[0]!;
        const relation = !isSandwich() || node === 0 ? [] : [item.depth < 0 ? `a caller of ${label}; in its calls:` : `called by ${label}; there:`];
        const place = [item.module, item.location].filter(Boolean).join(", ");
        return [
            item.label,
            ...(place ? [place] : []),
            ...relation,
            ...(compares()
                ? [`own ${changeText(bothOf(item, "own", side))}`, `total ${changeText(bothOf(item, "total", side))}`]
                : [
                      `own ${duration(item.own)} (${percent(item.ownTicks / all)}), ${grouped(item.ownTicks)} ticks`,
                      `total ${duration(item.total)} (${percent(item.ticks / all)}), ${grouped(item.ticks)} ticks`,
                  ]),
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
        listFrames(frameSums(now, focus));
        showFound();
        drawing.schedule();
    }

    /** Ticks of all stacks. */
    function whole(): number {
        return Math.max(base?.nodes[0]!.ticks ?? 1, 1);
    }

    /** The frame with the most ticks of its own. */
    function heaviest(): string {
        const sums = base ? frameSums(base, 0) : [];
        return sums.length > 0 ? keyOf(sums.reduce((a, b) => (b.ownTicks > a.ownTicks ? b : a))) : "";
    }

    /** Shows who calls a frame, and what it calls. */
    function surround(key: string): void {
        if (!base) return;
        sandwich = { key, tree: around(base, key) };
        focus = 0;
        marked = -1;
        back.disabled = history.length === 0;
        path.hidden = true;
        listFrames(frameSums(base, 0));
        find();
    }

    function turnTo(to: Place): void {
        if (typeof to === "number") go(to);
        else surround(to);
    }

    function visit(to: Place): void {
        const at: Place = isSandwich() ? (sandwich?.key ?? "") : focus;
        if (to === at) return;
        history.push(at);
        turnTo(to);
    }

    function open(node: number): void {
        const frame = tree()?.nodes[node];
        if (frame) visit(isSandwich() ? keyOf(frame) : node);
    }

    function goBack(): void {
        const before = history.pop();
        if (before !== undefined) turnTo(before);
    }

    /** Leaves out what the search matches, too; or nothing any more. */
    function setDrops(now: RegExp[]): void {
        drops = now;
        search.value = "";
        restore.hidden = drops.length === 0;
        restore.title = drops.map(({ source }) => source).join(", ");
        start();
    }

    function find(): void {
        const pattern = patternOf(search.value.trim());
        const now = tree();
        search.setAttribute("aria-invalid", String(pattern === undefined));
        found = pattern && now ? matching(now, pattern) : null;
        drop.disabled = !found?.size;
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
        if (box) open(box.node);
    });
    canvas.addEventListener("keydown", (event) => {
        const now = tree();
        if (!now || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
        const at = marked >= 0 ? marked : focus;
        const { parent, children, depth } = now.nodes[at]!;
        const depthAt = (node: number) => now.nodes[node]!.depth;
        const siblings = parent >= 0 ? now.nodes[parent]!.children.filter((node) => depthAt(node) === depth) : [at];
        const place = siblings.indexOf(at);
        const moves: Record<string, () => number | undefined> = {
            ArrowUp: () => (depth > 0 ? parent : children.find((node) => depthAt(node) < depth)),
            ArrowDown: () => (depth < 0 ? parent : children.find((node) => depthAt(node) > depth)),
            ArrowLeft: () => siblings[place - 1],
            ArrowRight: () => siblings[place + 1],
        };
        const move = moves[event.key];
        if (move) {
            const next = marked >= 0 ? move() : at;
            if (next !== undefined && next >= 0) mark(next);
        } else if (event.key === "Enter") {
            open(at);
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
    drop.addEventListener("click", () => {
        const pattern = patternOf(search.value.trim());
        if (pattern) setDrops([...drops, pattern]);
    });
    restore.addEventListener("click", () => setDrops([]));
    back.addEventListener("click", goBack);
    select.addEventListener("change", () => {
        chosen = Number(select.value);
        start();
    });

    /** After another answer, the focus stays on the same stack if it is there. */
    function start(): void {
        const all = trees[chosen];
        base = all && drops.reduce((now, pattern) => without(now, matching(now, pattern)), all);
        measure();
        if (isSandwich()) return surround(sandwich?.key ?? heaviest());
        const now = base;
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

    /** Shows `trees`. */
    function present(question: Question, controls: Element[], list: Element): Element[] {
        range = question.range;
        chosen = Math.min(chosen, trees.length - 1);
        select.hidden = trees.length < 2;
        select.replaceChildren(
            ...trees.map(({ title, samples }, index) => new Option(`${title}, ${grouped(samples)} samples`, String(index), false, index === chosen)),
        );
        start();
        const { leftOut } = trees[chosen]!;
        const note = leftOut > 0 ? [element("p", `${grouped(leftOut)} smaller stacks are counted as part of their callers.`, "remark")] : [];
        return [...controls, searching, count, path, picture, ...note, status, list];
    }

    const profilesIn = (answer: ProfAnswer): Tree[] => treesOf(answer).filter(({ nodes }) => nodes.length > 1);

    /** Samples by what was chosen. */
    function fillParts({ parts, spans_until_ns: until }: ProfAnswer): Element[] {
        partSelect.hidden = by === "all";
        if (by === "all") return [sampling];
        const known = parts ?? [];
        const options = known.filter((one) => one.part !== null);
        const option = (one: SamplePart) => new Option(`${partText(by, one)}: ${grouped(one.samples)} samples, ${duration(one.ns)}`, String(one.part), false, one.part === part);
        // One that has no samples in this range stays.
        const lost = part !== null && !options.some((one) => one.part === part) ? [new Option("no samples here", String(part), true, true)] : [];
        partSelect.replaceChildren(new Option("All samples", "", false, part === null), ...lost, ...options.map(option));
        const others = known.find((one) => one.part === null);
        const notes = [
            ...(others ? [`While no thread ran on the cap: ${grouped(others.samples)} samples.`] : []),
            ...(by === "span" && options.length === 0 ? ["No thread was in a span that has ended when a sample was taken."] : []),
            ...(until ? [`There are too many spans: those from ${duration(until)} on are not known.`] : []),
        ];
        return [sampling, ...notes.map((text) => element("p", text, "remark"))];
    }

    const all = about("prof", { width: timeColumns });
    const pane = paneOf<ProfAnswer | string>({
        name: "flame",
        title: "Flame graph",
        isJob: true,
        missing: recorded("time_profile", noProfile),
        key(call) {
            again = call;
            return `${by} ${part}`;
        },
        async ask(question) {
            if (by === "all") return all(question);
            try {
                return await about("prof", { width: timeColumns, by, ...(part === null ? {} : { part }) })(question);
            } catch (error) {
                // The choice stays, so that another one can be made.
                if (error instanceof Refused) return error.message;
                throw error;
            }
        },
        show(answer, question) {
            if (typeof answer === "string") return [sampling, element("p", visible(answer), "missing")];
            trees = profilesIn(answer);
            pairs = [];
            if (trees.length === 0 && part === null) {
                return [element("p", noProfile, "missing")];
            }
            const parts = fillParts(answer);
            if (trees.length === 0) return [...parts, element("p", "None of its samples is in this range.", "missing")];
            return present(question, [...parts, controls], list.element);
        },
    });
    return {
        ...pane,
        // Of two runs, all samples are compared.
        async askBoth(old, latest) {
            const both = (await Promise.all([all(old), all(latest)])).map(profilesIn) as [Tree[], Tree[]];
            return () => {
                pairs = pairsOf(...both);
                if (pairs.length === 0) return noPair("a time profile of the same kind", ...both);
                mergeAll();
                return present(latest, [controls, changing, key], changeList.element);
            };
        },
    };
}
