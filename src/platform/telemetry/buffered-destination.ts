import type { DestinationStream } from 'pino';
import type { StandardOutput } from './standard-output.js';

const HELD_MS = 100;
const MEMORY_BYTES = 65_536;
/** From this size on, the lines are written without waiting. */
const FULL_BYTES = 32_768;
/** The maximum bytes of a UTF-16 unit in UTF-8. */
const BYTES_A_CHARACTER = 3;

/**
 * Writes lines at once, except lines that may be held for up to 100 ms: a system call for each request's line costs as
 * much as validating the request. Lines stay in order, and an orderly exit, even after an uncaught error, loses none.
 */
export class BufferedDestination implements DestinationStream {
  /** Held as bytes. A string that grows line by line keeps every part it was built from, and thus parts of requests. */
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

  /** Writes the line with the next {@link write}, when enough lines are held, or after 100 ms. */
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
