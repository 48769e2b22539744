import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptClaimsRepository } from '../../../src/modules/delivery/deliveries/engine/attempt-claims.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { deliveryOf, runRetries } from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { app } from './worker-app.js';

describe('the dispatch of due deliveries', () => {
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
  });

  const sentOf = async (owner: Owner): Promise<number> =>
    (await deliveryOf(app, owner).get('/history', { status: 'sent' })).body.total as number;

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

  it('begins after the tenant with which the previous round ended', async () => {
    const owners = [await ownerWithProject(app), await ownerWithProject(app), await ownerWithProject(app)];
    for (const owner of owners) await due(owner, await channels(owner, 2), 2, '1 minute');
    const projects = owners.map(({ projectId }) => projectId).sort();
    const claims = app.nest.get(AttemptClaimsRepository, { strict: false }).common;
    const tenants = async (most: number, after: string | null): Promise<string[]> =>
      (await claims.dueLanes(most, after)).map(({ tenant }) => tenant);
    expect(await tenants(10, null)).toEqual([...projects, ...projects]);
    expect(await tenants(2, null)).toEqual(projects.slice(0, 2));
    expect(await tenants(2, projects[1]!)).toEqual([projects[2], projects[0]]);
  });

  it('is not delayed by the due deliveries of a deleted project, and no metric counts these', async () => {
    const [gone, small] = [await ownerWithProject(app), await ownerWithProject(app)];
    await due(gone, await channels(gone, 100), 500, '2 hours');
    const project = `/v1/projects/${gone.projectId}`;
    await app.request().post(`${project}/archive`).set('Authorization', gone.bearer).expect(200);
    await app.request().delete(project).set('Authorization', gone.bearer).expect(204);
    await due(small, await channels(small, 1), 1, '1 minute');
    expect(await app.metrics()).toMatch(/^oes_delivery_backlog 1$/m);
    expect(await runRetries(app)).toBe(1);
    expect(await sentOf(small)).toBe(1);
    expect(receiver.received.filter(({ body }) => body.includes(gone.projectId))).toEqual([]);
  });

  it('is not delayed by thousands of due deliveries for a disabled channel', async () => {
    const [big, small] = [await ownerWithProject(app), await ownerWithProject(app)];
    await due(big, await channels(big, 1, { enabled: false }), 20_000, '2 hours');
    await due(small, await channels(small, 1), 1, '1 minute');
    const round = runRetries(app);
    await came(small);
    const [{ left } = { left: 0 }] = await app.rows<{ left: number }>(
      'SELECT count(*)::int AS left FROM delivery_attempts WHERE project_id = $1 AND due_at IS NOT NULL',
      [big.projectId],
    );
    expect(left).toBeGreaterThan(15_000);
    await app.rows('UPDATE delivery_attempts SET due_at = now() + $1::interval WHERE due_at IS NOT NULL', ['1 day']);
    await round;
  });
});
