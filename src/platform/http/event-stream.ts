import type { Response } from 'express';
import { SLOW_CLIENT_LIMITS, type SlowClientLimits, SlowClientTimer } from './slow-client.js';
import { textOf, type WrittenJson } from './written-json.js';

/** Bytes a client may leave unread before it is given no more; one message may be larger. */
const FULL_BYTES = 64 * 1024;
/** What is handed to the socket at a time, so that a client that takes some of a message is told from one that takes nothing. */
const SLICE_BYTES = 64 * 1024;

/** One message of a stream as it goes out: no id, no event name. */
export function frameOf(message: object | WrittenJson): Buffer {
  return Buffer.from(`data: ${textOf(message)}\n\n`);
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

interface Frame {
  readonly bytes: Buffer;
  readonly taken: (() => void) | undefined;
}

/** Server-sent events to one client, with a bound on what waits for it. A client that stands still, or nearly so, is let go. */
export class EventStream {
  readonly openedAt = performance.now();
  private readonly onClosed: (() => void)[] = [];
  private readonly waiting: (() => void)[] = [];
  private frames: Frame[] = [];
  /** Bytes of the first frame that the socket has. */
  private handed = 0;
  private queued = 0;
  private stalled: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly time: SlowClientTimer;

  constructor(
    private readonly response: Response,
    limits: SlowClientLimits = SLOW_CLIENT_LIMITS,
  ) {
    this.time = new SlowClientTimer(limits);
    beginEventStream(response);
    const close = (): void => this.close();
    response.once('close', close);
    response.on('error', close);
    response.on('drain', () => {
      clearTimeout(this.stalled);
      this.stalled = undefined;
      this.hand();
      if (!this.isFull) this.wake();
    });
    if (response.destroyed) close();
  }

  get isOpen(): boolean {
    return !this.closed && !this.response.writableEnded;
  }

  /** True: the client reads slower than it is written to; wait for {@link drained}. */
  get isFull(): boolean {
    return this.queued + this.response.writableLength >= FULL_BYTES;
  }

  /** @param taken called once when the socket has it all, or the stream is closed */
  send(bytes: Buffer, taken?: () => void): void {
    if (!this.isOpen) {
      taken?.();
      return;
    }
    this.frames.push({ bytes, taken });
    this.queued += bytes.length;
    this.time.give(bytes.length);
    this.hand();
  }

  /** Resolves with true when the client has caught up, with false when it is gone. */
  async drained(): Promise<boolean> {
    while (this.isOpen && this.isFull) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.isOpen;
  }

  end(): void {
    if (this.isOpen) this.response.end();
    this.wake();
  }

  whenClosed(tell: () => void): void {
    if (this.closed) tell();
    else this.onClosed.push(tell);
  }

  /** Hands on what the socket takes. */
  private hand(): void {
    while (this.stalled === undefined && this.isOpen) {
      const [first] = this.frames;
      if (first === undefined) {
        this.time.taken();
        return;
      }
      const slice = first.bytes.subarray(this.handed, this.handed + SLICE_BYTES);
      this.handed += slice.length;
      this.queued -= slice.length;
      if (!this.response.write(slice)) this.watch();
      if (this.handed < first.bytes.length) continue;
      this.frames.shift();
      this.handed = 0;
      first.taken?.();
    }
  }

  /** Until the socket is empty again. */
  private watch(): void {
    this.stalled = setTimeout(() => this.response.destroy(), this.time.leftMs);
    this.stalled.unref();
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.stalled);
    for (const { taken } of this.frames) taken?.();
    this.frames = [];
    this.queued = 0;
    for (const tell of this.onClosed) tell();
    this.wake();
  }

  private wake(): void {
    for (const go of this.waiting.splice(0)) go();
  }
}
