import type { Firing } from '../alerts/index.js';
import type { LiveRule } from './live-rules.repository.js';

/** Characters of what an alert says. */
const MAX_MESSAGE = 500;

/** What an alert knows of the rule that fired. */
export function ruleOf({ id, name, severity, cooldownSeconds, targets }: LiveRule): Firing['rule'] {
  return { id, name, severity, cooldownSeconds, targets };
}

export function cut(message: string): string {
  return message.length <= MAX_MESSAGE
    ? message
    : `${message.slice(0, MAX_MESSAGE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
