/**
 * An error that tells a caller no. It has no stack: nobody reads it, and walking it costs as much as the checks that led
 * here, which whoever sends bad requests would make us pay.
 */
export abstract class Refusal extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
