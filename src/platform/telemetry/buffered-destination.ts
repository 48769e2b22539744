import type { DestinationStream } from 'pino';
import type { StandardOutput } from './standard-output.js';

const HELD_MS = 100;
const MEMORY_BYTES = 65_536;
/** When this many bytes are held, the lines are written at once. */
const FULL_BYTES = 32_768;
/** The maximum number of UTF-8 bytes for one UTF-16 unit. */
const BYTES_A_CHARACTER = 3;

/**
 * Writes lines at once, except lines that may be held for up to 100 ms. Holding avoids a system call for each request,
 * which would cost as much as validating the request. The order of lines is kept, and no line is lost at an orderly
 * exit or after an uncaught error.
 */
export class BufferedDestination implements DestinationStream {
  /**
   * Lines are held as bytes. A string that grows line by line would keep all of its parts in memory, and with them
   * parts of requests.
   */
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
