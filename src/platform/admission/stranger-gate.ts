import type { NextFunction, Request, Response } from 'express';
import { FairSemaphore, type Leave } from '../concurrency/index.js';
import { RequestAborted } from '../http/body-bytes.js';
import { domainError } from '../http/domain-error.js';
import { attachSlot, type StrangerSlot } from '../http/stranger-slot.js';
import { addressBucket } from '../rate-limit/index.js';

/**
 * Maximum number of requests without credentials that are processed at a time in this process, in total and from one
 * address.
 */
const MAX_AT_WORK = 128;
const MAX_AT_WORK_OF_ADDRESS = 32;
/**
 * Maximum number of requests that wait for a slot, in total and from one address. Two hundred browsers behind one
 * address may each open a page at the same time.
 */
const MAX_WAITING = 2_048;
const MAX_WAITING_OF_ADDRESS = 1_280;
const WAITING_TIMEOUT_MS = 10_000;

/** These routes cost next to nothing, and health checks have no credentials. */
const PROBES: ReadonlySet<string> = new Set(['/health']);

/** This refusal is not logged, because a flood would cause one log line for each of its requests. */
class TooManyStrangers extends domainError(503, 'Service overloaded') {
  override readonly headers = { 'Retry-After': '1' };
}

/** Returns a name for the holder of the request's credentials, or null when the credentials are not known. */
type HolderOf = (request: Request) => string | null | Promise<string | null>;

/**
 * Limits the concurrent requests of callers without known credentials. Addresses get slots in turn, so that a flood
 * from one address delays only that address. Requests with known credentials are not limited here: rate limits and
 * quotas apply to them.
 */
export class StrangerGate {
  private readonly slots = new FairSemaphore({
    parallel: MAX_AT_WORK,
    maxPerKey: MAX_AT_WORK_OF_ADDRESS,
    maxQueued: MAX_WAITING,
    maxQueuedPerKey: MAX_WAITING_OF_ADDRESS,
    timeout: { ms: WAITING_TIMEOUT_MS, refusal: TooManyStrangers },
  });

  constructor(private readonly holderOf: HolderOf) {}

  /**
   * Handles a request as middleware. `next` is not called when the client of a request without known credentials has
   * disconnected.
   */
  handle(request: Request, response: Response, next: NextFunction): void {
    if (PROBES.has(request.path)) {
      next();
      return;
    }
    const holder = this.holderOf(request);
    if (typeof holder === 'string') next();
    else if (holder === null) this.enter(request, response, next);
    else {
      const enter = (): void => this.enter(request, response, next);
      // A request whose credential look-up fails is treated as one without credentials. The route reports the error.
      holder.then((name) => (name === null ? enter() : next()), enter).catch(next);
    }
  }

  private enter(request: Request, response: Response, next: NextFunction): void {
    if (response.destroyed) return;
    const slot = new Slot(this.slots, request);
    attachSlot(request, slot);
    response.once('close', () => slot.end());
    // The slot is released when the head of the answer is written, because only sending remains. Other limits apply to
    // slow clients.
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((...head: Parameters<typeof writeHead>) => {
      slot.leave();
      return writeHead(...head);
    }) as typeof writeHead;
    if (slot.enterNow()) {
      next();
      return;
    }
    slot
      .enter()
      .then(
        () => {
          if (!response.destroyed) next();
        },
        (refusal: unknown) => {
          if (!response.destroyed) next(refusal);
        },
      )
      .catch(next);
  }
}

class Slot implements StrangerSlot {
  private release: Leave | undefined;
  private hasEnded = false;
  private waiting: AbortController | undefined;
  private readonly share: string;

  constructor(
    private readonly slots: FairSemaphore,
    { ip }: Request,
  ) {
    this.share = addressBucket(ip);
  }

  /** Acquires a slot if one is free, and returns whether it was. */
  enterNow(): boolean {
    this.release = this.slots.enterNow(this.share) ?? undefined;
    return this.release !== undefined;
  }

  async enter(): Promise<void> {
    if (this.release !== undefined) return;
    if (this.hasEnded) throw new RequestAborted('the client went away before its turn');
    const { signal } = (this.waiting = new AbortController());
    const release = await this.slots.enter(this.share, signal);
    // The client may have disconnected at the same moment.
    if (signal.aborted) release();
    else this.release = release;
    this.waiting = undefined;
  }

  leave(): void {
    const { release } = this;
    if (release === undefined) return;
    this.release = undefined;
    // The slot is released in the next event-loop turn, so that a flood of cheap requests does not block all others.
    setImmediate(release);
  }

  /** Ends the wait for a slot and releases the slot, when the request has ended. */
  end(): void {
    this.hasEnded = true;
    this.waiting?.abort(new RequestAborted('the client went away before its turn'));
    this.leave();
  }
}
