import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HotEvents } from '../../../src/modules/events/event-store/retention/hot-events.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type EventStore, eventStore, testClickHouse } from '../../support/clickhouse.js';
import { allReplicated } from '../../support/replication.js';
import { insertEvents } from '../../support/event-rows.js';
import { parseCondition, parseQuery } from '../../../src/modules/events/eql-language/language/query-parser.js';
import { checkCondition, checkQuery } from '../../../src/modules/events/eql-language/checking/checker.js';

/**
 * A folder with public cases of the language, which are not ours to keep here: `cases.json`, `data.json`,
 * `parser_cases.json`.
 */
const FOLDER = process.env.EQL_CASES ?? '';
const SPACE_MS = 700 * 86_400_000;

interface Case {
  readonly name: string;
  readonly dataset: string;
  readonly query: string;
  readonly level: string;
  readonly expected_ids: readonly number[];
  readonly expected_any_of?: readonly (readonly number[])[];
  readonly expect_error?: unknown;
  readonly max_samples_per_key?: number;
}

interface Document {
  readonly dataset: string;
  readonly id: number;
  readonly category: string;
  readonly offset_ms: number;
  readonly fields: Record<string, unknown>;
}

interface ParserCase {
  readonly kind: 'query' | 'expression';
  readonly valid: boolean;
  readonly dialect: string;
  readonly text: string;
}

interface Answer {
  readonly events: readonly { readonly id: string }[];
  readonly sequences: readonly { readonly events: readonly { readonly id?: string }[] }[];
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));

const STORES = ['PostgreSQL', 'ClickHouse'] as const;

/** Null: PostgreSQL is asked, as it is without one. */
async function storeOf(name: (typeof STORES)[number]): Promise<EventStore | null> {
  if (name === 'PostgreSQL') return null;
  const access = await testClickHouse();
  if ('absent' in access) throw new Error(access.absent);
  return eventStore(access);
}

const describeCases = FOLDER === '' ? describe.skip : describe;

describeCases.each(STORES)('public cases of the query language in %s (EQL_CASES names their folder)', (name) => {
  let app: TestApp;
  let store: EventStore | null;
  let owner: Owner;
  const windows = new Map<string, { from_ts: string; to_ts: string }>();
  const numbers = new Map<string, number>();

  beforeAll(async () => {
    store = await storeOf(name);
    app = await createTestApp({
      env: store === null ? { PROCESS_ROLE: 'api' } : { ...store.env, EVENT_STORE: 'clickhouse' },
    });
    owner = await ownerWithProject(app);
    const documents = read('data.json') as readonly Document[];
    // Each dataset has years of its own.
    for (const [at, dataset] of [...new Set(documents.map((one) => one.dataset))].entries()) {
      const start = Date.UTC(1950, 0, 1) + at * SPACE_MS;
      const own = documents.filter((one) => one.dataset === dataset);
      const ids = await insertEvents(
        app,
        owner.projectId,
        own.map(({ category, offset_ms, fields }) => ({
          timestamp: new Date(start + SPACE_MS / 2 + offset_ms),
          event: category,
          properties: fields,
        })),
      );
      for (const [index, id] of ids.entries()) numbers.set(id, own[index]?.id ?? 0);
      const bounds = [start, start + SPACE_MS].map((ms) => new Date(ms).toISOString());
      windows.set(dataset, { from_ts: bounds[0] ?? '', to_ts: bounds[1] ?? '' });
    }
    if (store === null) return;
    await allReplicated(app);
    await app.rows('DELETE FROM events');
    await app.rows(`INSERT INTO hot_events (hot_from) VALUES ('9999-01-01T00:00:00Z')`);
    app.nest.get(HotEvents, { strict: false }).forget();
  });
  afterAll(async () => {
    await app.close();
    await store?.drop();
  });

  async function faultOf(one: Case): Promise<string | null> {
    const { status, body } = await app
      .request()
      .post('/v1/eql')
      .set('Authorization', owner.bearer)
      .send({
        project_id: owner.projectId,
        query: one.query,
        ...windows.get(one.dataset),
        limit: 1_000,
        result_position: 'head',
        max_samples_per_key: one.max_samples_per_key ?? 1,
      });
    if (one.expect_error !== undefined) return status === 422 ? null : `answered ${status}`;
    if (status !== 200) return JSON.stringify(body);
    const { events, sequences } = body as Answer;
    const found = [...events, ...sequences.flatMap((sequence) => sequence.events)].map(({ id }) =>
      id === undefined ? -1 : numbers.get(id),
    );
    const allowed = [one.expected_ids, ...(one.expected_any_of ?? [])].map((ids) => JSON.stringify(ids));
    return allowed.includes(JSON.stringify(found))
      ? null
      : `${JSON.stringify(found)} in place of ${allowed.join(' or ')}`;
  }

  it('answers every core case as it says', async () => {
    const levels = new Map<string, { passed: number; all: number }>();
    const faults: string[] = [];
    for (const one of read('cases.json') as readonly Case[]) {
      const level = levels.get(one.level) ?? { passed: 0, all: 0 };
      levels.set(one.level, level);
      level.all += 1;
      const fault = await faultOf(one);
      if (fault === null) level.passed += 1;
      else if (one.level === 'core' || process.env.EQL_CASES_ALL !== undefined)
        faults.push(`${one.level} ${one.name}: ${one.query}\n  ${fault}`);
    }
    process.stdout.write(
      `${name}: ${[...levels].map(([level, { passed, all }]) => `${level} ${passed}/${all}`).join(', ')}\n`,
    );
    expect(faults).toEqual([]);
  });
});

describeCases('public texts of the query language (EQL_CASES names their folder)', () => {
  it('takes and refuses what Elastic does', () => {
    const cases = (read('parser_cases.json') as readonly ParserCase[]).filter(({ dialect }) => dialect === 'elastic');
    // Some texts are told both ways, as fields are known there or not.
    const told = (text: string, valid: boolean): boolean =>
      cases.some((one) => one.text === text && one.valid === valid);
    const faults = cases.flatMap(({ kind, text, valid }) => {
      const fault = faultIn(kind, text);
      if ((fault === null) === valid || told(text, !valid)) return [];
      return fault === ONE_STAGE ? [] : [`${text}: ${fault ?? 'taken'}`];
    });
    expect(faults).toEqual([]);
  });
});

/** Decided otherwise: one stage alone is a sequence only with runs. */
const ONE_STAGE = 'a sequence has two stages or more';

function faultIn(kind: ParserCase['kind'], text: string): string | null {
  try {
    if (kind === 'query') checkQuery(parseQuery(text));
    else checkCondition(parseCondition(text));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
