import type { EventRow } from './sql-builders/event-rows.js';

export const START = Date.UTC(2026, 0, 1);
/** The hour that begins at START, as parameters of a query. */
export const WINDOW = { from_ts: new Date(START).toISOString(), to_ts: new Date(START + 3_600_000).toISOString() };

/** Returns an event at a second of the window. */
export const at = (
  second: number,
  event: string,
  properties: Record<string, unknown> = {},
  more: Partial<EventRow> = {},
): EventRow => ({
  timestamp: new Date(START + second * 1_000),
  event,
  properties,
  ...more,
});

/** Events of several users who log in and out. The property `n` identifies an event. */
export const LOGINS: readonly EventRow[] = [
  at(0, 'login.failed', { n: 'f1', user: 'ann', ip: '10.1.2.3', tries: 1 }),
  at(10, 'login.failed', { n: 'f2', user: 'bob', ip: '10.1.2.4', tries: 1, tags: ['vpn', 'new'] }),
  at(20, 'login.failed', { n: 'f3', user: 'ann', ip: 'fd00::7', tries: 2 }),
  at(30, 'login.succeeded', { n: 's1', user: 'ann' }),
  at(40, 'login.succeeded', { n: 's2', user: 'Bob' }),
  at(
    50,
    'logout',
    { n: 'o1', user: 'ann' },
    { message: 'Good bye, 😀', severity: 'info', log_status: 503, log_latency_ms: 12 },
  ),
  at(60, 'login.failed', { n: 'f4', user: 'cyd', tries: 2.5, 'odd name': { list: [{ deep: 'x' }] } }),
  at(60, 'login.failed', { n: 'f5', user: null, tries: '2', sequence: 1 }),
  at(70, 'login.succeeded', { n: 's3', user: 'cyd', groups: ['a', 'b'] }),
  at(80, 'logout', { n: 'o2', user: 'cyd', groups: 'b' }),
];
