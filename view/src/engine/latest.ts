// While one question is being answered, only the newest of those asked meanwhile is kept: the answers to
// the others would not be shown any more.
import { errorOf } from "./protocol";

export class Latest<Question, Answer> {
    private busy = false;
    private next: Question | undefined;

    constructor(
        private readonly ask: (question: Question) => Promise<Answer>,
        private readonly done: (question: Question, answer: Answer) => void,
        private readonly failed: (question: Question, error: Error) => void,
    ) {}

    get idle(): boolean {
        return !this.busy;
    }

    put(question: Question): void {
        this.next = question;
        if (!this.busy) void this.run();
    }

    private async run(): Promise<void> {
        this.busy = true;
        while (this.next !== undefined) {
            const question = this.next;
            this.next = undefined;
            try {
                this.done(question, await this.ask(question));
            } catch (error) {
                this.failed(question, errorOf(error));
            }
        }
        this.busy = false;
    }
}
