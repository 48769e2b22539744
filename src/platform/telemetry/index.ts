export { Logger, type LogFields, type LoggerOptions, type LogLevel } from './logger.js';
export type { LeanHistogram } from './lean-histogram.js';
export { Metrics } from './metrics.js';
export { redact, redactText } from './redact.js';
export { currentContext, runInContext, setContext, type RequestContext } from './request-context.js';
