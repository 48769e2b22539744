import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ServiceOverloaded } from './domain-error.js';

/** From here on a text is large: as objects it may take some twenty times its size, and its reading much of a second. */
export const LARGE_BYTES = 32 * 1024;

const MOST_WAITING = 128;
const MOST_WAITING_OF_A_HOLDER = 64;
const PATIENCE_MS = 10_000;
/** Whoever keeps a large body for longer, such as one who waits for others, no longer holds up the next. */
const LONGEST_TURN_MS = 2_000;

/** Below this a round of the event loop is enough of a rest. */
const BRIEF_MS = 5;
const LONGEST_REST_MS = 100;

/** The right to read one large text, until it ends. */
export interface LargeTurn {
  /** Between two steps of the reading: as much time for everybody else as the step has taken. */
  readonly rest: () => Promise<void>;
  /** Further calls do nothing. */
  readonly end: () => void;
}

interface Waiting {
  readonly begin: () => void;
}

/**
 * Has large JSON read one text at a time in this process, the senders in turn: so the objects of many of them do not fill
 * the heap. Half of the time is left to everybody else, since a request takes several rounds of the event loop and would
 * stand behind a step of the reading in each.
 */
@Injectable()
export class LargeBodies {
  private busy = false;
  private waiting = 0;
  /** In the order of their turns. */
  private readonly holders = new Map<string, Waiting[]>();

  /** @throws ServiceOverloaded when too many wait or it takes too long */
  async turn(holder: string): Promise<LargeTurn> {
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
    const limit = setTimeout(end, LONGEST_TURN_MS);
    limit.unref();
    return { rest, end };
  }

  private wait(holder: string): Promise<void> {
    const queue = this.holders.get(holder) ?? [];
    if (this.waiting >= MOST_WAITING || queue.length >= MOST_WAITING_OF_A_HOLDER) throw new ServiceOverloaded();
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => {
        this.leave(holder, waiting);
        reject(new ServiceOverloaded());
      }, PATIENCE_MS);
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(patience);
          resolve();
        },
      };
      queue.push(waiting);
      this.holders.set(holder, queue);
      this.waiting += 1;
    });
  }

  /** The next holder's longest waiting one; the holder then stands behind the others. */
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
