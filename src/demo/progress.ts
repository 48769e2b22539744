const BAR_WIDTH = 30;
/** Without a terminal, a line is printed each time the progress has grown by this many percent. */
const STEP_PERCENT = 10;
const CLEAR_LINE = '\r\u001B[K';

/** Shows the progress of a known number of steps: as a bar on a terminal, otherwise as plain lines. */
export class Progress {
  private done = 0;
  private shown = 0;
  private readonly isTerminal: boolean;

  constructor(
    private readonly out: NodeJS.WritableStream,
    private readonly total: number,
  ) {
    this.isTerminal = 'isTTY' in out && out.isTTY === true;
    if (this.isTerminal) this.draw();
  }

  advance(): void {
    this.done += 1;
    const percent = this.percent();
    if (percent < this.shown + (this.isTerminal ? 1 : STEP_PERCENT)) return;
    this.shown = this.isTerminal ? percent : percent - (percent % STEP_PERCENT);
    if (this.isTerminal) this.draw();
    else this.out.write(`  ${this.shown} %  (${this.done} of ${this.total})\n`);
  }

  /** Prints a separate line without breaking the bar. */
  note(line: string): void {
    this.out.write(`${this.isTerminal ? CLEAR_LINE : ''}${line}\n`);
    if (this.isTerminal) this.draw();
  }

  finish(): void {
    if (this.isTerminal) this.out.write('\n');
  }

  private draw(): void {
    const filled = Math.floor((this.done / this.total) * BAR_WIDTH);
    const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '.');
    this.out.write(`${CLEAR_LINE}  [${bar}] ${this.percent()} %  (${this.done} of ${this.total})`);
  }

  private percent(): number {
    return Math.floor((this.done / this.total) * 100);
  }
}
