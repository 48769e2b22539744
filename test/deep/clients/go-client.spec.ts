import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestApp, type TestApp } from '../../support/app.js';
import { GO_CLIENT, GO_ENV, goSender } from '../../support/clients/sender-programs.js';
import { cleanUp, temporaryFolder } from '../../support/embedded-database.js';
import { tenant } from '../../support/ingestion.js';
import { askProgram } from '../../support/programs/ask.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const language = await goSender();
const ifPresent = language.absent === undefined ? describe : describe.skip;

if (language.absent !== undefined) it.skip(`the Go client: ${language.absent}`, () => undefined);

/** Runs Go in the module of the client. */
function go(...words: string[]): Promise<string> {
  return goIn(GO_CLIENT, GO_ENV, ...words);
}

async function goIn(folder: string, env: NodeJS.ProcessEnv, ...words: string[]): Promise<string> {
  const program = await askProgram<{ path: string }>('go');
  if ('absent' in program) throw new Error(program.absent);
  const { stdout } = await run(program.path, words, { cwd: folder, env });
  return stdout;
}

/** Returns the first whole Go program of a document. */
async function programIn(document: string): Promise<string> {
  const text = await readFile(join(ROOT, document), 'utf8');
  const [, program] = /```go\n(package main\n.*?)```/s.exec(text) ?? [];
  if (program === undefined) throw new Error(`${document} has no Go program`);
  return program;
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

  it.each(['docs/guide/senders.md', 'clients/go/README.md'])(
    'stores the event of the program that stands in %s',
    async (document) => {
      const of = await tenant(app, { plan: 'enterprise' });
      const folder = await temporaryFolder();
      const program = await programIn(document);
      await writeFile(join(folder, 'main.go'), program.replace('https://events.example.com', app.url));
      const module = 'example.com/operational-events';
      await goIn(folder, GO_ENV, 'mod', 'init', 'example.com/shop');
      await goIn(folder, GO_ENV, 'mod', 'edit', '-require', `${module}@v0.1.0`, '-replace', `${module}=${GO_CLIENT}`);
      await goIn(folder, { ...GO_ENV, EVENTS_KEY: of.apiKey }, 'run', '.');
      expect(
        await app.rows(
          `SELECT event, source, properties->'order' AS "order", properties->'amount' AS amount
           FROM events WHERE project_id = $1`,
          [of.projectId],
        ),
      ).toEqual([{ event: 'order.paid', source: 'shop', order: 17, amount: 42 }]);
    },
  );

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
