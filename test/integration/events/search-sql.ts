import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scoreOf, readWords, type SearchField, searchSql } from '../../../src/modules/tenancy/search-sources/index.js';
import { isSafeText } from '../../../src/platform/http/validation/index.js';
import { Parameters } from '../../../src/platform/database/parameters.js';
import { propertyRuns } from '../../support/property-runs.js';
import { app } from './api-app.js';

const LETTERS = ['a', 'A', 'b', 'c', ' ', '.', '-', '1', '%', '_', '\\', "'", '"', '$', '(', '[', '*', '^', '\n'];
const OTHERS = ['ä', 'Ä', 'k', 'K', '\u212a', 's', '\u017f', 'ß', 'σ', 'ς', 'Σ', 'é', 'İ', 'ı', 'I', '中', '😀'];
const text = fc.string({ unit: fc.constantFrom(...LETTERS, ...OTHERS), maxLength: 8 });

interface Row {
  readonly id: string;
  readonly name: string;
  readonly note: string | null;
}

describe('a match in the database', () => {
  it('is what fits in memory, with the same score', async () => {
    const rows = fc.array(fc.record({ id: fc.uuid(), name: text, note: fc.option(text) }), {
      minLength: 1,
      maxLength: 30,
    });
    const part = fc.tuple(rows, fc.nat(), fc.nat(35), fc.integer({ min: 1, max: 36 }));
    const asked = fc.oneof(
      text,
      text.map((one) => `"${one}"`),
      fc.uuid(),
      // A part of what is there, so that things fit.
      part.map(
        ([[first], at, from, length]) =>
          [first?.name, first?.note, first?.id][at % 3]?.slice(from % 8, from + length) ?? '',
      ),
    );
    await fc.assert(
      fc.asyncProperty(rows, asked, fc.nat(), async (given, written, at) => {
        const { name = '' } = given[at % given.length] ?? {};
        for (const q of [written, name, name.slice(0, 2), `${name} ${written}`].map((one) => one.trim())) {
          // Without a word nothing is looked for: it is refused before.
          if (isSafeText(q) && readWords(q).words.length > 0) await same(given, q);
        }
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  async function same(given: readonly Row[], q: string): Promise<void> {
    const words = readWords(q);
    const { bind, values } = new Parameters();
    const { fits, folded, rank } = searchSql({ id: 'id::text', texts: ['name', 'note'] }, words, bind);
    const found = await app.rows<{ id: string; rank: number }>(
      `SELECT id, ${rank} / 10.0::float8 AS rank FROM (
         SELECT id, ${folded}
         FROM jsonb_to_recordset(${bind(JSON.stringify(given))}::jsonb) AS t (id uuid, name text, note text) WHERE ${fits}) f`,
      values,
    );
    const expected = given.flatMap((row) => {
      const scored = scoreOf(fieldsOf(row), words);
      return scored === null ? [] : [[row.id, scored.score]];
    });
    expect([q, found.map(({ id, rank: score }) => [id, score]).sort()]).toEqual([q, expected.sort()]);
  }
});

function fieldsOf({ id, name, note }: Row): SearchField[] {
  return [
    { name: 'name', text: name },
    { name: 'note', text: note },
    { name: 'id', text: id, isId: true },
  ];
}
