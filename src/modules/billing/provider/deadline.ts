/** The end of the time that one act may spend at the payment provider, however many calls it takes. */
export class Deadline {
  private readonly endsAt: number;

  constructor(milliseconds: number) {
    this.endsAt = performance.now() + milliseconds;
  }

  get remainingMs(): number {
    return Math.max(0, Math.floor(this.endsAt - performance.now()));
  }

  /** @throws Error when the call is not done in time; what comes of it later is left alone */
  async hold<T>(call: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), this.remainingMs);
    });
    call.catch(() => undefined);
    try {
      return await Promise.race([call, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }
}
