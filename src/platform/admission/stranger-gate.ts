import type { NextFunction, Request, Response } from 'express';
import { FairSemaphore, type Leave } from '../concurrency/index.js';
import { RequestAborted } from '../http/body-bytes.js';
import { domainError } from '../http/domain-error.js';
import { giveTurn, type StrangerTurn } from '../http/stranger-turn.js';
import { addressBucket } from '../rate-limit/index.js';

/** Requests without credentials that are at work in this process, and how many of them come from one address. */
const MAX_AT_WORK = 128;
const MAX_AT_WORK_OF_ADDRESS = 32;
/** Requests that wait for their turn: two hundred browsers behind one address may each open a page at once. */
const MAX_WAITING = 2_048;
const MAX_WAITING_OF_ADDRESS = 1_280;
const WAITING_TIMEOUT_MS = 10_000;

/** They cost next to nothing, and health checks have no credentials. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready']);

/** Not logged one by one: there is one for each request of a flood. */
class TooManyStrangers extends domainError(503, 'Service overloaded') {
  override readonly headers = { 'Retry-After': '1' };
}

/** Says whether the credentials of a request are known: whose they are, or null. */
type HolderOf = (request: Request) => string | null | Promise<string | null>;

/**
 * Bounds the requests at work for callers without credentials. Addresses take turns, so that a flood waits behind itself.
 * Whose credentials are known passes: rate limits and quotas bound what they do.
 */
export class StrangerGate {
  private readonly places = new FairSemaphore({
    parallel: MAX_AT_WORK,
    parallelOfShare: MAX_AT_WORK_OF_ADDRESS,
    mostWaiting: MAX_WAITING,
    mostWaitingOfShare: MAX_WAITING_OF_ADDRESS,
    patience: { ms: WAITING_TIMEOUT_MS, refusal: TooManyStrangers },
  });

  constructor(private readonly holderOf: HolderOf) {}

  /** As a middleware. Nothing is called for a request whose client has left. */
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
      // A credential whose look-up fails counts as a stranger's. The route reports the fault.
      holder.then((name) => (name === null ? enter() : next()), enter).catch(next);
    }
  }

  private enter(request: Request, response: Response, next: NextFunction): void {
    if (response.destroyed) return;
    const turn = new Turn(this.places, request);
    giveTurn(request, turn);
    response.once('close', () => turn.end());
    // From its head on, an answer is only sent: how slowly a client may take it has bounds of its own.
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((...head: Parameters<typeof writeHead>) => {
      turn.leave();
      return writeHead(...head);
    }) as typeof writeHead;
    if (turn.enterNow()) {
      next();
      return;
    }
    turn
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

class Turn implements StrangerTurn {
  private release: Leave | undefined;
  private hasEnded = false;
  private waiting: AbortController | undefined;
  private readonly share: string;

  constructor(
    private readonly places: FairSemaphore,
    { ip }: Request,
  ) {
    this.share = addressBucket(ip);
  }

  /** Whether a place was free. */
  enterNow(): boolean {
    this.release = this.places.enterNow(this.share) ?? undefined;
    return this.release !== undefined;
  }

  async enter(): Promise<void> {
    if (this.release !== undefined) return;
    if (this.hasEnded) throw new RequestAborted('the client went away before its turn');
    const { signal } = (this.waiting = new AbortController());
    const release = await this.places.enter(this.share, signal);
    // The client may have left in the same moment.
    if (signal.aborted) release();
    else this.release = release;
    this.waiting = undefined;
  }

  leave(): void {
    const { release } = this;
    if (release === undefined) return;
    this.release = undefined;
    // In the next turn of the event loop, so that a flood of cheap requests does not keep all others waiting.
    setImmediate(release);
  }

  /** Of the request: it waits no longer. */
  end(): void {
    this.hasEnded = true;
    this.waiting?.abort(new RequestAborted('the client went away before its turn'));
    this.leave();
  }
}
