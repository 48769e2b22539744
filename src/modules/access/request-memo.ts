/**
 * Remembers on a request what was made out from it, so that the limiter, CORS, the guards and metering share one look at a
 * credential. A fault is not remembered: whoever asks next tries again.
 */
export class RequestMemo<T extends object | string | null> {
  private readonly slot: symbol;

  constructor(name: string) {
    this.slot = Symbol(name);
  }

  of(request: object, find: () => T): T {
    const slots = request as Record<symbol, T | undefined>;
    const known = slots[this.slot];
    if (known !== undefined) return known;
    const found = find();
    slots[this.slot] = found;
    if (found instanceof Promise) found.catch(() => (slots[this.slot] = undefined));
    return found;
  }
}
