/** An event or a log row of the API. */
export type Row = Readonly<Record<string, unknown>>;

/** Returns the columns of an event: time, severity, type, source, message. */
export function eventRow(row: Row): string[] {
  return ['timestamp', 'severity', 'event', 'source', 'message'].map((name) => cell(row[name]));
}

/** Returns the columns of a log row: time, status, method, endpoint, latency. */
export function logRow(row: Row): string[] {
  return [
    ...['timestamp', 'status', 'method', 'endpoint'].map((name) => cell(row[name])),
    `${cell(row.latency_ms)} ms`,
  ];
}

export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
