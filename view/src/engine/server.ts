// The engine behind HTTP: the server of hectic view that this page was loaded from. The path of the page has
// the token, so that a relative address is enough.
import type { Engine, EngineEvents } from "./engine";
import { Gate } from "./gate";
import { answerOf, progressOf, refusalOf, request, type Answer, type Json } from "./protocol";

const pollMilliseconds = 100;
const hiddenMilliseconds = 2000;

export class ServerEngine implements Engine {
    private closed = false;
    private token = "";
    private readonly gate = new Gate();

    private constructor(readonly name: string) {}

    /** The server's log; undefined: this page does not come from hectic view. */
    static async connect(events: EngineEvents): Promise<ServerEngine | undefined> {
        if (!/^https?:$/.test(location.protocol)) return undefined;
        const engine = new ServerEngine("");
        try {
            await engine.ask(request("overview", {}));
        } catch {
            return undefined;
        }
        void engine.poll(events);
        return engine;
    }

    async ask(line: string): Promise<Answer> {
        const response = await this.fetch(`api/${line}`);
        const json = response.headers.get("content-type")?.startsWith("application/json") ?? false;
        const answer = json ? ((await response.json()) as Json) : await response.arrayBuffer();
        if (response.ok) return answer;
        throw refusalOf(answer, `the server answers ${response.status}`);
    }

    job(line: string, progress: (share: number) => void, signal?: AbortSignal): Promise<Answer> {
        return this.gate.inTurn(async () => {
            for (;;) {
                signal?.throwIfAborted();
                const answer = await this.ask(line);
                signal?.throwIfAborted();
                const share = progressOf(answer);
                if (share === null) return answer;
                progress(share);
            }
        });
    }

    /** A relay that listens to other hosts requires a token. */
    private async fetch(address: string): Promise<Response> {
        for (;;) {
            const headers: HeadersInit = this.token ? { Authorization: `Bearer ${this.token}` } : {};
            const response = await fetch(address, { headers });
            if (response.status !== 401) return response;
            const token = prompt("The token of this relay:");
            if (token === null) return response;
            this.token = token.trim();
        }
    }

    close(): void {
        this.closed = true;
    }

    /** Until the page is closed: a log may grow. */
    private async poll(events: EngineEvents): Promise<void> {
        let read = -1;
        let wasComplete = false;
        let waited: string | undefined;
        while (!this.closed) {
            try {
                const { progress, complete, read_bytes, waiting } = answerOf("overview", await this.ask(request("overview", {})));
                if (read_bytes !== read || complete !== wasComplete || waiting !== waited) events.progress({ read: progress ?? 0, size: 1, complete });
                read = read_bytes;
                wasComplete = complete;
                waited = waiting;
            } catch {
                events.failed("hectic view has ended: the page can load no more data");
                return;
            }
            await new Promise((resolve) => setTimeout(resolve, document.hidden ? hiddenMilliseconds : pollMilliseconds));
        }
    }
}
