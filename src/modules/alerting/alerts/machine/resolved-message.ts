import { withoutName } from '../../../delivery/sending/index.js';

interface Ended {
  readonly ruleName: string | null;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
}

/** Returns the message of a resolved alert: how long the alert lasted, and its own message. */
export function resolvedMessage({ ruleName, createdAt, resolvedAt }: Ended, message: string): string {
  const end = `Resolved after ${durationOf((resolvedAt ?? createdAt).getTime() - createdAt.getTime())}`;
  return `${ruleName === null ? '' : `${ruleName}: `}${end}: ${withoutName(message, ruleName)}`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Returns a duration in its two largest units, as in `2 h 5 min`. */
export function durationOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  if (first === -1) return '0 s';
  let rest = seconds;
  const parts: string[] = [];
  for (const [unit, size] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}
