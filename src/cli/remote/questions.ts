import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailure } from './failure.js';

/** Asks questions on the terminal. Without a terminal each answer is one line of the standard input. */
export class Questions {
  private readonly lines: Interface;
  private readonly answers: AsyncIterator<string>;
  private isHidden = false;

  constructor() {
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.isHidden) process.stderr.write(chunk);
        done();
      },
    });
    this.lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
    this.lines.on('SIGINT', () => {
      process.stderr.write('\n');
      process.exit(130);
    });
    this.answers = this.lines[Symbol.asyncIterator]();
  }

  async ask(question: string): Promise<string> {
    if (process.stdin.isTTY) {
      this.lines.setPrompt(question);
      this.lines.prompt();
    }
    return (await this.answer(question)).trim();
  }

  /** Asks without showing the typed text. Blanks at the ends belong to the answer. */
  async askHidden(question: string): Promise<string> {
    if (process.stdin.isTTY) process.stderr.write(question);
    this.isHidden = true;
    try {
      return await this.answer(question);
    } finally {
      this.isHidden = false;
      if (process.stdin.isTTY) process.stderr.write('\n');
    }
  }

  private async answer(question: string): Promise<string> {
    const answer = await this.answers.next();
    if (answer.done) throw new CommandFailure(`There is no answer to "${question.trim()}"`);
    return answer.value;
  }

  close(): void {
    this.lines.close();
  }
}
