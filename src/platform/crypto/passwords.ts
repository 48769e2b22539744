import { availableParallelism } from 'node:os';
import { hash, hashSync, parseOptions, verify } from '@node-rs/argon2';
import { OverloadedError } from './crypto-errors.js';
import { randomToken } from './random.js';

/** 19 MiB, 2 passes, 1 lane; argon2id is the library's default algorithm. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const SALT_BYTES = 16;
const ENCODED_PREFIX = '$argon2id$v=19$';
// libuv has four threads unless told otherwise; one stays free for files and name look-ups.
const MAX_THREADS = 3;

export interface PasswordsOptions {
  /** Hashes computed at the same time; by default one a core. */
  readonly parallel?: number;
  /** Calls that may wait for a turn before further ones are refused. */
  readonly maxWaiting?: number;
}

/**
 * argon2id hashes in PHC text form. Passwords are compared in Unicode form NFKC, so that the same
 * letters typed on another device match. Every call may throw {@link OverloadedError}.
 */
export class Passwords {
  private readonly turns: Turns;
  private readonly dummyHash = hashSync(randomToken(), COST);

  constructor(options: PasswordsOptions = {}) {
    const parallel = options.parallel ?? Math.min(availableParallelism(), MAX_THREADS);
    this.turns = new Turns(parallel, options.maxWaiting ?? 256);
  }

  hash(password: string): Promise<string> {
    return this.turns.run(() => hash(asHashed(password), COST));
  }

  /** Rejects when the stored hash is not in PHC form. */
  verify(storedHash: string, password: string): Promise<boolean> {
    return this.turns.run(() => verify(storedHash, asHashed(password)));
  }

  /** Costs what {@link verify} costs and is always false: for accounts that do not exist or have no password. */
  async verifyDummy(password: string): Promise<false> {
    await this.verify(this.dummyHash, password);
    return false;
  }

  /** Whether the hash is of another kind or weaker in any parameter than what {@link hash} makes today. */
  needsRehash(storedHash: string): boolean {
    if (!storedHash.startsWith(ENCODED_PREFIX)) return true;
    const used = parseOptions(storedHash);
    return (
      used.memoryCost < COST.memoryCost ||
      used.timeCost < COST.timeCost ||
      used.parallelism < COST.parallelism ||
      used.outputLen < COST.outputLen ||
      used.saltLen < SALT_BYTES
    );
  }
}

/** The form that is hashed and compared; rules about passwords look at it too. */
export function asHashed(password: string): string {
  return password.normalize('NFKC');
}

/** A first-come-first-served semaphore with a bounded queue. */
class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly parallel: number,
    private readonly maxWaiting: number,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.parallel) {
      this.running++;
    } else {
      if (this.waiting.length >= this.maxWaiting) throw new OverloadedError();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // A finished call hands its place over, so `running` never dips and nobody overtakes the queue.
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}
