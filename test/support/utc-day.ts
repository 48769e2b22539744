import { setTimeout as sleep } from 'node:timers/promises';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The time that a test about one UTC day or hour may take on a busy machine. */
const ROOM_MS = 90_000;

/**
 * Returns today's UTC day (`2026-11-22`) for a test whose numbers are valid within one day or month. Near the end of
 * the day it first waits for the next one, so that the test does not begin in one day and end in another.
 */
export async function utcDay(): Promise<string> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < ROOM_MS) await sleep(left);
  return new Date().toISOString().slice(0, 10);
}

/** Waits for the next hour when this one is about to end, for a test whose numbers are valid within one hour. */
export async function withinAnHour(): Promise<void> {
  const left = HOUR_MS - (Date.now() % HOUR_MS);
  if (left < ROOM_MS) await sleep(left);
}

/** Returns the first days of the month of `day` and of the next month. */
export function monthOf(day: string): { month: string; nextMonth: string } {
  const month = `${day.slice(0, 7)}-01`;
  const next = new Date(month);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { month, nextMonth: next.toISOString().slice(0, 10) };
}
