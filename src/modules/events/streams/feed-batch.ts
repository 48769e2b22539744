import { frameOf } from '../../../platform/http/event-stream.js';
import type { FeedItem, FeedRead } from './feed-source.js';

/**
 * The items of one read that are being sent to readers: one frame for each item, and the number of sockets that still
 * hold some of them.
 */
export class FeedBatch {
  readonly frames: readonly Buffer[];
  readonly items: readonly FeedItem[];
  private open = 1;

  constructor(private readonly read: FeedRead) {
    this.items = read.items;
    this.frames = read.items.map(({ message }) => frameOf(message));
    read.hold?.read();
  }

  /**
   * Counts one frame of one reader. Returns the function to call once the socket has sent the frame, or undefined when
   * the read has no reservation.
   */
  taken(): (() => void) | undefined {
    if (this.read.hold === undefined) return undefined;
    this.open += 1;
    return () => this.close();
  }

  /**
   * Must be called once when all readers have their frames. The reservation ends when all sockets have sent them, too.
   */
  given(): void {
    this.close();
  }

  private close(): void {
    this.open -= 1;
    if (this.open === 0) this.read.hold?.sent();
  }
}
