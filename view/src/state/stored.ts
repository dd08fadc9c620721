// What the browser remembers. It may forbid to store anything: then it is lost with the page.

/** null: nothing was stored. */
export function read(key: string): string | null {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

/** null: nothing is stored any longer. */
export function write(key: string, value: string | null): void {
    try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
    } catch {
        // As above.
    }
}
