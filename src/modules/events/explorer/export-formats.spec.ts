import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvField, EXPORT_WRITERS } from './export-formats.js';

const stored = {
  id: 'i',
  project_id: 'p',
  source_id: null,
  api_key_id: 'k',
  event: 'a,b',
  source: '=HYPERLINK("http://x")',
  severity: '-1',
  status: '',
  environment: '@home',
  message: 'two\nlines',
  external_event_id: "'",
  properties: '{"a": 1}',
  timestamp: new Date(0),
  created_at: new Date(1),
};

describe('lines of an export', () => {
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
  ])('write %j as %j', (text, field) => {
    expect(csvField(text)).toBe(field);
  });

  it('never begin a field like a formula, and are read back by any CSV reader', () => {
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

  it('hold the fields of an event', () => {
    const { csv, ndjson } = EXPORT_WRITERS;
    expect(csv.head).toBe(
      'id,project_id,source_id,api_key_id,event,source,severity,status,environment,message,external_event_id,properties,timestamp,created_at\r\n',
    );
    expect(csv.line(stored)).toBe(
      `i,p,,k,"a,b","'=HYPERLINK(""http://x"")",'-1,,'@home,"two\nlines",',"{""a"": 1}",1970-01-01T00:00:00.000Z,1970-01-01T00:00:00.001Z\r\n`,
    );
    expect(JSON.parse(ndjson.line(stored))).toEqual({
      ...stored,
      properties: { a: 1 },
      timestamp: '1970-01-01T00:00:00.000Z',
      created_at: '1970-01-01T00:00:00.001Z',
    });
    expect(ndjson.line(stored).endsWith('}\n')).toBe(true);
  });
});
