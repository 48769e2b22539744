import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
} from '../../src/modules/events/conditions/index.js';
import { groupReader } from '../../src/modules/alerting/rules/machine/series.js';
import { createApiApp, type TestApp } from '../support/app.js';
import { insertEvents } from '../support/event-rows.js';
import { event, filter, MAX_TEXT, numberField, pattern, property, textField } from '../support/filters.js';
import { subjectOf, WHOLE_COLUMNS, type WholeEvent } from '../support/filter-subjects.js';
import { anyCondition, EQL_RUNS } from '../support/eql.js';
import { tenant } from '../support/ingestion.js';
import {
  compileCondition,
  type EventCondition,
  readCondition,
  type Work,
} from '../../src/modules/events/eql-language/index.js';
import { QueryFault } from '../../src/modules/events/eql-language/language/query-fault.js';
import { propertyRuns } from '../support/property-runs.js';

describe('a condition in memory and in the database', () => {
  let app: TestApp;
  let projectId: string;
  let rows: WholeEvent[];

  beforeAll(async () => {
    app = await createApiApp();
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

  it('gives the same answer on every event, for any filter', async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (written) => {
        const node: FilterNode = storedFilter(written);
        const fits = compileFilter(node, 'project');
        const inDatabase = await asked((bind) => `coalesce(${filterSql(node, bind)}, false)`);
        const differing = rows.filter((row) => fits(subjectOf(row)) !== inDatabase.get(row.id));
        expect(differing).toEqual([]);
      }),
      { numRuns: propertyRuns(400, 60) },
    );
  });

  it('gives the same answer for any pattern', async () => {
    await fc.assert(
      fc.asyncProperty(pattern, async (value) => {
        const node = storedFilter({ field: 'message', op: 'matches', value });
        const fits = compileFilter(node, 'project');
        const inDatabase = await asked((bind) => `coalesce(${filterSql(node, bind)}, false)`);
        expect(rows.filter((row) => fits(subjectOf(row)) !== inDatabase.get(row.id))).toEqual([]);
      }),
      { numRuns: propertyRuns(500, 60) },
    );
  });

  it('gives the same answer for the opposite of a filter', async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (written) => {
        const [fits, excluded] = [compileFilter(storedFilter(written), 'project'), storedFilter({ not: written })];
        const inDatabase = await asked((bind) => `coalesce(${filterSql(excluded, bind)}, false)`);
        expect(rows.filter((row) => fits(subjectOf(row)) === inDatabase.get(row.id))).toEqual([]);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('gives the same answer for any condition of the query language', async () => {
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

  it('reports a fault of the query language at the place of the condition', () => {
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

  it('reads the same values, groups and numbers of every field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(textField, numberField, property), async (field) => {
        const [groupOf, read] = [groupReader([field]), readField(field)];
        const values = await asked((bind) => fieldSql(field, bind));
        for (const row of rows) expect([field, values.get(row.id)]).toEqual([field, read(subjectOf(row))]);
        const groups = await asked((bind) => scalarSql(field, MAX_TEXT, bind));
        for (const row of rows) expect([field, groups.get(row.id)]).toEqual([field, groupOf(subjectOf(row))[0]]);
        if (!/^properties\.|^log\.(status|latency_ms)$/.test(field)) return;
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
