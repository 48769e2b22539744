/**
 * An error that refuses a request. It has no stack because nobody reads it. Collecting a stack costs as much as the
 * checks before the refusal, and a client that sends bad requests would cause that cost.
 */
export abstract class Refusal extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
