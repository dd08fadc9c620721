// Numbers, and texts of the log, formatted for display.

const units: [ns: number, name: string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
];

/** A number with thin groups of digits before the point. */
export function grouped(value: number, digits = 0): string {
    const [whole = "", part] = Math.abs(value).toFixed(digits).split(".");
    const groups = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
    return (value < 0 ? "−" : "") + groups + (part ? `.${part}` : "");
}

/** Three significant digits. */
export function short(value: number): string {
    return grouped(value, Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2);
}

export function duration(ns: number): string {
    if (ns === 0) return "0";
    for (const [size, name] of units) {
        if (Math.abs(ns) >= size * 0.9995) return `${name === "ns" ? grouped(ns) : short(ns / size)} ${name}`;
    }
    return `${short(ns)} ns`;
}

/** A point of time, with the digits that tell it from one `step` later. */
export function time(ns: number, step: number): string {
    const magnitude = Math.max(Math.abs(ns), step);
    const [size, name] = units.find(([unit]) => magnitude >= unit) ?? [1, "ns"];
    const digits = Math.min(Math.max(Math.ceil(-Math.log10(step / size) - 1e-9), 0), 9);
    return `${grouped(ns / size, digits)} ${name}`;
}

export function bytes(count: number): string {
    const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let value = count;
    let unit = 0;
    while (Math.abs(value) >= 1023.5 && unit < names.length - 1) {
        value /= 1024;
        unit++;
    }
    return `${unit === 0 ? grouped(value) : short(value)} ${names[unit]}`;
}

export function percent(share: number): string {
    return `${(share * 100).toFixed(1)} %`;
}

/** As one word for a shell, which no command takes for an option. */
export function shellWord(text: string): string {
    const word = text.startsWith("-") ? `./${text}` : text;
    const octal = (character: string) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
    if (/[\u0000-\u001f\u007f]/.test(word)) return `$'${word.replace(/[\u0000-\u001f\u007f'\\]/g, octal)}'`;
    return /^[\w+,./:=@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A text of the log without invisible characters and those that change the direction of text. */
export function visible(text: string, most = 200): string {
    const shown = text.length > most ? `${text.slice(0, most)}…` : text;
    return shown.replace(
        /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
        (character) => {
            const code = character.charCodeAt(0);
            if (code < 0x20) return String.fromCharCode(0x2400 + code);
            return code === 0x7f ? "␡" : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
        },
    );
}
