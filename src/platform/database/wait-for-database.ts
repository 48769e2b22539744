import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const PAUSE_MS = 500;
/**
 * Error codes of a database that may become available: refused, unknown, unreachable, timed out, or still starting. Any
 * other error is permanent.
 */
const NOT_YET = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ECONNRESET',
  '57P03',
  '57P01',
]);

/**
 * Waits up to `limitMs` until the database accepts connections, because the server may be starting at the same time as
 * the service. @throws the connection error when the wait is over or the error is permanent
 */
export async function waitForDatabase(url: string, limitMs = 30_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const mayCome = NOT_YET.has(code ?? '') || /timeout|terminated unexpectedly/i.test(message);
      if (!mayCome || performance.now() > deadline) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await pause(PAUSE_MS);
  }
}
