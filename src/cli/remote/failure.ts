/** The exit codes of the commands for users. */
export const EXIT = { done: 0, failed: 1, usage: 2, differs: 3 } as const;

/** Ends a command with a message for people. It is printed without a stack, so it must contain no secret. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

/** The service has answered with an error status. */
export class Refusal extends CommandFailure {
  constructor(
    readonly status: number,
    readonly detail: unknown,
  ) {
    super(`${sentenceOf(detail)} (status ${status})`);
  }
}

/**
 * Returns the text of a `detail`. For a validation row, it contains only place and message, because `input` may be
 * secret.
 */
export function sentenceOf(detail: unknown): string {
  if (typeof detail === 'string') return printable(detail);
  if (Array.isArray(detail)) return detail.map((row) => printable(rowSentence(row as ValidationRow))).join('; ');
  const reason = (detail as { reason?: unknown } | null)?.reason;
  return typeof reason === 'string' ? printable(reason) : 'The service gave no reason';
}

interface ValidationRow {
  readonly loc?: readonly (string | number)[];
  readonly msg?: string;
}

function rowSentence({ loc = [], msg = 'is not valid' }: ValidationRow): string {
  return `${loc.slice(1).join('.') || 'request'}: ${msg.replace(/^Value error, /, '')}`;
}

/** Replaces control characters, so that no text of an event or an answer can control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ');
}
