import type { StoredEvent } from '../fields/index.js';
import { eventRecord, RECORD_MEMBERS } from '../reads/index.js';
import type { ExportFormat } from './explorer.dto.js';

export interface ExportWriter {
  readonly mediaType: string;
  /** The text that is written before the first event. */
  readonly head: string;
  /** An empty line, which readers of the format skip. */
  readonly emptyLine: string;
  line(stored: StoredEvent): string;
}

/**
 * Matches text that a spreadsheet may take for a formula. Spreadsheets skip blanks, quotes and invisible characters
 * before the sign, and accept its full-width and small forms.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}"'`“”＂]*[=+\-@＝＋－＠﹦﹢﹣﹫]|^\p{Cc}/u;
/** Matches control characters except tabs and line ends. Terminals would execute them. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * Returns the text as a CSV field of RFC 4180. Text that begins like a formula gets an apostrophe before it, which
 * spreadsheets do not show. Control characters are escaped as in JSON.
 */
export function csvField(text: string): string {
  const visible = text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const safe = FORMULA.test(text) ? `'${visible}` : visible;
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
    emptyLine: '\n',
    line: (stored) => `${eventRecord(stored).text}\n`,
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    head: `${RECORD_MEMBERS.join(',')}\r\n`,
    emptyLine: '\r\n',
    line: csvLine,
  },
};
