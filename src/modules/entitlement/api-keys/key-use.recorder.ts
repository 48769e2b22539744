import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ApiKeysRepository } from './api-keys.repository.js';
import { errorMessage } from '../../../platform/errors/index.js';

const FLUSH_MS = 20_000;

/**
 * Collects the times at which keys were used, so that a request does not write a row. `last_used_at` may lag by a
 * minute.
 */
@Injectable()
export class KeyUseRecorder implements OnModuleInit, BeforeApplicationShutdown {
  private uses = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private readonly logger = new Logger('api-keys');

  constructor(private readonly keys: ApiKeysRepository) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  record(apiKeyId: string, at: Date): void {
    this.uses.set(apiKeyId, at);
  }

  /** Resolves when everything recorded so far is written, or when the write has failed and been logged. */
  flush(): Promise<void> {
    return (this.writing = this.writing.then(() => this.write()));
  }

  private async write(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = this.uses;
    this.uses = new Map();
    try {
      await this.keys.touch(uses);
    } catch (error) {
      this.logger.warn(`last_used_at of ${uses.size} keys was not written: ${errorMessage(error)}`);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
