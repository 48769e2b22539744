import type { TestApp } from './app.js';

/** The beginning of the UTC month of an instant, or of one that many months later. */
export function monthOf(at: Date, more = 0): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + more, 1));
}

/** The table that the events of a month have. */
export function tableOf(month: Date): string {
  return `events_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

/** Gives months of the past a table each, as they had when they were the present. */
export async function makeMonths(app: Pick<TestApp, 'rows'>, months: readonly Date[]): Promise<void> {
  for (const month of months) {
    await app.rows(
      `CREATE TABLE IF NOT EXISTS ${tableOf(month)} PARTITION OF events FOR VALUES FROM ('${month.toISOString()}') TO ('${monthOf(month, 1).toISOString()}')`,
    );
  }
}
