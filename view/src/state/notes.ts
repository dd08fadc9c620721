// Bookmarks and a note: what the user wrote about a run.

export interface Bookmark {
    /** ns. */
    readonly at: number;
    readonly name: string;
}

const mostBookmarks = 100;
const longestName = 200;
const longestNote = 4000;

export class Notes {
    private list: readonly Bookmark[] = [];
    private text = "";
    /** Called after a change. */
    changed: () => void = () => undefined;

    get bookmarks(): readonly Bookmark[] {
        return this.list;
    }

    get note(): string {
        return this.text;
    }

    set note(text: string) {
        this.text = text.slice(0, longestNote);
        this.changed();
    }

    /** In order of time; two of the same time are one. False: there are too many. */
    add(at: number, name: string): boolean {
        const others = this.list.filter((bookmark) => bookmark.at !== at);
        if (others.length >= mostBookmarks) return false;
        this.list = [...others, { at, name: name.slice(0, longestName) }].sort((a, b) => a.at - b.at);
        this.changed();
        return true;
    }

    remove(at: number): void {
        this.list = this.list.filter((bookmark) => bookmark.at !== at);
        this.changed();
    }

    set(bookmarks: readonly Bookmark[], note: string): void {
        this.list = [];
        this.text = note.slice(0, longestNote);
        for (const { at, name } of bookmarks.slice(0, mostBookmarks)) this.add(at, name);
        this.changed();
    }
}
