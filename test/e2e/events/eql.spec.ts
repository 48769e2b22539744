import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { v7 as newId } from 'uuid';
import { anyQuery, EQL_RUNS } from '../../support/eql.js';
import { eventually } from '../../support/eventually.js';
import { at, LOGINS, START, WINDOW } from '../../support/login-events.js';
import { anyPlan, byRules, type KeyedEvent, TERMS } from '../../support/sequence-rules.js';
import { api, outsider, type Tenant, tenant } from '../../support/service.js';
import { storeSizes } from '../../support/sql-builders/eql.js';
import { countEvents, insertEvents } from '../../support/sql-builders/event-rows.js';

interface Answer {
  readonly kind: string;
  readonly events: { readonly id: string; readonly event: string; readonly properties: Record<string, unknown> }[];
  readonly sequences: {
    readonly join_keys: unknown[];
    readonly events: { readonly id?: string; readonly missing?: true }[];
  }[];
  readonly has_more: boolean;
  readonly scanned: number;
  readonly warnings: string[];
}

interface Fault {
  readonly type: string;
  readonly loc: string[];
  readonly msg: string;
  readonly ctx: {
    readonly code: string;
    readonly line: number;
    readonly column: number;
    readonly length: number;
    readonly expected: string[];
    readonly hint: string | null;
  };
}

interface Description {
  readonly version: string;
  readonly fields: { readonly name: string; readonly type: string; readonly is_property: boolean }[];
  readonly functions: { readonly name: string; readonly has_case_insensitive_form: boolean }[];
  readonly limits: Record<string, number>;
  readonly pipes: string[];
  readonly operators: { readonly name: string }[];
  readonly keywords: string[];
}

/** Sends a query about the events of a tenant, as its owner. */
const send = ({ owner, projectId }: Tenant, query: string, more: object = {}) =>
  api.as(owner).post('/v1/eql', { project_id: projectId, query, ...more });
/** The answer to a query about the window. */
const ask = async (of: Tenant, query: string, more: object = {}): Promise<Answer> => {
  const { status, body } = await send(of, query, { ...WINDOW, ...more });
  expect([query, status, status === 200 ? null : body]).toEqual([query, 200, null]);
  return body as Answer;
};
/** The warnings of a query that has some. An answer has none when the service looked for names for longer than a second. */
const warningsOf = async (of: Tenant, query: string): Promise<string[]> =>
  (
    await eventually(
      () => ask(of, query),
      ({ warnings }) => warnings.length > 0,
    )
  ).warnings;

/** A tenant whose project has the events of LOGINS. The project of another tenant has an event, too. */
let acme: Tenant;
let ids: string[];
const names = new Map<string, string>();

beforeAll(async () => {
  acme = await tenant({ projectName: 'Tea House' });
  ids = await insertEvents(acme.projectId, LOGINS);
  for (const [index, id] of ids.entries()) names.set(id, String(LOGINS[index]?.properties?.n));
  const globex = await tenant();
  await insertEvents(globex.projectId, [at(5, 'login.failed', { n: 'other' })]);
  // Ingestion stores the size of an event. Events of earlier versions have none.
  await storeSizes(acme.projectId, ids.slice(0, 8));
  await countEvents(acme.projectId);
});

/**
 * Returns the results of a query by the property `n`: each event, or the events of each sequence in one text, where `-` is a missing
 * event.
 */
const found = async (query: string, more: object = {}): Promise<string[]> => {
  const { events, sequences } = await ask(acme, query, more);
  return [
    ...events.map(({ id }) => names.get(id) ?? '?'),
    ...sequences.map((one) => one.events.map(({ id }) => (id === undefined ? '-' : (names.get(id) ?? '?'))).join(' ')),
  ];
};
const faultOf = async (query: string): Promise<Fault> => {
  const { status, body } = await send(acme, query);
  expect([query, status]).toEqual([query, 422]);
  const [fault, ...others] = (body as { detail: Fault[] }).detail;
  expect(others).toEqual([]);
  if (fault === undefined) throw new Error('no fault');
  return fault;
};

describe('An EQL query', () => {
  it.each([
    ['login.failed where true', ['f1', 'f2', 'f3', 'f4', 'f5']],
    ['"login.failed" where tries >= 2', ['f3', 'f4']],
    ['any where event == "logout" and log.status >= 500', ['o1']],
    ['any where log.latency_ms == 12', ['o1']],
    ['any where log.latency_ms == null and event : "LOG*UT"', ['o2']],
    ['any where user : "b?b"', ['f2', 's2']],
    ['any where user like "b?b"', ['f2']],
    ['any where user regex~ "(ANN|B.*)" and not event == "logout"', ['f1', 'f2', 'f3', 's1', 's2']],
    ['any where tags == "vpn"', ['f2']],
    ['any where tags != "vpn"', ['f2']],
    ['any where not tags == "vpn"', []],
    ['any where `odd name`.list[0].deep == "x"', ['f4']],
    ['any where properties.user == null', ['f5']],
    ['any where tries == "2"', ['f5']],
    ['any where tries / 2 == 1', ['f3']],
    ['any where tries / 2.0 == 0.5', ['f1', 'f2']],
    ['any where number(string(tries)) == 2.5', ['f4']],
    ['any where cidrMatch(ip, "10.1.0.0/16", "fd00::/8")', ['f1', 'f2', 'f3']],
    ['any where message : "*😀" and length(message) == 11', ['o1']],
    ['any where user:length() == 3 and user:startsWith~("A") and tries == null', ['s1', 'o1']],
    ['any where timestamp >= "2026-01-01T00:01:10Z"', ['s3', 'o2']],
    ['any where @timestamp == "2026-01-01T00:00:10.000+00:00"', ['f2']],
    ['any where `sequence` == 1', ['f5']],
    ['any where user in~ ("ANN", "CYD") and tries not in (1, 2)', ['f4']],
    ['any where true | head 3 | tail 2', ['f2', 'f3']],
    ['any where true | tail 3 | head 1', ['f5']],
    ['any where tries > 0 // a comment\n and /* another */ user != null', ['f1', 'f2', 'f3', 'f4']],
  ])('returns for %s the events %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it.each([
    ['sequence by user [login.failed where true] [login.succeeded where true]', ['f3 s1', 'f4 s3']],
    ['sequence by user [login.failed where true] with runs=2 [login.succeeded where true]', ['f1 f3 s1']],
    ['sequence by user with maxspan=10s [login.failed where true] [login.succeeded where true]', ['f3 s1', 'f4 s3']],
    ['sequence by user with maxspan=9999ms [login.failed where true] [login.succeeded where true]', []],
    ['sequence by user with maxspan=1m [login.failed where true] ![login.succeeded where true]', ['f2 -']],
    ['sequence by user with maxspan=1m ![login.failed where true] [login.succeeded where true]', ['- s2']],
    ['sequence by user [login.failed where true] [logout where true] until [login.succeeded where true]', []],
    ['sequence by ?user [login.failed where tries == "2"] [any where ?user == null or true]', []],
    ['sequence [any where n == "f1"] by ip [any where n == "f2"] by ip', []],
    ['sequence [any where n == "s3"] by groups [any where n == "o2"] by groups', ['s3 o2']],
    ['sequence [any where n == "f4"] [any where n == "f5"]', ['f4 f5']],
    ['sequence [any where n == "f5"] [any where n == "f4"]', []],
    ['sample by user [logout where true] [login.failed where true]', ['o1 f1', 'o2 f4']],
    ['sample by ?user [any where tries == "2"] [any where user == null]', []],
    ['sample by ?ip [login.succeeded where true] [logout where true]', ['s1 o1']],
    ['sample by ?ip, user [login.succeeded where true] [logout where true]', ['s1 o1', 's3 o2']],
    ['sample by user [login.succeeded where true] by ?ip [logout where true] by ?tags', ['s1 o1', 's3 o2']],
    ['sample by ?never [any where n == "f2"] [any where n == "f1"]', ['f2 f1']],
    ['sample by ip [login.succeeded where true] [logout where true]', []],
  ])('returns for %s the sequences or samples %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('finds the sequences of a model of the rules, for terms that the event store or the process evaluates', async () => {
    const runs = Math.ceil(EQL_RUNS * 0.3);
    const many = await tenant();
    const begin = START + 3 * 3_600_000;
    // Each of the twenty lots of events has a second of its own. The property `fits` lists the terms that an event fits.
    const lots = fc.sample(
      fc.array(
        fc.record({
          step: fc.nat(2),
          fits: fc.subarray([0, 1, 2, 3, 4]),
          keys: fc.constantFrom<readonly string[]>(['x'], ['y'], ['x', 'y'], []),
        }),
        { minLength: 5, maxLength: 24 },
      ),
      { numRuns: 20, seed: 8 },
    );
    const known = await Promise.all(
      lots.map(async (lot, number) => {
        const from = begin + number * 1_000;
        let ms = from;
        const rows = lot.map(({ step, fits, keys }) => {
          ms += step;
          const key = keys.length === 1 ? keys[0] : keys;
          return { timestamp: new Date(ms), event: 'e', properties: { fits, ...(keys.length > 0 && { key }) } };
        });
        const events = lot.map(({ fits, keys }, at): KeyedEvent => ({
          ms: rows[at]?.timestamp.getTime() ?? 0,
          keys: Array.from({ length: TERMS }, (_, term) => (fits.includes(term) ? keys : [])),
        }));
        const ids = await insertEvents(many.projectId, rows);
        const window = { from_ts: new Date(from).toISOString(), to_ts: new Date(from + 1_000).toISOString() };
        return { events, ids, window };
      }),
    );
    const asked = fc
      .tuple(anyPlan, fc.nat(lots.length - 1), fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }))
      .filter(([{ stages, gaps, trailing }]) => stages.length + gaps.flat().length + trailing.length > 1);
    await fc.assert(
      fc.asyncProperty(asked, async ([plan, number, forms]) => {
        const { events, ids: all, window } = known[number]!;
        let written = 0;
        // The event store evaluates the shorter form, and the process the longer one.
        const term = (of: number): string => `[e where fits ${forms[(written += 1)] === true ? '' : '+ 0 '}== ${of}]`;
        const terms = plan.stages.map((stage, at) => [
          ...(plan.gaps[at] ?? []).map((gap) => `!${term(gap)}`),
          term(stage),
        ]);
        const query = [
          `sequence by key${plan.maxspanMs === null ? '' : ` with maxspan=${plan.maxspanMs}ms`}`,
          ...terms.flat(),
          ...plan.trailing.map((gap) => `!${term(gap)}`),
          ...(plan.until === null ? [] : [`until ${term(plan.until)}`]),
        ].join(' ');
        const { sequences } = await ask(many, query, { ...window, limit: 1_000 });
        const places = sequences.map(({ events: of }) =>
          of.flatMap(({ id }) => (id === undefined ? [] : [all.indexOf(id)])),
        );
        expect([query, places]).toEqual([query, byRules(plan, events)]);
      }),
      { numRuns: runs },
    );
  });

  it('shows the keys of a sequence and where an event is missing', async () => {
    const { kind, sequences, events } = await ask(
      acme,
      'sequence by user with maxspan=1m [login.failed where true] ![login.succeeded where true]',
    );
    expect({ kind, events }).toEqual({ kind: 'sequences', events: [] });
    expect(sequences).toEqual([
      { join_keys: ['bob'], events: [expect.objectContaining({ id: ids[1] }), { missing: true }] },
    ]);
  });

  it('finds one sample of a key, or as many as max_samples_per_key', async () => {
    const samples = 'sample by user [login.failed where true] [any where event != "login.failed"]';
    expect(await found(samples)).toEqual(['f1 s1', 'f4 s3']);
    expect(await found(samples, { max_samples_per_key: 3 })).toEqual(['f1 s1', 'f1 o1', 'f3 s1', 'f4 s3', 'f4 o2']);
  });

  it('lists the last results or the first ones in ascending order, and says whether there are more', async () => {
    const query = 'any where true';
    expect(await found(query, { limit: 2 })).toEqual(['s3', 'o2']);
    expect(await found(query, { limit: 2, result_position: 'head' })).toEqual(['f1', 'f2']);
    expect((await ask(acme, query, { limit: 9 })).has_more).toBe(true);
    expect((await ask(acme, query, { limit: 10 })).has_more).toBe(false);
    const sequence = 'sequence by user [login.failed where true] [login.succeeded where true]';
    expect(await found(sequence, { limit: 1 })).toEqual(['f4 s3']);
    expect(await found(sequence, { limit: 1, result_position: 'head' })).toEqual(['f3 s1']);
    expect((await ask(acme, sequence, { limit: 1, result_position: 'head' })).has_more).toBe(true);
    expect((await ask(acme, sequence, { limit: 2 })).has_more).toBe(false);
    expect((await ask(acme, 'any where n == "f1" | head 1', { result_position: 'head' })).scanned).toBe(1);
  });

  const second = (n: number): string => new Date(START + n * 1_000).toISOString();

  it('finds events from the beginning of its window to just before the end', async () => {
    expect(await found('any where true', { from_ts: second(10), to_ts: second(30) })).toEqual(['f2', 'f3']);
    expect(await found('any where true', { from_ts: second(10), to_ts: second(10) })).toEqual([]);
  });

  it('returns 422 when to_ts is before from_ts', async () => {
    const { body } = await send(acme, 'any where true', { from_ts: second(1), to_ts: second(0) }).expect(422);
    expect((body as { detail: object[] }).detail).toEqual([
      expect.objectContaining({ loc: ['body', 'to_ts'], msg: 'Value error, to_ts must not be before from_ts' }),
    ]);
  });

  it('finds the events of all time in the range all', async () => {
    const { body } = await send(acme, 'any where true', { range: 'all' }).expect(200);
    expect(body).toMatchObject({
      project_id: acme.projectId,
      project_name: 'Tea House',
      from_ts: '1970-01-01T00:00:00.000Z',
    });
    expect((body as Answer).events).toHaveLength(10);
  });

  it('warns of properties that no event has, and suggests a similar name', async () => {
    expect(
      await warningsOf(
        acme,
        'any where usr == "ann" and never.heard.of.it == 1 and user != null and `odd name`.list[0].deep != 1',
      ),
    ).toEqual([
      'None of the newest events has a property usr: did you mean user?',
      'None of the newest events has a property never.heard.of.it',
    ]);
    expect(await warningsOf(acme, 'any where log.statsu >= 500 or severty == "info"')).toEqual([
      'None of the newest events has a property log.statsu: did you mean log.status?',
      'None of the newest events has a property severty: did you mean severity?',
    ]);
  });

  it.each<[string, string, string, number, number, number]>([
    // Query, code, part of the sentence, line, column, length
    ['any', 'syntax', 'ends too early', 1, 4, 0],
    ['any where', 'syntax', 'ends too early', 1, 10, 0],
    ['any where user = 1', 'syntax', "'=' is not expected", 1, 16, 1],
    ["any where user == 'x'", 'syntax', 'double quotes', 1, 19, 1],
    ['any where "😀" == user and\n  user = 1', 'syntax', "'=' is not expected", 2, 8, 1],
    ['any where "😀" = user', 'syntax', "'=' is not expected", 1, 15, 1],
    ['any where "abc', 'syntax', 'no end', 1, 11, 4],
    ['any where """abc', 'syntax', 'no end', 1, 11, 6],
    ['any where /* true', 'syntax', 'comment', 1, 11, 7],
    ['any where "\\q" == a', 'syntax', 'escape', 1, 12, 2],
    ['any where a == "\\u{0}0"', 'syntax', 'escape', 1, 17, 2],
    ['any where a == "\\u{d800}"', 'syntax', 'no character', 1, 17, 8],
    ['any where (((a)', 'syntax', 'ends too early', 1, 16, 0],
    ['any where a[x]', 'syntax', 'not expected', 1, 12, 1],
    ['any where $a', 'syntax', 'no meaning', 1, 11, 1],
    ['any where 😀', 'syntax', 'no meaning', 1, 11, 1],
    ['any where ``', 'syntax', 'a name is empty', 1, 11, 1],
    ['any where `a', 'syntax', 'a name has no end', 1, 11, 1],
    ['any where a[01]', 'syntax', 'whole number below', 1, 13, 2],
    ['any where a[1000000]', 'syntax', 'whole number below', 1, 13, 7],
    ['any where 1e999 == a', 'syntax', 'finite', 1, 11, 5],
    ['any where a in ()', 'syntax', "')'", 1, 17, 1],
    ['any where a in (b)', 'syntax', "'b'", 1, 17, 1],
    ['any where a in (-"b")', 'syntax', 'a text', 1, 18, 3],
    ['any where a not like "b"', 'syntax', "'not'", 1, 13, 3],
    ['any where a == 1 or', 'syntax', 'ends too early', 1, 20, 0],
    ['any where length(a', 'syntax', 'ends too early', 1, 19, 0],
    ['any where not(1', 'syntax', 'ends too early', 1, 16, 0],
    ['any where a == in(1)', 'syntax', "'in'", 1, 16, 2],
    ['any where a == b~', 'syntax', "'b~'", 1, 16, 2],
    ['any where 5', 'semantics', 'condition', 1, 11, 1],
    ['any where not 5', 'semantics', 'true or false', 1, 15, 1],
    ['any where a == 1 and "b"', 'semantics', 'true or false', 1, 22, 3],
    ['any where a + "b" == 1', 'semantics', 'numbers', 1, 15, 3],
    ['any where -event == 1', 'semantics', 'numbers', 1, 12, 5],
    ['any where event in~ (1)', 'semantics', 'never compared', 1, 22, 1],
    ['any where a in~ (1)', 'semantics', 'in~ compares texts', 1, 18, 1],
    ['any where log.status in~ ("5")', 'semantics', 'in~ compares texts', 1, 11, 10],
    ['any where log.status : "5*"', 'semantics', ': compares texts', 1, 11, 10],
    ['any where length(a, b) == 1', 'semantics', 'takes 1', 1, 11, 6],
    ['any where concat() == "a"', 'semantics', 'takes 1 or more', 1, 11, 6],
    ['any where between(a, "b") == "c"', 'semantics', 'takes 3 to 4', 1, 11, 7],
    ['any where cidrMatch(ip, net)', 'semantics', 'network', 1, 25, 3],
    ['any where timestamp in ("2026-01-01", "soon")', 'semantics', 'no time', 1, 39, 6],
    ['any where timestamp == 5', 'semantics', 'never compared', 1, 24, 1],
    ['any where child of [any where true]', 'syntax', "'of'", 1, 17, 2],
    ['join [a where true] [b where true]', 'syntax', "'join'", 1, 1, 4],
    ['sequence [a where true] by u [b where true] until [c where true] by u with runs=2', 'syntax', "'with'", 1, 71, 4],
    ['any where true | sort a', 'semantics', 'no pipe sort', 1, 18, 4],
    ['any where true | head 0', 'semantics', 'whole number', 1, 23, 1],
    ['any where true | head -1', 'semantics', 'whole number', 1, 23, 2],
    ['any where true | head 1.5', 'semantics', 'whole number', 1, 23, 3],
    ['any where true | head', 'syntax', 'ends too early', 1, 22, 0],
    ['any where true | 5', 'syntax', 'number 5', 1, 18, 1],
    ['any where true | tail 1000000000', 'limit', '999999999', 1, 23, 10],
    [`any where true${' | head 1'.repeat(11)}`, 'limit', '10 pipes', 1, 108, 4],
    ['sample by a [a where true] [b where true] | head 1', 'syntax', "'|'", 1, 43, 1],
    ['sample by a [a where true] [b where true] until [c where true]', 'syntax', "'until'", 1, 43, 5],
    ['sample by a with maxspan=1s [a where true] [b where true]', 'syntax', "'with'", 1, 13, 4],
    ['sample by a [a where true]', 'semantics', 'two terms', 1, 1, 26],
    ['sequence', 'syntax', 'ends too early', 1, 9, 0],
    ['sequence by [a where true] [b where true]', 'syntax', "'['", 1, 13, 1],
    ['sequence with maxspan=5m by a [a where true] [b where true]', 'syntax', "'by'", 1, 26, 2],
    ['sequence with maxspan=5 m [a where true] [b where true]', 'syntax', "'m'", 1, 25, 1],
    ['sequence with maxspan=1.5s [a where true] [b where true]', 'semantics', 'whole number', 1, 23, 4],
    ['sequence with runs=2 [a where true] [b where true]', 'syntax', "'runs'", 1, 15, 4],
    ['sequence [a where true] with runs=x [b where true]', 'syntax', "'x'", 1, 35, 1],
    ['sequence [a where true] [b where true', 'syntax', 'ends too early', 1, 38, 0],
    ['sequence [a where true] [b where true] until ![c where true]', 'syntax', "'!['", 1, 46, 2],
    ['sequence [a where true] [b where true] [c where true] tail', 'syntax', "'tail'", 1, 55, 4],
    ['a b where true', 'syntax', "'b'", 1, 3, 1],
    ['5 where true', 'syntax', 'number 5', 1, 1, 1],
    ['a. where true', 'syntax', "'true'", 1, 10, 4],
    ['any where startWith(user, "a")', 'semantics', 'no function startWith', 1, 11, 9],
    ['any where length() == 1', 'semantics', 'takes 1', 1, 11, 6],
    ['any where length(user) == "a"', 'semantics', 'never compared', 1, 27, 3],
    ['any where length(1) == 1', 'semantics', 'source of length', 1, 18, 1],
    ['any where length~(user) == 1', 'semantics', 'no form with ~', 1, 11, 7],
    ['any where event == 5', 'semantics', 'never compared', 1, 20, 1],
    ['any where event', 'semantics', 'condition', 1, 11, 5],
    ['any where user : 5', 'semantics', ': compares texts', 1, 18, 1],
    ['any where user like 5', 'semantics', 'like compares texts', 1, 21, 1],
    ['any where user regex~ 5', 'semantics', 'regex~ compares texts', 1, 23, 1],
    ['any where user regex "(a"', 'semantics', 'pattern', 1, 22, 4],
    ['any where user regex "a)|(b"', 'semantics', 'pattern', 1, 22, 7],
    ['any where user regex "(?=a)"', 'semantics', 'pattern', 1, 22, 7],
    ['any where cidrMatch(ip, "10.0.0.0/33")', 'semantics', 'network', 1, 25, 13],
    ['any where timestamp > "yesterday"', 'semantics', 'no time', 1, 23, 11],
    ['any where timestamp > "2026-02-30"', 'semantics', 'no time', 1, 23, 12],
    ['any where timestamp > "2026-01-01T24:00:00Z"', 'semantics', 'no time', 1, 23, 22],
    ['any where true < false', 'semantics', 'compares numbers', 1, 11, 12],
    ['sequence [a where true] ![b where true]', 'semantics', 'maxspan', 1, 25, 15],
    ['sequence with maxspan=1s ![b where true]', 'semantics', 'event that is there', 1, 26, 15],
    ['sequence with maxspan=1w [a where true] [b where true]', 'semantics', 'unit of time', 1, 24, 1],
    ['sequence with maxspan=0s [a where true] [b where true]', 'semantics', 'whole number', 1, 23, 2],
    ['sequence [a where true] by x [b where true]', 'semantics', 'keys', 1, 30, 14],
    ['sequence [a where true] with runs=0 [b where true]', 'semantics', 'runs', 1, 35, 1],
    ['sequence [a where true] with runs=-1 [b where true]', 'semantics', 'runs', 1, 35, 2],
    ['sequence [a where true]', 'semantics', 'two stages', 1, 1, 23],
    ['sample [a where true] [b where true]', 'semantics', 'keys', 1, 1, 36],
    ['sample by a [a where true] ![b where true]', 'semantics', 'missing', 1, 28, 15],
    [`any where ${'('.repeat(51)}true${')'.repeat(51)}`, 'limit', '50 levels', 1, 61, 1],
    [`any where ${'('.repeat(9_000)}`, 'limit', '50 levels', 1, 61, 1],
    [`any where ${'a or '.repeat(1_000)}a`, 'limit', '1000 parts', 1, 5_011, 1],
    [`any where a in (${'1,'.repeat(1_000)}1)`, 'limit', '1000 values', 1, 2_017, 1],
    [`any where a like "${'a'.repeat(513)}"`, 'limit', '512 characters', 1, 18, 515],
    [
      `any where a regex (${Array(13).fill('"[ab]{100}[ab]{100}"').join(',')})`,
      'limit',
      'too large together',
      1,
      272,
      20,
    ],
    [`sequence ${'[a where true] '.repeat(21)}`, 'limit', '20 stages', 1, 310, 14],
    [`sequence [a where true] with runs=51 [b where true] with runs=50`, 'limit', '100 stages', 1, 1, 64],
    ['sequence [a where true] with runs=101 [b where true]', 'limit', '100 runs', 1, 35, 3],
    ['sequence with maxspan=31d [a where true] [b where true]', 'limit', '30 days', 1, 23, 3],
    [`sample by a ${'[a where true] '.repeat(6)}`, 'limit', '5 terms', 1, 88, 14],
    [`sequence by ${'a,'.repeat(10)}a [a where true] [b where true]`, 'limit', '10 keys', 1, 35, 14],
    [`any where ${'a.'.repeat(16)}a == 1`, 'limit', '16 names', 1, 11, 33],
  ])('returns 422 with the place of the fault for %s', async (query, code, part, line, column, length) => {
    const { type, loc, msg, ctx } = await faultOf(query);
    expect({ type, loc, code: ctx.code, line: ctx.line, column: ctx.column, length: ctx.length }).toEqual({
      ...{ type: 'value_error', loc: ['body', 'query'] },
      ...{ code, line, column, length },
    });
    expect(msg.startsWith(`Value error, line ${line}, column ${column}: `)).toBe(true);
    expect(msg).toContain(part);
    expect(ctx.expected.length).toBeLessThanOrEqual(10);
  });

  it('returns 422 with a hint when it uses words or signs of a similar language', async () => {
    const hintOf = async (query: string): Promise<string | null> => (await faultOf(query)).ctx.hint;
    expect(await hintOf('any where startWith(user, "a")')).toBe('did you mean startsWith?');
    expect(await hintOf('any where user = 1')).toContain('==');
    expect(await hintOf("any where user == 'x'")).toContain('"…"');
    expect(await hintOf('any where sequence == 1')).toContain('`sequence`');
    expect(await hintOf('any where true | unique a')).toContain('head and tail');
    expect(await hintOf('join by a [a where true] [b where true]')).toContain('sample');
    expect((await faultOf('any where user =')).ctx.expected).toContain('and');
  });

  const refused = async (more: object): Promise<unknown[]> => {
    const { status, body } = await send(acme, 'any where true', more);
    return [status, ...(body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'))];
  };

  it('returns 422 when it is empty, too long or no valid text', async () => {
    expect(await refused({ query: '' })).toEqual([422, 'body.query']);
    expect(await refused({ query: `any where a == "${'a'.repeat(10_000)}"` })).toEqual([422, 'body.query']);
    expect(await refused({ query: 'any where \u0000' })).toEqual([422, 'body.query']);
    expect(await refused({ query: 'any where "\ud800" == a' })).toEqual([422, 'body.query']);
  });

  it('returns 422 for each member of the request that is out of range', async () => {
    expect(await refused({ limit: 1_001, max_samples_per_key: 0, result_position: 'middle' })).toEqual([
      422,
      'body.limit',
      'body.result_position',
      'body.max_samples_per_key',
    ]);
  });

  it('compares numbers of any size as they were sent', async () => {
    const globex = await tenant();
    const numbers = ['1e-400', '-1e-400', '5e-324', '1.7976931348623157e308', '12345678901234567890', '-0', '1E5'];
    const body = (x: string): string => `{"event_type":"n","source":"s","properties":{"x":${x},"list":[${x}]}}`;
    for (const x of numbers) {
      await api.as(globex.key).post('/v1/events/ingest').type('json').send(body(x)).expect(200);
    }
    const count = async (query: string): Promise<number> =>
      ((await send(globex, query).expect(200)).body as Answer).events.length;
    expect(await count('n where x > 1e308 and x * 10 == null')).toBe(1);
    for (const field of ['x', 'list', 'list[0]']) {
      expect(await count(`n where ${field} == 0`)).toBe(3);
      expect(await count(`n where ${field} + 0 == 0`)).toBe(3);
      expect(await count(`n where ${field} in (12345678901234567000, 100000)`)).toBe(2);
      expect(await count(`n where ${field} > 0 and ${field} < 1e-300`)).toBe(1);
    }
  });

  it('takes a text as a value and a name as a property, also when they look like SQL or JavaScript', async () => {
    for (const text of ["'; DROP TABLE events; --", '$1', '%', '_', '\\\\', '{x}']) {
      expect(await found(`any where user == "${text}" or user : "${text}" or startsWith(user, "${text}")`)).toEqual([]);
    }
    expect(await found(`any where \`a'; --\` == 1 or \`__proto__\`.x == 1 or \`constructor\` != null`)).toEqual([]);
  });

  it('is answered for a viewer of the project and refused for everybody else', async () => {
    const [viewer, globex] = [await acme.viewer(), await tenant()];
    const body = { project_id: acme.projectId, query: 'any where true', ...WINDOW };
    expect((await api.as(viewer).post('/v1/eql', body).expect(200)).body).toMatchObject({ kind: 'events' });
    await api.as(globex.owner).post('/v1/eql', body).expect(403, { detail: 'Not a project member' });
    await api.post('/v1/eql', body).expect(401, { detail: 'Not authenticated' });
  });

  it('finds nothing of another project, also by the id of an event or of a source', async () => {
    const globex = await tenant();
    expect(await ask(globex, 'any where true')).toMatchObject({ events: [], scanned: 0 });
    const foreign = newId();
    const [id] = await insertEvents(globex.projectId, [at(3, 'login.failed', {}, { source_id: foreign })]);
    const named = `source_id == "${foreign}" or _id == "${id ?? ''}"`;
    for (const one of [named, `(${named}) or length(message) == 1000`]) {
      expect(await found(`any where ${one}`)).toEqual([]);
      expect(await ask(globex, `any where ${one}`)).toMatchObject({ events: [{ id }] });
    }
  });

  it('returns 200 or 422 when something in it is changed at random', async () => {
    const changed = fc
      .tuple(anyQuery, fc.nat(), fc.nat(2), fc.constantFrom('', '"', '(', ')', ']', '!', '~', '1', '*', 'null '))
      .map(
        ([text, place, left, put]) =>
          text.slice(0, place % text.length) + put + text.slice((place % text.length) + left),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyQuery, changed), async (query) => {
        expect([200, 422]).toContain((await send(acme, query, WINDOW)).status);
      }),
      { numRuns: EQL_RUNS / 4 },
    );
  });

  it('returns what the guide says for each of its examples', async () => {
    const guide = readFileSync('docs/guide/eql.md', 'utf8');
    const examples = [...guide.matchAll(/```eql\n([\s\S]*?)```/g)].map(([, text = '']) => text.trim());
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) await ask(acme, example);
    const [, faulty = ''] = /```eql-refused\n([\s\S]*?)```/.exec(guide) ?? [];
    const [, written = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    expect(await faultOf(faulty.trim())).toEqual(JSON.parse(written));
  });

  it('answers with the results that fit into a page and says that there are more', async () => {
    const large = await tenant();
    const text = 'x'.repeat(900_000);
    await insertEvents(
      large.projectId,
      Array.from({ length: 8 }, (_, n) => at(n, 'large', { n, text, key: 'k' })),
    );
    const events = await ask(large, 'any where length(text) == 900000');
    expect(events.events.map(({ properties }) => properties.n)).toEqual([4, 5, 6, 7]);
    expect(events.has_more).toBe(true);
    const sequences = await ask(large, 'sequence by key [any where true] with runs=3');
    expect(sequences.sequences).toHaveLength(1);
    expect(sequences.has_more).toBe(true);
    expect((await ask(large, 'sequence by key [any where true] with runs=6')).sequences).toHaveLength(1);
    // An event that an answer shows several times counts as often.
    const many = Array.from({ length: 20 }, (_, n) => n);
    await insertEvents(large.projectId, [
      at(20, 'many', { many, text }),
      ...many.map((n) => at(21, 'one', { many: n })),
    ]);
    const repeated = await ask(large, 'sequence by many [many where true] [one where true]');
    expect(repeated.sequences).toHaveLength(4);
    expect(repeated.has_more).toBe(true);
  });
});

describe('An EQL query about thousands of events', () => {
  let many: Tenant;

  beforeAll(async () => {
    many = await tenant();
    // Two events a second, in pairs. The service reads a large event by itself.
    const rows = Array.from({ length: 2_400 }, (_, n) =>
      at(n / 2, n % 2 === 0 ? 'first' : 'second', {
        n,
        pair: Math.floor(n / 2),
        ...(n % 400 === 0 && { text: randomBytes(10_000).toString('hex') }),
      }),
    );
    await insertEvents(many.projectId, rows);
  });

  it('returns the same however many candidates the service reads at a time', async () => {
    const pairs = 'sequence by pair with maxspan=1m [first where true] [second where n != 7]';
    const all = await ask(many, pairs, { limit: 1_000 });
    expect(all.sequences.map(({ join_keys: [key] }) => key)).toEqual(Array.from({ length: 1_000 }, (_, n) => 200 + n));
    expect([all.has_more, all.scanned]).toEqual([true, 2_400 - 1]);
    const first = await ask(many, pairs, { limit: 1_000, result_position: 'head' });
    expect(first.sequences.map(({ join_keys: [key] }) => key)).toEqual(
      Array.from({ length: 1_001 }, (_, n) => n).filter((n) => n !== 3),
    );
    expect([first.has_more, first.scanned]).toEqual([true, 2_004 - 1]);
    const shown = async (query: string, more: object = {}): Promise<unknown[]> => {
      const { events, has_more, scanned } = await ask(many, query, { limit: 3, ...more });
      return [...events.map(({ properties }) => properties.n), has_more, scanned];
    };
    expect(await shown('any where true')).toEqual([2_397, 2_398, 2_399, true, 4]);
    expect(await shown('any where true', { result_position: 'head' })).toEqual([0, 1, 2, true, 4]);
    expect(await shown('any where true | head 2')).toEqual([0, 1, false, 2]);
    expect(await shown('second where n < 9 | tail 2')).toEqual([5, 7, false, 2]);
    expect(await shown('any where true | tail 2000 | head 2')).toEqual([400, 401, false, 2_000]);
    expect(await shown('any where n % 1000 == 1', { result_position: 'head' })).toEqual([
      1,
      1_001,
      2_001,
      false,
      2_400,
    ]);
    expect(await shown('first where length(text) == 20000 | tail 1')).toEqual([2_000, false, 200]);
  });

  it('looks for a property in older events than the very newest', async () => {
    expect(await warningsOf(many, 'any where text == null and txet == null')).toEqual([
      'None of the newest events has a property txet',
    ]);
  });

  it('has at most ten warnings, of the first twenty names in it', async () => {
    const warnings = (names: string[]): Promise<string[]> =>
      warningsOf(many, `any where ${names.map((name) => `${name} == null`).join(' or ')}`);
    expect(await warnings(Array.from({ length: 40 }, (_, at) => `gone${at}`))).toHaveLength(10);
    const twenty = [...Array.from({ length: 19 }, (_, at) => `text[${at}]`), 'n'];
    const ofLast = (sentences: string[]): boolean => sentences.some((sentence) => sentence.includes('txet'));
    expect(ofLast(await warnings(['txet', ...twenty]))).toBe(true);
    expect(ofLast(await warnings([...twenty, 'txet']))).toBe(false);
  });
});

describe('An EQL condition', () => {
  let valued: Tenant;
  let id: string;

  beforeAll(async () => {
    valued = await tenant();
    const properties = {
      ...{ t: 'Äpfel 😀 Straße', n: 7, two: 2.0, z: 0, half: 0.5, big: 1e308, b: true, no: false, nul: null, e: '' },
      ...{
        x: 'a[b]c[d]',
        s: 'xSTARTyENDz',
        pct: '100%',
        back: 'a\\b',
        nl: 'a\nb',
        moji: '😀',
        k: '\u212a',
        sigma: 'ΟΔΟΣ',
      },
      ...{
        list: ['a', 'B', 3, null, [1]],
        empty: [],
        o: { k: 1, deep: { er: 'v' } },
        ip: '10.1.2.3',
        ip6: 'fd00::7',
      },
      ...{ hex: '0x1F', num: '7', pad: ' 7', exp: '1e3', arabic: '٣', 'a.b': 'whole', a: { b: 'path', c: 'below' } },
    };
    [id = ''] = await insertEvents(valued.projectId, [
      { ...at(7_200, 'value', properties), message: 'x_y', log_status: 404, severity: '' },
    ]);
  });

  it.each<['true' | 'false' | 'null', readonly string[]]>([
    [
      'true',
      [
        // Numbers
        ...[
          'n == 7',
          'n == 7.0',
          '7 == n',
          'two == 2',
          'n > 6.999',
          '6 < n',
          'n in (1, 7)',
          'n not in (1, 2)',
          'z == -0',
        ],
        ...[
          'n / 2 == 3',
          'n / 2.0 == 3.5',
          '-n / 2 == -3',
          'n / -2 == -3',
          'n / two == 3',
          'two / 4 == 0',
          'half * 2 == 1',
        ],
        ...[
          'n % 3 == 1',
          '-n % 3 == -1',
          'n % -3 == 1',
          '7.5 % n == 0.5',
          'n - 10 < 0',
          '2 + n * 3 == 23',
          '(2 + n) * 3 == 27',
        ],
        ...['big < 1.7e308', 'big * 1.5 > big', 'n + 0.1 == 7.1', '- -n == 7', '1 == 1', 'not 1 == 2'],
        // Texts, by code point
        ...[
          't == "Äpfel 😀 Straße"',
          't != "äpfel 😀 straße"',
          'e == ""',
          'e < "a"',
          'pct >= "100%"',
          'moji > "\\u{ff5e}"',
        ],
        ...[
          't == """Äpfel 😀 Straße"""',
          'back == "a\\\\b"',
          'back == """a\\b"""',
          'nl == "a\\nb"',
          't in ("x", "Äpfel 😀 Straße")',
        ],
        // Wildcards
        ...[
          't like "Ä*"',
          't like "?pfel*"',
          't like "*😀*"',
          't like "Äpfel ? Straße"',
          'moji like "?"',
          'pct like "100?"',
        ],
        ...[
          'pct like "*%"',
          'back like """a\\b"""',
          'nl like "a?b"',
          'nl like "a*b"',
          'e like ""',
          'e like "*"',
          't like ("x", "Ä*")',
        ],
        ...[
          't like~ "äPFEL*strasse"  or t like~ "äPFEL*STRAẞE"',
          't : "*😀 straße"',
          'k : "K"',
          'k like~ "k"',
          'sigma : "οδος"',
        ],
        ...['x like "a[*]?[d]"', 'message like "x_y"', 'list : "b"', 'list like "B"', 'severity like ""'],
        // Regular expressions
        ...[
          't regex ".*Straße"',
          'moji regex "."',
          'e regex ".*"',
          't regex~ "ÄPFEL .*"',
          'num regex "[0-9]+"',
          'pct regex ("x", "1.{3}")',
        ],
        // Lists, objects and what is missing
        ...[
          'list == "a"',
          'list == 3',
          'list != "a"',
          'list > 2',
          'list in ("B")',
          'list[0] == "a"',
          'list[2] + 1 == 4',
        ],
        ...[
          'o.k == 1',
          'o.deep.er == "v"',
          'missing == null',
          'nul == null',
          'o != null',
          'list != null',
          'empty != null',
        ],
        ...[
          'list[3] == null',
          'list[9] == null',
          '`a.b` == "whole"',
          'a.b == "whole"',
          'a.c == "below"',
          'b',
          'b == true',
          'not no',
        ],
        ...[
          '__proto__ == null',
          '`__proto__`.x == null',
          'constructor == null',
          'toString == null',
          'a.__proto__ == null',
        ],
        ...['missing == null and b', 'b or missing', '(b and missing) == null', '(no and missing) == false'],
        // The service's own fields
        ...[
          'event == "value"',
          'log.status == 404',
          'log.latency_ms == null',
          'severity == ""',
          'status == null',
          'source == "s"',
        ],
        ...[
          'timestamp == "2026-01-01T02:00:00Z"',
          'timestamp == "2026-01-01T03:00:00+01:00"',
          'timestamp > "2026-01-01"',
        ],
        ...[
          'timestamp in ("2026-01-01T02:00:00.000Z")',
          'timestamp == "2026-01-01 02:00"',
          'external_event_id == null',
        ],
        // Functions
        ...['length(t) == 14', 'length(moji) == 1', 'length(e) == 0', 'length(list) == 1', 't:length() > 13'],
        ...[
          'substring(t, 0, 1) == "Ä"',
          'substring(t, -6) == "Straße"',
          'substring(t, 6, 7) == "😀"',
          'substring(t, 2, 1) == ""',
        ],
        ...[
          'substring(t, 100) == ""',
          'substring(t, -100, 2) == "Äp"',
          'substring(t, 1.9, 2.9) == "p"',
          'substring(t, null, 1) == "Ä"',
        ],
        ...[
          'indexOf(t, "S") == 8',
          'indexOf(t, " ") == 5',
          'indexOf(t, " ", 6) == 7',
          'indexOf(t, "Ä", -5) == 0',
          'indexOf(t, "") == 0',
        ],
        ...[
          'indexOf~(t, "STRA") == 8',
          'indexOf(t, "x") == null',
          'indexOf(t, "", 14) == 14',
          'indexOf(t, "", 15) == null',
        ],
        ...['between(x, "[", "]") == "b"', 'between(x, "[", "]", true) == "b]c[d"', 'between(x, "]", "[") == "c"'],
        ...['between(x, "{", "}") == null', 'between(x, "[", "[d]") == "b]c"', 'between~(s, "start", "end") == "y"'],
        ...['between(x, "", "b") == "a["', 'between(x, "[", "") == ""', 'between(s, "start", "end") == null'],
        ...[
          'concat(n, "-", b) == "7-true"',
          'concat(t) == t',
          'concat(n, missing) == null',
          'string(n) == "7"',
          'string(two) == "2"',
        ],
        ...['string(no) == "false"', 'string(missing) == null', 'string(o) == null', 'string(half) == "0.5"'],
        ...[
          'number(hex) == 31',
          'number(num) == 7',
          'number("1f", 16) == 31',
          'number("z", 36) == 35',
          'number(exp) == 1000',
        ],
        ...['number("-0x10") == -16', 'number("7.5") == 7.5', 'number("0x1F", 16) == 31', 'number("101", 2) == 5'],
        ...[
          'number(pad) == null',
          'number(e) == null',
          'number(arabic) == null',
          'number("Infinity") == null',
          'number("2", 2) == null',
        ],
        ...['number("7", 37) == null', 'number("1_0") == null', 'number(num, 1) == null', 'number("0b1") == null'],
        ...[
          'add(n, 1) == 8',
          'subtract(n, 10) == -3',
          'multiply(n, half) == 3.5',
          'divide(n, 2) == 3',
          'divide(n, 2.0) == 3.5',
        ],
        ...['modulo(n, 4) == 3', 'divide(n, 0) == null', 'ADD(n, 1) == 8'],
        ...[
          'cidrMatch(ip, "10.0.0.0/8")',
          'cidrMatch(ip, "10.1.2.3/32")',
          'cidrMatch(ip, "0.0.0.0/0")',
          'cidrMatch(ip6, "fd00::/8")',
        ],
        ...[
          'cidrMatch(ip, "11.0.0.0/8", "10.1.0.0/16")',
          'cidrMatch(ip, "10.1.255.255/16")',
          'cidrMatch(ip, "::/0")',
          'cidrMatch(ip6, "::/0")',
        ],
        ...[
          'startsWith(t, "Äpf")',
          'startsWith(t, "")',
          'endsWith(t, "ße")',
          'endsWith(e, "")',
          'stringContains(t, "😀")',
        ],
        ...[
          'startsWith~(k, "K")',
          'endsWith~(sigma, "ς")',
          'stringContains~(t, "STRAẞ")',
          'startsWith(list, "a")',
          'endsWith(pct, "%")',
        ],
        ...['stringContains(message, "_")', 'startsWith(back, "a\\\\")', 'length(concat(t, t)) == 28'],
      ],
    ],
    [
      'false',
      [
        ...[
          'n == 8',
          'n != 7',
          'n < 7',
          'n not in (7)',
          't == "äpfel 😀 straße"',
          'e != ""',
          't > "Ä😀"',
          'n in (1, 2)',
        ],
        ...[
          'moji like "??"',
          'pct like "100_"',
          't like "äpfel*"',
          'e like "?"',
          't like~ "*STRASSE"',
          't : "STRASSE"',
          'x like "a"',
        ],
        ...['t regex "Straße"', 'e regex ".+"', 't regex "ÄPFEL.*"', 'list == "x"', 'list == 4', 'list in ("x")'],
        ...[
          'nul != null',
          'o == null',
          'list == null',
          'empty == null',
          'b == null',
          'no',
          'not b',
          'b == false',
          'missing != null',
        ],
        ...[
          'no and missing',
          'not (b or missing)',
          'timestamp < "2026-01-01T02:00:00Z"',
          'timestamp != "2026-01-01T02:00:00Z"',
        ],
        ...['severity != ""', 'log.status == 405', 'cidrMatch(ip, "11.0.0.0/8")', 'cidrMatch(ip6, "0.0.0.0/0")'],
        ...[
          'startsWith(t, "äpf")',
          'endsWith(t, "SSE")',
          'stringContains(e, "a")',
          'startsWith(e, "a")',
          'message like "x?y?"',
        ],
      ],
    ],
    [
      'null',
      [
        ...[
          'n == "7"',
          'n != "7"',
          'n > "6"',
          'n == true',
          't == 1',
          'b == "true"',
          'b == 1',
          'n in ("7")',
          't not in (7)',
          'o == 1',
        ],
        ...[
          'o != 1',
          'missing == 1',
          'missing != 1',
          'missing < 1',
          'not missing == 1',
          'list == true',
          'empty == 1',
          'nul == 1',
        ],
        ...[
          'n / 0 == 1',
          'n % 0 == 1',
          'z / z == 0',
          'big * 100 > 0',
          '-big * 100 < 0',
          't + 1 == 1',
          'missing + 1 == 1',
          '-t == 1',
        ],
        ...[
          'n like "7"',
          'missing like "*"',
          'n : "7"',
          'o like "*"',
          'n regex "7"',
          'list regex~ "[a-z]" and null',
          'nul : "*"',
        ],
        ...[
          'n and b',
          't and b',
          'o and b',
          'missing',
          'missing and b',
          'no or missing',
          'not missing',
          'not n',
          'null',
        ],
        ...[
          'length(n) == 1',
          'length(missing) == 0',
          'substring(n, 0) == "7"',
          'startsWith(n, "7")',
          'startsWith(t, missing)',
        ],
        ...[
          'endsWith(missing, "")',
          'stringContains~(nul, "a")',
          'cidrMatch(t, "10.0.0.0/8")',
          'cidrMatch(n, "10.0.0.0/8")',
        ],
        ...[
          'cidrMatch(missing, "::/0")',
          'number(n) == 7',
          'indexOf(t, missing) == 0',
          'concat(o, "a") == "a"',
          'log.latency_ms == 0',
        ],
        ...[
          'status == "a"',
          'status in ("a")',
          'status : "*"',
          'timestamp == missing',
          'missing == missing',
          'n == missing',
        ],
      ],
    ],
  ])('evaluates to %s where the language says so, in the event store and in memory', async (truth, conditions) => {
    const window = {
      from_ts: new Date(START + 7_200_000).toISOString(),
      to_ts: new Date(START + 7_201_000).toISOString(),
    };
    const isFound = async (query: string): Promise<boolean> => {
      const { status, body } = await send(valued, query, window);
      return status === 200 && (body as Answer).events[0]?.id === id;
    };
    const all = conditions.map(
      (one) => ({ true: `(${one})`, false: `(not (${one}))`, null: `((${one}) == null)` })[truth],
    );
    const wrong: string[] = [];
    for (let first = 0; first < all.length; first += 20) {
      const some = all.slice(first, first + 20);
      // The process evaluates a whole condition when SQL cannot express a part of it. This part is never true.
      for (const beside of ['', ' or number(message) == 1']) {
        const queryOf = (parts: string[]): string => `any where (${parts.join(' and ')})${beside}`;
        if (await isFound(queryOf(some))) continue;
        for (const one of some) if (!(await isFound(queryOf([one])))) wrong.push(queryOf([one]));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('The description of the EQL language', () => {
  const description = async ({ owner, projectId }: Tenant): Promise<Description> =>
    (await api.as(owner).get('/v1/eql', { project_id: projectId }).expect(200)).body as Description;

  it('lists fields, functions, operators, pipes and limits', async () => {
    const { version, fields, functions, limits, pipes, operators } = await description(acme);
    expect({ version, pipes }).toEqual({ version: '1', pipes: ['head', 'tail'] });
    expect(fields).toContainEqual({ name: 'log.status', type: 'number', is_property: false });
    expect(fields).toContainEqual({ name: 'tries', type: 'number, text', is_property: true });
    expect(fields).toContainEqual({ name: 'user', type: 'text, null', is_property: true });
    expect(functions.find(({ name }) => name === 'startsWith')).toMatchObject({ has_case_insensitive_form: true });
    expect(operators.map(({ name }) => name)).toContain('regex~');
    expect(limits).toMatchObject({
      ...{ nodes: 1_000, depth: 50, pending_partials: 200_000, characters: 10_000, pipes: 10, seconds: 8 },
      ...{ turn_seconds: 10, at_once: 2, at_once_of_project: 1 },
    });
  });

  it('lists as keywords all names that no key of a query can have', async () => {
    const { fields, functions, pipes, operators, keywords } = await description(acme);
    const statusAsKey = async (name: string): Promise<unknown[]> => {
      const query = `sample by ${name} [any where false] [any where false]`;
      return [name, (await send(acme, query)).status];
    };
    for (const keyword of keywords) expect(await statusAsKey(keyword)).toEqual([keyword, 422]);
    const words = ['maxspan', 'runs', 'descendant', 'child', 'AND', 'True', 'maxsamples', ...pipes];
    const taken = [...words, ...functions.map(({ name }) => name), ...fields.map(({ name }) => name)];
    for (const name of taken) expect(await statusAsKey(name)).toEqual([name, 200]);
    // Each word of an operator is a keyword.
    const wordOperators = operators.flatMap(({ name }) => name.split(' ')).filter((name) => /^\w/.test(name));
    expect(keywords).toEqual(expect.arrayContaining(wordOperators));
  });

  it('is refused for an account that is no member of the project', async () => {
    const stranger = await outsider();
    await api.as(stranger).get('/v1/eql', { project_id: acme.projectId }).expect(403);
  });

  it('names properties as a query has to write them', async () => {
    const odd = await tenant();
    const properties = {
      ...{ 'odd name': 1, where: 1, 'a.b': 1, nested: { 'x-y': 1, by: 1 }, '0': 1, 'a..b': 1, 'in~': 1, 'a`b': 1 },
      ...{
        event: 1,
        log: { status: 1 },
        '@timestamp': 1,
        ['__proto__']: 1,
        properties: { x: 1 },
        ['x'.repeat(201)]: 1,
      },
    };
    await insertEvents(odd.projectId, [at(0, 'odd', properties)]);
    const listed = (await description(odd)).fields.filter(({ is_property }) => is_property);
    expect(listed.map(({ name }) => name)).toEqual([
      ...[
        '`0`',
        'properties.@timestamp',
        '__proto__',
        '`a..b`',
        'a.b',
        '`a``b`',
        'properties.event',
        '`in~`',
        'log',
        'properties.log.status',
      ],
      ...['nested', 'nested.by', 'nested.`x-y`', '`odd name`', 'properties', 'properties.properties.x', '`where`'],
    ]);
    const numbers = listed.filter(({ type }) => type === 'number').map(({ name }) => `${name} == 1`);
    expect(numbers).toHaveLength(14);
    // The answer warns only of the last name in the query.
    const query = `any where ${numbers.join(' and ')} and unheard_of == null`;
    expect((await ask(odd, query)).events).toMatchObject([{ event: 'odd' }]);
    expect(await warningsOf(odd, query)).toEqual(['None of the newest events has a property unheard_of']);
    await insertEvents(odd.projectId, [at(1, 'odd', { ['__proto__']: 1 })]);
    const joined = 'sample by `__proto__` [any where `__proto__` + 0 == 1] [any where constructor == null]';
    expect((await ask(odd, joined)).sequences).toMatchObject([{ join_keys: [1] }]);
    expect(await warningsOf(odd, 'any where `od name` == 1')).toEqual([
      'None of the newest events has a property od name: did you mean `odd name`?',
    ]);
  });
});
