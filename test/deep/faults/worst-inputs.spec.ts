import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, Attacker, type Target } from '../../../bench/worst/attacker.mjs';
import { CASES, SIZES } from '../../../bench/worst/cases.mjs';
import { RATE_LIMIT_POLICY_NAMES } from '../../../src/config/index.js';
import { operations } from '../../support/document.js';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { createTestDatabase } from '../../support/postgres.js';
import { CLEAN_EXIT, eventually, type ServiceProcess, startService } from '../../support/service-process.js';
import { HANG_TIMEOUT_MS } from '../../support/bounds.mjs';

const SMALL_HEAP = [process.execPath, '--max-old-space-size=512', 'dist/src/main.js'] as const;
const NO_LIMITS = RATE_LIMIT_POLICY_NAMES.map((name) => `${name}=1000000/1000000`).join(',');
/** Between two looks of the bystander, who is there to be answered, not to add to the load. */
const YIELD_AFTER_MS = 50;
const EVENTS = 3;

/** One process with a small heap does everything; one tenant sends the worst it may, another one works beside it. */
describe('a service of a small heap', () => {
  let service: ServiceProcess;
  let target: Target;
  let databaseUrl: string;
  let attacker: Attacker;
  let bystander: Attacker;
  /** The log rows of the bystander. */
  let rows: unknown;

  const lift = (organizationId: string): Promise<unknown> =>
    query(
      databaseUrl,
      `UPDATE organizations SET plan = 'enterprise', events_per_month_limit = 1000000000 WHERE id = '${organizationId}'`,
    );
  const start = async (dataDir: string): Promise<void> => {
    const env = {
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      RATE_LIMIT_OVERRIDES: NO_LIMITS,
      OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
    };
    service = await startService({ command: SMALL_HEAP, env });
    target = { url: service.url, dataDir };
  };

  beforeAll(async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    databaseUrl = database.url;
    await start(await temporaryFolder());
    attacker = await Attacker.open(target, lift);
    bystander = await (await Attacker.open(target, lift)).inNewProject();
    for (let count = 0; count < EVENTS; count += 1) await bystander.event({ count });
    rows = (await bystander.get(`/v1/logs?project_id=${bystander.projectId}`)).json();
    expect(rows).toHaveLength(EVENTS);
  });
  // So that one case that ends the service, or leaves it busy, does not hide what the next ones do.
  beforeEach(async () => {
    if (await isWell()) return;
    await service.stop('SIGKILL');
    await query(databaseUrl, 'DELETE FROM event_outbox');
    await query(databaseUrl, 'UPDATE alert_rules SET is_enabled = false');
    await start(target.dataDir);
    attacker.movedTo(target);
    bystander.movedTo(target);
  });
  afterAll(async () => {
    attacker.close();
    bystander.close();
    const exit = service.isRunning ? await service.stop() : null;
    await cleanUp();
    expect(exit).toEqual(CLEAN_EXIT);
  });

  async function isWell(): Promise<boolean> {
    const signal = AbortSignal.timeout(HANG_TIMEOUT_MS);
    const answer = await fetch(`${target.url}/health`, { signal }).catch(() => null);
    return answer !== null && ((await answer.json()) as { status: string }).status === 'ok';
  }

  /** What somebody else sees of the service: what is theirs, whole. */
  async function work(): Promise<void> {
    // A machine that stands still for two seconds has the database down for one look.
    await eventually(
      () => bystander.get('/health'),
      ({ status }) => status === 200,
    );
    const organizations = await bystander.get('/v1/organizations');
    expect([organizations.status, organizations.json()]).toEqual([
      200,
      [expect.objectContaining({ id: bystander.organizationId })],
    ]);
    const logs = await bystander.get(`/v1/logs?project_id=${bystander.projectId}`);
    expect([logs.status, logs.json()]).toEqual([200, rows]);
    bystander.answers = [];
  }

  async function workWhile(attack: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const working = (async () => {
      while (!over.signal.aborted) {
        await work();
        await pause(YIELD_AFTER_MS, undefined, { signal: over.signal }).catch(() => undefined);
      }
    })();
    // Both to their end, so that nothing of this case is left to the next one.
    const ends = await Promise.allSettled([attack.finally(() => over.abort()), working]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  it.each(CASES.map((one) => [one.name, one] as const))('goes on for everybody else: %s', async (_, one) => {
    const size = SIZES.test;
    const own = await attacker.inNewProject();
    let prepared: unknown;
    try {
      await workWhile((async () => (prepared = await one.prepare(own, size)))());
      for (const attack of prepared === undefined ? [] : Object.values(one.attacks)) {
        await workWhile(attack(own, size, prepared));
      }
      expect(own.answers.flatMap(undocumented)).toEqual([]);
    } finally {
      if (prepared !== undefined) one.release?.(prepared);
      await own.leave();
    }
    await eventually(
      () => query(databaseUrl, 'SELECT FROM event_outbox'),
      (waiting) => waiting.length === 0,
    );
    await work();
    await eventually(isWell, (well) => well);
    expect(service.isRunning).toBe(true);
  });
});

/** Of a rate and of the size of a head: they are no route's own. */
const LIMITS: ReadonlySet<number> = new Set([429, 431]);

/** The statuses of the routes below /intake by their paths. Their document is one of its own. */
const INTAKE = (
  JSON.parse(readFileSync(new URL('../../../docs/api/other-paths.json', import.meta.url), 'utf8')) as {
    paths: Readonly<Record<string, { post?: { responses: object } } | undefined>>;
  }
).paths;

/** How an answer differs from what its route may answer: one line, or none. */
function undocumented({ method, path, status, text }: Answer): string[] {
  const route = operations.find(
    (listed) => listed.method === method && new RegExp(`^${listed.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  const responses = route?.operation.responses ?? INTAKE[path]?.post?.responses ?? {};
  const isKnown = LIMITS.has(status) || Object.hasOwn(responses, status);
  // A refused batch has the results of its lines before the reason. A status of OTLP has its code first, in both forms.
  const reasons = path.startsWith('/intake/otlp/') ? ['{"code":', '\u0008'] : ['{"detail":', '{"accepted":0,'];
  const hasReason = status < 400 || reasons.some((reason) => text.startsWith(reason));
  return isKnown && status !== 500 && hasReason ? [] : [`${method} ${path} ${status} ${text}`];
}
