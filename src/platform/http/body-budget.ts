import { ByteBudget, type Release } from '../byte-budget/index.js';
import { FairSemaphore } from '../concurrency/index.js';
import { ServiceOverloaded } from './domain-error.js';

const MIB = 1024 * 1024;
/**
 * The minimum capacity for all request bodies of this process. It is larger where one body may exceed a quarter of it.
 */
const MIN_CAPACITY_BYTES = 128 * MIB;
/** The part of the capacity for callers without credentials. They never get more, however many addresses they use. */
const PART_OF_STRANGERS = 1 / 4;
/**
 * One caller gets a quarter of the bytes that no other caller holds, but always enough for one body of the maximum
 * size.
 */
const SHARE_OF_CALLER = 1 / 4;
const MIN_CALLER_BYTES = 8 * MIB;
const MAX_ADDRESS_BYTES = 4 * MIB;
/** Bodies that may wait unread for room, a quarter of them from one caller. Beyond that, bodies are refused. */
const MAX_WAITING = 256;
/**
 * Bodies that are inflated at a time: Node has this many threads for it. A body that waits counts with its compressed
 * size.
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

/** @param address in the form that rate limits count */
export function strangerAt(address: string): BodyHolder {
  return { name: `address ${address}`, isStranger: true };
}

/** The part of the budget that the bodies of one holder may take. */
export interface BodyShare {
  /** Waits up to 5 seconds for this many bytes. @throws ServiceOverloaded */
  take(bytes: number): Promise<Release>;
  /** Takes this many bytes at once. @throws ServiceOverloaded */
  takeNow(bytes: number): Release;
  /** Waits for a free slot, then inflates a body. Its inflated size is unknown until then. */
  inflate(work: () => Promise<Buffer>): Promise<Buffer>;
}

/**
 * Limits the bytes of all request bodies in flight in this process, buffered and streamed ones. Buffers lie outside of
 * the heap, so no limit of Node bounds them. Small bodies that have arrived whole before they are read are not counted:
 * they are released in the same turn of the event loop.
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

  /** Bytes in use by callers with a credential, and by others. */
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
