import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { FairSemaphore } from '../concurrency/index.js';

/** 19 MiB, 2 passes, 1 lane; argon2id is the library's default algorithm. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const SALT_BYTES = 16;
const ENCODED_PREFIX = '$argon2id$v=19$';
// libuv has four threads by default. One thread remains free for files and name look-ups.
const MAX_THREADS = 3;

export interface PasswordsOptions {
  /**
   * Maximum number of hashes that are computed at the same time. By default one for each core, and at most
   * `MAX_THREADS`.
   */
  readonly parallel?: number;
  /** Maximum number of waiting calls. Further ones are refused. */
  readonly maxWaiting?: number;
  /** Maximum number of waiting calls of one share. */
  readonly maxWaitingOfShare?: number;
}

/**
 * Computes and verifies argon2id hashes in PHC text form. Passwords are normalized to NFKC before they are hashed, so
 * that the same letters typed on another device match.
 *
 * The caller passes a share: the account of the signed-in user, or otherwise the e-mail or client address that the
 * request concerns. Each share hashes one password at a time, and shares are served in turn, so that a share with many
 * calls delays only itself. Every call may throw `KeyOverloadedError` when its share has too many waiting calls, and
 * `OverloadedError` when all shares together have too many.
 */
export class Passwords {
  private readonly slots: FairSemaphore;
  private readonly dummyHash = hashOfNothing();

  constructor(options: PasswordsOptions = {}) {
    const parallel = options.parallel ?? Math.min(availableParallelism(), MAX_THREADS);
    this.slots = new FairSemaphore({
      parallel,
      maxPerKey: 1,
      maxQueued: options.maxWaiting ?? 256,
      maxQueuedPerKey: options.maxWaitingOfShare ?? 32,
    });
  }

  hash(password: string, share: string): Promise<string> {
    return this.slots.run(share, () => hash(asHashed(password), COST));
  }

  /** Rejects when the stored hash is not in PHC form. */
  verify(storedHash: string, password: string, share: string): Promise<boolean> {
    return this.slots.run(share, () => verify(storedHash, asHashed(password)));
  }

  /** Takes as long as {@link verify} and always returns false, for accounts that do not exist or have no password. */
  async verifyDummy(password: string, share: string): Promise<false> {
    await this.verify(this.dummyHash, password, share);
    return false;
  }

  /**
   * Returns whether the hash is not an argon2id hash, or has a weaker parameter than the hashes that {@link hash} makes
   * now.
   */
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

/**
 * Returns a hash that takes as long to verify as any other. It is made of random bytes, so no known password matches
 * it.
 */
function hashOfNothing(): string {
  const { memoryCost, timeCost, parallelism, outputLen } = COST;
  const [salt, output] = [SALT_BYTES, outputLen].map((bytes) =>
    randomBytes(bytes).toString('base64').replaceAll('=', ''),
  );
  return `${ENCODED_PREFIX}m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${output}`;
}

/** Returns the form of a password that is hashed. Password rules check this form too. */
export function asHashed(password: string): string {
  return password.normalize('NFKC');
}
