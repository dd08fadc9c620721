// The engine behind HTTP: the server of hectic view, which also gave this page. The path of the page has
// the token, so that a relative address is enough.
import type { Answer, Engine, EngineEvents } from "./engine";
import { parseOverview, request } from "./protocol";

const pollMilliseconds = 250;

export class ServerEngine implements Engine {
    private timer: ReturnType<typeof setTimeout> | undefined;
    private closed = false;

    private constructor(readonly name: string) {}

    /** The server's log; undefined: this page does not come from hectic view. */
    static async connect(events: EngineEvents): Promise<ServerEngine | undefined> {
        if (!/^https?:$/.test(location.protocol)) return undefined;
        const engine = new ServerEngine(document.title);
        try {
            await engine.ask(request("overview", {}));
        } catch {
            return undefined;
        }
        void engine.poll(events);
        return engine;
    }

    async ask(line: string): Promise<Answer> {
        const response = await fetch(`api/${line}`);
        const json = response.headers.get("content-type")?.startsWith("application/json") ?? false;
        if (response.ok) return json ? response.json() : response.arrayBuffer();
        const { message } = json ? ((await response.json()) as { message?: unknown }) : { message: undefined };
        throw new Error(typeof message === "string" ? message : `the server answers ${response.status}`);
    }

    close(): void {
        this.closed = true;
        clearTimeout(this.timer);
    }

    private async poll(events: EngineEvents): Promise<void> {
        if (this.closed) return;
        try {
            const { progress, complete } = parseOverview(await this.ask(request("overview", {})));
            events.progress({ read: progress, size: 1, complete });
            if (complete) return;
        } catch (error) {
            events.failed(error instanceof Error ? error.message : String(error));
            return;
        }
        this.timer = setTimeout(() => void this.poll(events), pollMilliseconds);
    }
}
