import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';

/** Small work that an answer must not wait for, mostly so that its time tells nothing. Waited for at shutdown. */
@Injectable()
export class BackgroundWork implements BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();
  private readonly logger = new Logger('background');

  start(name: string, work: () => Promise<unknown>): void {
    const promise = work()
      .then(() => undefined)
      .catch((error: unknown) => this.logger.error(error instanceof Error ? error : new Error(String(error)), name))
      .finally(() => this.running.delete(promise));
    this.running.add(promise);
  }

  /** Resolves when everything started so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.idle();
  }
}
