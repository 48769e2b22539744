import type { StoredEvent } from '../fields/index.js';
import { eventRecord, RECORD_MEMBERS } from '../reads/index.js';
import type { ExportFormat } from './explorer.dto.js';

export interface ExportWriter {
  readonly mediaType: string;
  /** What stands before the first event. */
  readonly head: string;
  line(stored: StoredEvent): string;
}

/** Text that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A field of RFC 4180. Text that begins like a formula gets an apostrophe before it, which spreadsheets do not show. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvLine(stored: StoredEvent): string {
  const text = (name: (typeof RECORD_MEMBERS)[number]): string => {
    const value = stored[name];
    return value instanceof Date ? value.toISOString() : (value ?? '');
  };
  return `${RECORD_MEMBERS.map((name) => csvField(text(name))).join(',')}\r\n`;
}

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  ndjson: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (stored) => `${eventRecord(stored).text}\n`,
  },
  csv: { mediaType: 'text/csv; charset=utf-8', head: `${RECORD_MEMBERS.join(',')}\r\n`, line: csvLine },
};
