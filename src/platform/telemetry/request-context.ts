import { AsyncContext } from '../concurrency/index.js';
import type { Traceparent } from './traceparent.js';
import type { Span } from './span.js';

/**
 * The ids of the running request or of background work, which every log line carries. Guards add ids as they resolve
 * them.
 */
export interface RequestContext {
  /** Undefined for background work. */
  readonly requestId?: string;
  /** The time at which the request arrived or the work began, by `performance.now()`. */
  readonly cameAt: number;
  /** Undefined when the client sent none and tracing is off. */
  readonly traceparent?: Traceparent | undefined;
  /** The span of the request, while tracing is on. */
  readonly span?: Span | undefined;
  organizationId?: string;
  projectId?: string;
  userId?: string;
  apiKeyId?: string;
}

const context = new AsyncContext<RequestContext>();

/**
 * Runs `work`, and everything it starts, in this context until `leave` is called. Later additions to the context are
 * visible everywhere.
 */
export function runInContext<T>(of: RequestContext, work: (leave: () => void) => T): T {
  return context.until(of, work);
}

/**
 * Keeps the context, if there is one, until the returned function is called, for work that continues after its request.
 */
export function holdContext(): () => void {
  return context.hold();
}

/** Returns the context, or undefined outside a request or job. */
export function currentContext(): RequestContext | undefined {
  return context.get();
}
