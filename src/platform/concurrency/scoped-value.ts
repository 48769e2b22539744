import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value that belongs to what runs and to all that it starts, as `AsyncLocalStorage` has it, and that costs the others
 * nothing: before Node 24 every promise of the process pays for each storage that has ever been entered, until it is
 * switched off. Here it is, while nobody is inside. Whoever enters therefore says until when.
 */
export class ScopedValue<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private inside = 0;

  /** Undefined outside. */
  get(): T | undefined {
    return this.storage.getStore();
  }

  /** Runs `work` with the value, which is there until the promise of `work` settles. */
  async during<R>(value: T, work: () => Promise<R>): Promise<R> {
    const leave = this.enter();
    try {
      return await this.storage.run(value, work);
    } finally {
      leave();
    }
  }

  /** Runs `work` with the value, which is there until the given function is called; further calls do nothing. */
  until<R>(value: T, work: (leave: () => void) => R): R {
    const leave = this.enter();
    return this.storage.run(value, work, leave);
  }

  /** Where there is a value, keeps it for what goes on after its end, until the function it returns is called. */
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
