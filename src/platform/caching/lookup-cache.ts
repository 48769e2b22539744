import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/index.js';

export interface LookupCacheOptions<K, V> {
  /** How long an answer is believed, in milliseconds, when nobody says that it has changed. */
  readonly trustMs: number;
  /** Answers that are kept; beyond it those go that nobody has asked for longest. */
  readonly most: number;
  readonly clock: Clock;
  readonly look: (key: K) => Promise<V>;
}

interface Lookup<V> {
  readonly answer: Promise<V>;
  /** The same once it is there. */
  found?: { readonly value: V };
}

/**
 * Answers of the database that are asked for with every request: remembered for a few seconds, shared by those who ask at
 * the same time, and dropped as soon as somebody tells that they have changed. One that was under way by then is given to
 * those who waited for it, and not kept. A failed look-up is not kept either.
 */
export class LookupCache<K extends string, V> {
  private readonly kept: LRUCache<K, Lookup<V>>;

  constructor(private readonly options: LookupCacheOptions<K, V>) {
    const { most: max, trustMs: ttl, clock } = options;
    this.kept = new LRUCache({ max, ttl, ttlResolution: 0, perf: { now: () => clock.now().getTime() } });
  }

  /** At once where it is there: every request asks. */
  of(key: K): V | Promise<V> {
    return answerOf(this.kept.get(key) ?? this.look(key));
  }

  /** What is remembered or under way; undefined: nobody has looked. */
  known(key: K): V | Promise<V> | undefined {
    const lookup = this.kept.get(key);
    return lookup && answerOf(lookup);
  }

  /** What `look` should answer no longer. */
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
