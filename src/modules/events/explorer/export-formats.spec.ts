import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredEvent } from '../fields/index.js';
import { csvField, EXPORT_WRITERS } from './export-formats.js';

const AT = new Date(0);
/** The fields of an event with their values, and the CSV text of each. */
const FIELDS: readonly (readonly [name: string, value: unknown, text: string])[] = [
  ['id', 'i', 'i'],
  ['project_id', 'p', 'p'],
  ['source_id', null, ''],
  ['api_key_id', 'k', 'k'],
  ['event', 'a,b', '"a,b"'],
  ['source', '=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['severity', '-1', "'-1"],
  ['status', '', ''],
  ['environment', '@home', "'@home"],
  ['message', 'two\nlines', '"two\nlines"'],
  ['external_event_id', "'", "'"],
  ['properties', '{"a": 1}', '"{""a"": 1}"'],
  ['timestamp', AT, '1970-01-01T00:00:00.000Z'],
  ['created_at', AT, '1970-01-01T00:00:00.000Z'],
];
const stored = Object.fromEntries(FIELDS.map(([name, value]) => [name, value])) as unknown as StoredEvent;

describe('a line of an export', () => {
  it.each([
    ['', ''],
    ['plain text', 'plain text'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+41', "'+41"],
    ['-5', "'-5"],
    ['@sum', "'@sum"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['=a,"b"', `"'=a,""b"""`],
    ['a=b', 'a=b'],
    [' =1+1', "' =1+1"],
    ['\u00a0\u200b@sum', "'\u00a0\u200b@sum"],
    ['＝1+1', "'＝1+1"],
    ['﹣1', "'﹣1"],
    ['"=1+1', `"'""=1+1"`],
    ["'=1+1", "''=1+1"],
    ['\n=1', `"'\n=1"`],
    ['\u001b[31mred', "'\\u001b[31mred"],
    ['red\u001b[0m\u009b', 'red\\u001b[0m\\u009b'],
    [' plain', ' plain'],
    ['"plain"', '"""plain"""'],
  ])('writes %j as %j', (text, field) => {
    expect(csvField(text)).toBe(field);
  });

  it('begins no field like a formula, and is read back by any CSV reader', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '"', ',', '\n', '\r', '\t', 'a', ' ') }),
        (text) => {
          const field = csvField(text);
          const read = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
          expect(read === text || read === `'${text}`).toBe(true);
          expect(read).not.toMatch(/^[=+\-@\t\r]/);
          if (!field.startsWith('"')) expect(field).not.toMatch(/[",\r\n]/);
        },
      ),
    );
  });

  it('holds the fields of an event', () => {
    const { csv, ndjson } = EXPORT_WRITERS;
    const names = csv.head.trimEnd().split(',');
    expect(names.filter((name) => name in stored)).toEqual(FIELDS.map(([name]) => name));
    const texts = new Map(FIELDS.map(([name, , text]) => [name, text]));
    expect(csv.line(stored)).toBe(`${names.map((name) => texts.get(name) ?? '').join(',')}\r\n`);
    const at = AT.toISOString();
    expect(JSON.parse(ndjson.line(stored))).toEqual({ ...stored, properties: { a: 1 }, timestamp: at, created_at: at });
    expect(ndjson.line(stored).endsWith('}\n')).toBe(true);
  });
});
