import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value for running work and everything that it starts, like that of an `AsyncLocalStorage`, but without a cost for
 * other work. Before Node 24, a storage that was ever entered slows down every promise of the process until the storage
 * is disabled. This class disables its storage while no work uses it, so each use must declare its end.
 */
export class AsyncContext<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private inside = 0;

  /** Returns the value, or undefined outside of the work. */
  get(): T | undefined {
    return this.storage.getStore();
  }

  /** Runs `work` with the value. The value exists until the promise of `work` settles. */
  async during<R>(value: T, work: () => Promise<R>): Promise<R> {
    const leave = this.enter();
    try {
      return await this.storage.run(value, work);
    } finally {
      leave();
    }
  }

  /** Runs `work` with the value, which exists until `leave` is called. Further calls of `leave` do nothing. */
  until<R>(value: T, work: (leave: () => void) => R): R {
    const leave = this.enter();
    return this.storage.run(value, work, leave);
  }

  /**
   * Keeps the current value for work that continues after `during` or `until` has ended. The value is kept until the
   * returned function is called. Does nothing when there is no value.
   */
  hold(): () => void {
    return this.get() === undefined ? () => undefined : this.enter();
  }

  private enter(): () => void {
    this.inside += 1;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.inside -= 1;
      if (this.inside === 0) this.storage.disable();
    };
  }
}
