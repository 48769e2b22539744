import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, login, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { countEvents, type EventRow, insertEvents } from '../../support/event-rows.js';
import { anyQuery, EQL_RUNS } from '../../support/eql.js';
import { describeOfPostgres, itOfPostgres } from '../../support/second-store.js';
import { anyPlan, byRules, type KeyedEvent, TERMS } from '../../support/sequence-rules.js';
import { lockedTable } from '../../support/table-lock.js';
import { RunLimits } from '../../../src/modules/events/eql/running/run-limits.js';
import { LongReads } from '../../../src/modules/events/long-reads/index.js';

const START = Date.UTC(2026, 0, 1);
const WINDOW = { from_ts: new Date(START).toISOString(), to_ts: new Date(START + 3_600_000).toISOString() };

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

/** At a second of the window. */
const at = (
  second: number,
  event: string,
  properties: Record<string, unknown> = {},
  more: Partial<EventRow> = {},
): EventRow => ({
  timestamp: new Date(START + second * 1_000),
  event,
  properties,
  ...more,
});

describe('queries of events', () => {
  let app: TestApp;
  let owner: Owner;
  let ids: string[];
  const names = new Map<string, string>();

  const post = (body: object, bearer = owner.bearer) =>
    app.request().post('/v1/eql').set('Authorization', bearer).send(body);
  const run = async (query: string, more: object = {}): Promise<Answer> => {
    const { status, body } = await post({ project_id: owner.projectId, query, ...WINDOW, ...more });
    expect([query, status, status === 200 ? null : body]).toEqual([query, 200, null]);
    return body as Answer;
  };
  /** What was found, by the property `n`: events by themselves, those of sequences together, `-` for a missing one. */
  const found = async (query: string, more: object = {}): Promise<string[]> => {
    const { events, sequences } = await run(query, more);
    return [
      ...events.map(({ id }) => names.get(id) ?? '?'),
      ...sequences.map((one) =>
        one.events.map(({ id }) => (id === undefined ? '-' : (names.get(id) ?? '?'))).join(' '),
      ),
    ];
  };
  const faultOf = async (query: string): Promise<Fault> => {
    const { status, body } = await post({ project_id: owner.projectId, query });
    expect([query, status]).toEqual([query, 422]);
    const [fault, ...others] = (body as { detail: Fault[] }).detail;
    expect(others).toEqual([]);
    if (fault === undefined) throw new Error('no fault');
    return fault;
  };

  beforeAll(async () => {
    app = await createTestApp({ env: { PROCESS_ROLE: 'api' } });
    app.nest.get(RunLimits).warningMilliseconds = 60_000;
    owner = await ownerWithProject(app, 'Tea House');
    const rows: EventRow[] = [
      at(0, 'login.failed', { n: 'f1', user: 'ann', ip: '10.1.2.3', tries: 1 }),
      at(10, 'login.failed', { n: 'f2', user: 'bob', ip: '10.1.2.4', tries: 1, tags: ['vpn', 'new'] }),
      at(20, 'login.failed', { n: 'f3', user: 'ann', ip: 'fd00::7', tries: 2 }),
      at(30, 'login.succeeded', { n: 's1', user: 'ann' }),
      at(40, 'login.succeeded', { n: 's2', user: 'Bob' }),
      at(
        50,
        'logout',
        { n: 'o1', user: 'ann' },
        { message: 'Good bye, 😀', severity: 'info', log_status: 503, log_latency_ms: 12 },
      ),
      at(60, 'login.failed', { n: 'f4', user: 'cyd', tries: 2.5, 'odd name': { list: [{ deep: 'x' }] } }),
      at(60, 'login.failed', { n: 'f5', user: null, tries: '2', sequence: 1 }),
      at(70, 'login.succeeded', { n: 's3', user: 'cyd', groups: ['a', 'b'] }),
      at(80, 'logout', { n: 'o2', user: 'cyd', groups: 'b' }),
    ];
    ids = await insertEvents(app, owner.projectId, rows);
    for (const [index, id] of ids.entries()) names.set(id, String(rows[index]?.properties?.n));
    const stranger = await ownerWithProject(app);
    await insertEvents(app, stranger.projectId, [at(5, 'login.failed', { n: 'other' })]);
    // As ingestion keeps it; those below without it are of before.
    await app.rows('UPDATE events SET bytes = octet_length(properties::text) WHERE id = ANY ($1)', [ids.slice(0, 8)]);
    await countEvents(app);
  });
  afterAll(() => app.close());

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
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  describe('have the values of the language', () => {
    const ids: string[] = [];
    let valued: Owner;
    beforeAll(async () => {
      valued = await ownerWithProject(app);
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
      ids.push(
        ...(await insertEvents(app, valued.projectId, [
          { ...at(7_200, 'value', properties), message: 'x_y', log_status: 404, severity: '' },
        ])),
      );
    });

    // What is true, false and null of the event.
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
    ])('%s, said in SQL or asked one by one', async (truth, conditions) => {
      const window = {
        from_ts: new Date(START + 7_200_000).toISOString(),
        to_ts: new Date(START + 7_201_000).toISOString(),
      };
      const isFound = async (query: string): Promise<boolean> => {
        const { status, body } = await post({ project_id: valued.projectId, query, ...window }, valued.bearer);
        return status === 200 && (body as Answer).events[0]?.id === ids[0];
      };
      const all = conditions.map(
        (one) => ({ true: `(${one})`, false: `(not (${one}))`, null: `((${one}) == null)` })[truth],
      );
      const wrong: string[] = [];
      for (let first = 0; first < all.length; first += 20) {
        const some = all.slice(first, first + 20);
        // What cannot be said in SQL, and is never true, has all of it asked here.
        for (const beside of ['', ' or number(message) == 1']) {
          const queryOf = (parts: string[]): string => `any where (${parts.join(' and ')})${beside}`;
          if (await isFound(queryOf(some))) continue;
          for (const one of some) if (!(await isFound(queryOf([one])))) wrong.push(queryOf([one]));
        }
      }
      expect(wrong).toEqual([]);
    });
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
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('finds the sequences that the rules say, whatever is asked and however it is said', async () => {
    const runs = Math.ceil(EQL_RUNS * 0.3);
    const many = await ownerWithProject(app);
    let { bearer } = many;
    const begin = START + 3 * 3_600_000;
    // Twenty lots of events, each with a time of its own; what an event fits is a list of its numbers.
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
        const ids = await insertEvents(app, many.projectId, rows);
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
        // Said in SQL, or asked one by one.
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
        const ask = () => post({ project_id: many.projectId, query, ...window, limit: 1_000 }, bearer);
        let answer = await ask();
        // A great many of them take longer than a token is good for.
        if (answer.status === 401) {
          ({ bearer } = await login(app, many.email));
          answer = await ask();
        }
        expect([query, answer.status]).toEqual([query, 200]);
        const told = (answer.body as Answer).sequences.map(({ events: of }) =>
          of.flatMap(({ id }) => (id === undefined ? [] : [all.indexOf(id)])),
        );
        expect([query, told]).toEqual([query, byRules(plan, events)]);
      }),
      { numRuns: runs },
    );
  });

  it('tells keys, missing events and how many samples there are for a key', async () => {
    const { kind, sequences, events } = await run(
      'sequence by user with maxspan=1m [login.failed where true] ![login.succeeded where true]',
    );
    expect({ kind, events }).toEqual({ kind: 'sequences', events: [] });
    expect(sequences).toEqual([
      { join_keys: ['bob'], events: [expect.objectContaining({ id: ids[1] }), { missing: true }] },
    ]);
    const samples = 'sample by user [login.failed where true] [any where event != "login.failed"]';
    expect(await found(samples)).toEqual(['f1 s1', 'f4 s3']);
    expect(await found(samples, { max_samples_per_key: 3 })).toEqual(['f1 s1', 'f1 o1', 'f3 s1', 'f4 s3', 'f4 o2']);
  });

  it('lists the last results or the first ones, ascending, and says whether there are more', async () => {
    const query = 'any where true';
    expect(await found(query, { limit: 2 })).toEqual(['s3', 'o2']);
    expect(await found(query, { limit: 2, result_position: 'head' })).toEqual(['f1', 'f2']);
    expect((await run(query, { limit: 9 })).has_more).toBe(true);
    expect((await run(query, { limit: 10 })).has_more).toBe(false);
    const sequence = 'sequence by user [login.failed where true] [login.succeeded where true]';
    expect(await found(sequence, { limit: 1 })).toEqual(['f4 s3']);
    expect(await found(sequence, { limit: 1, result_position: 'head' })).toEqual(['f3 s1']);
    expect((await run(sequence, { limit: 1, result_position: 'head' })).has_more).toBe(true);
    expect((await run(sequence, { limit: 2 })).has_more).toBe(false);
    expect((await run('any where n == "f1" | head 1', { result_position: 'head' })).scanned).toBe(1);
  });

  it('keeps to the window: its beginning is in it, its end is not', async () => {
    const second = (n: number): string => new Date(START + n * 1_000).toISOString();
    expect(await found('any where true', { from_ts: second(10), to_ts: second(30) })).toEqual(['f2', 'f3']);
    expect(await found('any where true', { from_ts: second(10), to_ts: second(10) })).toEqual([]);
    const { body } = await post({
      project_id: owner.projectId,
      query: 'any where true',
      from_ts: second(1),
      to_ts: second(0),
    });
    expect((body as { detail: object[] }).detail).toEqual([
      expect.objectContaining({ loc: ['body', 'to_ts'], msg: 'Value error, to_ts must not be before from_ts' }),
    ]);
    const all = await post({ project_id: owner.projectId, query: 'any where true', range: 'all' }).expect(200);
    expect(all.body).toMatchObject({
      project_id: owner.projectId,
      project_name: 'Tea House',
      from_ts: '1970-01-01T00:00:00.000Z',
    });
    expect((all.body as Answer).events).toHaveLength(10);
  });

  it('warns of properties that no event has', async () => {
    const { warnings } = await run(
      'any where usr == "ann" and never.heard.of.it == 1 and user != null and `odd name`.list[0].deep != 1',
    );
    expect(warnings).toEqual([
      'None of the newest events has a property usr: did you mean user?',
      'None of the newest events has a property never.heard.of.it',
    ]);
    const misspelt = await run('any where log.statsu >= 500 or severty == "info"');
    expect(misspelt.warnings).toEqual([
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
  ])('refuses %s', async (query, code, part, line, column, length) => {
    const { type, loc, msg, ctx } = await faultOf(query);
    expect({ type, loc, code: ctx.code, line: ctx.line, column: ctx.column, length: ctx.length }).toEqual({
      ...{ type: 'value_error', loc: ['body', 'query'] },
      ...{ code, line, column, length },
    });
    expect(msg.startsWith(`Value error, line ${line}, column ${column}: `)).toBe(true);
    expect(msg).toContain(part);
    expect(ctx.expected.length).toBeLessThanOrEqual(10);
  });

  it('helps with what is like it elsewhere', async () => {
    const hintOf = async (query: string): Promise<string | null> => (await faultOf(query)).ctx.hint;
    expect(await hintOf('any where startWith(user, "a")')).toBe('did you mean startsWith?');
    expect(await hintOf('any where user = 1')).toContain('==');
    expect(await hintOf("any where user == 'x'")).toContain('"…"');
    expect(await hintOf('any where sequence == 1')).toContain('`sequence`');
    expect(await hintOf('any where true | unique a')).toContain('head and tail');
    expect(await hintOf('join by a [a where true] [b where true]')).toContain('sample');
    expect((await faultOf('any where user =')).ctx.expected).toContain('and');
  });

  it('refuses texts and numbers of a request as everywhere', async () => {
    const ask = async (more: object): Promise<unknown[]> => {
      const { status, body } = await post({ project_id: owner.projectId, query: 'any where true', ...more });
      return [status, ...(body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'))];
    };
    expect(await ask({ query: '' })).toEqual([422, 'body.query']);
    expect(await ask({ query: `any where a == "${'a'.repeat(10_000)}"` })).toEqual([422, 'body.query']);
    expect(await ask({ query: 'any where \u0000' })).toEqual([422, 'body.query']);
    expect(await ask({ query: 'any where "\ud800" == a' })).toEqual([422, 'body.query']);
    expect(await ask({ limit: 1_001, max_samples_per_key: 0, result_position: 'middle' })).toEqual([
      422,
      'body.limit',
      'body.result_position',
      'body.max_samples_per_key',
    ]);
  });

  it('compares numbers of any size, as they were sent', async () => {
    const other = await ownerWithProject(app);
    const numbers = ['1e-400', '-1e-400', '5e-324', '1.7976931348623157e308', '12345678901234567890', '-0', '1E5'];
    const body = (x: string): string => `{"event_type":"n","source":"s","properties":{"x":${x},"list":[${x}]}}`;
    for (const x of numbers) {
      const sent = app.request().post('/v1/events/ingest').set('X-API-Key', other.apiKey);
      await sent.set('Content-Type', 'application/json').send(body(x)).expect(200);
    }
    const count = async (query: string): Promise<number> =>
      ((await post({ project_id: other.projectId, query }, other.bearer).expect(200)).body as Answer).events.length;
    expect(await count('n where x > 1e308 and x * 10 == null')).toBe(1);
    for (const field of ['x', 'list', 'list[0]']) {
      expect(await count(`n where ${field} == 0`)).toBe(3);
      expect(await count(`n where ${field} + 0 == 0`)).toBe(3);
      expect(await count(`n where ${field} in (12345678901234567000, 100000)`)).toBe(2);
      expect(await count(`n where ${field} > 0 and ${field} < 1e-300`)).toBe(1);
    }
  });

  it('takes values as values, whatever they say', async () => {
    for (const text of ["'; DROP TABLE events; --", '$1', '%', '_', '\\\\', '{x}']) {
      expect(await found(`any where user == "${text}" or user : "${text}" or startsWith(user, "${text}")`)).toEqual([]);
    }
    expect(await found(`any where \`a'; --\` == 1 or \`__proto__\`.x == 1 or \`constructor\` != null`)).toEqual([]);
  });

  it('is for members alone, and shows nothing of others', async () => {
    const stranger = await ownerWithProject(app);
    const viewer = await addMember(app, owner, 'viewer');
    const body = { project_id: owner.projectId, query: 'any where true', ...WINDOW };
    expect((await post(body, viewer.bearer).expect(200)).body).toMatchObject({ kind: 'events' });
    await post(body, stranger.bearer).expect(403, { detail: 'Not a project member' });
    await app.request().post('/v1/eql').send(body).expect(401, { detail: 'Not authenticated' });
    const own = await post({ ...body, project_id: stranger.projectId }, stranger.bearer).expect(200);
    expect(own.body).toMatchObject({ events: [], scanned: 0 });
    await app.request().get(`/v1/eql?project_id=${owner.projectId}`).set('Authorization', stranger.bearer).expect(403);
    // Its source and its events name nothing elsewhere.
    const foreign = newId();
    const [id] = await insertEvents(app, stranger.projectId, [at(3, 'login.failed', {}, { source_id: foreign })]);
    const named = `source_id == "${foreign}" or _id == "${id ?? ''}"`;
    for (const one of [named, `(${named}) or length(message) == 1000`]) {
      expect(await found(`any where ${one}`)).toEqual([]);
      const theirs = { ...body, project_id: stranger.projectId, query: `any where ${one}` };
      expect((await post(theirs, stranger.bearer).expect(200)).body).toMatchObject({ events: [{ id }] });
    }
  });

  it('answers or refuses whatever queries become when something in them is changed', async () => {
    const changed = fc
      .tuple(anyQuery, fc.nat(), fc.nat(2), fc.constantFrom('', '"', '(', ')', ']', '!', '~', '1', '*', 'null '))
      .map(
        ([text, place, left, put]) =>
          text.slice(0, place % text.length) + put + text.slice((place % text.length) + left),
      );
    // A great many of them take longer than a token is good for.
    let { bearer } = owner;
    const statusOf = async (query: string): Promise<number> =>
      (await post({ project_id: owner.projectId, query, ...WINDOW }, bearer)).status;
    const answered = async (query: string): Promise<number> => {
      const status = await statusOf(query);
      if (status !== 401) return status;
      ({ bearer } = await login(app, owner.email));
      return statusOf(query);
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyQuery, changed), async (query) => {
        expect([200, 422]).toContain(await answered(query));
      }),
      { numRuns: EQL_RUNS / 4 },
    );
  });

  it('answers the examples of the guide', async () => {
    const guide = readFileSync('docs/guide/eql.md', 'utf8');
    const examples = [...guide.matchAll(/```eql\n([\s\S]*?)```/g)].map(([, text = '']) => text.trim());
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) await run(example);
    const [, refused = ''] = /```eql-refused\n([\s\S]*?)```/.exec(guide) ?? [];
    const [, written = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    expect(await faultOf(refused.trim())).toEqual(JSON.parse(written));
  });

  it('tells fields, event types, functions and limits', async () => {
    const { body } = await app
      .request()
      .get(`/v1/eql?project_id=${owner.projectId}`)
      .set('Authorization', owner.bearer)
      .expect(200);
    const { version, fields, functions, limits, pipes, operators, keywords } = body as {
      version: string;
      fields: { name: string; type: string; is_property: boolean }[];
      functions: { name: string; has_case_insensitive_form: boolean }[];
      limits: Record<string, number>;
      pipes: string[];
      operators: { name: string }[];
      keywords: string[];
    };
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
    const statusAsKey = async (name: string): Promise<unknown[]> => {
      const query = `sample by ${name} [any where false] [any where false]`;
      return [name, (await post({ project_id: owner.projectId, query })).status];
    };
    for (const keyword of keywords) expect(await statusAsKey(keyword)).toEqual([keyword, 422]);
    const words = ['maxspan', 'runs', 'descendant', 'child', 'AND', 'True', 'maxsamples', ...pipes];
    const taken = [...words, ...functions.map(({ name }) => name), ...fields.map(({ name }) => name)];
    for (const name of taken) expect(await statusAsKey(name)).toEqual([name, 200]);
    // Signs, and words that stand between others, are no names at all.
    const wordOperators = operators.flatMap(({ name }) => name.split(' ')).filter((name) => /^\w/.test(name));
    expect(keywords).toEqual(expect.arrayContaining(wordOperators));
  });

  it('tells properties as queries have to write them, and finds them so', async () => {
    const odd = await ownerWithProject(app);
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
    await insertEvents(app, odd.projectId, [at(0, 'odd', properties)]);
    const { body } = await app
      .request()
      .get(`/v1/eql?project_id=${odd.projectId}`)
      .set('Authorization', odd.bearer)
      .expect(200);
    const told = (body as { fields: { name: string; type: string; is_property: boolean }[] }).fields.filter(
      ({ is_property }) => is_property,
    );
    expect(told.map(({ name }) => name)).toEqual([
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
    const numbers = told.filter(({ type }) => type === 'number').map(({ name }) => `${name} == 1`);
    expect(numbers).toHaveLength(14);
    const query = `any where ${numbers.join(' and ')}`;
    const answer = await post({ project_id: odd.projectId, query, ...WINDOW }, odd.bearer).expect(200);
    expect(answer.body).toMatchObject({ events: [{ event: 'odd' }], warnings: [] });
    const joined = 'sample by `__proto__` [any where `__proto__` + 0 == 1] [any where constructor == null]';
    await insertEvents(app, odd.projectId, [at(1, 'odd', { ['__proto__']: 1 })]);
    const sample = await post({ project_id: odd.projectId, query: joined, ...WINDOW }, odd.bearer).expect(200);
    expect(sample.body).toMatchObject({ sequences: [{ join_keys: [1] }] });
    const near = { project_id: odd.projectId, query: 'any where `od name` == 1', ...WINDOW };
    expect((await post(near, odd.bearer).expect(200)).body).toMatchObject({
      warnings: ['None of the newest events has a property od name: did you mean `odd name`?'],
    });
  });

  describe('that take much', () => {
    const limits = (): RunLimits => app.nest.get(RunLimits);
    afterEach(() => {
      Object.assign(limits(), new RunLimits(), { warningMilliseconds: 60_000 });
    });

    const query = { query: 'any where true', ...WINDOW };

    it('are answered where they are as large as they may be', async () => {
      // How long they take is the machine's matter.
      limits().milliseconds = 120_000;
      const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
      const some = (count: number): string =>
        numbers(count)
          .map((n) => `a.b${n} == ${n}`)
          .join(' or ');
      await run(`any where ${some(330)}`);
      await run(
        `any where ${numbers(330)
          .map((n) => `startsWith~(p${n}, "k${n}")`)
          .join(' or ')}`,
      );
      await run(`any where ${'not ('.repeat(25)}n == "f1"${')'.repeat(25)}`);
      await run(`any where tries == ${'1 + '.repeat(490)}tries`);
      await run(`any where n in (${numbers(998).join(',')}, "f1", "f2")`);
      await run(
        `any where ${numbers(30)
          .map((n) => `n like "${'*a?'.repeat(100)}${n}"`)
          .join(' or ')}`,
      );
      const keys = numbers(10)
        .map((n) => `?key${n}`)
        .join(', ');
      await run(`sequence by ${keys} with maxspan=30d ${`[any where ${some(10)}] with runs=5 `.repeat(20)}`);
      await run(`sample by ${keys} ${`[any where ${some(60)}] `.repeat(5)}`, { max_samples_per_key: 100 });
    });

    // ClickHouse finds the keys that have all events first, of which too many are none here.
    itOfPostgres('need a maxspan where they keep too much', async () => {
      limits().pendingPartials = 3;
      const body = { project_id: owner.projectId, ...WINDOW };
      const { body: refused } = await post({
        ...body,
        query: 'sequence by n [any where true] [any where false]',
      }).expect(503);
      expect(refused).toEqual({ detail: 'EQL query needs too much memory: add a maxspan or narrow it down' });
      await post({
        ...body,
        query: 'sequence by n with maxspan=15s [any where true] [any where user == "none"]',
      }).expect(200);
      await post({ ...body, query: 'sequence [any where true] [any where user == "none"]' }).expect(200);
    });

    describeOfPostgres('and wait for PostgreSQL', () => {
      it('end after their time, and wait for their turn for a while', async () => {
        limits().milliseconds = 4_000;
        const turns = app.nest.get(LongReads);
        const { patienceMs } = turns.limits;
        turns.limits.patienceMs = 500;
        await lockedTable(app, 'events', async () => {
          const answers = await Promise.all([1, 2].map(() => post({ project_id: owner.projectId, ...query })));
          const told = answers.map(({ status, body, headers }) => [
            status,
            (body as { detail: string }).detail,
            headers['retry-after'],
          ]);
          expect(told).toContainEqual([503, 'Query took too long: choose a shorter range or a narrower filter', '5']);
          expect(told).toContainEqual([503, 'Too many queries at once', '2']);
        });
        turns.limits.patienceMs = patienceMs;
        expect(await found('any where n == "f1"')).toEqual(['f1']);
      });

      it('are answered, like other reads of a tenant, while others have all turns of long reads', async () => {
        const turns = app.nest.get(LongReads);
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        const others = await Promise.all([ownerWithProject(app), ownerWithProject(app)]);
        const busy = others.map((other) => turns.run(other, () => held));
        const { shortMs } = turns.limits;
        // Nothing is refused because the machine is busy.
        turns.limits.shortMs = 60_000;
        const about = `project_id=${owner.projectId}&range=all`;
        try {
          const answers = await Promise.all([
            post({ project_id: owner.projectId, ...query }),
            ...[
              `logs?${about}&query=f1`,
              `analytics/breakdown?${about}&by=properties.n`,
              `search?${about}&q=order`,
            ].map((path) => app.request().get(`/v1/${path}`).set('Authorization', owner.bearer)),
          ]);
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        } finally {
          turns.limits.shortMs = shortMs;
          release();
          await Promise.all(busy);
        }
      });

      it('return 503 where they are long and the organization has used up its minute, and nobody else', async () => {
        const turns = app.nest.get(LongReads);
        const usual = { ...turns.limits };
        Object.assign(turns.limits, { shortMs: 200, budgetMs: 500 });
        limits().milliseconds = 1_000;
        const [spender, other] = await Promise.all([ownerWithProject(app), ownerWithProject(app)]);
        const asked = (who: Owner) =>
          post({ project_id: who.projectId, query: 'any where true', range: 'all' }, who.bearer);
        const tooLong = { detail: 'Query took too long: choose a shorter range or a narrower filter' };
        try {
          await lockedTable(app, 'events', async () => {
            await asked(spender).expect(503, tooLong);
            const { headers } = await asked(spender).expect(503, { detail: 'Too many queries at once' });
            expect(Number(headers['retry-after'])).toBeGreaterThan(50);
            expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
            await asked(other).expect(503, tooLong);
          });
          turns.limits.shortMs = 60_000;
          await asked(spender).expect(200);
        } finally {
          Object.assign(turns.limits, usual);
        }
      });

      /** A request that is closed once it waits for a table. */
      async function closed(table: string, method: string, path: string, asked?: object): Promise<void> {
        await lockedTable(app, table, async (lock) => {
          const body = asked === undefined ? '' : JSON.stringify({ project_id: owner.projectId, ...asked });
          const request = httpRequest(`${app.url}${path}`, {
            method,
            headers: {
              Authorization: owner.bearer,
              'Content-Type': 'application/json',
              'Content-Length': Buffer.byteLength(body),
            },
          });
          request.on('error', () => undefined);
          request.end(body);
          await lock.until('waited for');
          request.destroy();
          await lock.until('left alone');
        });
      }

      it.each([
        ['events', 'any where true'],
        ['events asked one by one', 'any where length(user) == 3'],
        ['a sequence', 'sequence by user with maxspan=1m [any where true] ![login.failed where true] [any where true]'],
        ['samples', 'sample by user [any where true] [any where length(n) == 2]'],
      ])('leave no statement behind when their request is closed: %s', async (_, text) => {
        await closed('events', 'POST', '/v1/eql', { query: text, ...WINDOW });
        // Its turn is over too.
        expect(await found('any where n == "f1"')).toEqual(['f1']);
        expect(app.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
      });

      it('leave no look for names behind either, nor do those of the language', async () => {
        // Where the events are that names are looked for in, and those of the query are not.
        const now = new Date(Date.now() - 1_000).toISOString();
        const unknown = { query: 'any where usr == "ann"', from_ts: now };
        await closed('events_default', 'POST', '/v1/eql', unknown);
        await closed('events_default', 'GET', `/v1/eql?project_id=${owner.projectId}`);
        expect((await run('any where usr == "ann"')).warnings).toHaveLength(1);
        expect(app.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
      });

      it('have no warnings where these take longer than a moment, and the language has as long as queries', async () => {
        limits().warningMilliseconds = 50;
        await lockedTable(app, 'events_default', async () => {
          const now = new Date(Date.now() - 1_000).toISOString();
          const asked = { project_id: owner.projectId, query: 'any where usr == "ann"', from_ts: now };
          expect((await post(asked).expect(200)).body).toMatchObject({ events: [], warnings: [] });
          limits().milliseconds = 1_000;
          const language = app
            .request()
            .get(`/v1/eql?project_id=${owner.projectId}`)
            .set('Authorization', owner.bearer);
          await language.expect(503, { detail: 'Query took too long: choose a shorter range or a narrower filter' });
        });
      });
    });

    it('answer the same however many candidates come at a time', async () => {
      const many = await ownerWithProject(app);
      // Half a second apart, in pairs; what is large is read by itself.
      const rows = Array.from({ length: 2_400 }, (_, n) =>
        at(n / 2, n % 2 === 0 ? 'first' : 'second', {
          n,
          pair: Math.floor(n / 2),
          ...(n % 400 === 0 && { text: randomBytes(10_000).toString('hex') }),
        }),
      );
      await insertEvents(app, many.projectId, rows);
      const ask = async (query: string, more: object = {}): Promise<Answer> =>
        (await post({ project_id: many.projectId, query, ...WINDOW, ...more }, many.bearer).expect(200)).body as Answer;
      const pairs = 'sequence by pair with maxspan=1m [first where true] [second where n != 7]';
      const all = await ask(pairs, { limit: 1_000 });
      expect(all.sequences.map(({ join_keys: [key] }) => key)).toEqual(
        Array.from({ length: 1_000 }, (_, n) => 200 + n),
      );
      expect([all.has_more, all.scanned]).toEqual([true, 2_400 - 1]);
      const first = await ask(pairs, { limit: 1_000, result_position: 'head' });
      expect(first.sequences.map(({ join_keys: [key] }) => key)).toEqual(
        Array.from({ length: 1_001 }, (_, n) => n).filter((n) => n !== 3),
      );
      expect([first.has_more, first.scanned]).toEqual([true, 2_004 - 1]);
      const shown = async (query: string, more: object = {}): Promise<unknown[]> => {
        const { events, has_more, scanned } = await ask(query, { limit: 3, ...more });
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
      // None of the very newest has it.
      const { warnings } = await ask('any where text == null and txet == null');
      expect(warnings).toEqual(['None of the newest events has a property txet']);
      // As many names as are looked for: those behind them are told nothing of.
      const asked = (names: string[]): Promise<{ warnings: string[] }> =>
        ask(`any where ${names.map((name) => `${name} == null`).join(' or ')}`);
      expect((await asked(Array.from({ length: 40 }, (_, at) => `gone${at}`))).warnings).toHaveLength(10);
      const looked = Array.from({ length: 19 }, (_, at) => `text[${at}]`);
      const ofLast = (told: { warnings: string[] }): boolean => told.warnings.some((text) => text.includes('txet'));
      expect(ofLast(await asked(['txet', ...looked, 'n']))).toBe(true);
      expect(ofLast(await asked([...looked, 'n', 'txet']))).toBe(false);
    });

    it('answer with what fits into a page, and say that there is more', async () => {
      const large = await ownerWithProject(app);
      const text = 'x'.repeat(900_000);
      await insertEvents(
        app,
        large.projectId,
        Array.from({ length: 8 }, (_, n) => at(n, 'large', { n, text, key: 'k' })),
      );
      const ask = async (asked: string): Promise<Answer> =>
        (await post({ project_id: large.projectId, query: asked, ...WINDOW }, large.bearer).expect(200)).body as Answer;
      const events = await ask('any where length(text) == 900000');
      expect(events.events.map(({ properties }) => properties.n)).toEqual([4, 5, 6, 7]);
      expect(events.has_more).toBe(true);
      const sequences = await ask('sequence by key [any where true] with runs=3');
      expect(sequences.sequences).toHaveLength(1);
      expect(sequences.has_more).toBe(true);
      expect((await ask('sequence by key [any where true] with runs=6')).sequences).toHaveLength(1);
      // An event that is shown several times takes its room as often.
      const many = Array.from({ length: 20 }, (_, n) => n);
      await insertEvents(app, large.projectId, [
        at(20, 'many', { many, text }),
        ...many.map((n) => at(21, 'one', { many: n })),
      ]);
      const repeated = await ask('sequence by many [many where true] [one where true]');
      expect(repeated.sequences).toHaveLength(4);
      expect(repeated.has_more).toBe(true);
    });

    itOfPostgres('keep no keys that are large as they are', async () => {
      const large = await ownerWithProject(app);
      const text = 'x'.repeat(900_000);
      await insertEvents(
        app,
        large.projectId,
        Array.from({ length: 8 }, (_, n) => at(n, 'large', { n, text })),
      );
      limits().pendingPartials = 1_000;
      await post(
        { project_id: large.projectId, query: 'sequence by text [any where true] [any where false]', ...WINDOW },
        large.bearer,
      ).expect(503);
    });
  });
});
