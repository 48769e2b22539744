import type { Response } from 'express';
import { SLOW_CLIENT_LIMITS, type SlowClientLimits, SlowClientTimer } from './slow-client.js';
import { textOf, type WrittenJson } from './written-json.js';

/** Number of unread bytes from which the stream of a client is full. A single message may be larger. */
const FULL_BYTES = 64 * 1024;
/** Bytes written to the socket at a time. Small slices show whether a client reads slowly or not at all. */
const SLICE_BYTES = 64 * 1024;

/** Returns one message as bytes of the stream, without id and event name. */
export function frameOf(message: object | WrittenJson): Buffer {
  return Buffer.from(`data: ${textOf(message)}\n\n`);
}

/** Whether a response is an event stream. Event streams never end by themselves. */
export function isEventStream(response: { getHeader(name: string): unknown }): boolean {
  return response.getHeader('content-type') === 'text/event-stream';
}

/** Starts an event stream and sends its headers at once. */
export function beginEventStream(response: Response): void {
  response.statusCode = 200;
  // Uses Node's own method, because Express would add a charset.
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

/**
 * Sends server-sent events to one client, with a limit on unread bytes. A client that stalls or reads too slowly is
 * disconnected.
 */
export class EventStream {
  readonly openedAt = performance.now();
  private readonly onClosed: (() => void)[] = [];
  private readonly waiting: (() => void)[] = [];
  private frames: Frame[] = [];
  /** The bytes of the first frame that were written to the socket. */
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

  /**
   * Whether the client reads more slowly than the service writes. If true, wait for {@link drained} before the next
   * message.
   */
  get isFull(): boolean {
    return this.queued + this.response.writableLength >= FULL_BYTES;
  }

  /** @param taken called once, when the socket has all bytes or the stream is closed */
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

  /** Resolves with true when the client has read enough, or with false when it has disconnected. */
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

  /** Writes frames until the socket is full. */
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

  /** Disconnects the client unless the socket drains in time. */
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
