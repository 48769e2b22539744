export type { LeanHistogram } from './lean-histogram.js';
export { Logger } from './logger.js';
export { Metrics } from './metrics.js';
export { LogThrottle } from './log-throttle.js';
export { currentContext, holdContext, runInContext, type RequestContext } from './request-context.js';
export { redactText } from './redact.js';
export { type Traceparent, traceIdOf, traceparentFrom } from './traceparent.js';
export type { SpanEnd } from './span.js';
export { isTracing, recordSpan, startSpan, startTracing, stopTracing, traced } from './tracing.js';
