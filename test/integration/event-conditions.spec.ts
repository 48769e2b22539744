import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import {
  type Bind,
  compileFilter,
  type FilterNode,
  fieldSql,
  filterSql,
  numberSql,
  type OperatorName,
  readField,
  scalarSql,
  storedFilter,
} from '../../src/modules/events/conditions/index.js';
import { patternFault } from '../../src/modules/events/conditions/patterns/text-pattern.js';
import { groupReader } from '../../src/modules/alerting/rules/machine/series.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { insertEvents } from '../support/event-rows.js';
import { subjectOf, WHOLE_COLUMNS, type WholeEvent } from '../support/filter-subjects.js';
import { anyCondition, EQL_RUNS } from '../support/eql.js';
import { tenant } from '../support/ingestion.js';
import { compileCondition, type EventCondition, type Work } from '../../src/modules/events/eql-language/index.js';
import { readCondition } from '../../src/modules/events/eql/index.js';
import { QueryFault } from '../../src/modules/events/eql-language/language/query-fault.js';

// Beside the usual, what more cases of the query language take.
jest.setTimeout(120_000 + 100 * EQL_RUNS);

const MAX_TEXT = 200;
/** Small alphabets, so that what is compared often meets. */
const WORDS = [
  '',
  'a',
  'b',
  'ab',
  'A',
  'ä😀',
  'a.b',
  '1',
  '01',
  '-1',
  ' 1',
  'true',
  'null',
  '%',
  '_',
  '\\',
  'line\nbreak',
  '\u212a',
  '\u017fÄ😀',
  'k',
];
const NUMBERS = [0, 1, -1, 1.5, 100, 1e21, 2 ** 53 + 2, 0.1, 1e-7];
const word = fc.constantFrom(...WORDS);
const numeric = fc.constantFrom(...NUMBERS);
const scalar = fc.oneof(word, numeric, fc.boolean());
const name = fc.constantFrom('a', 'b', 'a.b', '0', '1', '01', '-1', ' 1', 'constructor');

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));
const event = fc.record({
  event: fc.constantFrom('a', 'ab', 'b'),
  severity: fc.option(word),
  status: fc.option(word),
  environment: fc.option(word),
  message: fc.option(word),
  log_status: fc.constantFrom(200, 404, 500),
  log_latency_ms: fc.option(fc.nat(3), { nil: undefined }),
  log_endpoint: word,
  properties: fc.dictionary(name, value, { maxKeys: 4 }),
});

const property = fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => `properties.${path.join('.')}`);
const textField = fc.constantFrom('event', 'severity', 'status', 'environment', 'message', 'log.endpoint', 'source_id');
const numberField = fc.constantFrom('log.status', 'log.latency_ms');
const part = fc.constantFrom(...WORDS.filter((text) => text !== ''));
/** Repeats of what may match nothing, and anchors anywhere, are where machines for patterns go wrong. */
const { pattern: anyPattern } = fc.letrec<{ pattern: string; sequence: string; piece: string; atom: string }>(
  (tie) => ({
    atom: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc.constantFrom('a', 'b', 'A', '1', '.', '\\d', '\\W', '[ab]', '[^a]', '[a-c1]', '\\.', '^', '$', '😀', '\\n'),
      tie('pattern').map((inner) => `(${inner})`),
    ),
    piece: fc
      .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '{2,3}', '*?'))
      .map(([atom, quantifier]) => (atom === '^' || atom === '$' ? atom : `${atom}${quantifier}`)),
    sequence: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
    pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
  }),
);
const samples = fc.constantFrom('a', '^a$', '(?i)^A', '[^a]', '\\.', 'b|😀', '^.$', '^\\d+$', '(a|b)+$', 'e\nb', '\\s');
const pattern = fc.oneof(
  samples,
  anyPattern.filter((source) => patternFault(source) === null),
);
/** What an operator is asked with, of fields of text, of numbers and of properties; null: it is refused there. */
interface Asked {
  readonly text: fc.Arbitrary<unknown> | null;
  readonly number: fc.Arbitrary<unknown> | null;
  readonly property: fc.Arbitrary<unknown>;
}
const some = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 3 });
const equality: Asked = { text: word, number: numeric, property: scalar };
const ordering: Asked = { text: null, number: numeric, property: numeric };
/** Each operator there is. */
const ASKED: Readonly<Record<OperatorName, Asked>> = {
  eq: equality,
  ne: equality,
  in: { text: some(word), number: some(numeric), property: fc.oneof(some(word), some(numeric), some(scalar)) },
  contains: { text: part, number: null, property: fc.oneof(part, numeric, fc.boolean()) },
  starts_with: { text: part, number: null, property: part },
  matches: { text: pattern, number: null, property: pattern },
  gt: ordering,
  gte: ordering,
  lt: ordering,
  lte: ordering,
  exists: { text: fc.boolean(), number: fc.boolean(), property: fc.boolean() },
};
const asking = (type: keyof Asked): fc.Arbitrary<object> =>
  fc.oneof(
    ...Object.entries(ASKED).flatMap(([op, { [type]: value }]) =>
      value === null ? [] : [fc.record({ op: fc.constant(op), value })],
    ),
  );
const comparison = fc.oneof(
  fc.tuple(textField, asking('text')),
  fc.tuple(numberField, asking('number')),
  fc.tuple(property, asking('property')),
);
const { filter } = fc.letrec<{ filter: object; list: object[] }>((tie) => ({
  list: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison.map(([field, test]) => ({ field, ...test })),
    fc.record({ all: tie('list') }),
    fc.record({ any: tie('list') }),
    fc.record({ not: tie('filter') }),
    fc.record({ all: tie('list'), any: tie('list'), not: tie('filter') }, { requiredKeys: ['not'] }),
  ),
}));

describe('conditions in memory and in the database', () => {
  let app: TestApp;
  let projectId: string;
  let rows: WholeEvent[];

  beforeAll(async () => {
    app = await createTestApp({ env: { PROCESS_ROLE: 'api' } });
    ({ projectId } = await tenant(app));
    const timestamp = new Date('2026-03-01T12:00:00.000Z');
    const written = fc.sample(event, { numRuns: 300, seed: 20_260_301 });
    await insertEvents(
      app,
      projectId,
      written.map((one) => ({ ...one, timestamp })),
    );
    rows = await app.rows<WholeEvent>(`SELECT ${WHOLE_COLUMNS} FROM events e WHERE project_id = $1`, [projectId]);
    expect(rows).toHaveLength(written.length);
  });
  afterAll(() => app.close());

  /** The ids of the rows, with what the statement finds for each. */
  async function asked(expression: (bind: Bind) => string): Promise<Map<string, unknown>> {
    const parameters: unknown[] = [projectId];
    const sql = expression((given) => `$${parameters.push(given)}`);
    const found = await app.rows<{ id: string; found: unknown }>(
      `SELECT e.id, ${sql} AS found FROM events e WHERE e.project_id = $1`,
      parameters,
    );
    return new Map(found.map((row) => [row.id, row.found]));
  }

  it('agree on every event, whatever the filter', async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (written) => {
        const node: FilterNode = storedFilter(written);
        const fits = compileFilter(node, 'project');
        const inDatabase = await asked((bind) => `coalesce(${filterSql(node, bind)}, false)`);
        const differing = rows.filter((row) => fits(subjectOf(row)) !== inDatabase.get(row.id));
        expect(differing).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('agree on every pattern', async () => {
    await fc.assert(
      fc.asyncProperty(pattern, async (value) => {
        const node = storedFilter({ field: 'message', op: 'matches', value });
        const fits = compileFilter(node, 'project');
        const inDatabase = await asked((bind) => `coalesce(${filterSql(node, bind)}, false)`);
        expect(rows.filter((row) => fits(subjectOf(row)) !== inDatabase.get(row.id))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('agree on the opposite too', async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (written) => {
        const [fits, excluded] = [compileFilter(storedFilter(written), 'project'), storedFilter({ not: written })];
        const inDatabase = await asked((bind) => `coalesce(${filterSql(excluded, bind)}, false)`);
        expect(rows.filter((row) => fits(subjectOf(row)) === inDatabase.get(row.id))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('agree on every condition of the query language', async () => {
    const work: Work = { spend: () => undefined, test: (test, text) => test.matches(text) };
    await fc.assert(
      fc.asyncProperty(anyCondition, async (text) => {
        const condition = conditionOf(text);
        fc.pre(condition !== null);
        const truths = new Map(
          rows.map((row) => {
            const { fields, properties } = subjectOf(row);
            const own = { ...fields, _id: row.id, timestamp: row.timestamp.toISOString() };
            return [row.id, condition.truth({ fields: own, properties }, work)];
          }),
        );
        const inDatabase = await asked((bind) => condition.sql(bind));
        const differing = rows.filter(({ id }) =>
          condition.isExact
            ? inDatabase.get(id) !== truths.get(id)
            : truths.get(id) === true && inDatabase.get(id) !== true,
        );
        expect(differing.map(({ id, properties }) => [properties, inDatabase.get(id), truths.get(id)])).toEqual([]);
      }),
      // Lists in lists, which are none of their texts.
      { numRuns: EQL_RUNS, examples: [['"" == `properties`.`0`.`a.b`']] },
    );
  });

  it('tell a fault of the query language where the condition stands', () => {
    expect(readCondition('event == "a" and log.status > 399', ['query', 'where']).isExact).toBe(true);
    let refused: unknown = null;
    try {
      readCondition('event = "a"', ['query', 'where']);
    } catch (error) {
      refused = error;
    }
    const ctx = { code: 'syntax', line: 1, column: 7, length: 1 };
    expect(refused).toMatchObject({ issues: [{ type: 'value_error', loc: ['query', 'where'], ctx }] });
  });

  it('agree on values, groups and numbers of every field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(textField, numberField, property), async (field) => {
        const [groupOf, read] = [groupReader([field]), readField(field)];
        const values = await asked((bind) => fieldSql(field, bind));
        for (const row of rows) expect([field, values.get(row.id)]).toEqual([field, read(subjectOf(row))]);
        const groups = await asked((bind) => scalarSql(field, MAX_TEXT, bind));
        for (const row of rows) expect([field, groups.get(row.id)]).toEqual([field, groupOf(subjectOf(row))[0]]);
        if (!/^properties\.|^log\.(status|latency)/.test(field)) return;
        const numbers = await asked((bind) => numberSql(field, bind));
        for (const row of rows) {
          const held = read(subjectOf(row));
          expect([field, numbers.get(row.id)]).toEqual([field, typeof held === 'number' ? held : null]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Null for a condition that is refused. */
function conditionOf(text: string): EventCondition | null {
  try {
    return compileCondition(text);
  } catch (error) {
    if (error instanceof QueryFault) return null;
    throw error;
  }
}
