import { Logger } from '@nestjs/common';
import { describeError } from './queue-errors.js';

const SILENCE_MS = 30_000;
const MOST_MESSAGES = 100;

/**
 * Logs each connection error at most once in 30 seconds. While a backend is unavailable, every connection reports the
 * same error several times a second.
 */
class ConnectionErrorLog {
  private readonly logger = new Logger('Queue');
  private readonly loggedAt = new Map<string, number>();

  report(where: string, error: unknown): void {
    const line = `${where}: ${describeError(error)}`;
    const now = performance.now();
    if (now - (this.loggedAt.get(line) ?? -SILENCE_MS) < SILENCE_MS) return;
    if (this.loggedAt.size >= MOST_MESSAGES) this.loggedAt.clear();
    this.loggedAt.set(line, now);
    this.logger.warn(line);
  }
}

export const connectionErrors = new ConnectionErrorLog();
