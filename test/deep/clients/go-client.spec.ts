import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTestApp, type TestApp } from '../../support/app.js';
import { GO_CLIENT, GO_ENV, goSender } from '../../support/clients/sender-programs.js';
import { cleanUp } from '../../support/embedded-database.js';
import { tenant } from '../../support/ingestion.js';
import { askProgram } from '../../support/programs/ask.js';

const run = promisify(execFile);
const language = await goSender();
const ifPresent = language.absent === undefined ? describe : describe.skip;

if (language.absent !== undefined) it.skip(`the Go client: ${language.absent}`, () => undefined);

/** Runs Go in the module of the client. */
async function go(...words: string[]): Promise<string> {
  const program = await askProgram<{ path: string }>('go');
  if ('absent' in program) throw new Error(program.absent);
  const { stdout } = await run(program.path, words, { cwd: GO_CLIENT, env: GO_ENV });
  return stdout;
}

/** `log/slog` is part of Go since 1.21. Debian 12 has an older Go. */
async function hasSlog(): Promise<boolean> {
  if (language.absent !== undefined) return false;
  const [, minor] = /go1\.(\d+)/.exec(await go('env', 'GOVERSION')) ?? [];
  return Number(minor) >= 21;
}

ifPresent('The Go client', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterEach(cleanUp);
  afterAll(async () => {
    await language.release();
    await app.close();
  });

  it('is a module with a path, passes "go vet", and passes its own tests', async () => {
    expect(await go('list', '-m')).toBe('example.com/operational-events\n');
    expect(await go('vet', './...')).toBe('');
    expect(await go('test', './...')).toMatch(/^ok\s/);
  });

  it('records requests of an HTTP handler', async () => {
    const of = await tenant(app, { plan: 'enterprise' });
    const sender = await language.start({ url: app.url, apiKey: of.apiKey });
    await sender.ask({ do: 'http' });
    expect(await sender.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    const stored = await app.rows(
      `SELECT log_method AS method, log_endpoint AS endpoint, log_status AS status, log_has_latency AS measured,
              properties->>'path' AS path, properties->>'route' AS route
       FROM events WHERE project_id = $1 ORDER BY log_status`,
      [of.projectId],
    );
    const route = '/shop/orders/{id}';
    expect(stored).toEqual([
      { method: 'GET', endpoint: route, status: 201, measured: true, path: '/shop/orders/17', route },
      { method: 'POST', endpoint: '/nowhere', status: 404, measured: true, path: '/nowhere', route: null },
      { method: 'GET', endpoint: '/broken', status: 500, measured: true, path: '/broken', route: null },
    ]);
  });
});

if (!(await hasSlog())) it.skip('the slog handler of the Go client: it needs Go 1.21 or newer', () => undefined);
