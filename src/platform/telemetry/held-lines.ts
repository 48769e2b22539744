import type { DestinationStream } from 'pino';

const HELD_MS = 100;
const HELD_CHARACTERS = 32_768;

/**
 * Writes lines at once, except those it may hold for a moment: a system call for each request's line costs as much as
 * the request's validation. The order stays, and an orderly exit, also by an uncaught error, loses none.
 */
export class HeldLines implements DestinationStream {
  private held = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly destination: DestinationStream) {
    process.on('exit', () => this.flush());
  }

  write(line: string): void {
    this.flush();
    this.destination.write(line);
  }

  /** Writes the line with the next {@link write}, when there are many, or after 100 ms. */
  hold(line: string): void {
    this.held += line;
    if (this.held.length >= HELD_CHARACTERS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), HELD_MS).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.held === '') return;
    const lines = this.held;
    this.held = '';
    this.destination.write(lines);
  }
}
