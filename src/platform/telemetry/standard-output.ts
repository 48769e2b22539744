import { writevSync } from 'node:fs';
import { asError, errorCode } from '../errors/index.js';

/**
 * Maximum number of bytes that wait for the reader. Further lines are dropped, and one line then reports their number.
 */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 20;
/** How long the process waits at exit until the reader has read the last lines, in milliseconds. */
const LAST_LINES_MS = 2_000;
/** Number of buffers in one system call, which accepts at most 1,024. */
const PIECES = 512;

/**
 * Writes log lines to standard output without waiting for the reader, so that a full pipe delays no request. Node sets
 * the pipe to non-blocking mode, in which a write to a full pipe fails with EAGAIN. pino's writer would then sleep and
 * block the whole process.
 */
export class StandardOutput {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  /**
   * The number of bytes that were accepted so far. The next field is the number of these bytes that have been written.
   */
  private acceptedBytes = 0;
  private writtenBytes = 0;
  private promised: { readonly end: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] =
    [];

  constructor(private readonly fd = 1) {}

  write(lines: string): void {
    const bytes = Buffer.from(lines);
    if (this.waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.dropped += lines.split('\n').length - 1;
      return;
    }
    this.add(bytes);
    if (this.timer === undefined) this.flush();
  }

  /** Writes lines. Resolves when the operating system has accepted all of them, and rejects when lines may be lost. */
  writeAll(lines: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const bytes = Buffer.from(lines);
      if (this.waitingBytes > 0 && this.waitingBytes + bytes.length > MAX_WAITING_BYTES) {
        reject(new Error('standard output is not read'));
        return;
      }
      this.add(bytes);
      this.promised.push({ end: this.acceptedBytes, resolve, reject });
      if (this.timer === undefined) this.flush();
    });
  }

  /** Writes the waiting lines at the exit of the process. Gives up after 2 seconds when nobody reads them. */
  end(): void {
    const endsAt = performance.now() + LAST_LINES_MS;
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    this.flush();
    while (this.waiting.length > 0 && performance.now() < endsAt) {
      Atomics.wait(sleeper, 0, 0, RETRY_MS);
      this.flush();
    }
    clearTimeout(this.timer);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.waiting.length > 0 && this.writeSome()) if (this.waiting.length === 0) this.sayDropped();
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.flush(), RETRY_MS).unref();
  }

  /** @returns false when the pipe is full */
  private writeSome(): boolean {
    try {
      this.remove(writevSync(this.fd, this.waiting.slice(0, PIECES)));
      return true;
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return false;
      // The reader is gone or the disk is full. The lines are dropped, because the failure can be reported nowhere.
      this.waiting = [];
      this.waitingBytes = 0;
      this.writtenBytes = this.acceptedBytes;
      for (const { reject } of this.promised.splice(0)) reject(asError(error));
      return false;
    }
  }

  private add(bytes: Buffer): void {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.acceptedBytes += bytes.length;
  }

  private remove(bytes: number): void {
    this.waitingBytes -= bytes;
    this.writtenBytes += bytes;
    const open = this.promised.findIndex(({ end }) => end > this.writtenBytes);
    for (const { resolve } of this.promised.splice(0, open === -1 ? this.promised.length : open)) resolve();
    let left = bytes;
    let whole = 0;
    for (; whole < this.waiting.length && left >= (this.waiting[whole]?.length ?? 0); whole += 1)
      left -= this.waiting[whole]?.length ?? 0;
    this.waiting.splice(0, whole);
    const [first] = this.waiting;
    if (first !== undefined && left > 0) this.waiting[0] = first.subarray(left);
  }

  private sayDropped(): void {
    if (this.dropped === 0) return;
    const line = {
      level: 'warn',
      time: new Date().toISOString(),
      dropped: this.dropped,
      message: 'log lines were dropped',
    };
    this.dropped = 0;
    this.add(Buffer.from(`${JSON.stringify(line)}\n`));
  }
}

/** The standard output of the process, for the log and the audit sink. Their lines are never mixed. */
export const standardOutput = new StandardOutput();
