import type { Response } from 'express';

/** Bytes a client may leave unread before it is given no more. */
const FULL_BYTES = 256 * 1024;
/** A client that takes nothing for so long is let go. */
const STALLED_MS = 30_000;

/** One message of a stream as it goes out: no id, no event name. */
export function frameOf(message: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(message)}\n\n`);
}

/** Whether a response is an event stream, which by itself never ends. */
export function isEventStream(response: { getHeader(name: string): unknown }): boolean {
  return response.getHeader('content-type') === 'text/event-stream';
}

/** Begins an event stream: the headers go out at once. */
export function beginEventStream(response: Response): void {
  response.statusCode = 200;
  // By Node's own setter: Express adds a charset.
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache',
    Connection: 'keep-alive',
    'X-Accel-Buffering': 'no',
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.flushHeaders();
}

/** Server-sent events to one client, with a bound on what waits for it. */
export class EventStream {
  readonly openedAt = performance.now();
  private readonly onClosed: (() => void)[] = [];
  private closed = false;

  constructor(private readonly response: Response) {
    beginEventStream(response);
    const close = (): void => {
      if (this.closed) return;
      this.closed = true;
      for (const tell of this.onClosed) tell();
    };
    response.once('close', close);
    response.on('error', close);
    if (response.destroyed) close();
  }

  get isOpen(): boolean {
    return !this.closed && !this.response.writableEnded;
  }

  /** True: the client reads slower than it is written to; wait for {@link drained}. */
  get isFull(): boolean {
    return this.response.writableLength >= FULL_BYTES;
  }

  send(frame: Buffer): void {
    if (this.isOpen) this.response.write(frame);
  }

  /** Resolves with true when the client has caught up, with false when it is gone; a client that stands still is let go. */
  drained(): Promise<boolean> {
    if (!this.isOpen || !this.isFull) return Promise.resolve(this.isOpen);
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(stalled);
        this.response.off('drain', settle);
        this.response.off('close', settle);
        resolve(this.isOpen);
      };
      const stalled = setTimeout(() => this.response.destroy(), STALLED_MS);
      stalled.unref();
      this.response.once('drain', settle);
      this.response.once('close', settle);
    });
  }

  end(): void {
    if (this.isOpen) this.response.end();
  }

  whenClosed(tell: () => void): void {
    if (this.closed) tell();
    else this.onClosed.push(tell);
  }
}
