import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DeliveryClient } from '../../support/delivery-api.js';
import { startReceiver } from '../../support/receiver.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { failNextCommit, failNextOutboundCall, failNextStatement, statementsOf } from '../../support/test-control.js';

describe('The test control', () => {
  const views = (acme: Tenant) => `/v1/projects/${acme.projectId}/saved-views`;
  const createView = (acme: Tenant, requestId: string, name = 'Failed orders') =>
    api.as(acme.owner).post(views(acme), { name }).set('X-Request-ID', requestId);
  const storedViews = async (acme: Tenant) => (await api.as(acme.owner).get(views(acme)).expect(200)).body as unknown[];

  it.each(['/internal/test/clock', '/internal/test/faults', '/internal/test/replication'])(
    'refuses POST %s without its token',
    async (path) => {
      const token = service.controlToken;
      await api.post(path).expect(401);
      await api.post(path).set('X-Test-Control-Token', `${token}x`).expect(401);
    },
  );

  it('makes the next statement of one request fail and no other', async () => {
    const acme = await tenant();
    const [failing, other] = [randomUUID(), randomUUID()];
    await failNextStatement(failing, 'INSERT');
    await createView(acme, other, 'Orders of today').expect(201);
    await createView(acme, failing).expect(500, { detail: 'Internal Server Error' });
    await createView(acme, failing).expect(201);
  });

  it('makes the next commit of a request fail, which undoes its transaction', async () => {
    const acme = await tenant();
    const requestId = randomUUID();
    const before = await storedViews(acme);
    await failNextCommit(requestId);
    await createView(acme, requestId).expect(500);
    expect(await storedViews(acme)).toEqual(before);
  });

  it('loses the next outbound call to a host and sends nothing', async () => {
    const acme = await tenant();
    const delivery = new DeliveryClient(acme.projectId, acme.owner);
    const receiver = await startReceiver();
    try {
      const channel = await delivery.webhook(`${receiver.url}/hook`);
      await failNextOutboundCall(new URL(receiver.url).host);
      expect(await delivery.test(channel)).toMatchObject({ status: 'failed' });
      expect(receiver.received).toEqual([]);
      expect(await delivery.test(channel)).toMatchObject({ status: 'sent' });
    } finally {
      await receiver.close();
    }
  });

  it('lists the statements of a request', async () => {
    const acme = await tenant();
    const requestId = randomUUID();
    await api.as(acme.owner).get(views(acme)).set('X-Request-ID', requestId).expect(200);
    expect(await statementsOf(requestId)).toContainEqual(expect.stringContaining('saved_views'));
    expect(await statementsOf(randomUUID())).toEqual([]);
  });
});
