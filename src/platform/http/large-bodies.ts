import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ServiceOverloaded } from './domain-error.js';

/**
 * Minimum size of a large JSON text, in bytes. Large texts are parsed one at a time, because a parsed text may take
 * about twenty times its size, and parsing may take most of a second.
 */
export const LARGE_BYTES = 32 * 1024;

const MAX_QUEUED = 128;
const MAX_QUEUED_PER_HOLDER = 64;
const WAIT_TIMEOUT_MS = 10_000;
/** The slot is released after this time even if the body is still in use, for example because the handler waits. */
const MAX_SLOT_MS = 2_000;

/** After a step shorter than this, a pause of one event-loop turn is long enough. */
const BRIEF_MS = 5;
const LONGEST_REST_MS = 100;

/** The right to parse one large text. It lasts until `end` is called. */
export interface LargeBodySlot {
  /** Pauses between two steps of parsing for as long as the last step took, so that other requests are served. */
  readonly rest: () => Promise<void>;
  /** Further calls do nothing. */
  readonly end: () => void;
}

interface Waiting {
  readonly begin: () => void;
}

/**
 * Parses large JSON texts one at a time in this process, so that the objects of many texts do not fill the heap.
 * Callers get the slot in turn. Half of the time is left to other requests, because a request needs several event-loop
 * turns and would otherwise wait for a step of parsing in each turn.
 */
@Injectable()
export class LargeBodies {
  private busy = false;
  private waiting = 0;
  /** The holders with waiting bodies, in the order in which they get the slot. */
  private readonly holders = new Map<string, Waiting[]>();

  /** @throws ServiceOverloaded when too many bodies wait, or after 10 seconds of waiting */
  async acquire(holder: string): Promise<LargeBodySlot> {
    if (this.busy) await this.wait(holder);
    this.busy = true;
    let since = performance.now();
    let isOver = false;
    const rest = async (): Promise<void> => {
      const took = performance.now() - since;
      await (took < BRIEF_MS ? nextTurn() : pause(Math.min(took, LONGEST_REST_MS)));
      since = performance.now();
    };
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(limit);
      void rest().then(() => this.goOn());
    };
    const limit = setTimeout(end, MAX_SLOT_MS);
    limit.unref();
    return { rest, end };
  }

  private wait(holder: string): Promise<void> {
    const queue = this.holders.get(holder) ?? [];
    if (this.waiting >= MAX_QUEUED || queue.length >= MAX_QUEUED_PER_HOLDER) throw new ServiceOverloaded();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.leave(holder, waiting);
        reject(new ServiceOverloaded());
      }, WAIT_TIMEOUT_MS);
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      queue.push(waiting);
      this.holders.set(holder, queue);
      this.waiting += 1;
    });
  }

  /** Gives the slot to the oldest waiting body of the next holder. This holder then moves to the end of the order. */
  private goOn(): void {
    for (const [holder, queue] of this.holders) {
      const [next] = queue;
      if (next === undefined) continue;
      this.leave(holder, next);
      if (queue.length > 0) {
        this.holders.delete(holder);
        this.holders.set(holder, queue);
      }
      next.begin();
      return;
    }
    this.busy = false;
  }

  private leave(holder: string, waiting: Waiting): void {
    const queue = this.holders.get(holder) ?? [];
    const at = queue.indexOf(waiting);
    if (at < 0) return;
    queue.splice(at, 1);
    this.waiting -= 1;
    if (queue.length === 0) this.holders.delete(holder);
  }
}
