import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clickHouseSearchSql } from '../../../src/modules/events/event-store/search/clickhouse-search-sql.js';
import { scoreOf, readWords } from '../../../src/modules/tenancy/search-sources/index.js';
import { StatementValues } from '../../../src/platform/clickhouse/index.js';
import { isSafeText } from '../../../src/platform/http/validation/index.js';
import { type ClickHouseAccess, type EventStore, eventStore, testClickHouse } from '../../support/clickhouse.js';

const clickHouse = await testClickHouse();
const RUNS = Number(process.env.EVENT_STORE_QUERIES ?? 60);
const LETTERS = ['a', 'A', 'b', ' ', '.', '-', '1', '%', '_', '\\', "'", '"', '$', '(', '[', '*', '^', '\n', '\t'];
LETTERS.push(...['\u001f', '/', '{', '`', '#', '&', '~', '\u00a0', '\u2028']);
const OTHERS = [
  'ä',
  'Ä',
  'k',
  'K',
  '\u212a',
  's',
  '\u017f',
  'ß',
  'ẞ',
  'σ',
  'ς',
  'Σ',
  'é',
  'e\u0301',
  'İ',
  'ı',
  'I',
  '中',
];
OTHERS.push(...['😀', '𐐀', '𐐨', '٣', 'Ⅷ', 'µ', 'μ', 'ǅ', 'Ω', 'Ω']);
const text = fc.string({ unit: fc.constantFrom(...LETTERS, ...OTHERS), maxLength: 8 });
const rows = fc.array(fc.record({ id: fc.uuid(), name: text, note: text }), { minLength: 1, maxLength: 30 });

type Row = Readonly<Record<'id' | 'name' | 'note', string>>;

function tests(access: ClickHouseAccess): void {
  describe('a search condition in ClickHouse', () => {
    let store: EventStore;

    beforeAll(async () => {
      store = await eventStore(access);
      await store.server.command(`CREATE DATABASE \`${store.server.database}\``);
    });
    afterAll(() => store.drop());

    it('matches the same rows as the search in memory, with the same scores', async () => {
      const asked = fc.tuple(rows, text, fc.nat(), fc.nat(7), fc.integer({ min: 1, max: 36 }));
      await fc.assert(
        fc.asyncProperty(asked, async ([given, other, at, from, length]) => {
          const { name, note, id } = given[at % given.length] ?? { name: '', note: '', id: '' };
          const part = ([name, note, id][at % 3] ?? '').slice(from, from + length);
          for (const q of [part, part.toUpperCase(), `"${part}"`, `${part} ${other}`, other].map((one) => one.trim())) {
            if (isSafeText(q) && readWords(q).words.length > 0) await same(given, q);
          }
        }),
        { numRuns: RUNS },
      );
    });

    async function same(given: readonly Row[], q: string): Promise<void> {
      const words = readWords(q);
      const { bind, values } = new StatementValues();
      const { fits, rank } = clickHouseSearchSql({ id: 'id', texts: ['name', 'note'] }, words, bind);
      const columns = (['id', 'name', 'note'] as const).map((column) =>
        bind(
          given.map((row) => row[column]),
          'Array(String)',
        ),
      );
      const found = await store.server.rows<{ id: string; rank: number }>(
        `SELECT id, ${rank} / 10 AS rank FROM (
           SELECT one.1 AS id, one.2 AS name, one.3 AS note FROM (SELECT arrayJoin(arrayZip(${columns.join(', ')})) AS one))
         WHERE ${fits}`,
        values,
      );
      const expected = given.flatMap(({ id, name, note }) => {
        const scored = scoreOf(
          [
            { name: 'name', text: name },
            { name: 'note', text: note },
            { name: 'id', text: id, isId: true },
          ],
          words,
        );
        return scored === null ? [] : [[id, scored.score]];
      });
      expect([q, found.map(({ id, rank: score }) => [id, score]).sort()]).toEqual([q, expected.sort()]);
    }
  });
}

if ('absent' in clickHouse) it.skip(`needs ClickHouse for the tests of search: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
