// Colors of series. Neighbors differ in lightness as well as in hue, so that they can be distinguished with
// any color vision; the set is that of Okabe and Ito.

const light = ["#0072b2", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#56b4e9", "#d55e00", "#8a8f98"];
const dark = ["#4aa3df", "#f5b93a", "#2bb78d", "#f2e86d", "#d996bb", "#8fd0f5", "#ee7d3c", "#9aa1ab"];

/** After eight, they repeat in another lightness. */
export function seriesColor(index: number, isDark: boolean): string {
    const set = isDark ? dark : light;
    const color = set[index % set.length]!;
    return Math.floor(index / set.length) % 2 === 0 ? color : mixed(color, isDark ? "#0f1318" : "#ffffff", 0.45);
}

export const othersColor = (isDark: boolean): string => (isDark ? "#39414b" : "#d5dbe1");

/** Of the differential flame graph of the command: from little to much. */
const changes = {
    light: { none: "#e7eaee", grown: ["#fae3dd", "#f7c9bd", "#f3ab9b", "#ee8d79", "#e77159"], shrunk: ["#dfeaf8", "#c4daf3", "#a3c5ec", "#80ade3", "#6198db"] },
    dark: { none: "#272e37", grown: ["#40241f", "#582b23", "#753327", "#923c2d", "#ae4433"], shrunk: ["#1f2d40", "#1f3857", "#224873", "#25578f", "#2a67ab"] },
};

/** Red has grown, blue has shrunk: -1 … 1 of the largest change. */
export function changeColor(part: number, isDark: boolean): string {
    const { none, grown, shrunk } = isDark ? changes.dark : changes.light;
    const grade = Math.abs(part) < 0.02 ? 0 : Math.min(Math.ceil(Math.abs(part) * grown.length), grown.length);
    return grade < 1 ? none : (part > 0 ? grown : shrunk)[grade - 1]!;
}

const partsOf = (color: string): number[] => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

/** Black or white, whichever has more contrast. */
export function inkOn(color: string): string {
    const [r, g, b] = partsOf(color).map((part) => (part / 255) ** 2.2) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#0b0f14" : "#ffffff";
}

function mixed(a: string, b: string, share: number): string {
    const [from, to] = [partsOf(a), partsOf(b)];
    const mix = from.map((part, index) => Math.round(part + (to[index]! - part) * share));
    return `#${mix.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** Light enough for black text. */
const tints = ["#f6c667", "#f29e7a", "#e7b7d0", "#9fd3c7", "#a9c9ef", "#d9d27a", "#c9b6e4", "#f2b5a7"];

/** The same for the same text, in all logs. */
export function tintOf(text: string): string {
    let hash = 2166136261;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
    return tints[(hash >>> 0) % tints.length]!;
}
