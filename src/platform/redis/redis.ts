import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG, type Config } from '../../config/index.js';

const ANSWER_LIMIT_MS = 2_000;

export type RedisHealth = 'ok' | 'down' | 'not_configured';

/** The process's own Redis connection, separate from the queue's. Commands fail at once while Redis is unavailable. */
@Injectable()
export class RedisConnection implements OnApplicationShutdown {
  private readonly client: Redis | null;
  private readonly logger = new Logger('redis');

  constructor(@Inject(CONFIG) config: Config) {
    const { url } = config.redis;
    this.client =
      url === undefined
        ? null
        : new Redis(url, {
            lazyConnect: true,
            enableOfflineQueue: false,
            maxRetriesPerRequest: 0,
            commandTimeout: ANSWER_LIMIT_MS,
          });
    this.client?.on('error', (error: Error) => this.logger.warn(`redis: ${error.message}`));
  }

  async health(): Promise<RedisHealth> {
    if (this.client === null) return 'not_configured';
    try {
      if (this.client.status === 'wait') await this.client.connect();
      await this.client.ping();
      return 'ok';
    } catch {
      return 'down';
    }
  }

  onApplicationShutdown(): void {
    this.client?.disconnect();
  }
}
