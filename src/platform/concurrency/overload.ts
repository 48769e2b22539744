/** Too much is waiting already; nothing of what was asked for has begun. */
export class OverloadedError extends Error {
  override readonly name: string = 'OverloadedError';

  constructor(message = 'Too much is waiting') {
    super(message);
  }
}

/** One share alone has as much waiting as it may; others are still served. */
export class ShareExhaustedError extends OverloadedError {
  override readonly name = 'ShareExhaustedError';

  constructor() {
    super('Too much of one share is waiting');
  }
}
