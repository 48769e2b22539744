/**
 * An error that refuses a request. It has no stack, because nobody reads the stack of a refusal. Collecting one costs
 * as much as all checks before the refusal, so clients with bad requests could cause much work.
 */
export abstract class Refusal extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
