// How the user arranged the rows: the order of groups, those that are hidden, and rows that are pinned to the top.
// The order and what is hidden are remembered by the browser; all is in the address.
import { read, write } from "./stored";

export interface Arranged {
    /** All groups, if they are not in their first order. */
    readonly order: readonly string[];
    readonly hidden: readonly string[];
    /** "GROUP/ROW". */
    readonly pinned: readonly string[];
}

export const notArranged: Arranged = { order: [], hidden: [], pinned: [] };

const mostPinned = 20;
const stored = "hectic.rows";

const isWord = (text: string) => /^[a-z0-9_]{1,20}$/.test(text);

const wordsOf = (value: readonly string[] | undefined): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string" && isWord(one)) : []);

export class Arrangement {
    private now: Arranged = notArranged;
    /** Called after a change. */
    changed: () => void = () => undefined;

    /** `ids`: those of all groups, in their first order. */
    constructor(private readonly ids: readonly string[]) {}

    get arranged(): Arranged {
        return this.now;
    }

    /** That of an address or, if it says nothing of groups, the one that was remembered. */
    set(from: Arranged): void {
        const { order, hidden } = from.order.length > 0 || from.hidden.length > 0 ? from : remembered();
        this.now = { order, hidden, pinned: from.pinned.slice(0, mostPinned) };
        this.changed();
    }

    /** The groups in their order; unknown ones of an address are left out, new ones keep their place. */
    get order(): readonly string[] {
        const { order } = this.now;
        const known = order.filter((id) => this.ids.includes(id));
        const made = [...new Set(known)];
        this.ids.forEach((id, index) => {
            if (!made.includes(id)) made.splice(Math.min(index, made.length), 0, id);
        });
        return made;
    }

    isHidden(id: string): boolean {
        return this.now.hidden.includes(id);
    }

    isPinned(key: string): boolean {
        return this.now.pinned.includes(key);
    }

    /** Moves a group by so many places. */
    move(id: string, by: number): void {
        const order = [...this.order];
        const from = order.indexOf(id);
        const to = Math.min(Math.max(from + by, 0), order.length - 1);
        if (from < 0 || from === to) return;
        order.splice(from, 1);
        order.splice(to, 0, id);
        this.put({ order: order.join() === this.ids.join() ? [] : order });
    }

    hide(id: string, hidden: boolean): void {
        const others = this.now.hidden.filter((one) => one !== id);
        this.put({ hidden: hidden ? [...others, id] : others });
    }

    /** False: there are too many. */
    pin(key: string, pinned: boolean): boolean {
        const others = this.now.pinned.filter((one) => one !== key);
        if (pinned && others.length >= mostPinned) return false;
        this.put({ pinned: pinned ? [...others, key] : others });
        return true;
    }

    reset(): void {
        this.put(notArranged);
    }

    private put(part: Partial<Arranged>): void {
        this.now = { ...this.now, ...part };
        remember(this.now);
        this.changed();
    }
}

/** Pages of another version may have stored something else. */
function remembered(): Pick<Arranged, "order" | "hidden"> {
    try {
        const { order, hidden } = JSON.parse(read(stored) ?? "{}") as Partial<Arranged>;
        return { order: wordsOf(order), hidden: wordsOf(hidden) };
    } catch {
        return notArranged;
    }
}

function remember({ order, hidden }: Arranged): void {
    write(stored, order.length + hidden.length === 0 ? null : JSON.stringify({ order, hidden }));
}
