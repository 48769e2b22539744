import { Refusal } from './refusal.js';

export type ErrorDetail = string | Readonly<Record<string, unknown>>;

/**
 * A refusal the caller is told about: `{"detail": detail}` with `status` (DECISIONS, Errors).
 * Subclasses are one per sentence, so a route can name them and the document can show them.
 */
export class DomainError extends Refusal {
  /** Response headers that belong to the refusal, for example `Allow`. */
  readonly headers: Readonly<Record<string, string>> = {};
  /** How loudly the refusal is logged: most are the caller's business alone. */
  readonly logLevel: 'debug' | 'warn' = 'debug';

  constructor(
    readonly status: number,
    readonly detail: ErrorDetail,
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
  }
}

export interface DomainErrorClass {
  new (): DomainError;
  readonly status: number;
  /** The sentence, or an example of the structured reason. */
  readonly detail: ErrorDetail;
  /** The DTO class of a structured reason. */
  readonly answer?: new () => object;
  /** Whether the sentence is one of many that no list has: what a receiver said. */
  readonly hasFreeText?: boolean;
}

/** Declares an error class of one sentence: `class SlugInUse extends domainError(409, 'Slug already in use') {}`. */
export function domainError(status: number, detail: string): DomainErrorClass {
  return class extends DomainError {
    static readonly status = status;
    static readonly detail: ErrorDetail = detail;
    constructor() {
      super(status, detail);
    }
  };
}

export class NotAuthenticated extends domainError(401, 'Not authenticated') {
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };
}
export class RouteNotFound extends domainError(404, 'Not Found') {}
export class BodyTooLarge extends domainError(413, 'Request body too large') {}
/** Its headers say what is taken: `Accept-Post` or `Accept-Patch` media types, `Accept-Encoding` content codings. */
export class UnsupportedMediaType extends domainError(415, 'Unsupported Media Type') {
  constructor(override readonly headers: Readonly<Record<string, string>> = {}) {
    super();
  }
}
export class ServiceOverloaded extends domainError(503, 'Service overloaded') {
  override readonly headers = { 'Retry-After': '1' };
  override readonly logLevel = 'warn' as const;
}
/** Of one account or address alone; others are served. */
export class TooManyAtOnce extends domainError(429, 'Too many requests at once') {
  override readonly headers = { 'Retry-After': '1' };
}
export class MethodNotAllowed extends domainError(405, 'Method Not Allowed') {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(allowed: readonly string[] = []) {
    super();
    this.headers = { Allow: allowed.join(', ') };
  }
}
