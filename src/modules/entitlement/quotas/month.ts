/** Returns the UTC month of an instant. `month` is YYYY-MM, days are YYYY-MM-DD, `to` and `toDay` are exclusive. */
export function monthOf(instant: Date): { month: string; from: Date; to: Date; fromDay: string; toDay: string } {
  const from = new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth(), 1));
  const to = new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + 1, 1));
  const fromDay = from.toISOString().slice(0, 10);
  return { month: fromDay.slice(0, 7), from, to, fromDay, toDay: to.toISOString().slice(0, 10) };
}
