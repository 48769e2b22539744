import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runDemo } from '../../../src/demo/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';

describe('the live shop of the demo', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: 'events=100000/100000,logs=1000/1000,usage=1000/1000' } });
  });
  afterAll(() => app.close());

  it('has events of a day and rules that watch them, and sends events until it is stopped', async () => {
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

describe('the example in the README', () => {
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

  it('leads from nothing to a delivered webhook', async () => {
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
