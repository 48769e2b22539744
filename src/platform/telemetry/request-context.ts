import { AsyncContext } from '../concurrency/index.js';
import type { Traceparent } from './traceparent.js';
import type { Span } from './span.js';

/**
 * The ids of the current request or background work. Every log line contains them. Guards add ids when they have
 * resolved them.
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
 * Runs `work`, and everything that it starts, in this context until `leave` is called. Ids that are added to the
 * context later are visible to all of this work.
 */
export function runInContext<T>(of: RequestContext, work: (leave: () => void) => T): T {
  return context.until(of, work);
}

/**
 * Keeps the context for work that continues after its request. The context is kept until the returned function is
 * called. Does nothing when there is no context.
 */
export function holdContext(): () => void {
  return context.hold();
}

/** Returns the context, or undefined outside a request or job. */
export function currentContext(): RequestContext | undefined {
  return context.get();
}
