// The engine behind HTTP: the server of hectic view that this page was loaded from. The path of the page has
// the token, so that a relative address is enough.
import type { Engine, EngineEvents } from "./engine";
import { Gate } from "./gate";
import { answerOf, progressOf, refusalOf, request, type Answer, type Json } from "./protocol";
import type { ComparisonAnswer } from "./requests";
import type { Range } from "../state/range";

const pollMilliseconds = 100;
const hiddenMilliseconds = 2000;
const secondPath = "2/";

export class ServerEngine implements Engine {
    private closed = false;
    private token = "";
    private readonly gate = new Gate();

    /** Where there are several logs, that of this one. */
    name = "";

    private constructor(
        /** Of the address of its requests. */
        private readonly path: string,
        private readonly events: EngineEvents,
    ) {}

    /** The server's logs, one or two; none: this page does not come from hectic view. `eventsOf` is called for each. */
    static async connect(eventsOf: (number: number) => EngineEvents): Promise<ServerEngine[]> {
        if (!/^https?:$/.test(location.protocol)) return [];
        const overviewOf = (engine: ServerEngine) => engine.ask(request("overview", {})).then((answer) => answerOf("overview", answer));
        const first = new ServerEngine("", eventsOf(0));
        const engines = [first];
        try {
            const { logs, log = "" } = await overviewOf(first);
            if (logs === 2) {
                const second = new ServerEngine(secondPath, eventsOf(1));
                second.name = (await overviewOf(second)).log ?? "";
                first.name = log;
                engines.push(second);
            }
        } catch {
            return [];
        }
        for (const engine of engines) void engine.poll(engine.events);
        return engines;
    }

    /** What hectic compare says about two logs, or about a part of each, in ns of its own clock. */
    async compare(parts: readonly [Range, Range] | null, signal: AbortSignal): Promise<ComparisonAnswer> {
        const query = parts ? `?from=${parts[0].from}&to=${parts[0].to}&new_from=${parts[1].from}&new_to=${parts[1].to}` : "";
        return answerOf("comparison", await this.get(`compare${query}`, signal));
    }

    ask(line: string): Promise<Answer> {
        return this.get(`${this.path}api/${line}`);
    }

    private async get(address: string, signal?: AbortSignal): Promise<Answer> {
        const response = await this.fetch(address, signal);
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
    private async fetch(address: string, signal?: AbortSignal): Promise<Response> {
        for (;;) {
            const headers: HeadersInit = this.token ? { Authorization: `Bearer ${this.token}` } : {};
            const response = await fetch(address, { headers, signal: signal ?? null });
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
        let grew: boolean | undefined;
        let waited: string | undefined;
        while (!this.closed) {
            try {
                const { progress, complete, read_bytes, grows, waiting } = answerOf("overview", await this.ask(request("overview", {})));
                if (read_bytes !== read || complete !== wasComplete || grows !== grew || waiting !== waited)
                    events.progress({ read: progress ?? 0, size: 1, complete });
                read = read_bytes;
                wasComplete = complete;
                grew = grows;
                waited = waiting;
            } catch {
                events.failed("hectic view has ended: the page can load no more data");
                return;
            }
            await new Promise((resolve) => setTimeout(resolve, document.hidden ? hiddenMilliseconds : pollMilliseconds));
        }
    }
}
