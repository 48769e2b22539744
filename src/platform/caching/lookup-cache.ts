import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/index.js';

export interface LookupCacheOptions<K, V> {
  /** How long an answer is valid without an invalidation, in milliseconds. */
  readonly trustMs: number;
  /** Maximum number of cached answers. Beyond it, the least recently used are evicted. */
  readonly most: number;
  readonly clock: Clock;
  readonly look: (key: K) => Promise<V>;
}

interface Lookup<V> {
  readonly answer: Promise<V>;
  /** The answer once it has arrived. */
  found?: { readonly value: V };
}

/**
 * Caches results of database look-ups that every request needs. A result is valid for a few seconds, shared by
 * concurrent callers, and removed as soon as it is invalidated. A look-up that is in progress at that time still
 * returns its result to its callers, but the result is not cached. A failed look-up is not cached either.
 */
export class LookupCache<K extends string, V> {
  private readonly kept: LRUCache<K, Lookup<V>>;

  constructor(private readonly options: LookupCacheOptions<K, V>) {
    const { most: max, trustMs: ttl, clock } = options;
    this.kept = new LRUCache({ max, ttl, ttlResolution: 0, perf: { now: () => clock.now().getTime() } });
  }

  /** Returns the result. A cached result is returned without a promise, because every request needs it. */
  of(key: K): V | Promise<V> {
    return answerOf(this.kept.get(key) ?? this.look(key));
  }

  /** Returns the result that is cached or being looked up, or undefined when there is none. */
  known(key: K): V | Promise<V> | undefined {
    const lookup = this.kept.get(key);
    return lookup && answerOf(lookup);
  }

  /** Invalidates the answer of a key. */
  forget(key: K): void {
    this.kept.delete(key);
  }

  forgetAll(): void {
    this.kept.clear();
  }

  private look(key: K): Lookup<V> {
    const lookup: Lookup<V> = { answer: this.options.look(key) };
    this.kept.set(key, lookup);
    lookup.answer.then(
      (value) => (lookup.found = { value }),
      () => {
        if (this.kept.peek(key) === lookup) this.kept.delete(key);
      },
    );
    return lookup;
  }
}

function answerOf<V>({ found, answer }: Lookup<V>): V | Promise<V> {
  return found === undefined ? answer : found.value;
}
