import type { DestinationStream } from 'pino';
import type { StandardOutput } from './standard-output.js';

const HELD_MS = 100;
const MEMORY_BYTES = 65_536;
/** From here on they are written without waiting. */
const FULL_BYTES = 32_768;
/** A character takes three bytes of UTF-8 at most. */
const BYTES_A_CHARACTER = 3;

/**
 * Writes lines at once, except those it may hold for a moment: a system call for each request's line costs as much as
 * the request's validation. The order stays, and an orderly exit, also by an uncaught error, loses none.
 */
export class BufferedDestination implements DestinationStream {
  /** As bytes: a text that grows line by line keeps every piece it was made of, and with it the requests' parts. */
  private readonly held = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  private end = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly destination: Pick<StandardOutput, 'write' | 'end'>) {
    process.on('exit', () => {
      this.flush();
      destination.end();
    });
  }

  write(line: string): void {
    this.flush();
    this.destination.write(line);
  }

  /** Writes the line with the next {@link write}, when there are many, or after 100 ms. */
  hold(line: string): void {
    const most = line.length * BYTES_A_CHARACTER;
    if (this.end + most > MEMORY_BYTES) this.flush();
    if (most > MEMORY_BYTES) {
      this.destination.write(line);
      return;
    }
    this.end += this.held.write(line, this.end);
    if (this.end >= FULL_BYTES) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), HELD_MS).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.end === 0) return;
    const lines = this.held.toString('utf8', 0, this.end);
    this.end = 0;
    this.destination.write(lines);
  }
}
