import type { TestApp } from './app.js';

/** Returns the beginning of the UTC month of an instant, or of the month `more` months later. */
export function monthOf(at: Date, more = 0): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + more, 1));
}

/** Returns the name of the table that has the events of a month. */
export function tableOf(month: Date): string {
  return `events_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

/** Creates the table of each past month, as it existed when that month was current. */
export async function makeMonths(app: Pick<TestApp, 'rows'>, months: readonly Date[]): Promise<void> {
  for (const month of months) {
    await app.rows(
      `CREATE TABLE IF NOT EXISTS ${tableOf(month)} PARTITION OF events FOR VALUES FROM ('${month.toISOString()}') TO ('${monthOf(month, 1).toISOString()}')`,
    );
  }
}
