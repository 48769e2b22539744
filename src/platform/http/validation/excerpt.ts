import { ExactNumber } from '../../json/index.js';
import { isSecretName } from './secret-names.js';

export const REDACTED = '[redacted]';
const OMITTED = '[omitted]';
const MAX_TEXT = 200;
// The maximum characters of one object or list, and of all of them in one answer.
const MAX_CONTAINER = 2_000;
const MAX_ALL_CONTAINERS = 16_000;
const MAX_LEVELS = 5;
// This is long enough to contain the end of a URL's userinfo, so that it is masked before the text is cut.
const MASKED_TEXT = 2_000;
const USERINFO = /:\/\/[^/?#\s@]*@/g;

/**
 * Exceptions from the rule that names decide what is secret: names that are secret although they do not look secret,
 * and names that look secret but are not.
 */
export interface SecretNames {
  readonly secret: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

/** Returns at most 200 UTF-16 units of the text, without splitting a surrogate pair. */
export function cutText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const cut = text.slice(0, MAX_TEXT);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/**
 * Creates the `input` values of one answer. Their total size is bounded, and they contain no secrets. An object that
 * occurs in several issues is copied once.
 */
export class Excerpts {
  private left = MAX_ALL_CONTAINERS;
  private readonly seen = new Map<object, { copy: unknown; cost: number }>();

  constructor(private readonly names: SecretNames) {}

  of(input: unknown, secret: boolean): unknown {
    if (secret) return REDACTED;
    if (typeof input !== 'object' || input === null || input instanceof ExactNumber) return scalar(input);
    let known = this.seen.get(input);
    if (!known) {
      const purse = { left: MAX_CONTAINER };
      const copy = this.copy(input, 1, purse);
      known = { copy, cost: MAX_CONTAINER - purse.left };
      this.seen.set(input, known);
    }
    if (known.cost > this.left) return OMITTED;
    this.left -= known.cost;
    return known.copy;
  }

  private copy(value: unknown, level: number, purse: { left: number }): unknown {
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) {
      const kept = scalar(value);
      purse.left -= typeof kept === 'string' ? kept.length + 3 : 8;
      return kept;
    }
    purse.left -= 3;
    if (level > MAX_LEVELS) {
      purse.left -= OMITTED.length;
      return OMITTED;
    }
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (let index = 0; index < value.length && purse.left > 0; index++) {
        items.push(this.copy(value[index], level + 1, purse));
      }
      return items;
    }
    const members: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (purse.left <= 0) break;
      const name = cutText(key);
      purse.left -= name.length + 4;
      const member = this.isSecret(key)
        ? this.copy(REDACTED, level + 1, purse)
        : this.copy((value as Record<string, unknown>)[key], level + 1, purse);
      // Defines the member instead of assigning it, so that a member called `__proto__` is copied as a member.
      Object.defineProperty(members, name, { value: member, enumerable: true, configurable: true, writable: true });
    }
    return members;
  }

  private isSecret(name: string): boolean {
    if (this.names.secret.has(name)) return true;
    return !this.names.open.has(name) && isSecretName(name);
  }
}

function scalar(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value.slice(0, MASKED_TEXT).replace(USERINFO, `://${REDACTED}@`));
  if (value instanceof ExactNumber) return value.toNumber();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'boolean' ? value : null;
}
