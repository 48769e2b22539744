/** The end of the time that one act may spend at the payment provider, however many calls it takes. */
export class Deadline {
  /** Aborts what is under way, and what is begun later. */
  readonly signal: AbortSignal;

  constructor(milliseconds: number) {
    this.signal = AbortSignal.timeout(milliseconds);
  }

  /** @throws Error when the call is not done in time */
  async hold<T>(call: Promise<T>): Promise<T> {
    let abort: () => void = () => undefined;
    const tooLate = new Promise<never>((_, reject) => {
      abort = () => reject(new Error('no answer in time'));
      if (this.signal.aborted) abort();
      else this.signal.addEventListener('abort', abort);
    });
    // Whichever comes second fails unseen.
    call.catch(() => undefined);
    tooLate.catch(() => undefined);
    try {
      return await Promise.race([call, tooLate]);
    } finally {
      this.signal.removeEventListener('abort', abort);
    }
  }
}
