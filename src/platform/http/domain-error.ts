import { Refusal } from './refusal.js';

export type ErrorDetail = string | Readonly<Record<string, unknown>>;

/**
 * An error that the caller gets as `{"detail": detail}` with `status`. Each sentence has its own subclass, so that a
 * route can declare it and the API document can show it.
 */
export class DomainError extends Refusal {
  /** Response headers that belong to the refusal, for example `Allow`. */
  readonly headers: Readonly<Record<string, string>> = {};
  /** Members of the answer in addition to `detail`. Some may be JSON text already (`WrittenJson`). */
  readonly members: object = {};
  /** The log level of the refusal. Most refusals concern only the caller. */
  readonly logLevel: 'debug' | 'warn' = 'debug';

  constructor(
    readonly status: number,
    readonly detail: ErrorDetail,
  ) {
    super(sentenceOf(detail));
  }
}

export interface DomainErrorClass {
  new (): DomainError;
  /** The name of the class, by which the API document names the refusal. */
  readonly name: string;
  readonly status: number;
  /** The sentence, or an example of the structured reason. */
  readonly detail: ErrorDetail;
  /** The DTO class of a structured reason. */
  readonly answer?: new () => object;
  /** The schemas of members that the answer may have in addition to `detail`. */
  readonly members?: Readonly<Record<string, object>>;
  /** Whether the sentence is free text that cannot be listed, such as the answer of a receiver. */
  readonly hasFreeText?: boolean;
}

/** Returns a detail as one text: its sentence, or a structured reason as JSON. */
export function sentenceOf(detail: ErrorDetail): string {
  return typeof detail === 'string' ? detail : JSON.stringify(detail);
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
/**
 * The headers list what is accepted: media types in `Accept-Post` or `Accept-Patch`, content codings in
 * `Accept-Encoding`.
 */
export class UnsupportedMediaType extends domainError(415, 'Unsupported Media Type') {
  constructor(override readonly headers: Readonly<Record<string, string>> = {}) {
    super();
  }
}
export class ServiceOverloaded extends domainError(503, 'Service overloaded') {
  override readonly headers = { 'Retry-After': '1' };
  override readonly logLevel = 'warn' as const;
}
/** Too many requests of one account or address are in flight. Other callers are still served. */
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
