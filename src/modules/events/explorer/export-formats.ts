import { type EventRecord, eventRecord, type StoredEvent } from '../reads/index.js';
import type { ExportFormat } from './explorer.dto.js';

export interface ExportWriter {
  readonly mediaType: string;
  /** What stands before the first event. */
  readonly head: string;
  line(stored: StoredEvent): string;
}

const COLUMNS = [
  'id',
  'project_id',
  'source_id',
  'api_key_id',
  'event',
  'source',
  'severity',
  'status',
  'environment',
  'message',
  'external_event_id',
  'properties',
  'timestamp',
  'created_at',
] as const satisfies readonly (keyof EventRecord)[];

/** Text that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A field of RFC 4180. Text that begins like a formula gets an apostrophe before it, which spreadsheets do not show. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvLine(stored: StoredEvent): string {
  const text = (name: (typeof COLUMNS)[number]): string => {
    const value = stored[name];
    return value instanceof Date ? value.toISOString() : (value ?? '');
  };
  return `${COLUMNS.map((name) => csvField(text(name))).join(',')}\r\n`;
}

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  ndjson: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (stored) => `${eventRecord(stored).text}\n`,
  },
  csv: { mediaType: 'text/csv; charset=utf-8', head: `${COLUMNS.join(',')}\r\n`, line: csvLine },
};
