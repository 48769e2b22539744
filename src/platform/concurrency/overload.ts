/** Too much work is already waiting. The requested work has not started. */
export class OverloadedError extends Error {
  override readonly name: string = 'OverloadedError';

  constructor(message = 'Too much is waiting') {
    super(message);
  }
}

/** One share has its maximum of waiting work. Other shares are still served. */
export class KeyOverloadedError extends OverloadedError {
  override readonly name = 'KeyOverloadedError';

  constructor() {
    super('Too much of one share is waiting');
  }
}
