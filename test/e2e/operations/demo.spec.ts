import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runDemo } from '../../../src/demo/index.js';
import { freePort } from '../../../src/demo/service-process.js';
import { eventually } from '../../support/eventually.js';
import { createTestApp, type TestApp } from '../../support/app.js';

interface LogRow {
  readonly timestamp: string;
  readonly method: string;
  readonly status: number;
  readonly latency_ms: number;
  readonly endpoint: string;
}

interface DemoRun {
  readonly code: number;
  readonly text: string;
  /** The value the demo printed behind a name. */
  printed(name: string): string;
  /** A read of the API with the printed credentials. */
  get<T>(path: string): Promise<T>;
  getByKey<T>(path: string): Promise<T>;
}

const METHODS = ['GET', 'GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS'];
const STATUSES = [200, 200, 200, 200, 304, 404, 206, 301, 500];
const LINES = 300;

let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oes-demo-'));
  app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: 'events=100000/100000,logs=1000/1000,usage=1000/1000' } });
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

async function demo(...argv: string[]): Promise<DemoRun> {
  const chunks: string[] = [];
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  const code = await runDemo(['--url', app.url, '--data-dir', app.dataDir, ...argv], {}, out);
  const text = chunks.join('');
  const printed = (name: string): string => {
    const value = new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`the demo printed no ${name}:\n${text}`);
    return value;
  };
  const read = async <T>(path: string, headers: Record<string, string>): Promise<T> => {
    const response = await fetch(app.url + path, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };
  return {
    code,
    text,
    printed,
    get: async (path) => read(path, { Authorization: `Bearer ${await signIn(printed('email'), printed('password'))}` }),
    getByKey: (path) => read(path, { 'X-API-Key': printed('API key') }),
  };
}

async function signIn(username: string, password: string): Promise<string> {
  const response = await fetch(`${app.url}/v1/auth/login`, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
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
    const { timestamp, payload } = JSON.parse(line);
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
  let run: DemoRun;
  let expected: LogRow[];
  let rows: LogRow[];

  beforeAll(async () => {
    file = join(folder, 'access.ndjson');
    await writeFile(file, accessLog());
    expected = await rowsOfFile(file);
    run = await demo('--file', file);
    rows = await run.get(`/v1/logs?project_id=${run.printed('project')}&range=all&limit=500`);
  });

  it('sends every line and ends well', () => {
    expect(run.code).toBe(0);
    expect(run.text).toMatch(/^300 events in \d+\.\d s \(\d+ events\/s\)$/m);
    expect(run.text).toContain('  100 %  (300 of 300)');
  });

  it('stores what the file says, newest first', () => {
    expect(rows).toHaveLength(LINES);
    expect(rows.map(shown)).toEqual(expected);
  });

  it('counts the methods and statuses of the file', async () => {
    expect(countBy(rows.map((row) => row.method))).toEqual(countBy(expected.map((row) => row.method)));
    expect(countBy(rows.map((row) => row.status))).toEqual(countBy(expected.map((row) => row.status)));
    for (const method of new Set(METHODS)) {
      const path = `/v1/logs?project_id=${run.printed('project')}&range=all&limit=500&method=${method.toLowerCase()}`;
      const found = await run.get<LogRow[]>(path);
      expect(found.map(shown)).toEqual(expected.filter((row) => row.method === method));
    }
  });

  it('prints the newest fifteen rows as a table', () => {
    const newest = expected
      .slice(0, 15)
      .map((row) => [row.timestamp, row.method, String(row.status), String(row.latency_ms), row.endpoint]);
    expect(tableIn(run.text)).toEqual(newest);
  });

  it('meters them in this month, and dates none in the last 30 days', async () => {
    const current = await run.getByKey<{ events_used: number; organization_id: string }>('/v1/usage/current');
    expect(current).toMatchObject({ events_used: LINES, organization_id: run.printed('organization') });
    expect(run.text).toMatch(new RegExp(`^  events ingested in \\d{4}-\\d{2}: ${LINES}$`, 'm'));
    expect(run.text).toMatch(/^ {2}events dated in the last 30 days \(.*\): 0, /m);
  });

  it('prints commands to go on with, for this account', () => {
    const commands = run.text.split('\n').filter((line) => /^(TOKEN=|curl )/.test(line));
    expect(commands).toHaveLength(3);
    expect(commands[0]).toContain(`'username=${run.printed('email')}'`);
    expect(commands[1]).toContain(`'X-API-Key: ${run.printed('API key')}'`);
    expect(commands[2]).toContain(`project_id=${run.printed('project')}&range=all`);
  });
});

describe('the demo on a file with bad lines', () => {
  it('names each with its line and reason, sends the rest and ends with 1', async () => {
    const file = join(folder, 'bad.ndjson');
    const good = (n: number): string => JSON.stringify({ event_type: 'job.done', source: 'cron', payload: { n } });
    const lines = [good(1), '', 'no json', good(2), '{"event_type":"job.done"}', '[1]', good(3)];
    await writeFile(file, lines.join('\n'));
    const run = await demo('--file', file);
    expect(run.code).toBe(1);
    expect(run.text).toMatch(/^ {2}line 3: not JSON/m);
    expect(run.text).toMatch(/^ {2}line 5: 422 body\.source: Field required$/m);
    expect(run.text).toMatch(/^ {2}line 6: 422 body/m);
    expect(run.text).toMatch(/^3 events in /m);
    expect(run.text).toContain('3 of 6 were refused');
    expect(await run.getByKey('/v1/usage/current')).toMatchObject({ events_used: 3 });
  });

  it('makes no account for a file that is not there', async () => {
    const before = await app.rows<{ n: string }>('SELECT count(*) AS n FROM users');
    const run = await demo('--file', join(folder, 'absent.ndjson'));
    expect(run.code).toBe(1);
    expect(run.text).toContain('absent.ndjson cannot be read');
    expect(await app.rows('SELECT count(*) AS n FROM users')).toEqual(before);
  });
});

describe('the demo with generated events', () => {
  it('has them all accepted and counted by event', async () => {
    const run = await demo('--count', '60', '--seed', '3');
    expect(run.code).toBe(0);
    expect(run.text).not.toMatch(/^ {2}line \d/m);
    const usage = await run.get<{ total_events: number; by_event: { event: string; total: number }[] }>(
      `/v1/usage?project_id=${run.printed('project')}&period=30d`,
    );
    expect(usage.total_events).toBe(60);
    for (const { event, total } of usage.by_event) expect(run.text).toMatch(new RegExp(`^ +${event} +${total}$`, 'm'));
    expect(tableIn(run.text)).toHaveLength(15);
  });

  it('tells what to do when mail leaves by SMTP', async () => {
    const chunks: string[] = [];
    const out = new Writable({ write: (chunk: Buffer, _, done) => (chunks.push(chunk.toString()), done()) });
    expect(await runDemo(['--url', app.url], { SMTP_URL: 'smtp://mail.example.com' }, out)).toBe(1);
    expect(chunks.join('')).toContain('SMTP_URL= npm run demo');
  });
});

describe('the live shop', () => {
  it('has a day behind it, all around it, and events that keep coming until it is stopped', async () => {
    const chunks: string[] = [];
    const out = new Writable({ write: (chunk: Buffer, _, done) => (chunks.push(chunk.toString()), done()) });
    const stop = new AbortController();
    const ended = runDemo(
      ['--url', app.url, '--data-dir', app.dataDir, '--live', '--count', '100'],
      {},
      out,
      stop.signal,
    );
    const owners = `SELECT 1 FROM alert_rules r JOIN events e USING (project_id)
                    WHERE r.name = 'Payments fail' AND e.external_event_id LIKE 'live-%' LIMIT 1`;
    await eventually(
      () => app.rows(owners),
      (rows) => rows.length === 1,
    );
    stop.abort();
    expect(await ended).toBe(0);
    expect(chunks.join('')).toMatch(/console is at http:.*\/console\n {2}email .*\n {2}password /);
    // Only a service of its own has a platform administrator in the demo, and lets webhooks reach this machine.
    const leftOut = chunks.join('').match(/^Left out [^:]+/gm);
    expect(leftOut).toEqual(expect.arrayContaining(['Left out the plan scale', 'Left out the webhook']));
  });
});

describe('the five minutes of the README', () => {
  /** The commands under the heading, for this service instead of the one at the usual port. */
  async function commands(url: string, receiverPort: number): Promise<string> {
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const code = /^## Five minutes[^]*?```sh\n([^]*?)```/m.exec(readme)?.[1] ?? '';
    const here = code.replace('http://127.0.0.1:3000', url).replaceAll('9000', String(receiverPort));
    expect(here).toContain(`:${receiverPort}/`);
    return `set -euo pipefail\n${here}`;
  }

  /** Nothing is left of it when all went well. */
  function endGroup({ pid }: ChildProcess): void {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  it('lead from nothing to a delivered webhook', async () => {
    const own = await createTestApp({ env: { OUTBOUND_ALLOWED_SUBNETS: '127.0.0.1' } });
    const cwd = await mkdtemp(join(tmpdir(), 'oes-tour-'));
    await symlink(own.dataDir, join(cwd, '.data'));
    const text = await commands(own.url, await freePort());
    // In a group of its own, so that what it leaves running ends with it.
    const shell = spawn('bash', ['-c', text], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: string[] = [];
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => chunks.push(part));
    try {
      const [code] = (await once(shell, 'exit')) as [number | null];
      expect([code, chunks.join('')]).toEqual([0, expect.stringContaining('"payment.failed"')]);
      const told: unknown = JSON.parse(await readFile(join(own.dataDir, 'webhook.json'), 'utf8'));
      expect(told).toMatchObject({ message: 'Payments fail: payment.failed', payload: { amount: 120 } });
    } finally {
      endGroup(shell);
      await own.close();
      await rm(cwd, { recursive: true, force: true });
    }
  });
});
