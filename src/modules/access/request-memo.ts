/**
 * Caches a value on the request from which it was derived. The rate limiter, CORS, the guards and metering use it, so
 * that a credential is checked once. A rejected promise is not cached, so the next caller tries again.
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
