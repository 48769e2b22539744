import type { OperationName, RefusalFacts, Schemas } from './contract.js';

/** What the service answered instead of doing it. {@link isRefusal} gives `status` and `detail` their types. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly operation: OperationName,
    readonly status: number,
    /** A sentence, an object with `code` and `reason`, or rows of 422. */
    readonly detail: unknown,
    readonly headers: Headers,
  ) {
    super(`${operation} was refused with ${status}: ${inWords(detail)}`);
  }

  /** The faults of the inputs; none when it was refused for something else. */
  get rows(): readonly Schemas['ValidationRow'][] {
    return Array.isArray(this.detail) ? (this.detail as Schemas['ValidationRow'][]) : [];
  }

  /** Finds the request in the log of the service. */
  get requestId(): string | null {
    return this.headers.get('X-Request-ID');
  }
}

/** An answer that is none of the service's: of something between, or of another address. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';

  constructor(
    readonly operation: OperationName,
    readonly status: number,
    readonly headers: Headers,
    options?: ErrorOptions,
  ) {
    super(`${operation} was answered with ${status}, and not by the service`, options);
  }
}

export type RefusalOf<Name extends OperationName> = Refusal & RefusalFacts<Name>;

/**
 * Whether it is a refusal, of this operation when one is named. Then `status` decides on the type of `detail`, whose
 * sentences are constants:
 *
 *     if (isRefusal(error, 'createProject') && error.status === 409) error.detail; // 'Slug already in use'
 */
export function isRefusal(error: unknown): error is Refusal;
export function isRefusal<Name extends OperationName>(error: unknown, operation: Name): error is RefusalOf<Name>;
export function isRefusal(error: unknown, operation?: OperationName): boolean {
  return error instanceof Refusal && (operation === undefined || error.operation === operation);
}

/** Never what was sent: it may be a secret. */
function inWords(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (Array.isArray(detail)) {
    const rows = detail as Partial<Schemas['ValidationRow']>[];
    return rows.map(({ loc = [], msg = '' }) => `${loc.join('.')}: ${msg}`).join('; ');
  }
  const { code, reason } = (detail ?? {}) as { readonly code?: unknown; readonly reason?: unknown };
  return [code, reason].filter((part) => typeof part === 'string').join(', ');
}
