import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { ownerWithProject, PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV } from '../../support/delivery.js';
import { startReceiver } from '../../support/receiver.js';
import { senderBundle } from '../../support/sender-bundle.js';
import { ensureTools } from '../../../scripts/tools.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PACKAGE = join(ROOT, 'clients/typescript');
const TOOLS = join(ROOT, 'test/support/clients');
const run = promisify(execFile);

/** As a user of the strictest kind has them. */
const STRICT = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
};

/** With the mails as the service captures them. */
const RUN_TOUR = `
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { tour } from './tour.js';
const [url, outbox, webhook] = process.argv.slice(2);
const mailedToken = async (email) => {
  for (;;) {
    const names = existsSync(outbox) ? readdirSync(outbox) : [];
    const mails = names.filter((name) => name.endsWith('.eml')).map((name) => readFileSync(outbox + '/' + name, 'utf8'));
    const token = mails.find((mail) => mail.includes(email))?.match(/token=([\\w-]+)/)?.[1];
    if (token !== undefined) return token;
    await pause(20);
  }
};
process.stdout.write(JSON.stringify(await tour({ url, mailedToken, webhook })));
`;

/** Reads both successes of a creation by the schema that a generator makes of the lowest status, and prints their keys. */
const CREATE = `
import { createAlertRuleResponse } from './generated/orval-zod.js';
const [address, token, rule] = process.argv.slice(2);
for (const preview of [true, false]) {
  const headers = { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ ...JSON.parse(rule), preview });
  const answer = await fetch(address + '/v1/alert-rules', { method: 'POST', headers, body });
  const success = createAlertRuleResponse.parse(await answer.json());
  console.log(answer.status, 'firings' in success ? success.firings.length : success.state);
}
`;

/** The lines of a program that ends at once: the transport's thread sends what is left. */
const LOG = `
import { pino } from 'pino';
const [url, apiKey] = process.argv.slice(2);
const options = { url, apiKey, source: 'shop' };
const logger = pino({ base: null }, pino.transport({ target: '@operational-events/client/pino', options }));
for (let n = 0; n < 300; n += 1) logger.error({ n }, 'payment failed');
`;

/** What does not compile, each a line, with the number of what TypeScript says of it. */
const WRONG: readonly (readonly [line: string, code: number])[] = [
  ["import { createClient, each, isCondition, isRefusal, type Schemas, stream } from '@operational-events/client';", 0],
  ["const api = createClient({ url: '' });", 0],
  ['void api.createProjects();', 2551],
  ['void api.getProject({});', 2345],
  ["void api.listLogs({ query: { project_id: '', limits: 1 } });", 2561],
  ["void api.listLogs({ query: { project_id: '', range: '25h' } });", 2322],
  ["void api.createProject({ path: { project_id: '' }, body: { organization_id: '', name: '', slug: '' } });", 2353],
  ["void each(api.listLogs, { query: { project_id: '' } });", 2345],
  ["void stream(api.listLogs, { query: { project_id: '' } });", 2345],
  ['export const failed = (error: unknown): boolean =>', 0],
  ["  isRefusal(error, 'createProject') && error.status === 409 && error.detail === 'No such sentence';", 2367],
  ["export const seconds = ({ condition }: Schemas['AlertRuleResponse']): number =>", 0],
  ["  isCondition(condition) && condition.kind === 'threshold' ? condition.window_seconds : 0;", 0],
  ["export const perhaps = ({ condition }: Schemas['AlertRuleResponse']): number =>", 0],
  ["  condition.kind === 'threshold' ? condition.window_seconds : 0;", 2322],
  ["const rule = { project_id: '', name: '', condition: { kind: 'match' as const } };", 0],
  ['export const created = async () => (await api.createAlertRule({ body: rule })).state;', 0],
  ['export const tried = async () => (await api.createAlertRule({ body: { ...rule, preview: true } })).firings;', 0],
  ['export const none = async () => (await api.createAlertRule({ body: { ...rule, preview: true } })).state;', 2339],
];

interface Diagnostic {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly code: number;
  readonly text: string;
}

describe('a client that users generate or install', () => {
  let app: TestApp;
  let folder: string;

  beforeAll(async () => {
    await ensureTools();
    app = await createTestApp({ env: DELIVERY_ENV });
    folder = await mkdtemp(join(tmpdir(), 'oes-clients-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await app.close();
  });

  const compile = async (programs: readonly object[]): Promise<Diagnostic[]> => {
    const request = join(folder, 'compile.json');
    await writeFile(request, JSON.stringify(programs));
    const { stdout } = await run(process.execPath, [join(TOOLS, 'compile.mjs'), request], { cwd: ROOT });
    return JSON.parse(stdout) as Diagnostic[];
  };
  /** One file of a program and all it imports, for Node. */
  const bundled = async (source: string): Promise<string> => {
    const outfile = source.replace(/\.ts$/, '.mjs');
    buildSync({ entryPoints: [source], bundle: true, format: 'esm', platform: 'node', outfile, logLevel: 'error' });
    return outfile;
  };

  it('is generated by every usual generator without a warning, compiles strictly, and works', async () => {
    const programs = join(folder, 'programs');
    await cp(join(ROOT, 'clients/programs'), programs, { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(programs, 'node_modules'));
    const [document, generated] = [join(folder, 'openapi.json'), join(programs, 'generated')];
    const { text } = await app.request().get('/openapi.client.json').expect(200);
    await writeFile(document, text);
    await mkdir(generated);
    const made = await run(process.execPath, [join(ROOT, 'tools/generate-clients.mjs'), document, generated, app.url], {
      cwd: ROOT,
    });
    expect(made.stderr).toBe('');
    expect(made.stdout).not.toMatch(/warn|error|deprecat/i);

    const names = (await readdir(programs)).filter((name) => name.endsWith('.ts') && name !== 'report.ts');
    expect(names.toSorted()).toEqual(['hey-api.ts', 'openapi-fetch.ts', 'orval-fetch.ts', 'orval-zod.ts']);
    const files = names.map((name) => join(programs, name));
    const options = { ...STRICT, module: 'esnext', moduleResolution: 'bundler', noEmit: true };
    const diagnostics = await compile([{ name: 'generated', folder: programs, files, options }]);
    // What hey-api brings along for every document does not compile with `exactOptionalPropertyTypes`; what it makes of this
    // document does.
    const isTheirs = ({ file, text }: Diagnostic): boolean =>
      /^generated\/hey-api\/(client|core)\//.test(file) && text.includes("'exactOptionalPropertyTypes: true'");
    expect(diagnostics.filter((diagnostic) => !isTheirs(diagnostic))).toEqual([]);

    for (const [index, file] of files.entries()) {
      expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThanOrEqual(61);
      const { email } = await signedIn(app);
      const words = [await bundled(file), app.url, email, PASSWORD, `shop-${index}`];
      const { stdout } = await run(process.execPath, words);
      expect({ file: names[index], ...(JSON.parse(stdout) as object) }).toEqual({
        file: names[index],
        events: ['event-2', 'event-1', 'event-0'],
        refusal: 'Plan limit reached: projects',
        faults: [['body.name', 'string_too_short']],
      });
    }

    const owner = await ownerWithProject(app);
    const create = join(programs, 'create.ts');
    await writeFile(create, CREATE);
    const rule = {
      project_id: owner.projectId,
      name: 'Payments',
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] },
    };
    const { stdout } = await run(process.execPath, [
      await bundled(create),
      ...[app.url, owner.accessToken, JSON.stringify(rule)],
    ]);
    expect(stdout).toBe('200 0\n201 inactive\n');
  });

  it('contains only needed files, installs offline, sends log lines from a thread, and runs the tour', async () => {
    const home = join(folder, 'home');
    await mkdir(home);
    const npm = (words: readonly string[], cwd: string) =>
      run('npm', words, { cwd, env: { PATH: process.env.PATH, HOME: home, npm_config_update_notifier: 'false' } });
    const packed = await npm(['pack', '--json', '--silent', '--pack-destination', home], PACKAGE);
    const [archive] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('['))) as {
      filename: string;
      files: { path: string }[];
    }[];
    const sources = await readdir(join(PACKAGE, 'src'), { recursive: true });
    const compiled = sources.filter((name) => name.endsWith('.ts')).map((name) => `dist/${name.replace(/\.ts$/, '')}`);
    expect(archive?.files.map(({ path }) => path).toSorted()).toEqual(
      [
        ...compiled.flatMap((name) => [`${name}.js`, `${name}.d.ts`]),
        ...['LICENSE', 'README.md', 'VERSIONING.md', 'examples/tour.ts', 'package.json'],
      ].toSorted(),
    );

    const project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    await npm(['install', '--offline', '--no-audit', '--no-fund', join(home, archive?.filename ?? '')], project);
    expect(await readdir(join(project, 'node_modules'))).toEqual(['.package-lock.json', '@operational-events']);
    const installed = join(project, 'node_modules/@operational-events/client');
    const links = [...(await readFile(join(installed, 'README.md'), 'utf8')).matchAll(/\]\((?!https:)([^)#]+)/g)];
    for (const [, path = ''] of links) await access(join(installed, path));
    expect(links.length).toBeGreaterThan(0);
    const tour = join(project, 'tour.ts');
    await cp(join(installed, 'examples/tour.ts'), tour);
    const entries = Object.keys(
      (JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { exports: object }).exports,
    ).map((entry) => entry.replace('.', '@operational-events/client'));
    const imports = join(project, 'imports.ts');
    await writeFile(
      imports,
      entries
        .map((entry, index) => `import * as m${index} from '${entry}';\nconsole.log(typeof m${index});`)
        .join('\n'),
    );
    const wrong = join(project, 'wrong.ts');
    await writeFile(wrong, WRONG.map(([line]) => line).join('\n'));
    const files = [tour, imports, wrong];
    const diagnostics = await compile([
      {
        name: 'nodenext',
        folder: project,
        files,
        options: { ...STRICT, module: 'nodenext', moduleResolution: 'nodenext', outDir: project },
      },
      {
        name: 'bundler',
        folder: project,
        files,
        options: { ...STRICT, module: 'esnext', moduleResolution: 'bundler', noEmit: true },
      },
    ]);
    const expected = WRONG.flatMap(([, code], line) => (code === 0 ? [] : [{ file: 'wrong.ts', line, code }]));
    for (const resolution of ['nodenext', 'bundler']) {
      const told = diagnostics.filter(({ name }) => name === resolution);
      expect(told).toEqual(expected.map((fault) => expect.objectContaining(fault)));
    }
    const { stdout } = await run(process.execPath, [join(project, 'imports.js')]);
    expect(stdout.trim().split('\n')).toEqual(entries.map(() => 'object'));

    const owner = await ownerWithProject(app);
    await symlink(join(ROOT, 'node_modules/pino'), join(project, 'node_modules/pino'));
    await writeFile(join(project, 'log.mjs'), LOG);
    const logged = await run(process.execPath, [join(project, 'log.mjs'), app.url, owner.apiKey]);
    expect(logged).toEqual({ stdout: '', stderr: '' });
    expect(
      await app.rows(
        `SELECT event, severity, message, count(DISTINCT properties->>'n')::int AS lines, count(*)::int AS events
         FROM events WHERE project_id = $1 GROUP BY event, severity, message`,
        [owner.projectId],
      ),
    ).toEqual([{ event: 'log', severity: 'error', message: 'payment failed', lines: 300, events: 300 }]);

    const receiver = await startReceiver();
    try {
      const words = [join(project, 'run.mjs'), app.url, join(app.dataDir, 'outbox'), receiver.url];
      await writeFile(join(project, 'run.mjs'), RUN_TOUR);
      const { stdout: seen } = await run(process.execPath, words);
      expect(JSON.parse(seen)).toEqual([
        'the free plan has one project',
        'GET /cart',
        '1 event counted',
        'Payments fail is open',
        'payment.failed',
        'http.request',
      ]);
      const [delivered] = await receiver.requests(1);
      expect(JSON.parse(delivered?.body ?? '')).toMatchObject({
        event_type: 'payment.failed',
        payload: { amount: 120 },
      });
    } finally {
      await receiver.close();
    }
  });

  it('takes less than 8 KiB compressed, and its event sender less than 6 KiB', () => {
    const client = buildSync({
      entryPoints: [join(PACKAGE, 'src/index.ts')],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
    });
    expect(gzipSync(client.outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThan(8 * 1024);
    expect(gzipSync(senderBundle(), { level: 9 }).length).toBeLessThan(6 * 1024);
  });
});
