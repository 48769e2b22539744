import { ByteBudget, type Release } from '../byte-budget/index.js';
import { FairSemaphore } from '../concurrency/index.js';
import { ServiceOverloaded } from './domain-error.js';

const MIB = 1024 * 1024;
/** Of all request bodies of this process, more where a single body may be larger than a quarter. */
const MIN_CAPACITY_BYTES = 128 * MIB;
/** The part of callers without credentials, so that they never take all of it, however many addresses they have. */
const PART_OF_STRANGERS = 1 / 4;
/** One caller has a quarter of what no other has, and one body as long as there is room for it at all. */
const SHARE_OF_CALLER = 1 / 4;
const MIN_CALLER_BYTES = 8 * MIB;
const MAX_ADDRESS_BYTES = 4 * MIB;
/** Bodies that wait unread for room, a quarter of them of one caller; more are refused. */
const MAX_WAITING = 256;
/** Bodies that are inflated at a time: as many as Node has threads for it. What waits for that is counted as it came. */
const MAX_INFLATING = 4;
const WAITING_TIMEOUT_MS = 5_000;

/** Whose bodies are counted together. */
export interface BodyHolder {
  /** A credential or an address. */
  readonly name: string;
  /** Whether nothing is known of the caller but the address. */
  readonly isStranger: boolean;
}

/** @param address as limits count it */
export function strangerAt(address: string): BodyHolder {
  return { name: `address ${address}`, isStranger: true };
}

/** What the bodies of one holder may take. */
export interface BodyShare {
  /** Waits a while for so many bytes. @throws ServiceOverloaded */
  take(bytes: number): Promise<Release>;
  /** Takes so many bytes now. @throws ServiceOverloaded */
  takeNow(bytes: number): Release;
  /** Inflates a body in its turn: how large it becomes is not known before. */
  inflate(work: () => Promise<Buffer>): Promise<Buffer>;
}

/**
 * The bytes of all request bodies in flight in this process, those that are kept and those that are handed on while they come.
 * They lie outside of the heap, so that no limit of Node bounds them. Small bodies that have come whole by the time they are
 * read are not counted: they are gone with the same turn of the event loop.
 */
export class BodyBudget {
  private readonly ofKnown: ByteBudget;
  private readonly ofStrangers: ByteBudget;
  private readonly inflating = new FairSemaphore({ parallel: MAX_INFLATING, mostWaiting: Infinity });

  /** @param largestBytes of a body */
  constructor(largestBytes: number) {
    const capacity = Math.max(MIN_CAPACITY_BYTES, 4 * largestBytes);
    const leastOfCaller = Math.max(MIN_CALLER_BYTES, largestBytes);
    this.ofKnown = budgetOf(capacity * (1 - PART_OF_STRANGERS), (held, free) =>
      Math.max(leastOfCaller, (held + free) * SHARE_OF_CALLER),
    );
    this.ofStrangers = budgetOf(capacity * PART_OF_STRANGERS, () => Math.max(MAX_ADDRESS_BYTES, largestBytes));
  }

  shareOf({ name, isStranger }: BodyHolder): BodyShare {
    const budget = isStranger ? this.ofStrangers : this.ofKnown;
    return {
      take: (bytes) => budget.take(name, bytes),
      takeNow: (bytes) => {
        const release = budget.tryTake(name, bytes);
        if (release === null) throw new ServiceOverloaded();
        return release;
      },
      inflate: (work) => this.inflating.run(name, work),
    };
  }
}

function budgetOf(capacity: number, share: (held: number, free: number) => number): ByteBudget {
  return new ByteBudget({
    capacity,
    largest: capacity,
    share,
    mostWaiting: MAX_WAITING,
    patienceMs: WAITING_TIMEOUT_MS,
    refusal: () => new ServiceOverloaded(),
  });
}
