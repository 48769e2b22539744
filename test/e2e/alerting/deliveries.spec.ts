import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { v7 as newId } from 'uuid';
import { activityOf } from '../../support/activity.js';
import { AlertingApi } from '../../support/alerting-api.js';
import { deliveryOf } from '../../support/delivery-api.js';
import { eventually } from '../../support/eventually.js';
import { type Reaction, type Received, type Receiver, startReceiver } from '../../support/receiver.js';
import { eventIs, RulesApi } from '../../support/rules-api.js';
import { type Account, api, job, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { redirectDestination } from '../../support/sql-builders/alerting.js';
import {
  ageAlertDeliveries,
  alterDestinationSecret,
  claimAlertDelivery,
  copyFailedAlertDelivery,
  endSecretOverlap,
  expireClaimOf,
  hasPreviousSecret,
  setAlertDeliveryDue,
  storedAlertDeliveries,
} from '../../support/sql-builders/rules.js';
import { expectedSignature } from '../../support/webhook-signature.js';

const SECRET = 'the-secret-of-the-receiver-0123456789';
const RULE_NAME = 'Payments fail';
const HOUR_SECONDS = 3_600;
const DAY_MS = 86_400_000;

interface Delivery {
  id: string;
  destination_id: string;
  status: string;
  retry_count: number;
  next_retry_at: string | null;
  response_summary: string | null;
  failure_reason: string | null;
  completed_at: string | null;
}

interface DeliveryPage {
  items: Delivery[];
  total: number;
  limit: number;
  offset: number;
}

const isOver = ({ status }: Delivery): boolean => status === 'sent' || status === 'failed';
const isRetrying = ({ status }: Delivery): boolean => status === 'retrying';

/** Verifies a request as a receiver does that uses the library of Standard Webhooks. */
function verify(secret: string, { headers, body }: Received): unknown {
  return new Webhook(Buffer.from(secret), { format: 'raw' }).verify(body, headers as Record<string, string>);
}

describe('an alert delivery', () => {
  let acme: Tenant;
  let alerts: AlertingApi;
  let rules: RulesApi;
  let receiver: Receiver;

  beforeEach(async () => {
    acme = await tenant();
    alerts = new AlertingApi(acme);
    rules = new RulesApi(acme);
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  /** Creates a webhook destination, unless `more` says otherwise. @returns the id */
  const destination = async (url: string, more: object = {}): Promise<string> => {
    const body = { project_id: acme.projectId, type: 'webhook', name: 'Receiver', target_url: url, ...more };
    const created = await api.as(acme.owner).post('/v1/alert-destinations', body).expect(201);
    return (created.body as { id: string }).id;
  };
  const changeDestination = (id: string, change: object) =>
    api.as(acme.owner).patch(`/v1/alert-destinations/${id}`, change).expect(200);
  const switchDestination = (id: string, action: 'enable' | 'disable') =>
    api.as(acme.owner).post(`/v1/alert-destinations/${id}/${action}`).expect(200);
  const list = async (query: object = {}) => (await alerts.get('/deliveries', query).expect(200)).body as DeliveryPage;
  const read = async (id: string) =>
    (await api.as(acme.owner).get(`/v1/alerts/deliveries/${id}`).expect(200)).body as Delivery;
  /** Waits until a delivery is as wanted. */
  const until = (id: string, holds: (delivery: Delivery) => boolean): Promise<Delivery> =>
    eventually(() => read(id), holds);
  /** Raises an alert event by hand, which notifies every webhook of the project. @returns the ids of its deliveries */
  const raise = async (more: object = {}): Promise<string[]> => {
    const { id } = await alerts.raised({ message: 'card declined', ...more });
    return (await list({ alert_event_id: id })).items.map((one) => one.id);
  };
  /** Raises an alert event by hand. @returns the id of its delivery to the only webhook of the project */
  const raiseOne = async (): Promise<string> => {
    const [id, ...others] = await raise();
    if (id === undefined || others.length > 0) throw new Error('the project has not exactly one webhook');
    return id;
  };
  /** Creates a rule with notifications of one fingerprint to a destination, each with the message of an event. */
  const series = async (destinationId: string) => {
    const type = `payment.failed.${newId()}`;
    const ruleId = await rules.rule({
      name: RULE_NAME,
      severity: 'critical',
      condition: { kind: 'match', ...eventIs(type) },
      cooldown_seconds: 0,
      destination_ids: [destinationId],
    });
    /** @returns the id of the delivery to the destination */
    const notify = async (message: string): Promise<string> => {
      const { total } = await list({ destination_id: destinationId });
      await alerts.send({ event_type: type, message });
      await rules.matched();
      const after = await list({ destination_id: destinationId });
      if (after.total !== total + 1) throw new Error(`${after.total - total} deliveries instead of one`);
      return after.items[0]!.id;
    };
    return { ruleId, notify };
  };
  /** Has a rule of its own notify a destination. @returns the id of the delivery */
  const notify = async (destinationId: string, message = 'card declined'): Promise<string> =>
    (await series(destinationId)).notify(message);
  const makeDue = (id: string) => setAlertDeliveryDue(id, 0);
  /** Puts the next attempt off, so that it does not come by itself during the test. */
  const putOff = (id: string) => setAlertDeliveryDue(id, HOUR_SECONDS);
  /** Has the next attempt made now, if there is one. */
  const tryAgain = async (id: string): Promise<Delivery> => {
    const before = await read(id);
    await makeDue(id);
    await job('alert-deliveries');
    return until(id, (now) => now.retry_count !== before.retry_count || now.next_retry_at === null);
  };
  /**
   * Notifies one destination for each reaction of the receiver, and waits until each delivery is as wanted.
   * @returns the deliveries with their requests, in the order of the reactions
   */
  const answeredBy = async (reactions: readonly Reaction[], holds: (delivery: Delivery) => boolean) => {
    const ids: string[] = [];
    for (const [at, reaction] of reactions.entries()) {
      receiver.answer(reaction, `/${at}`);
      ids.push(await destination(`${receiver.url}/${at}`));
    }
    await raise();
    return Promise.all(
      ids.map(async (destinationId, at) => {
        const [one] = (await list({ destination_id: destinationId })).items;
        const delivery = await until(one!.id, holds);
        return { delivery, requests: receiver.received.filter(({ path }) => path === `/${at}`) };
      }),
    );
  };
  /**
   * Expects the next attempt so many seconds after the answer to a request, by default the last one. The header
   * `Retry-After` may have whole seconds only.
   */
  const expectWait = ({ next_retry_at }: Delivery, seconds: number, request = receiver.received.at(-1)): void => {
    const answeredAt = Date.now() - (performance.now() - (request?.at ?? Number.NaN));
    const dueAt = Date.parse(next_retry_at ?? '');
    expect(dueAt).toBeGreaterThan(answeredAt + (seconds - 2) * 1_000);
    expect(dueAt).toBeLessThanOrEqual(Date.now() + (seconds + 1) * 1_000);
  };
  const messagesOf = (requests: readonly Received[]): string[] =>
    requests.map(({ body }) => (JSON.parse(body) as { message: string }).message.replace(`${RULE_NAME}: `, ''));

  it('has the documented body and headers, and a signature that own code and a library verify', async () => {
    const destinationId = await destination(`${receiver.url}/hook`, { secret: SECRET });
    const [eventId] = await alerts.send({ event_type: 'payment.failed', source: 'checkout' });
    const alert = await alerts.raised({
      event_id: eventId,
      severity: 'critical',
      message: 'Grüße: 3 payments failed',
      payload: { z: 1, a: { amount: 12.5 } },
    });
    const [request] = await receiver.requests(1);
    const { items } = await list({ alert_event_id: alert.id });
    const id = items[0]?.id ?? '';
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Service-Alerts/1.0',
        'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
        'x-service-delivery-id': id,
        'webhook-id': id,
        'x-service-signature': expectedSignature(SECRET, request!),
      },
    });
    expect(verify(SECRET, request!)).toEqual(JSON.parse(request!.body));
    expect(request!.body).toBe(
      JSON.stringify({
        alert_event_id: alert.id,
        alert_rule_id: null,
        project_id: acme.projectId,
        event_id: eventId,
        event_type: 'payment.failed',
        source: 'checkout',
        severity: 'critical',
        status: 'open',
        message: 'Grüße: 3 payments failed',
        payload: { z: 1, a: { amount: 12.5 } },
        created_at: alert.created_at,
      }),
    );
    expect(await until(id, isOver)).toEqual({
      id,
      project_id: acme.projectId,
      alert_event_id: alert.id,
      destination_id: destinationId,
      destination_name: 'Receiver',
      destination_type: 'webhook',
      status: 'sent',
      retry_count: 0,
      next_retry_at: null,
      response_code: 200,
      response_summary: null,
      failure_reason: null,
      created_at: expect.stringMatching(/Z$/),
      completed_at: expect.stringMatching(/Z$/),
      request: {
        method: 'POST',
        url: `${receiver.url}/hook`,
        headers: expect.arrayContaining([
          { name: 'User-Agent', value: 'Service-Alerts/1.0', is_protected: false },
          { name: 'X-Service-Signature', value: request!.headers['x-service-signature'], is_protected: false },
          { name: 'webhook-signature', value: request!.headers['webhook-signature'], is_protected: false },
        ]),
        body: { text: request!.body, is_truncated: false },
      },
    });
    expect(items[0]).not.toHaveProperty('request');
  });

  it('shows its request without the secret in the address and in the body, which is cut after 16 KiB', async () => {
    const token = 'token-of-the-address-0123456789';
    await destination(`${receiver.url}/hook?access_token=${token}`, { secret: SECRET });
    const { id: alertId } = await alerts.raised({
      message: `the key is ${SECRET}`,
      payload: { text: '€'.repeat(14_000) },
    });
    const [received] = await receiver.requests(1);
    expect(received!.path).toContain(token);
    expect(received!.body).toContain(SECRET);
    const [{ id }] = (await list({ alert_event_id: alertId })).items as [Delivery];
    await until(id, isOver);
    const { body, text } = await api.as(acme.owner).get(`/v1/alerts/deliveries/${id}`).expect(200);
    const { request } = body as { request: { url: string; body: { text: string; is_truncated: boolean } } };
    expect(request.url).toBe(`${receiver.url}/hook?access_token=[redacted]`);
    const forViewer = await api
      .as(await acme.viewer())
      .get(`/v1/alerts/deliveries/${id}`)
      .expect(200);
    expect(forViewer.body.request.url).toBe(`${receiver.url}/***`);
    expect(request.body.is_truncated).toBe(true);
    expect(request.body.text).toContain('€€€');
    expect(request.body.text).not.toContain('\ufffd');
    expect(Buffer.byteLength(request.body.text)).toBeLessThanOrEqual(16_384);
    expect(Buffer.byteLength(request.body.text)).toBeGreaterThan(16_380);
    for (const secret of [token, SECRET]) expect(text).not.toContain(secret);
  });

  it('has no signature when its destination has no secret, and null where its alert event has nothing', async () => {
    await destination(receiver.url);
    await raise();
    const [request] = await receiver.requests(1);
    expect(Object.keys(request!.headers)).not.toContain('x-service-signature');
    expect(Object.keys(request!.headers)).not.toContain('webhook-signature');
    expect(JSON.parse(request!.body)).toMatchObject({
      alert_rule_id: null,
      event_id: null,
      event_type: null,
      source: null,
    });
  });

  it('is sent to each enabled webhook of the project, or to each enabled destination and channel of the rule', async () => {
    const at = (path: string, more: object = {}) => destination(`${receiver.url}${path}`, more);
    const [one, two] = [await at('/one'), await at('/two')];
    const off = await at('/off', { is_enabled: false });
    const slack = await at('/slack', { type: 'slack' });
    await new AlertingApi(await tenant()).destination(`${receiver.url}/foreign`);
    const channel = await deliveryOf(acme).webhook(`${receiver.url}/channel`);
    const paths = (): string[] =>
      receiver.received
        .splice(0)
        .map(({ path }) => path)
        .sort();

    expect(await raise()).toHaveLength(2);
    await receiver.requests(2);
    await job('alert-deliveries');
    expect(paths()).toEqual(['/one', '/two']);

    const condition = { kind: 'match', ...eventIs('payment.failed') };
    const linked = { condition, severity: 'critical', destination_ids: [two, slack, off], channel_ids: [channel] };
    const ruleId = await rules.rule({ name: RULE_NAME, ...linked });
    await alerts.send({ message: 'Grüße: 3 payments failed', payload: { z: 1 } });
    const alert = await alerts.counted(ruleId, 1);
    expect((await list({ alert_event_id: alert.id })).total).toBe(2);
    await receiver.requests(3);
    await job('alert-deliveries');
    await job('delivery-retries');
    const channelRequest = receiver.received.find(({ path }) => path === '/channel');
    expect(JSON.parse(channelRequest!.body)).toMatchObject({
      type: 'rule_match',
      channel_id: channel,
      rule: { name: RULE_NAME, severity: 'critical' },
      event: {
        type: 'payment.failed',
        message: 'Payments fail: Grüße: 3 payments failed',
        payload: { z: 1 },
        occurrences: 1,
      },
    });
    const slackRequest = receiver.received.find(({ path }) => path === '/slack');
    expect(JSON.parse(slackRequest!.body)).toMatchObject({
      text: '[CRITICAL] Payments fail: Grüße: 3 payments failed',
    });
    expect(paths()).toEqual(['/channel', '/slack', '/two']);

    const silent = await rules.rule({
      condition: { kind: 'match', ...eventIs('refund.failed') },
      destination_ids: [off],
    });
    await alerts.send({ event_type: 'refund.failed' });
    const unsent = await alerts.counted(silent, 1);
    expect((await list({ alert_event_id: unsent.id })).total).toBe(0);
    const shown = await list({ destination_id: one });
    expect(shown).toMatchObject({ total: 1, limit: 25, offset: 0, items: [{ destination_id: one }] });
  });

  it('is retried 30 seconds after the answers 408, 409, 425, 429 and 5xx', async () => {
    const statuses = [408, 409, 425, 429, 500, 503, 599];
    for (const [at, { delivery, requests }] of (await answeredBy(statuses, isRetrying)).entries()) {
      expect(delivery).toMatchObject({
        retry_count: 1,
        response_code: statuses[at],
        failure_reason: `http_${statuses[at]}: The receiver answered ${statuses[at]}`,
        next_retry_at: expect.any(String),
        completed_at: null,
      });
      expectWait(delivery, 30, requests[0]);
    }
  });

  it('fails for good after the answers 3xx and the other answers 4xx', async () => {
    const statuses = [301, 307, 400, 401, 403, 404, 410, 418, 422];
    const answers = statuses.map((status): Reaction => (response) => {
      response.writeHead(status, { Location: `${receiver.url}/elsewhere`, 'Retry-After': '1' }).end();
    });
    for (const [at, { delivery }] of (await answeredBy(answers, isOver)).entries()) {
      expect(delivery).toMatchObject({
        status: 'failed',
        retry_count: 1,
        next_retry_at: null,
        response_code: statuses[at],
      });
    }
    expect(receiver.received).toHaveLength(statuses.length);
  });

  it('fails after five attempts with growing waits, each with the same id and a new signature', async () => {
    receiver.answer(500);
    await destination(receiver.url, { secret: SECRET });
    const id = await raiseOne();
    expectWait(await until(id, isRetrying), 30);
    for (const [count, wait] of [
      [2, 60],
      [3, 120],
      [4, 240],
    ] as const) {
      const delivery = await tryAgain(id);
      expect(delivery).toMatchObject({ status: 'retrying', retry_count: count });
      expectWait(delivery, wait);
    }
    expect(await tryAgain(id)).toMatchObject({
      status: 'failed',
      retry_count: 5,
      next_retry_at: null,
      response_code: 500,
    });
    expect(await tryAgain(id)).toMatchObject({ status: 'failed' });
    expect(receiver.received).toHaveLength(5);
    expect(new Set(receiver.received.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).toBe(
      1,
    );
    for (const request of receiver.received) verify(SECRET, request);
  });

  it('is retried after a 429 when its Retry-After says, and after a day at most', async () => {
    const waits = [
      ['3600', 3_600],
      [new Date(Date.now() + 7_200_000).toUTCString(), 7_200],
      // More than a day counts as a day.
      ['999999', 86_400],
      // The policy would wait longer.
      ['20', 20],
      // Nonsense counts as nothing.
      ['soon', 30],
    ] as const;
    const answers = waits.map(([value]): Reaction => (response) => {
      response.writeHead(429, { 'Retry-After': value }).end();
    });
    for (const [at, { delivery, requests }] of (await answeredBy(answers, isRetrying)).entries()) {
      expectWait(delivery, waits[at]![1], requests[0]);
    }
  });

  it('is retried after one second when Retry-After of a 429 says no seconds or a date in the past', async () => {
    const answers = ['0', new Date(Date.now() - 7_200_000).toUTCString()].map((value): Reaction => {
      let count = 0;
      return (response) => response.writeHead(++count === 1 ? 429 : 200, { 'Retry-After': value }).end();
    });
    for (const { requests } of await answeredBy(answers, ({ status }) => status === 'sent')) {
      const [first, second] = requests;
      expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000);
      expect(second!.at - first!.at).toBeLessThan(5_000);
    }
  });

  it('waits for earlier ones of its fingerprint, and for none of another fingerprint or destination', async () => {
    let answers = 0;
    receiver.answer((response) => response.writeHead(++answers === 1 ? 503 : 200).end());
    const other = await startReceiver();
    try {
      const id = await destination(receiver.url);
      const elsewhere = await destination(other.url);
      const checkout = await series(id);
      const first = await checkout.notify('opened');
      await until(first, isRetrying);
      await putOff(first);
      await rules.link(checkout.ruleId, { destination_ids: [id, elsewhere] }).expect(200);
      await checkout.notify('resolved');
      await rules.link(checkout.ruleId, { destination_ids: [id] }).expect(200);
      const third = await checkout.notify('opened again');
      const free = await notify(id, 'another series');
      await until(free, isOver);
      expect(messagesOf(await other.requests(1))).toEqual(['resolved']);
      await job('alert-deliveries');
      expect(messagesOf(receiver.received)).toEqual(['opened', 'another series']);

      await makeDue(first);
      await job('alert-deliveries');
      await until(third, isOver);
      expect(messagesOf(receiver.received).slice(2)).toEqual(['opened', 'resolved', 'opened again']);
    } finally {
      await other.close();
    }
  });

  it('is sent as soon as the one before it in its fingerprint is sent or has failed for good, and not before', async () => {
    receiver.answer(503);
    const checkout = await series(await destination(receiver.url));
    const messages = Array.from({ length: 6 }, (_, index) => String(index));
    const ids: string[] = [];
    for (const message of messages) {
      ids.push(await checkout.notify(message));
      if (ids.length > 1) continue;
      // The others wait until it is sent.
      await until(ids[0]!, isRetrying);
      await putOff(ids[0]!);
    }
    const answered: string[] = [];
    receiver.answer((response, request) => {
      const [message = ''] = messagesOf([request]);
      setTimeout(() => {
        answered.push(message);
        response.writeHead(message === '2' ? 400 : 200).end();
      }, 20);
    });
    await makeDue(ids[0]!);
    await job('alert-deliveries');
    for (const id of ids) await until(id, isOver);
    expect(messagesOf(receiver.received).slice(1)).toEqual(messages);
    expect(answered).toEqual(messages);
  });

  it('waits for earlier ones of its fingerprint for an hour at most', async () => {
    receiver.answer((response, { body }) => response.writeHead(body.includes('stuck') ? 503 : 200).end());
    const checkout = await series(await destination(receiver.url));
    const first = await checkout.notify('stuck');
    await until(first, isRetrying);
    const second = await checkout.notify('later');
    await job('alert-deliveries');
    expect(await read(second)).toMatchObject({ status: 'pending' });
    await ageAlertDeliveries([first, second], 61 * 60);
    await job('alert-deliveries');
    expect(await until(second, isOver)).toMatchObject({ status: 'sent' });
  });

  it('ignores Retry-After of other answers than 429', async () => {
    receiver.answer((response) => response.writeHead(503, { 'Retry-After': '3600' }).end());
    await destination(receiver.url);
    expectWait(await until(await raiseOne(), isRetrying), 30);
  });

  it('is retried when there was no answer at all', async () => {
    const gone = await startReceiver();
    await gone.close();
    receiver.answer((_, __, socket) => socket.destroy());
    await destination(gone.url);
    await destination(receiver.url);
    const ids = await raise();
    const reasons = await Promise.all(ids.map(async (id) => (await until(id, isRetrying)).failure_reason));
    expect(reasons.sort()).toEqual([
      'connection_refused: Connection was refused',
      'connection_reset: Connection was closed before an answer',
    ]);
  });

  it('fails for good when the address of its destination has become unsafe', async () => {
    const id = await destination(receiver.url);
    await redirectDestination(id, 'http://169.254.169.254/');
    expect(await until(await raiseOne(), isOver)).toMatchObject({
      status: 'failed',
      failure_reason: 'unsafe_destination: Destination is not allowed',
      response_code: null,
    });
  });

  it('shows, stores and logs at most 500 characters of the answer, without secrets', async () => {
    const random = randomBytes(6).toString('hex');
    const [secret, path, token] = [`${SECRET}${random}`, `slack-path-secret-${random}`, `abcdefghijklmnop${random}`];
    receiver.answer((response) =>
      response.writeHead(500).end(`{"error":"bad ${secret}","authorization":"Bearer ${token}"} ${'é'.repeat(900)}`),
    );
    const slack = await destination(`${receiver.url}/services/${path}`, { type: 'slack', secret });
    const { response_summary: summary } = await until(await notify(slack), isRetrying);
    expect(summary!.length).toBeLessThanOrEqual(500);
    const texts = [summary!, await storedAlertDeliveries(acme.projectId), await logText()];
    for (const text of texts) for (const hidden of [secret, path, token]) expect(text).not.toContain(hidden);
  });

  it('is signed by the new secret of its destination, and for 24 hours also by the secret before', async () => {
    const next = 'the-next-secret-0123456789';
    const id = await destination(receiver.url, { secret: SECRET });
    const signatures = async (): Promise<string[]> => {
      const count = receiver.received.length;
      await raise();
      const request = (await receiver.requests(count + 1))[count]!;
      verify(next, request);
      const given = String(request.headers['x-service-signature']).split(',');
      return given.map((one) =>
        one === expectedSignature(next, request) ? 'new' : one === expectedSignature(SECRET, request) ? 'old' : 'none',
      );
    };
    await changeDestination(id, { secret: next });
    expect(await signatures()).toEqual(['new', 'old']);
    verify(SECRET, receiver.received[0]!);
    // The same secret again is no rotation.
    await changeDestination(id, { secret: next });
    expect(await signatures()).toEqual(['new', 'old']);

    await endSecretOverlap(id);
    expect(await signatures()).toEqual(['new']);
    await job('maintenance');
    await eventually(
      () => hasPreviousSecret(id),
      (has) => !has,
    );
    await changeDestination(id, { secret: null });
    await raise();
    expect(Object.keys((await receiver.requests(4))[3]!.headers)).not.toContain('x-service-signature');
  });

  it('fails without an attempt when the secret of its destination cannot be decrypted', async () => {
    await alterDestinationSecret(await destination(receiver.url, { secret: SECRET }));
    expect(await until(await raiseOne(), isOver)).toMatchObject({
      status: 'failed',
      retry_count: 0,
      failure_reason: 'credentials_unreadable',
    });
    expect(receiver.connections()).toBe(0);
  });

  it('fails when its destination is disabled, and can be retried once the destination is enabled', async () => {
    const destinationId = await destination(receiver.url);
    receiver.answer(500);
    const id = await raiseOne();
    await until(id, isRetrying);
    await putOff(id);
    const other = await destination(receiver.url);
    const elsewhere = await notify(other);
    await until(elsewhere, isRetrying);
    await putOff(elsewhere);
    await switchDestination(destinationId, 'disable');
    expect(isRetrying(await read(elsewhere))).toBe(true);
    expect(await read(id)).toMatchObject({
      status: 'failed',
      retry_count: 1,
      failure_reason: 'destination_disabled',
    });
    const retry = async (account: Account = acme.owner): Promise<unknown[]> => {
      const answer = await api.as(account).post(`/v1/alerts/deliveries/${id}/retry`);
      const body = answer.body as { detail?: string; status?: string };
      return [answer.status, body.detail ?? body.status];
    };
    expect(await retry()).toEqual([409, 'Alert destination is disabled']);
    await switchDestination(destinationId, 'enable');
    receiver.answer(204);
    expect(await retry(await acme.member())).toEqual([403, 'Insufficient project role']);
    const answers = await Promise.all([retry(), retry(), retry()]);
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    // A worker passes the delivery over while one of the other requests still holds its row. The next round finds it.
    await job('alert-deliveries');
    expect(await until(id, isOver)).toMatchObject({
      status: 'sent',
      retry_count: 0,
      response_code: 204,
      failure_reason: null,
    });
    expect(await retry()).toEqual([409, 'Alert delivery has not failed']);
    expect(receiver.received).toHaveLength(3);
    await changeDestination(other, { is_enabled: false });
    expect(await read(elsewhere)).toMatchObject({
      status: 'failed',
      failure_reason: 'destination_disabled',
    });
    const audits = (await activityOf(acme)).filter(
      ({ action, target_id }) => action === 'alert_delivery.retried' && target_id === id,
    );
    expect(audits[0]?.detail).toEqual({
      destination_id: destinationId,
      retry_count: 1,
      failure_reason: 'destination_disabled',
    });
    await api
      .as(acme.owner)
      .post(`/v1/alerts/deliveries/${newId()}/retry`)
      .expect(404, { detail: 'Alert delivery not found' });
  });

  it('stays and fails when its destination is deleted, and cannot be retried then', async () => {
    const destinationId = await destination(receiver.url);
    receiver.answer(500);
    const [waiting, held] = [await raiseOne(), await raiseOne()];
    for (const id of [waiting, held]) {
      await until(id, isRetrying);
      await putOff(id);
    }
    await claimAlertDelivery(held);
    await api.as(acme.owner).delete(`/v1/alert-destinations/${destinationId}`).expect(204);
    expect(await read(waiting)).toMatchObject({
      status: 'failed',
      failure_reason: 'destination_deleted',
      destination_name: 'Receiver',
    });
    await expireClaimOf(held);
    await job('alert-deliveries');
    expect(await until(held, ({ retry_count }) => retry_count > 1)).toMatchObject({
      status: 'retrying',
      retry_count: 2,
      failure_reason: 'lease_expired',
    });
    expect(await tryAgain(held)).toMatchObject({ status: 'failed', failure_reason: 'destination_deleted' });
    const retried = await api.as(acme.owner).post(`/v1/alerts/deliveries/${held}/retry`);
    expect(retried.body).toEqual({ detail: 'Alert destination has been deleted' });
  });

  it('is retried with all others of a window that failed and whose destination is enabled', async () => {
    const good = await destination(receiver.url);
    receiver.answer(404);
    const ids = [await raiseOne(), await raiseOne(), await raiseOne()];
    const off = await destination(receiver.url);
    ids.push(await notify(off));
    for (const id of ids) expect(await until(id, isOver)).toMatchObject({ status: 'failed' });
    await switchDestination(off, 'disable');
    expect((await list({ destination_id: good })).total).toBe(3);
    await ageAlertDeliveries([ids[0]!], 25 * HOUR_SECONDS);
    receiver.answer(200);
    const retry = async (more: object = {}): Promise<unknown> => {
      const body = { project_id: acme.projectId, ...more };
      const answer = await api.as(acme.owner).post('/v1/alerts/deliveries/retry-failed', body);
      if (answer.status === 200) return answer.body;
      return [answer.status, (answer.body as { detail: { msg: string }[] }).detail[0]?.msg];
    };
    expect(await retry({ from_ts: '2026-01-02T00:00:00Z', to_ts: '2026-01-01T00:00:00Z' })).toEqual([
      422,
      'Value error, from_ts must lie before to_ts',
    ]);
    expect(await retry({ destination_id: newId() })).toEqual({ retried: 0, remaining: 0 });
    expect(await retry()).toEqual({ retried: 2, remaining: 1 });
    for (const id of ids.slice(1, 3)) expect(await until(id, isOver)).toMatchObject({ status: 'sent' });
    expect(await retry({ from_ts: '2000-01-01T00:00:00Z' })).toEqual({ retried: 1, remaining: 1 });
    expect(await until(ids[0]!, isOver)).toMatchObject({ status: 'sent' });
    expect((await list({ status: 'failed' })).items).toMatchObject([{ id: ids[3] }]);
    expect((await list({ status: 'sent', limit: 2, offset: 2 })).items).toHaveLength(1);
    expect((await list({ to_ts: new Date(Date.now() - DAY_MS).toISOString() })).items).toMatchObject([{ id: ids[0] }]);
  });

  it('is retried before those that failed later, also when those are older', async () => {
    const destinationId = await destination(receiver.url);
    receiver.answer(404);
    const id = await raiseOne();
    await until(id, isOver);
    await copyFailedAlertDelivery(id, 1_000);
    receiver.answer(200);
    const body = { project_id: acme.projectId, destination_id: destinationId };
    const answer = await api.as(acme.owner).post('/v1/alerts/deliveries/retry-failed', body).expect(200);
    expect(answer.body).toEqual({ retried: 1_000, remaining: 1 });
    expect(await until(id, isOver)).toMatchObject({ status: 'sent' });
    // Other tests need not wait for the rest.
    await switchDestination(destinationId, 'disable');
  });

  it('fails after five seconds when its receiver does not answer, and delays no delivery to another destination', async () => {
    receiver.answer(() => undefined, '/hangs');
    const hangs = await destination(`${receiver.url}/hangs`);
    const [stuck] = await raise();
    for (let count = 1; count < 30; count += 1) await raise();
    const good = await destination(`${receiver.url}/good`);
    for (let count = 0; count < 30; count += 1) await raise();
    const quick = await list({ destination_id: good, limit: 100 });
    expect(quick.items).toHaveLength(30);
    for (const { id } of quick.items) expect(await until(id, isOver)).toMatchObject({ status: 'sent' });
    // The receiver that hangs takes five deliveries at a time, and five seconds for each: a minute for all.
    expect((await list({ destination_id: hangs, status: 'pending', limit: 100 })).total).toBeGreaterThan(0);
    expect(await until(stuck!, isRetrying)).toMatchObject({
      failure_reason: 'timeout: Timed out waiting for the answer',
    });
    // Other tests need not wait for the rest.
    await switchDestination(hangs, 'disable');
  });
});
