// The page: opens logs, connects state, pictures, panes and input, and offers window.hectic to scripts.
import type { Engine, EngineEvents, Progress } from "./engine/engine";
import { LocalEngine, prepareEngine } from "./engine/local";
import type { FindingPlace, Match, StatAnswer } from "./engine/requests";
import { comparisonInReport, readReports, snapshotsOf } from "./engine/report";
import { answerOf, Refused, request } from "./engine/protocol";
import { ServerEngine } from "./engine/server";
import { SharedEngine } from "./engine/shared";
import { ExportMenu } from "./export/menu";
import type { TimelinePicture } from "./export/picture";
import { gestures, type Command } from "./input/commands";
import { keyName, listenToKeys } from "./input/keys";
import { listenToMinimap, listenToPointer } from "./input/pointer";
import { flamePane } from "./panes/flame";
import { heapPane } from "./panes/heap";
import { PaneHost } from "./panes/host";
import { comparePane, type Comparer } from "./panes/compare";
import { findingsPane } from "./panes/findings";
import { eventsPane } from "./panes/events";
import { latencyPane } from "./panes/latency";
import { mmuPane } from "./panes/mmu";
import { bookmark, notesPane } from "./panes/notes";
import type { Question } from "./panes/pane";
import { pausesPane } from "./panes/pauses";
import { spansPane } from "./panes/spans";
import { sparksPane } from "./panes/sparks";
import { statPane } from "./panes/stat";
import { showReport } from "./panes/report";
import { element } from "./panes/table";
import { tickyPane } from "./panes/ticky";
import { threadsPane } from "./panes/threads";
import { isIn } from "./rows/empty";
import { groups } from "./rows/groups";
import { AlignMenu } from "./rows/align";
import { RowsMenu } from "./rows/menu";
import { Details } from "./details";
import { Search } from "./search";
import { readAddress, writeAddress } from "./state/address";
import { Arrangement } from "./state/arrangement";
import { between, clamped, moved, sameRange, span, zoomed, type Range } from "./state/range";
import { Notes } from "./state/notes";
import { makeSplitter } from "./splitter";
import { read, write } from "./state/stored";
import { State } from "./state/state";
import { bytes, duration, percent, shellWord, time, visible } from "./text";
import { Theme } from "./theme";
import { Timeline } from "./timeline";
import { Track } from "./track";

interface Timings {
    firstPicture: number | null;
    overview: number | null;
}

declare global {
    interface Window {
        hectic: {
            readonly ready: Promise<void>;
            open(files: Iterable<File>): Promise<void>;
            /** Resolves when the view is drawn at its full resolution. */
            view(range: Range): Promise<void>;
            /** Resolves when all visible rows are drawn, too. */
            idle(): Promise<void>;
            /** The object of hectic stat --jsonl; of several processes, an array of them. */
            select(range: Range): Promise<StatAnswer | StatAnswer[]>;
            /** The events whose text contains it, in order of time: the first 1,000. */
            search(text: string): Promise<Match[]>;
            readonly timings: Timings;
            readonly errors: string[];
        };
    }
}

class Waiters {
    private waiting: (() => void)[] = [];

    wait(): Promise<void> {
        return new Promise((resolve) => this.waiting.push(resolve));
    }

    resolve(): void {
        const done = this.waiting;
        this.waiting = [];
        for (const resolve of done) resolve();
    }
}

/** A log that was opened. */
interface Log {
    engine: Engine;
    /** Of its sections. */
    tracks: Track[];
    progress: Progress | null;
    done: boolean;
    /** Asks for the overview of each section. */
    update(): void;
}

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

const theme = new Theme();
const state = new State();
const arrangement = new Arrangement(groups.map(({ id }) => id));
const timeline = new Timeline(state, theme, groups, arrangement);
const rowsMenu = new RowsMenu(arrangement, groups);
const errors: string[] = [];
const timings: Timings = { firstPicture: null, overview: null };
const exports = new ExportMenu({
    theme,
    name: () => (tracks.length > 0 ? visible(logs[0]?.engine.name || "log", 60) : null),
    timeline: () => timelinePicture(),
    failed: report,
});
const notes = new Notes();
const search = new Search(state, () => tracks);
const show = (range: Range) => active().show(range);
/** Of two logs; undefined: fewer or more are open. */
let comparer: Comparer | undefined;
const allPanes = [
    findingsPane(showPlace),
    comparePane(() => comparer, showChange),
    statPane,
    pausesPane(show),
    threadsPane(show),
    latencyPane(show),
    spansPane(show),
    sparksPane(),
    mmuPane(),
    heapPane(theme),
    flamePane(theme),
    tickyPane(),
    eventsPane(state, (event) => goTo(event.time_ns)),
    notesPane(notes, state, goTo),
];
const panes = new PaneHost(state, allPanes, report);
/** The second side, on wide screens. */
const second = new PaneHost(state, allPanes, report, "-2", false);
panes.beside = second;
second.beside = panes;
const sides = [panes, second];
const active = () => sides.find((side) => side.hasFocus) ?? panes;

const details = new Details(state, timeline, report);
const alignMenu = new AlignMenu(() => logs.map((log) => log.tracks), align, report);

let logs: Log[] = [];
/** Those that could grow. */
const grew = new WeakSet<Engine>();
let tracks: Track[] = [];
let chosenAt = 0;
let address = readAddress();
/** ns by which each log was moved. */
let later = address.later;
/** The present view is drawn at its full resolution. */
const sharp = new Waiters();
/** No request is pending, not even a long one. */
const idle = new Waiters();
let resolveReady: () => void = () => undefined;
let ready = newReady();

function newReady(): Promise<void> {
    return new Promise((resolve) => {
        resolveReady = resolve;
    });
}

function report(message: string): void {
    const text = visible(message, 500);
    if (errors.includes(text)) return;
    errors.push(text);
    const host = byId("errors");
    host.hidden = false;
    host.append(element("p", text));
}

// Opening and reading

/** Closes the logs, for so many others. */
function begin(count: number): void {
    for (const { engine } of logs) engine.close();
    // What was written about another run; the address has what is about the first.
    if (logs.length > 0) notes.set([], "");
    if (logs.length > 0 || count < 2) later = [];
    logs = [];
    tracks = [];
    comparer = undefined;
    timeline.opened = null;
    errors.length = 0;
    byId("errors").replaceChildren();
    byId("errors").hidden = true;
    timings.firstPicture = timings.overview = null;
    // The promise for the previous log resolves with that for this one.
    const before = resolveReady;
    ready = newReady();
    void ready.then(before);
    chosenAt = performance.now();
    state.bounds = { from: 0, to: 1 };
    state.reset();
    details.clear();
    search.clear();
    document.body.classList.remove("empty");
    byId("program").textContent = "";
    byId("live").hidden = true;
}

function add(connect: (events: EngineEvents) => Engine): void {
    const log: Partial<Log> = { progress: null, done: false, update: () => void update() };
    const mine: Track[] = [];
    log.tracks = mine;
    let updating = false;
    let again = false;
    // One update at a time; the last progress is never left out.
    const update = async () => {
        if (updating) {
            again = true;
            return;
        }
        updating = true;
        do {
            again = false;
            const complete = log.progress?.complete ?? false;
            await Promise.all(mine.map((track) => track.update()));
            const sections = Math.max(mine[0]?.overview?.sections.length ?? 1, 1);
            while (mine.length < sections) {
                const track = addTrack(log.engine!, mine.length + 1);
                mine.push(track);
                await track.update();
            }
            if (complete && !again) log.done = true;
            grown();
        } while (again);
        updating = false;
    };
    const addTrack = (engine: Engine, section: number) => {
        const failed = (of: Track, message: string) => {
            if (tracks.includes(of)) report(message);
        };
        const by = later[logs.findIndex((one) => one.engine === engine)] ?? 0;
        const track = new Track(engine, section, by, () => timeline.schedule(), failed);
        tracks.push(track);
        timeline.setTracks(tracks);
        for (const side of sides) side.setTracks(tracks);
        return track;
    };
    const current = () => logs.includes(log as Log);
    log.engine = new SharedEngine(connect, {
        progress(progress) {
            if (!current()) return;
            log.progress = progress;
            showProgress();
            void update();
        },
        failed(message) {
            if (!current()) return;
            report([log.engine!.name, message].filter((text) => text).join(": "));
            log.done = true;
            showProgress();
            grown();
        },
    });
    logs.push(log as Log);
    mine.push(addTrack(log.engine, 1));
}

function open(files: Iterable<File>): Promise<void> {
    const list = [...files];
    if (list.length === 0) return ready;
    begin(list.length);
    for (const file of list) add((events) => new LocalEngine(file, events));
    if (list.length === 2) compareBy(list.map(({ name }) => name), compareHere);
    document.title = `${list.map(({ name }) => visible(name, 60)).join(", ")} – hectic view`;
    showProgress();
    return ready;
}

function showProgress(): void {
    const read = logs.reduce((sum, { progress }) => sum + (progress?.read ?? 0), 0);
    const size = logs.reduce((sum, { progress }) => sum + (progress?.size ?? 0), 0);
    const share = size > 0 ? Math.min(read / size, 1) : 0;
    byId("reading").hidden = logs.every(({ done, progress }) => done || progress?.complete);
    byId<HTMLProgressElement>("progress").value = share;
    byId("amount").textContent = size > 1 ? `${percent(share)} of ${bytes(size)}` : percent(share);
}

/** A log is said to be live for so long after bytes of it came. */
const liveMilliseconds = 5000;
let fading: ReturnType<typeof setTimeout> | undefined;

/** Whether a log that may grow does so: bytes came of late; none came; or none will. */
function showLive(): void {
    const badge = byId("live");
    const own = tracks.filter(({ section, overview }) => section === 1 && overview);
    const growing = own.filter(({ overview }) => overview?.grows);
    for (const { engine } of growing) grew.add(engine);
    const isLive = growing.some(({ grownAt }) => performance.now() - grownAt < liveMilliseconds);
    const name = isLive ? "live" : growing.length > 0 ? "waiting" : own.some(({ engine }) => grew.has(engine)) ? "ended" : "";
    const isBehind = growing.some(({ overview }) => overview?.behind);
    const text = isBehind ? `${name}, incomplete` : name;
    badge.hidden = name === "";
    badge.className = name;
    if (badge.textContent !== text) badge.textContent = text;
    if (isBehind) badge.title = "The last events of a cap are not written yet: it is drawn as if it went on";
    else badge.title = { live: "More of the log came within the last 5 s", waiting: "More of the log may come", ended: "No program writes the log any more", "": "" }[name];
    clearTimeout(fading);
    if (isLive) fading = setTimeout(showLive, liveMilliseconds);
}

function showDamage(): void {
    const texts = logs.flatMap(({ engine }) => {
        const skipped = tracks.find((track) => track.engine === engine)?.overview?.skipped_bytes ?? 0;
        if (skipped === 0) return [];
        return [`${visible(engine.name || "The log", 80)}: ${bytes(skipped)} are damaged and are not shown (hectic check lists them).`];
    });
    for (const { engine, overview } of tracks) {
        if (overview?.left_out_to_ns === undefined) continue;
        texts.push(
            `${visible(engine.name || "The log", 80)}: the log was cut: it has all caps until ${duration(overview.to_ns ?? 0)} only, ` +
                `and some until ${duration(overview.left_out_to_ns)}. Later events are not shown (hectic show prints them).`,
        );
    }
    byId("damage").textContent = texts.join(" ");
    byId("damage").hidden = texts.length === 0;
}

/** The overview of a log has changed. */
function grown(): void {
    const known = tracks.map(({ range }) => range).filter((range) => range.to > range.from);
    if (known.length > 0) {
        state.setBounds({
            from: Math.min(...known.map(({ from }) => from)),
            to: Math.max(...known.map(({ to }) => to)),
        });
    }
    byId("align-menu").hidden = logs.length < 2;
    const programs = new Set(tracks.flatMap(({ overview }) => overview?.program ?? []));
    const shown = comparer ? [...programs].join(", ") : [...programs][0];
    byId("program").textContent = visible(shown || (logs[0]?.engine.name ?? ""), 80);
    showDamage();
    showLive();
    for (const side of sides) side.grown();
    if (logs.every(({ done }) => done)) {
        if (address.view || address.selection) restore();
    }
    timeline.schedule();
}

/** The view that the address names, once the whole run is known. */
function restore(): void {
    const { view, selection } = address;
    address = { ...address, view: null, selection: null };
    const within = (range: Range) => between(range.from, range.to, state.bounds);
    const selected = selection && span(within(selection)) > 0 ? within(selection) : null;
    state.setBoth(view ?? state.view, selected);
}

timeline.drawn = () => {
    const pictured = tracks.some((track) => track.whole !== undefined || track.tiles.length > 0);
    if (pictured) timings.firstPicture ??= performance.now() - chosenAt;
    if (!tracks.every((track) => track.settled)) return;
    if (logs.length > 0 && logs.every(({ done }) => done)) {
        timings.overview ??= performance.now() - chosenAt;
        resolveReady();
    }
    sharp.resolve();
    if (tracks.every((track) => track.quiet) && sides.every((side) => side.settled) && details.settled) idle.resolve();
};

function timelinePicture(): TimelinePicture {
    const { view } = state;
    const step = Math.max(span(view) / 1000, 1);
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const { width, axis, rows } = timeline.parts;
    const x = (ns: number) => ((ns - view.from) / span(view)) * width;
    const { selection } = state;
    return {
        title: byId("program").textContent ?? "",
        range: `${time(view.from, step)} to ${time(view.to, step)} (${duration(span(view))})`,
        width,
        axis,
        parts: rows,
        palette: theme.palette,
        selection: selection && { left: x(selection.from), right: x(selection.to) },
        background: color("background"),
        key: [...document.querySelectorAll("footer .key:not([hidden])")].map((item) => ({
            text: item.textContent ?? "",
            color: color(item.querySelector("i")?.className ?? ""),
        })),
    };
}

// Navigation

/** Sets the cursor, and moves the view if it is not in it. */
function goTo(ns: number): void {
    const { view } = state;
    state.cursor = ns;
    active().hold();
    if (ns < view.from || ns > view.to) state.setView({ from: ns - span(view) / 2, to: ns + span(view) / 2 });
}

/** Goes to where a finding shows: its rows, its time, and the pane that has the numbers. */
function showPlace({ pane, rows, column }: FindingPlace, part: Range | null, { track, range, whole }: Question): void {
    timeline.reveal(track, rows);
    // A part of what was judged is shown with what is around it.
    const from = active();
    if (part) from.show(part);
    else state.setView(whole ? track.range : range);
    // Where it is shown already; otherwise beside the finding.
    const target = sides.find((side) => side.isShown && side.name === pane) ?? sides.find((side) => side.isShown && side !== from) ?? panes;
    target.choose(pane, true);
    if (column !== null) allPanes.find(({ name }) => name === pane)?.sortBy?.(column);
}

/** Shows the rows of a number that has changed, in both logs; the panes stay. */
function showChange(rows: readonly string[]): void {
    timeline.only(rows);
    for (const track of [...tracks].reverse()) timeline.reveal(track, rows);
}

/** Moves each log so many ns later than its own clock says; of a single one, the clock stays. */
function align(wanted: readonly number[]): void {
    later = logs.length === 1 ? [] : wanted;
    const changed = new Map<Track, Track>();
    for (const [index, { tracks: own }] of logs.entries()) {
        for (const [at, track] of own.entries()) {
            const by = later[index] ?? 0;
            if (by === track.later) continue;
            own[at] = track.moved(by);
            changed.set(track, own[at]);
        }
    }
    if (changed.size === 0) return;
    tracks = tracks.map((track) => changed.get(track) ?? track);
    details.clear();
    search.again();
    timeline.setTracks(tracks);
    for (const side of sides) side.setTracks(tracks);
    grown();
    keepAddress();
    // What is on its way is for the former tracks.
    for (const log of logs) if (!log.done) log.update();
}

/** Moves one log on the axis. */
function moveLog(index: number, by: number): void {
    align(logs.map((_, one) => (later[one] ?? 0) + (one === index ? Math.round(by) : 0)));
}

/** Drags the log at a height in the window. */
function slide(pixels: number, y: number, isEnd: boolean): void {
    const track = timeline.trackAt(y);
    if (!track || logs.length < 2) return;
    timeline.slide(track.engine, isEnd ? 0 : pixels);
    if (isEnd && pixels !== 0) moveLog(logs.findIndex(({ engine }) => engine === track.engine), pixels * timeline.pixel);
}

/** Chooses what is at a point. */
function choose(ns: number, y: number): void {
    const place = timeline.click(ns, y);
    if (place) details.choose(place);
    else details.clear();
}

function pinRow(): void {
    const { place } = details;
    if (place !== null && !arrangement.pin(place, !arrangement.isPinned(place))) report("There are too many pinned rows.");
}

const center = () => (state.view.from + state.view.to) / 2;
const zoom = (factor: number) => state.setView(zoomed(state.view, center(), factor), "zoom");
const move = (part: number) => state.setView(moved(state.view, span(state.view) * part), "move");

function fit(): void {
    if (details.select()) return;
    const { selection, view, bounds } = state;
    state.setView(selection && !sameRange(clamped(selection, bounds), view) ? selection : bounds);
}

function clear(): void {
    state.setSelection(null);
    state.cursor = null;
    details.clear();
}

/** Moves the end of the selection; there is one from the middle of the view on if there was none. */
function extend(part: number): void {
    const { selection, view, bounds } = state;
    const step = span(view) * part;
    const from = selection?.from ?? center();
    const to = (selection?.to ?? center()) + step;
    const range = between(from, to, bounds);
    if (span(range) > 0) state.setSelection(range, "extend");
}

function shift(part: number): void {
    const { selection, view, bounds } = state;
    if (!selection) return;
    const by = Math.min(Math.max(span(view) * part, bounds.from - selection.from), bounds.to - selection.to);
    state.setSelection(between(selection.from + by, selection.to + by, bounds), "shift");
}

const scroll = (rows: number) => timeline.element.scrollBy({ top: rows * 31 });

const commands: readonly Command[] = [
    { keys: ["w", "+", "="], text: "Zoom in", run: () => zoom(1 / 1.5) },
    { keys: ["s", "-"], text: "Zoom out", run: () => zoom(1.5) },
    { keys: ["a", "ArrowLeft"], text: "Move left", run: () => move(-0.15) },
    { keys: ["d", "ArrowRight"], text: "Move right", run: () => move(0.15) },
    { keys: ["PageUp"], text: "Move left by a view", run: () => move(-1) },
    { keys: ["PageDown"], text: "Move right by a view", run: () => move(1) },
    { keys: ["Home"], text: "To the beginning", run: () => move(-1e9) },
    { keys: ["End"], text: "To the end", run: () => move(1e9) },
    { keys: ["ArrowUp"], text: "Scroll the rows up", run: () => scroll(-1) },
    { keys: ["ArrowDown"], text: "Scroll the rows down", run: () => scroll(1) },
    { keys: ["Shift+ArrowRight"], text: "Select; move the end of the selection right", run: () => extend(0.02) },
    { keys: ["Shift+ArrowLeft"], text: "Move the end of the selection left", run: () => extend(-0.02) },
    { keys: ["Ctrl+ArrowRight"], text: "Move the selection right", run: () => shift(0.02) },
    { keys: ["Ctrl+ArrowLeft"], text: "Move the selection left", run: () => shift(-0.02) },
    { keys: ["Enter"], text: "Select what is in view", run: () => state.setSelection(between(state.view.from, state.view.to, state.bounds)) },
    { keys: ["Escape"], text: "Clear the selection and the cursor", run: clear },
    { keys: ["."], text: "Choose the next run, wait, collection, span or message of its kind", run: () => details.step("next") },
    { keys: [","], text: "Choose the previous one", run: () => details.step("previous") },
    { keys: [">"], text: "Choose the next one in the row, of any kind: a wait after a run", run: () => details.step("next", true) },
    { keys: ["<"], text: "Choose the previous one in the row", run: () => details.step("previous", true) },
    { keys: ["l"], text: "Choose the longest one", run: () => details.step("longest") },
    { keys: ["j"], text: "Choose in the next row", run: () => details.row(1) },
    { keys: ["k"], text: "Choose in the row above", run: () => details.row(-1) },
    { keys: ["f"], text: "Select what is chosen; show the selection; again: the whole run", run: fit },
    { keys: ["Shift+f"], text: "Set the cursor at what is chosen; then: select from there to what is chosen", run: () => details.extend() },
    { keys: ["u", "Ctrl+z"], text: "Undo navigation", run: () => state.undo() },
    { keys: ["Shift+u", "Ctrl+Shift+z", "Ctrl+y"], text: "Redo navigation", run: () => state.redo() },
    { keys: ["/", "Ctrl+f"], text: "Search labels, messages and events", run: () => search.open() },
    { keys: ["n"], text: "Next match", run: () => void search.go(true) },
    { keys: ["Shift+n"], text: "Previous match", run: () => void search.go(false) },
    { keys: ["b"], text: "Set a bookmark at the cursor", run: () => void bookmark(notes, state) },
    { keys: ["p"], text: "Next pane", run: () => active().next() },
    { keys: ["r"], text: "Show, hide and move groups of rows", run: () => rowsMenu.open() },
    { keys: ["Shift+p"], text: "Pin the row of what is chosen to the top; again: no longer", run: pinRow },
    { keys: ["m"], text: "Align several logs at their beginnings or at a marker", run: () => alignMenu.open() },
    { keys: ["Shift+d"], text: "Move the last log right; all others stay", run: () => moveLog(logs.length - 1, timeline.pixel * 8) },
    { keys: ["Shift+a"], text: "Move the last log left", run: () => moveLog(logs.length - 1, -timeline.pixel * 8) },
    { keys: ["t"], text: "Light or dark", always: true, run: () => theme.toggle() },
    { keys: ["e"], text: "Save pictures and tables as files", run: () => exports.open() },
    { keys: ["Shift+e"], text: "Save the picture as PNG", run: () => exports.timeline("png") },
    { keys: ["o"], text: "Open logs", always: true, run: () => byId("files").click() },
    { keys: ["?"], text: "This help", always: true, run: () => byId<HTMLDialogElement>("keys").showModal() },
];

// Elements

function fillHelp(): void {
    const body = byId("keys").querySelector("tbody") as HTMLElement;
    const addLine = (name: HTMLElement[], text: string) => {
        const line = element("tr");
        const title = element("th");
        title.scope = "row";
        title.append(...name);
        line.append(title, element("td", text));
        body.append(line);
    };
    for (const { keys, text } of commands) {
        addLine(keys.flatMap((key, index) => [...(index ? [element("span", " ")] : []), element("kbd", keyName(key))]), text);
    }
    for (const { name, text } of gestures) addLine([element("span", name)], text);
}

function listenToElements(): void {
    const click = (id: string, run: () => void) => byId(id).addEventListener("click", run);
    const command = (key: string) => commands.find(({ keys }) => keys.includes(key))!.run;
    click("zoom-out", command("s"));
    click("zoom-in", command("w"));
    click("fit", command("f"));
    click("undo", command("u"));
    click("redo", command("Shift+u"));
    click("save", command("e"));
    click("align-menu", command("m"));
    click("rows-menu", command("r"));
    click("theme", command("t"));
    click("help", command("?"));
    click("find", command("/"));
    const files = byId<HTMLInputElement>("files");
    files.addEventListener("change", () => {
        byId("report-note").hidden = true;
        void open(files.files ?? []);
        files.value = "";
    });
    document.addEventListener("dragover", (event) => {
        event.preventDefault();
        document.body.classList.add("dropping");
    });
    document.addEventListener("dragleave", (event) => {
        if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    document.addEventListener("drop", (event) => {
        event.preventDefault();
        document.body.classList.remove("dropping");
        byId("report-note").hidden = true;
        if (event.dataTransfer?.files.length) void open(event.dataTransfer.files);
    });
    addEventListener("hashchange", () => {
        const wanted = readAddress();
        // Before there is a view to restore: that is within the moved logs.
        align(wanted.later);
        address = wanted;
        timeline.folds = address.rows;
        restoreNotes();
        if (tracks.length > 0) restore();
    });
    addEventListener("error", ({ message }) => report(message));
    addEventListener("unhandledrejection", ({ reason }) => report(String(reason)));
}

let writing: ReturnType<typeof setTimeout> | undefined;

function keepAddress(): void {
    // Browsers limit how often an address may change.
    writing ??= setTimeout(() => {
        writing = undefined;
        if (tracks.length === 0 || address.view || address.selection) return;
        const { bookmarks, note } = notes;
        const { arranged } = arrangement;
        writeAddress({
            view: state.follows ? null : state.view,
            selection: state.selection,
            rows: timeline.folds,
            pane: panes.name === panes.first ? "" : panes.name,
            of: panes.of,
            pane2: wantsTwo ? second.name : "",
            of2: second.of,
            bookmarks,
            note,
            arranged,
            later,
        });
    }, 300);
}

/** Two panes have room. */
const isWide = matchMedia("(min-width: 1600px)");
const storedSecond = "hectic.pane2";
let wantsTwo = false;

function setTwo(wants: boolean): void {
    wantsTwo = wants;
    const shows = wants && isWide.matches;
    byId("two-panes").setAttribute("aria-pressed", String(wants));
    byId("side-2").hidden = !shows;
    document.body.classList.toggle("two-panes", shows);
    second.setShown(shows);
}

/** Another pane, or another number of panes, is remembered by the browser. */
function keepPanes(): void {
    write(storedSecond, wantsTwo ? second.name : null);
    keepAddress();
}

/** What the address names that does not depend on a log. */
function restoreNotes(): void {
    notes.set(address.bookmarks, address.note);
    const remembered = address.pane2 || read(storedSecond);
    setTwo(remembered !== null);
    panes.choose(address.pane || panes.first);
    panes.setOf(address.of);
    second.choose(remembered ?? "stat");
    second.setOf(address.of2);
    arrangement.set(address.arranged);
}

state.listen(() => {
    timeline.schedule();
    byId<HTMLButtonElement>("undo").disabled = !state.canUndo;
    byId<HTMLButtonElement>("redo").disabled = !state.canRedo;
    keepAddress();
});
timeline.folded = keepAddress;
arrangement.changed = () => {
    timeline.layOutAgain();
    keepAddress();
};
timeline.folds = address.rows;
notes.changed = () => {
    timeline.bookmarks = notes.bookmarks;
    for (const side of sides) side.refresh();
    timeline.schedule();
    keepAddress();
};
for (const side of sides) {
    side.changed = keepPanes;
    side.filled = () => timeline.schedule();
}
byId("two-panes").addEventListener("click", () => {
    setTwo(!wantsTwo);
    keepPanes();
});
isWide.addEventListener("change", () => setTwo(wantsTwo));
search.changed = () => {
    timeline.marks = search.marks;
    timeline.schedule();
};
restoreNotes();

fillHelp();
listenToElements();
makeSplitter(byId("splitter"), byId("panes"), () => (second.isShown ? 2 : 1));
const handlers = { state, area: () => timeline.area };
listenToPointer(timeline.stage, { ...handlers, hover: (ns, y) => timeline.hover(ns, y), click: choose, slide });
listenToMinimap(timeline.minimap, handlers);
listenToKeys(commands, ({ always }) => (always || tracks.length > 0) && !document.querySelector("dialog[open]"));

/** In ns of the log's own clock. */
const ownRange = ({ from, to }: Range, by = 0): Range => ({ from: Math.max(from - by, 0), to: Math.max(to - by, 0) });

const whole = ({ from, to }: Range): Range => {
    if (!Number.isFinite(from) || !Number.isFinite(to) || from >= to) throw new RangeError("from must be before to");
    return { from: Math.round(from), to: Math.round(to) };
};

window.hectic = {
    get ready() {
        return ready;
    },
    open,
    view(range) {
        state.setView(whole(range));
        timeline.schedule();
        return sharp.wait();
    },
    idle() {
        timeline.schedule();
        return idle.wait();
    },
    async select(range) {
        const selection = whole(range);
        const { track } = panes;
        if (!track) throw new Error("no log is open");
        state.setSelection(selection);
        // The page keeps the answers.
        const stat = async (of: Track) => structuredClone(await of.ask("stat", { ...selection }));
        if (track.overview?.process === undefined) return stat(track);
        const processes = tracks.filter(
            ({ engine, overview, range }) =>
                engine === track.engine && overview?.process !== undefined && range.from < selection.to && range.to >= selection.from,
        );
        return Promise.all((processes.length > 0 ? processes : [track]).map(stat));
    },
    search: (text) => search.search(text),
    timings,
    errors,
};

/** What has changed, by the engines of the logs. */
const compareHere: Comparer["compare"] = async (parts, { progress, signal }) => {
    if (tracks.length > 2) throw new Refused("The page compares logs of one run each; the command compares several runs:", "failed");
    const shares = logs.map(() => 0);
    const numbers = tracks.map(({ engine }, index) => {
        const share = (done: number) => {
            shares[index] = done;
            progress((shares[0]! + shares[1]!) / 2);
        };
        const part = parts?.[index];
        return engine.job(request("numbers", part ? { from: part.from, to: part.to } : {}), share, signal).then((answer) => answerOf("numbers", answer).numbers);
    });
    const texts = (await Promise.all(numbers)).join("\f");
    return answerOf("comparison", await logs[0]!.engine.ask(`${request("comparison", {})}\n${texts}`));
};

/** Two logs are compared. */
function compareBy(names: readonly string[], compare: Comparer["compare"]): void {
    // So that both are in sight.
    timeline.opened = ["caps", "gc"];
    comparer = {
        compare,
        partsOf: (range) => [ownRange(range, later[0]), ownRange(range, later[1])],
        without: (range) => {
            const has = (engine: Engine) => tracks.some((track) => track.engine === engine && isIn(range, track));
            return tracks.find(({ engine }) => !has(engine));
        },
        operands: names.map(shellWord).join(" "),
    };
    for (const side of sides) side.setTracks(tracks);
    // Another one was chosen before.
    if (!address.pane && panes.name === allPanes[0]!.name) panes.choose(panes.first);
}

// The server of hectic view gives this page with its log; a report contains what it shows.
const saved = readReports();
if (saved.length > 0) {
    const comparison = comparisonInReport();
    prepareEngine();
    showReport(byId("report-note"), saved);
    void open(snapshotsOf(saved));
    if (comparison) {
        compareBy(saved.map(({ log }) => log), (parts, question) => (parts ? compareHere(parts, question) : Promise.resolve(comparison)));
    }
} else if (location.protocol === "file:") {
    prepareEngine();
} else {
    const listeners: EngineEvents[] = [];
    const eventsOf = (number: number): EngineEvents => ({
        progress: (now) => listeners[number]?.progress(now),
        failed: (message) => listeners[number]?.failed(message),
    });
    void ServerEngine.connect(eventsOf).then((engines) => {
        if (engines.length === 0) return;
        begin(engines.length);
        for (const engine of engines) {
            add((events) => {
                listeners.push(events);
                return engine;
            });
        }
        if (engines.length === 2) {
            compareBy(engines.map(({ name }) => name), (parts, { signal }) => engines[0]!.compare(parts, signal));
            document.title = `${engines.map(({ name }) => visible(name, 60)).join(", ")} – hectic view`;
        }
        showProgress();
    });
}
