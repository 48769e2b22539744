import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { activityOf } from '../../support/activity.js';
import { type DeliveryClient, deliveryOf, type Json, ruleMatch } from '../../support/delivery-api.js';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.js';
import { type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import {
  copySigningSecret,
  endRotation,
  makeDue,
  removeSigningSecret,
  storedChannels,
} from '../../support/sql-builders/delivery.js';

/** Verifies a request by the library of Standard Webhooks, and returns its body. */
const verified = (secret: string, request: Received | undefined): Json =>
  new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>);

describe('a signed channel', () => {
  let acme: Tenant;
  let delivery: DeliveryClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    acme = await tenant();
    delivery = deliveryOf(acme);
  });
  afterAll(() => receiver.close());

  async function created(): Promise<{ id: string; secret: string }> {
    const { body } = await delivery.create({ type: 'webhook', configuration: { url: receiver.url } });
    return { id: body.id as string, secret: body.signing_secret as string };
  }
  const change = (id: string, body: object) => delivery.send('patch', `/channels/${id}`, body);
  async function rotated(id: string): Promise<string> {
    const { body } = await change(id, { rotate_signing_secret: true });
    return body.signing_secret as string;
  }
  async function tested(id: string): Promise<Received> {
    expect(await delivery.test(id)).toMatchObject({ ok: true });
    return receiver.received.at(-1)!;
  }

  it('shows its secret in the answer to its creation, and in no other answer, log or table', async () => {
    const { status, body } = await delivery.create({ type: 'webhook', configuration: { url: receiver.url } });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        has_signing_secret: true,
        signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      }),
    ]);
    const { id, signing_secret: secret } = body as { id: string; signing_secret: string };
    receiver.answer((response) => response.writeHead(200).end(`thanks for ${secret}`));
    await tested(id);
    receiver.answer(200);
    const renamed = await change(id, { name: 'Renamed', rotate_signing_secret: false });
    expect(renamed.body).toMatchObject({ name: 'Renamed', has_signing_secret: true });
    const next = await rotated(id);
    const history = await delivery.get('/history');
    const texts = [
      renamed.text,
      history.text,
      (await delivery.get('/channels')).text,
      (await delivery.get(`/history/${history.body.items[0].id}`)).text,
      JSON.stringify(await activityOf(acme)),
      JSON.stringify(await storedChannels(acme.projectId)),
      await logText(),
    ];
    for (const text of texts) for (const one of [secret, next]) expect(text).not.toContain(one);
  });

  it('signs every attempt of a notification with its id and a new time', async () => {
    const { id, secret } = await created();
    receiver.answer(503);
    const count = receiver.received.length;
    const attempt = await ruleMatch(acme, id);
    await delivery.until(attempt, ({ retry_state }) => retry_state === 'scheduled_retry');
    receiver.answer(200);
    await makeDue(attempt);
    await delivery.send('post', `/history/${attempt}/retry-now`);
    await delivery.until(attempt, ({ status }) => status === 'sent');
    const sent = receiver.received.slice(count);
    expect(sent).toHaveLength(2);
    for (const request of sent) {
      expect(verified(secret, request)).toMatchObject({ id: attempt, type: 'rule_match' });
      expect(request.headers).toMatchObject({ 'webhook-id': attempt, 'x-service-delivery-id': attempt });
      expect(() => verified(secret, { ...request, body: `${request.body} ` })).toThrow('No matching signature found');
    }
  });

  it('keeps the id of a notification when it is replayed', async () => {
    const { id, secret } = await created();
    receiver.answer(400);
    const attempt = await ruleMatch(acme, id);
    await delivery.until(attempt, ({ status }) => status === 'failed');
    receiver.answer(200);
    const { body } = await delivery.send('post', `/history/${attempt}/replay`);
    await delivery.until(body.replay_attempt.id as string, ({ status }) => status === 'sent');
    const request = receiver.received.at(-1)!;
    expect(verified(secret, request)).toMatchObject({ id: attempt });
    expect(request.headers['webhook-id']).toBe(attempt);
    expect(request.headers['x-service-delivery-id']).not.toBe(attempt);
  });

  it('signs with the new and the previous secret for 24 hours after a rotation, and then with the new one', async () => {
    const { id, secret: first } = await created();
    const answer = await change(id, { rotate_signing_secret: true });
    expect(answer.body).toMatchObject({ has_signing_secret: true });
    const second = answer.body.signing_secret as string;
    expect(second).not.toBe(first);
    const [row] = await storedChannels(acme.projectId, id);
    const hours = (new Date(row!.previous_signing_secret_until!).getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24.01);

    const during = await tested(id);
    expect(String(during.headers['webhook-signature'])).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [first, second]) expect(verified(secret, during)).toMatchObject({ type: 'test' });
    await endRotation(id);
    const after = await tested(id);
    expect(String(after.headers['webhook-signature'])).toMatch(/^v1,\S+$/);
    expect(verified(second, after)).toMatchObject({ type: 'test' });
    expect(() => verified(first, after)).toThrow('No matching signature found');

    const third = await rotated(id);
    const fourth = await rotated(id);
    const last = await tested(id);
    for (const secret of [third, fourth]) expect(verified(secret, last)).toMatchObject({ type: 'test' });
    expect(() => verified(second, last)).toThrow('No matching signature found');
    const changes = (await activityOf(acme)).filter(({ target_id }) => target_id === id).map(({ detail }) => detail);
    expect(changes).toContainEqual({ signing_secret: 'rotated' });
  });

  it('signs with both secrets of two rotations that are made at once', async () => {
    const { id } = await created();
    const secrets = await Promise.all([rotated(id), rotated(id)]);
    const request = await tested(id);
    for (const secret of secrets) expect(verified(secret, request)).toMatchObject({ type: 'test' });
  });

  it('is an older channel from its first rotation on', async () => {
    const { id } = await created();
    await removeSigningSecret(id);
    expect((await delivery.channels()).find((one) => one.id === id)).toMatchObject({ has_signing_secret: false });
    const { headers } = await tested(id);
    expect(headers).toMatchObject({ 'webhook-id': expect.any(String) });
    expect(headers).not.toHaveProperty('webhook-signature');
    const secret = await rotated(id);
    const signed = await tested(id);
    expect(String(signed.headers['webhook-signature'])).toMatch(/^v1,\S+$/);
    expect(verified(secret, signed)).toMatchObject({ type: 'test' });
  });

  it('is a webhook: a channel of mails has no secret and returns 422 to a rotation', async () => {
    const { body } = await delivery.create({ type: 'email', configuration: { to: ['on-call@example.com'] } });
    expect(body).toMatchObject({ has_signing_secret: false });
    expect(body).not.toHaveProperty('signing_secret');
    const refused = await change(body.id as string, { rotate_signing_secret: true });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'rotate_signing_secret'] })],
    ]);
  });

  it('does not sign with a secret that was copied from another channel', async () => {
    const [from, to] = [await created(), await created()];
    await copySigningSecret(from.id, to.id);
    const count = receiver.received.length;
    expect(await delivery.test(to.id)).toMatchObject({ ok: false, failure_reason: 'signing_secret_unreadable' });
    expect(receiver.received).toHaveLength(count);
    await rotated(to.id);
  });
});
