import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const PAUSE_MS = 500;
/** Not there yet: refused, unknown, unreachable, timed out, or still starting up. Anything else will not mend itself. */
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

/** Waits until the database takes connections; a server that is started beside the service may come up later. */
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
