import type { Firing } from '../alerts/index.js';
import type { LiveRule } from './live-rules.repository.js';

/** A message of an alert is cut to this many characters. */
const MAX_MESSAGE = 500;

/** Returns the fields of a rule that its firings carry. */
export function ruleOf({ id, name, severity, cooldownSeconds, targets }: LiveRule): Firing['rule'] {
  return { id, name, severity, cooldownSeconds, targets };
}

export function cut(message: string): string {
  return message.length <= MAX_MESSAGE
    ? message
    : `${message.slice(0, MAX_MESSAGE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
