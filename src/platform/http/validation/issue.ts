import type { FaultType } from './fault.js';
import { Refusal } from '../refusal.js';

/** The maximum number of issues in one answer. */
export const MAX_ISSUES = 100;

/** One row of the 422 array. `input` is an excerpt of limited size without secrets. */
export type Issue = {
  type: FaultType;
  loc: (string | number)[];
  msg: string;
  input: unknown;
  ctx?: Record<string, unknown>;
};

/** Input that does not match its schema. Answered with status 422 and `issues` as the detail. */
export class ValidationError extends Refusal {
  readonly status = 422;

  constructor(readonly issues: Issue[]) {
    super('Request validation failed');
    this.name = 'ValidationError';
  }
}

/**
 * Refuses one input for a business rule, in the same form as a field's own rule. `input` is returned to the caller, so
 * it must not be secret.
 */
export function brokenRule(
  loc: Issue['loc'],
  sentence: string,
  input: unknown,
  more: Readonly<Record<string, unknown>> = {},
): ValidationError {
  return new ValidationError([
    { type: 'value_error', loc, msg: `Value error, ${sentence}`, input, ctx: { error: {}, ...more } },
  ]);
}
