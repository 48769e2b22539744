import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptClaimsRepository } from '../../../src/modules/delivery/deliveries/engine/attempt-claims.repository.js';
import type { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/ids/index.js';
import type { SendingLane } from '../../../src/modules/delivery/sending/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, runRetries } from '../../support/delivery.js';
import { eventually } from '../../support/eventually.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Node[];
}

describe('a due delivery among many', () => {
  let app: TestApp;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    receiver.answer(200);
    await app.rows('TRUNCATE delivery_attempts CASCADE');
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  /** Waits until the receiver has something of this project. */
  async function came({ projectId }: Owner): Promise<void> {
    for (let looks = 0; !receiver.received.some(({ body }) => body.includes(projectId)); looks += 1) {
      if (looks > 3_000) throw new Error('nothing came');
      await pause(10);
    }
  }

  async function channels(owner: Owner, count: number, { enabled = true, url = receiver.url } = {}): Promise<string[]> {
    const ids = Array.from({ length: count }, newId);
    await app.rows(
      `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
       SELECT id, $2, 'C', 'webhook', $3, $4 FROM unnest($1::uuid[]) id`,
      [ids, owner.projectId, enabled, JSON.stringify({ url, method: 'POST', headers: {} })],
    );
    return ids;
  }

  /** Retries of these channels that came due so long ago. */
  async function due(owner: Owner, ids: readonly string[], count: number, ago: string): Promise<void> {
    await app.rows(
      `INSERT INTO delivery_attempts (id, project_id, channel_id, kind, status, retry_state, due_at)
       SELECT gen_random_uuid(), $2, ($1::uuid[])[1 + n % cardinality($1::uuid[])], 'rule_match', 'failed', 'scheduled_retry',
              now() - $4::interval + n * interval '1 microsecond'
       FROM generate_series(1, $3) n`,
      [ids, owner.projectId, count, ago],
    );
    await app.rows('ANALYZE delivery_attempts');
  }

  /** Nodes of a plan with everything below them. */
  const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

  it('is found and claimed by index scans that read few rows among 100,000', async () => {
    const [big, small] = [await ownerWithProject(app), await ownerWithProject(app)];
    await due(big, await channels(big, 1), 100_000, '2 hours');
    await due(big, await channels(big, 50), 5_000, '2 hours');
    await due(small, await channels(small, 1), 1, '1 minute');
    const asked: [sql: string, parameters: unknown[]][] = [];
    const recorder = {
      rows: (sql: string, parameters: unknown[]): unknown[] => {
        asked.push([sql, parameters]);
        return [];
      },
    };
    const claims = new AttemptClaimsRepository(recorder as unknown as Database).common;
    await claims.dueLanes(500, null);
    const lanes = await app.rows<SendingLane>(...asked[0]!);
    expect(lanes).toHaveLength(52);
    expect(new Set(lanes.slice(0, 2).map(({ tenant }) => tenant))).toEqual(new Set([big.projectId, small.projectId]));
    const shares = lanes.slice(0, 10).map((lane) => ({ ...lane, most: 3 }));
    await claims.claim({ owner: 'test', kind: 'worker', leaseSeconds: 60 }, shares, 10);
    for (const [sql, parameters] of asked) {
      const [answer] = await app.rows<{ 'QUERY PLAN': { Plan: Node }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        parameters,
      );
      const scans = nodesOf(answer!['QUERY PLAN'][0]!.Plan).filter(
        (node) => node['Relation Name'] === 'delivery_attempts' && node['Node Type'].includes('Scan'),
      );
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) {
        expect(scan['Node Type']).toMatch(/^Index/);
        expect(scan['Actual Rows'] * scan['Actual Loops']).toBeLessThanOrEqual(52);
      }
    }
  });

  it('is not delayed by the backlogs of other projects in many channels', async () => {
    for (let project = 0; project < 12; project += 1) {
      const big = await ownerWithProject(app);
      await due(big, await channels(big, 10), 300, '2 hours');
    }
    const small = await ownerWithProject(app);
    await due(small, await channels(small, 1), 1, '1 minute');
    const before = receiver.received.length;
    const round = runRetries(app);
    await came(small);
    expect(receiver.received.length - before).toBeLessThan(1_000);
    await round;
  });

  it('gets the next free slot while hanging receivers of other projects hold all slots', async () => {
    const hanging = await startReceiver(() => undefined);
    const small = await ownerWithProject(app);
    const [own = ''] = await channels(small, 1);
    for (let project = 0; project < 5; project += 1) {
      const big = await ownerWithProject(app);
      await due(big, await channels(big, 10, { url: hanging.url }), 200, '2 hours');
    }
    const first = runRetries(app);
    await hanging.requests(200);
    // One whose try is over by then leaves its slot to another one.
    await eventually(
      () => app.metrics(),
      (metrics) => /^oes_delivery_in_flight 200$/m.test(metrics),
    );
    await due(small, [own], 1, '1 minute');
    const second = runRetries(app);
    await came(small);
    // 200 every five seconds, of 1,000: far from the end of them, however slow the machine is.
    expect(hanging.received.length).toBeLessThan(800);
    await app.rows('UPDATE delivery_attempts SET due_at = now() + $1::interval WHERE due_at IS NOT NULL', ['1 day']);
    await hanging.close();
    // Neither could begin a send while all slots were taken; each tells of those that ended while it waited.
    for (const processed of await Promise.all([first, second])) expect(processed).toBeGreaterThan(0);
  });
});
