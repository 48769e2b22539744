import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { FairSemaphore } from '../concurrency/index.js';

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
  /** Calls of one share that may wait. */
  readonly maxWaitingOfShare?: number;
}

/**
 * argon2id hashes in PHC text form. Passwords are compared in Unicode form NFKC, so that the same
 * letters typed on another device match.
 *
 * Every call says whose it is: the account of who is signed in, else the address (of mail or of the client) that the
 * request is about. A share hashes one password at a time and shares take turns, so that whoever asks for many waits for
 * themselves alone. Every call may throw `ShareExhaustedError` for the greedy and `OverloadedError` when all are too many.
 */
export class Passwords {
  private readonly turns: FairSemaphore;
  private readonly dummyHash = hashOfNothing();

  constructor(options: PasswordsOptions = {}) {
    const parallel = options.parallel ?? Math.min(availableParallelism(), MAX_THREADS);
    this.turns = new FairSemaphore({
      parallel,
      parallelOfShare: 1,
      mostWaiting: options.maxWaiting ?? 256,
      mostWaitingOfShare: options.maxWaitingOfShare ?? 32,
    });
  }

  hash(password: string, share: string): Promise<string> {
    return this.turns.run(share, () => hash(asHashed(password), COST));
  }

  /** Rejects when the stored hash is not in PHC form. */
  verify(storedHash: string, password: string, share: string): Promise<boolean> {
    return this.turns.run(share, () => verify(storedHash, asHashed(password)));
  }

  /** Costs what {@link verify} costs and is always false: for accounts that do not exist or have no password. */
  async verifyDummy(password: string, share: string): Promise<false> {
    await this.verify(this.dummyHash, password, share);
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

/** As costly to verify against as any other; nobody knows a password for it, and none was hashed to make it. */
function hashOfNothing(): string {
  const { memoryCost, timeCost, parallelism, outputLen } = COST;
  const [salt, output] = [SALT_BYTES, outputLen].map((bytes) =>
    randomBytes(bytes).toString('base64').replaceAll('=', ''),
  );
  return `${ENCODED_PREFIX}m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${output}`;
}

/** The form that is hashed and compared; rules about passwords look at it too. */
export function asHashed(password: string): string {
  return password.normalize('NFKC');
}
