import { type ChildProcess, execFile, type ExecFileException } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { api, type Caller, service } from '../../support/service.js';
import { login } from '../../support/sign-in-api.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));

interface LogRow {
  readonly timestamp: string;
  readonly method: string;
  readonly status: number;
  readonly latency_ms: number;
  readonly endpoint: string;
}

interface Output {
  readonly code: number;
  readonly text: string;
}

interface DemoRun extends Output {
  /** The value the demo printed behind a name. */
  printed(name: string): string;
  /** A read of the API with the printed credentials. */
  get<T>(path: string): Promise<T>;
  getByKey<T>(path: string): Promise<T>;
}

const METHODS = ['GET', 'GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS'];
const STATUSES = [200, 200, 200, 200, 304, 404, 206, 301, 500];
const LINES = 300;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oes-demo-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the built program until it ends. */
function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Output> {
  return new Promise((resolve) => {
    started(argv, env, (error, out, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: out + errors }),
    );
  });
}

function started(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  done: (error: ExecFileException | null, out: string, errors: string) => void,
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return execFile(process.execPath, [PROGRAM, 'demo', ...argv], { env: { PATH, HOME, ...env } }, done);
}

async function demo(...argv: string[]): Promise<DemoRun> {
  const { code, text } = await run(['--url', service.url, '--data-dir', service.dataDir, ...argv]);
  const printed = (name: string): string => {
    const value = new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`the demo printed no ${name}:\n${text}`);
    return value;
  };
  const read = async <T>(path: string, caller: Caller): Promise<T> =>
    (await api.as(caller).get(path).expect(200)).body as T;
  return {
    code,
    text,
    printed,
    get: async (path) => read(path, await login(printed('email'), printed('password'))),
    getByKey: (path) => read(path, { apiKey: printed('API key') }),
  };
}

/** Starts a relay to the service. It holds the second day of a history until `opened` resolves. */
function startRelay(opened: Promise<void>): Promise<Receiver> {
  return startReceiver((response, { method, path, headers, body }) => {
    const relay = async (): Promise<void> => {
      if (body.includes('"past-2-')) await opened;
      const passedOn = ['authorization', 'content-type', 'idempotency-key', 'x-api-key'].flatMap((name) => {
        const value = headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      });
      const answer = await fetch(service.url + path, { method, headers: passedOn, ...(body !== '' && { body }) });
      const retryAfter = answer.headers.get('Retry-After');
      response.writeHead(answer.status, retryAfter === null ? {} : { 'Retry-After': retryAfter });
      response.end(await answer.text());
    };
    relay().catch(() => response.destroy());
  });
}

/** Requests of four days of 2015 in no order, no two at the same moment. */
function accessLog(): string {
  const start = Date.UTC(2015, 4, 17, 10, 5, 3);
  const lines = Array.from({ length: LINES }, (_, at) => {
    // 7 and 300 have no common divisor, so every position comes once.
    const position = (at * 7) % LINES;
    const method = METHODS[at % METHODS.length];
    const path = at % 11 === 0 ? '/favicon.ico' : `/articles/${at}?page=${at % 4}`;
    const latency = at % 3 === 0 ? {} : { latency_ms: at * 1.5 };
    return JSON.stringify({
      event_type: 'http.request',
      source: 'apache',
      event_id: `apache-${at + 1}`,
      timestamp: new Date(start + position * 1_151_017).toISOString(),
      severity: 'info',
      payload: { method, path, status_code: STATUSES[at % STATUSES.length], ...latency, user_agent: 'Mozilla/5.0 (é)' },
    });
  });
  return `${lines.slice(0, 100).join('\n')}\n\n${lines.slice(100).join('\r\n')}\n`;
}

/** What the log rows must be, from the text of the file alone. */
async function rowsOfFile(file: string): Promise<LogRow[]> {
  const lines = (await readFile(file, 'utf8')).split(/\r?\n/).filter((line) => line !== '');
  const rows = lines.map((line): LogRow => {
    const { timestamp, payload } = JSON.parse(line) as {
      timestamp: string;
      payload: { method: string; path: string; status_code: number; latency_ms?: number };
    };
    const { method, path, status_code: status, latency_ms: latency = 0 } = payload;
    return { timestamp, method, status, latency_ms: Math.round(latency), endpoint: path };
  });
  return rows.sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
}

function countBy(items: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
}

/** The rows of the table under "Newest log rows". */
function tableIn(text: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('Newest log rows'));
  const rest = lines.slice(start + 3);
  return rest.slice(0, rest.indexOf('')).map((line) => line.split(/ {2,}/));
}

const shown = ({ timestamp, method, status, latency_ms, endpoint }: LogRow): LogRow => ({
  timestamp,
  method,
  status,
  latency_ms,
  endpoint,
});

describe('the demo on a file of old access-log events', () => {
  let file: string;
  let done: DemoRun;
  let expected: LogRow[];
  let rows: LogRow[];

  beforeAll(async () => {
    file = join(folder, 'access.ndjson');
    await writeFile(file, accessLog());
    expected = await rowsOfFile(file);
    done = await demo('--file', file);
    rows = await done.get(`/v1/logs?project_id=${done.printed('project')}&range=all&limit=500`);
  });

  it('sends every line and ends with 0', () => {
    expect(done.code).toBe(0);
    expect(done.text).toMatch(/^300 events in \d+\.\d s \(\d+ events\/s\)$/m);
    expect(done.text).toContain('  100 %  (300 of 300)');
  });

  it('stores what the file says, newest first', () => {
    expect(rows).toHaveLength(LINES);
    expect(rows.map(shown)).toEqual(expected);
  });

  it('stores the methods and statuses of the file, and finds events by each method', async () => {
    expect(countBy(rows.map((row) => row.method))).toEqual(countBy(expected.map((row) => row.method)));
    expect(countBy(rows.map((row) => row.status))).toEqual(countBy(expected.map((row) => row.status)));
    for (const method of new Set(METHODS)) {
      const path = `/v1/logs?project_id=${done.printed('project')}&range=all&limit=500&method=${method.toLowerCase()}`;
      const found = await done.get<LogRow[]>(path);
      expect(found.map(shown)).toEqual(expected.filter((row) => row.method === method));
    }
  });

  it('prints the newest fifteen rows as a table', () => {
    const newest = expected
      .slice(0, 15)
      .map((row) => [row.timestamp, row.method, String(row.status), String(row.latency_ms), row.endpoint]);
    expect(tableIn(done.text)).toEqual(newest);
  });

  it('counts the events as usage of this month, and shows none dated in the last 30 days', async () => {
    const current = await done.getByKey<{ events_used: number; organization_id: string }>('/v1/usage/current');
    expect(current).toMatchObject({ events_used: LINES, organization_id: done.printed('organization') });
    expect(done.text).toMatch(new RegExp(`^  events ingested in \\d{4}-\\d{2}: ${LINES}$`, 'm'));
    expect(done.text).toMatch(/^ {2}events dated in the last 30 days \(.*\): 0, /m);
  });

  it('prints three commands to continue with, for this account', () => {
    const commands = done.text.split('\n').filter((line) => /^(TOKEN=|curl )/.test(line));
    expect(commands).toHaveLength(3);
    expect(commands[0]).toContain(`'username=${done.printed('email')}'`);
    expect(commands[1]).toContain(`'X-API-Key: ${done.printed('API key')}'`);
    expect(commands[2]).toContain(`project_id=${done.printed('project')}&range=all`);
  });
});

describe('the demo on a file with bad lines', () => {
  it('names each bad line with its number and reason, sends the others and ends with 1', async () => {
    const file = join(folder, 'bad.ndjson');
    const good = (n: number): string => JSON.stringify({ event_type: 'job.done', source: 'cron', payload: { n } });
    const lines = [good(1), '', 'no json', good(2), '{"event_type":"job.done"}', '[1]', good(3)];
    await writeFile(file, lines.join('\n'));
    const done = await demo('--file', file);
    expect(done.code).toBe(1);
    expect(done.text).toMatch(/^ {2}line 3: not JSON/m);
    expect(done.text).toMatch(/^ {2}line 5: 422 body\.source: Field required$/m);
    expect(done.text).toMatch(/^ {2}line 6: 422 body/m);
    expect(done.text).toMatch(/^3 events in /m);
    expect(done.text).toContain('3 of 6 were refused');
    expect(await done.getByKey('/v1/usage/current')).toMatchObject({ events_used: 3 });
  });
});

describe('the demo on a file that is not there', () => {
  it('ends with 1 before it sends a request, so that it creates no account', async () => {
    const receiver = await startReceiver();
    try {
      const { code, text } = await run(['--url', receiver.url, '--file', join(folder, 'absent.ndjson')]);
      expect(code).toBe(1);
      expect(text).toContain('absent.ndjson cannot be read');
      expect(receiver.connections()).toBe(0);
    } finally {
      await receiver.close();
    }
  });
});

describe('the demo with generated events', () => {
  it('sends all events, which are counted by their names', async () => {
    const done = await demo('--count', '60', '--seed', '3');
    expect(done.code).toBe(0);
    expect(done.text).not.toMatch(/^ {2}line \d/m);
    const usage = await done.get<{ total_events: number; by_event: { event: string; total: number }[] }>(
      `/v1/usage?project_id=${done.printed('project')}&period=30d`,
    );
    expect(usage.total_events).toBe(60);
    for (const { event, total } of usage.by_event) expect(done.text).toMatch(new RegExp(`^ +${event} +${total}$`, 'm'));
    expect(tableIn(done.text)).toHaveLength(15);
  });

  it('says what to do when mail leaves by SMTP, and ends with 1', async () => {
    const { code, text } = await run(['--url', service.url], { SMTP_URL: 'smtp://mail.example.com' });
    expect(code).toBe(1);
    expect(text).toContain('SMTP_URL= npm run demo');
  });
});

/** The parts of answers that the tests of a history read. */
interface Series {
  readonly points: readonly { readonly requests: number }[];
}
interface Found {
  readonly total: number;
  readonly items: readonly { readonly source: string; readonly properties: Readonly<Record<string, unknown>> }[];
}
interface Endpoints {
  readonly items: readonly { readonly endpoint: string; readonly p50_ms: number }[];
}

const DAYS = 14;

describe('the demo with a history', () => {
  let done: DemoRun;
  let doneAt: number;
  let projectId: string;

  beforeAll(async () => {
    done = await demo('--history', `${DAYS}d`);
    doneAt = Date.now();
    const projects = await done.get<{ readonly id: string }[]>('/v1/projects');
    projectId = projects[0]!.id;
  });

  function eventsOf(event: string): Promise<Found> {
    return found(`event=${event}&range=30d`);
  }

  function found(search: string): Promise<Found> {
    return done.get(`/v1/projects/${projectId}/events?${search}&limit=1`);
  }

  it('sends all days, fewer events than its organization has left, and says how many', () => {
    expect(done.code).toBe(0);
    expect(done.text).toMatch(/^A free organization has a limit: the past gets about 8000 events\.$/m);
    expect(done.text.match(/^ {2}from 20\d\d-\d\d-\d\d \d\d:\d\d UTC: \d+ events$/gm)).toHaveLength(DAYS);
    expect(done.text).toMatch(/^The last 14 days are there: [78]\d{3} events in \d+\.\d s\.$/m);
  });

  it('has events on each day, and nothing that lies in the future', async () => {
    const at = (days: number): string => new Date(doneAt + days * 24 * 3_600_000).toISOString();
    const window = `from_ts=${at(-DAYS)}&to_ts=${at(0)}`;
    const path = `/v1/performance/timeseries?project_id=${projectId}&${window}&interval=day&timezone=UTC`;
    const { points } = await done.get<Series>(path);
    expect(points.length).toBeGreaterThanOrEqual(DAYS);
    for (const { requests } of points.slice(1, -1)) expect(requests).toBeGreaterThan(100);
    const stored = Number(/are there: (\d+)/.exec(done.text)?.[1]);
    expect(points.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThan(0.99 * stored);
    expect((await found(`from_ts=${at(0)}&to_ts=${at(1)}`)).total).toBe(0);
  });

  it('shows the route that a deploy made slower, and the deploys on each side of it', async () => {
    const hours = (ago: number): string => new Date(Date.now() - ago * 3_600_000).toISOString();
    const medianBetween = async (from: number, to: number): Promise<number> => {
      const path = `/v1/performance/endpoints?project_id=${projectId}&from_ts=${hours(from)}&to_ts=${hours(to)}`;
      const { items } = await done.get<Endpoints>(`${path}&group_by=route&requests_only=true`);
      return items.find(({ endpoint }) => endpoint === '/search')!.p50_ms;
    };
    expect(await medianBetween(71, 33)).toBeGreaterThan(1.5 * (await medianBetween(150, 74)));
    const rolledBack = await eventsOf('deploy.rolled_back');
    expect(rolledBack.items[0]).toMatchObject({ source: 'jobs', properties: { service: 'search' } });
    expect((await eventsOf('deploy.finished')).total).toBeGreaterThan(DAYS);
  });

  it('has exceptions with a stack', async () => {
    const [newest] = (await eventsOf('exception')).items;
    expect(newest!.properties['exception.stacktrace']).toMatch(/^\w+: .*\n {4}at /);
  });

  it('has failures of the incident that goes on, at night as well', async () => {
    // In 14 days so few events leave about two requests for these minutes of a night. The share is one of all events.
    const day = await demo('--history', '1d');
    expect(day.text).toMatch(/^The last day is there: /m);
    const [project] = await day.get<{ readonly id: string }[]>('/v1/projects');
    const failures = await day.get<{ readonly failure_rate: number }>(
      `/v1/performance/errors?project_id=${project!.id}&range=15m&status_from=500`,
    );
    expect(failures.failure_rate).toBeGreaterThan(0.15);
  });

  it('ends soon after Ctrl+C, and says how much of the history is there', async () => {
    // A busy machine could otherwise send all days before the signal.
    let open = (): void => undefined;
    const relay = await startRelay(new Promise((resolve) => (open = resolve)));
    const [text, code] = await new Promise<[string, unknown]>((resolve) => {
      const argv = ['--url', relay.url, '--data-dir', service.dataDir, '--history', '30d'];
      const child = started(argv, {}, (error, out) => resolve([out, error?.code]));
      // A second signal would end it at once.
      let isStopped = false;
      child.stdout?.on('data', (chunk: string) => {
        if (!isStopped && /^ {2}from /m.test(chunk)) isStopped = child.kill('SIGINT');
        if (isStopped) open();
      });
    });
    await relay.close();
    expect(text).toMatch(
      /^Stopped: complete from 20\d\d-.* UTC on, \d+ of 30 days\. Run the demo again to send all days\.$/m,
    );
    expect(text).not.toContain('are there');
    expect(code).toBe(1);
  });

  it('refuses more days than every plan keeps, with one sentence and code 2', async () => {
    const { code, text } = await run(['--history', '400d']);
    expect(code).toBe(2);
    expect(text).toMatch(/^--history must be a number of days from 1d to 30d, such as 14d; .*\n\nUsage: /);
  });
});
