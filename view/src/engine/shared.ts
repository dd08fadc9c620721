// The same request is asked once: while its answer is on the way, and shortly afterwards, until more of the log
// was read.
import type { Engine, EngineEvents } from "./engine";
import type { Answer } from "./protocol";

/** Answers that are kept. */
const mostAnswers = 8;
/** Bytes are pictures: they are large, and the tracks keep them. */
const isKept = (answer: Answer) => !(answer instanceof ArrayBuffer);

export class SharedEngine implements Engine {
    private readonly engine: Engine;
    /** Those that were asked for last are last. */
    private answers = new Map<string, Promise<Answer>>();

    /** `connect` makes the engine that is asked. */
    constructor(connect: (events: EngineEvents) => Engine, events: EngineEvents) {
        this.engine = connect({
            progress: (progress) => {
                this.answers = new Map();
                events.progress(progress);
            },
            failed: (message) => {
                this.answers = new Map();
                events.failed(message);
            },
        });
    }

    get name(): string {
        return this.engine.name;
    }

    ask(request: string): Promise<Answer> {
        const { answers } = this;
        const found = answers.get(request);
        const answer = found ?? this.engine.ask(request);
        answers.delete(request);
        answers.set(request, answer);
        if (answers.size > mostAnswers) answers.delete(answers.keys().next().value!);
        if (found) return found;
        const forget = () => answers.get(request) === answer && answers.delete(request);
        answer.then((value) => {
            if (!isKept(value)) forget();
        }, forget);
        return answer;
    }

    job(request: string, progress: (share: number) => void, signal?: AbortSignal): Promise<Answer> {
        return this.engine.job(request, progress, signal);
    }

    close(): void {
        this.engine.close();
    }
}
