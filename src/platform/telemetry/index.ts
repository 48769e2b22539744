export { Logger, type LogFields, type LoggerOptions, type LogLevel } from './logger.js';
export { Metrics } from './metrics.js';
export { redact } from './redact.js';
export { currentContext, runInContext, setContext, type RequestContext } from './request-context.js';
