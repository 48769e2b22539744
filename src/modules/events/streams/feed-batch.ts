import { frameOf } from '../../../platform/http/event-stream.js';
import type { FeedItem, FeedRead } from './feed-source.js';

/** The items of one read on their way to its readers: a frame each, and how many sockets still hold some of them. */
export class FeedBatch {
  readonly frames: readonly Buffer[];
  readonly items: readonly FeedItem[];
  private open = 1;

  constructor(private readonly read: FeedRead) {
    this.items = read.items;
    this.frames = read.items.map(({ message }) => frameOf(message));
    read.hold?.read();
  }

  /** For one frame of one reader: to be called once the socket has it. Undefined: nobody counts. */
  taken(): (() => void) | undefined {
    if (this.read.hold === undefined) return undefined;
    this.open += 1;
    return () => this.close();
  }

  /** Every reader has been given what it takes. */
  given(): void {
    this.close();
  }

  private close(): void {
    this.open -= 1;
    if (this.open === 0) this.read.hold?.sent();
  }
}
