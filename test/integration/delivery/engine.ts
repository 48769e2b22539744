import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { asProjectId } from '../../../src/modules/access/index.js';
import { DeliveryRequestService } from '../../../src/modules/delivery/deliveries/index.js';
import { AttemptClaimsRepository } from '../../../src/modules/delivery/deliveries/engine/attempt-claims.repository.js';
import {
  DELIVERY_ENGINE,
  type DeliveryEngine,
} from '../../../src/modules/delivery/deliveries/engine/attempt.outbox.js';
import { Database } from '../../../src/platform/database/database.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import {
  type DeliveryClient,
  deliveryOf,
  INTERNAL_TOKEN,
  makeDue,
  ruleMatch,
  runRetries,
} from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { app } from './worker-app.js';

const failed = (attempt: { status: string }): boolean => attempt.status === 'failed';

describe('the delivery engine', () => {
  let owner: Owner;
  let delivery: DeliveryClient;
  let receiver: Receiver;
  let channel: string;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    channel = await delivery.webhook(`${receiver.url}/hook`, {
      configuration: {
        method: 'PUT',
        headers: { 'X-Team': 'on-call' },
        // Nothing comes due by itself, however slow the machine is.
        retry_policy: { strategy: 'fixed', base_delay_seconds: 3_600, max_delay_seconds: 7_200, max_attempts: 2 },
      },
      protected_headers: [{ name: 'Authorization', value: 'Bearer protected-value-0123456789' }],
    });
  });
  afterEach(() => receiver.close());

  it('sends a retry when it is due and not at the next poll, which is an hour away', async () => {
    let answers = 0;
    receiver.answer((response) => response.writeHead(++answers < 3 ? 503 : 200).end());
    const quick = await delivery.webhook(`${receiver.url}/hook`, {
      configuration: { retry_policy: { strategy: 'fixed', base_delay_seconds: 1, max_delay_seconds: 1 } },
    });
    const id = await ruleMatch(app, owner.projectId, quick);
    await delivery.until(id, ({ status }) => status === 'sent');
    const times = receiver.received.map(({ at }) => at);
    expect(times).toHaveLength(3);
    for (const wait of [times[1]! - times[0]!, times[2]! - times[1]!]) {
      expect(wait).toBeGreaterThanOrEqual(1_000);
      expect(wait).toBeLessThan(5_000);
    }
  });

  it('makes no attempt for a channel of another project', async () => {
    const stranger = await ownerWithProject(app);
    await expect(ruleMatch(app, stranger.projectId, channel)).rejects.toThrow('no such channel');
  });

  it('makes no attempt when the transaction of its cause is rolled back', async () => {
    const database = app.nest.get(Database);
    const requests = app.nest.get(DeliveryRequestService, { strict: false });
    const undone = database.transaction(async (tx) => {
      await requests.ruleMatch(tx, {
        projectId: owner.projectId,
        channelId: channel,
        rule: null,
        event: null,
        ruleId: null,
      });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await delivery.get('/history', { channel_id: channel })).body.total).toBe(0);
    expect(receiver.connections()).toBe(0);
  });

  it('gives back a claim that has too little time left, and counts neither a try nor a retry', async () => {
    receiver.answer(500);
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, failed);
    await makeDue(app, id);
    const claims = app.nest.get(AttemptClaimsRepository, { strict: false });
    const tenant = { projectId: asProjectId(owner.projectId) };
    const claimed = await claims.claimOne(tenant, { owner: 'slow', kind: 'worker', leaseSeconds: 60 }, id);
    expect(await delivery.attempt(id)).toMatchObject({ retry_state: 'scheduled_retry', retry_count: 1, try_number: 2 });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'claimed', worker_id: 'slow', retry_number: 1 }]);
    const engine = app.nest.get<DeliveryEngine>(DELIVERY_ENGINE, { strict: false });
    await engine.send({ ...claimed!, heldUntil: performance.now() + 400 });
    expect(await delivery.attempt(id)).toMatchObject({ retry_state: 'retryable', retry_count: 0, try_number: 1 });
    expect(await delivery.audits(id)).toMatchObject([{ status: 'skipped', reason: 'given_back' }]);
    expect(receiver.received).toHaveLength(1);
    expect(await runRetries(app)).toBe(1);
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  });

  it('counts a retry in the state of its job while the retry is due', async () => {
    receiver.answer(500);
    const id = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(id, ({ retry_state }) => retry_state === 'scheduled_retry');
    const due = async (): Promise<number> =>
      (await app.request().get('/internal/jobs').set('X-Internal-Token', INTERNAL_TOKEN)).body.find(
        ({ name }: { name: string }) => name === 'delivery-retries',
      ).due;
    expect(await due()).toBe(0);
    await makeDue(app, id);
    expect(await due()).toBe(1);
    expect(await runRetries(app)).toBe(1);
    expect(await due()).toBe(0);
  });
});
