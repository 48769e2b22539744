import { describe, expect, it } from '@jest/globals';
import { printable, tableLines } from './table.js';

describe('tableLines', () => {
  it('aligns columns by their widest cell and numbers to the right', () => {
    const lines = tableLines(
      [{ title: 'method' }, { title: 'ms', align: 'right' }, { title: 'endpoint' }],
      [
        ['GET', '7', '/'],
        ['DELETE', '12345', '/cart/items/1'],
      ],
    );
    expect(lines).toEqual([
      'method     ms  endpoint',
      '------  -----  -------------',
      'GET         7  /',
      'DELETE  12345  /cart/items/1',
    ]);
  });

  it('shows the titles alone when there are no rows', () => {
    expect(tableLines([{ title: 'a' }, { title: 'bc' }], [])).toEqual(['a  bc', '-  --']);
  });

  it('cuts a cell that is wider than its column may be', () => {
    expect(tableLines([{ title: 'path', maxWidth: 6 }], [['/abcde'], ['/abcdef']]).slice(2)).toEqual([
      '/abcde',
      '/abcd…',
    ]);
  });

  it('counts a character outside the basic plane once', () => {
    expect(
      tableLines(
        [{ title: 'a' }, { title: 'b' }],
        [
          ['😀', 'x'],
          ['yz', 'x'],
        ],
      ).slice(2),
    ).toEqual(['😀   x', 'yz  x']);
  });

  it('leaves a missing cell empty', () => {
    expect(tableLines([{ title: 'a' }, { title: 'b' }], [['1']])[2]).toBe('1');
  });

  it('lets no cell drive the terminal', () => {
    expect(tableLines([{ title: 'path' }], [['/\u001b[2J\nx']])[2]).toBe('/\uFFFD[2J\uFFFDx');
  });
});

describe('printable', () => {
  it.each(['\u0000', '\u001b', '\u009b', '\r', '\t', '\u2028', '\u202e', '\ud800'])(
    'replaces the character %j',
    (character) => {
      expect(printable(`a${character}b`)).toBe('a\uFFFDb');
    },
  );

  it('leaves ordinary text of any script alone', () => {
    expect(printable('GET /Straße/日本?q=1 😀')).toBe('GET /Straße/日本?q=1 😀');
  });
});
