import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import {
  type Bind,
  compileFilter,
  type FilterNode,
  fieldSql,
  filterSql,
  numberSql,
  readField,
  scalarSql,
  storedFilter,
} from '../../src/modules/alerting/conditions/index.js';
import { patternFault } from '../../src/modules/alerting/conditions/patterns/text-pattern.js';
import { groupReader } from '../../src/modules/alerting/rules/machine/series.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { insertEvents } from '../support/event-rows.js';
import { subjectOf, WHOLE_COLUMNS, type WholeEvent } from '../support/filter-subjects.js';
import { tenant } from '../support/ingestion.js';

jest.setTimeout(120_000);

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
const ordering = fc.constantFrom('gt', 'gte', 'lt', 'lte');
const equality = fc.constantFrom('eq', 'ne');
const exists = fc.record({ op: fc.constant('exists'), value: fc.boolean() });
const onText = fc.oneof(
  fc.record({ op: equality, value: word }),
  fc.record({ op: fc.constant('in'), value: fc.array(word, { minLength: 1, maxLength: 3 }) }),
  fc.record({ op: fc.constantFrom('contains', 'starts_with'), value: part }),
  fc.record({ op: fc.constant('matches'), value: pattern }),
  exists,
);
const onNumber = fc.oneof(
  fc.record({ op: fc.oneof(equality, ordering), value: numeric }),
  fc.record({ op: fc.constant('in'), value: fc.array(numeric, { minLength: 1, maxLength: 3 }) }),
  exists,
);
const onAny = fc.oneof(
  onText,
  onNumber,
  fc.record({ op: fc.oneof(equality, fc.constant('contains')), value: fc.oneof(numeric, fc.boolean()) }),
);
const comparison = fc.oneof(fc.tuple(textField, onText), fc.tuple(numberField, onNumber), fc.tuple(property, onAny));
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
