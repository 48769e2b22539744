import { ByteBudget, type Release } from '../byte-budget/index.js';
import { FairSemaphore } from '../concurrency/index.js';
import { ServiceOverloaded } from './domain-error.js';

const MIB = 1024 * 1024;
/**
 * The minimum capacity for all request bodies of this process. The capacity is larger when the maximum size of one body
 * exceeds a quarter of it.
 */
const MIN_CAPACITY_BYTES = 128 * MIB;
/**
 * The part of the capacity that is reserved for callers without credentials. They never get more, however many
 * addresses they use.
 */
const PART_OF_STRANGERS = 1 / 4;
/**
 * One caller gets a quarter of the bytes that other callers do not hold, but always enough for one body of the maximum
 * size.
 */
const SHARE_OF_CALLER = 1 / 4;
const MIN_CALLER_BYTES = 8 * MIB;
const MAX_ADDRESS_BYTES = 4 * MIB;
/**
 * Maximum number of bodies that wait unread for capacity, of which at most a quarter may be of one caller. Further
 * bodies are refused.
 */
const MAX_WAITING = 256;
/**
 * Maximum number of bodies that are decompressed at a time, because Node has four threads for this. A waiting body
 * counts with its compressed size.
 */
const MAX_INFLATING = 4;
const WAITING_TIMEOUT_MS = 5_000;

/** The caller that a body is counted for. */
export interface BodyHolder {
  /** A credential or an address. */
  readonly name: string;
  /** Whether only the address of the caller is known. */
  readonly isStranger: boolean;
}

/** @param address in the form that the rate limits use */
export function strangerAt(address: string): BodyHolder {
  return { name: `address ${address}`, isStranger: true };
}

/** The part of the budget that the bodies of one holder may take. */
export interface BodyShare {
  /** Waits up to 5 seconds for this many bytes. @throws ServiceOverloaded */
  take(bytes: number): Promise<Release>;
  /** Takes this many bytes at once. @throws ServiceOverloaded */
  takeNow(bytes: number): Release;
  /** Waits for a free slot, then decompresses a body with `work`. The decompressed size is not known before. */
  inflate(work: () => Promise<Buffer>): Promise<Buffer>;
}

/**
 * Limits the bytes of all request bodies in flight in this process, whether buffered or streamed. Buffers are outside
 * of the heap, so no limit of Node applies to them. A small body that has arrived completely before it is read is not
 * counted, because it is released in the same event-loop turn.
 */
export class BodyBudget {
  private readonly ofKnown: ByteBudget;
  private readonly ofStrangers: ByteBudget;
  private readonly inflating = new FairSemaphore({ parallel: MAX_INFLATING, maxQueued: Infinity });

  /** @param largestBytes the maximum size of one body */
  constructor(largestBytes: number) {
    const capacity = Math.max(MIN_CAPACITY_BYTES, 4 * largestBytes);
    const leastOfCaller = Math.max(MIN_CALLER_BYTES, largestBytes);
    this.ofKnown = budgetOf(capacity * (1 - PART_OF_STRANGERS), (held, free) =>
      Math.max(leastOfCaller, (held + free) * SHARE_OF_CALLER),
    );
    this.ofStrangers = budgetOf(capacity * PART_OF_STRANGERS, () => Math.max(MAX_ADDRESS_BYTES, largestBytes));
  }

  /** Bytes in use: by callers with a credential (`known`), and by callers without one (`strangers`). */
  get inUse(): { readonly known: number; readonly strangers: number } {
    return { known: this.ofKnown.inUse, strangers: this.ofStrangers.inUse };
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
    maxQueued: MAX_WAITING,
    timeoutMs: WAITING_TIMEOUT_MS,
    refusal: () => new ServiceOverloaded(),
  });
}
