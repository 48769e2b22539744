import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { alertDeliveriesJob } from '../../../src/modules/alerting/destinations/index.js';
import { FanOutService } from '../../../src/modules/alerting/fan-out/index.js';
import { Database } from '../../../src/platform/database/database.js';
import { JobQueue } from '../../../src/platform/queue/index.js';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertClient, alertsOf, expectedSignature, noticeOf, runAlertDeliveries } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, deliveryOf, INTERNAL_TOKEN, type Json } from '../../support/delivery.js';
import { type Receiver, type Received, startReceiver } from '../../support/receiver.js';

const SECRET = 'the-secret-of-the-receiver-0123456789';
const isOver = ({ status }: Json): boolean => status === 'sent' || status === 'failed';
const isRetrying = ({ status }: Json): boolean => status === 'retrying';

/** As a receiver that uses the library of Standard Webhooks. */
function verify(secret: string, { headers, body }: Received): unknown {
  return new Webhook(Buffer.from(secret), { format: 'raw' }).verify(body, headers as Record<string, string>);
}

describe('alert deliveries', () => {
  let app: TestApp;
  let owner: Owner;
  let alerts: AlertClient;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    alerts = alertsOf(app, owner);
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(() => app.close());

  /** Seconds from the last try to the next, as the database has them. */
  const waitOf = async (id: string): Promise<number> => {
    const [row] = await app.rows<{ seconds: number }>(
      `SELECT round(extract(epoch FROM due_at - now()))::int AS seconds FROM alert_deliveries WHERE id = $1`,
      [id],
    );
    return row?.seconds ?? Number.NaN;
  };
  const makeDue = (id: string): Promise<unknown> =>
    app.rows('UPDATE alert_deliveries SET due_at = now() WHERE id = $1 AND due_at IS NOT NULL', [id]);
  /** The next try, at once. */
  const tryAgain = async (id: string): Promise<Json> => {
    await makeDue(id);
    await runAlertDeliveries(app);
    return alerts.delivery(id);
  };
  const linked = (destinationIds: string[], channelIds: string[] = []) => ({
    kind: 'linked' as const,
    destinationIds,
    channelIds,
  });

  it('bring the documented body with its headers, signed so that own code and a library verify it', async () => {
    const destination = await alerts.destination(`${receiver.url}/hook`, { secret: SECRET });
    const notice = noticeOf(owner.projectId);
    const [id] = await alerts.raise({ kind: 'project' }, notice);
    const [request] = await receiver.requests(1);
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
        alert_event_id: notice.alertEventId,
        alert_rule_id: notice.alertRuleId,
        project_id: owner.projectId,
        event_id: notice.eventId,
        event_type: 'payment.failed',
        source: 'checkout',
        severity: 'critical',
        status: 'open',
        message: 'Grüße: 3 payments failed',
        payload: { z: 1, a: { amount: 12.5 } },
        created_at: '2026-03-01T12:00:00.000Z',
      }),
    );
    expect(await alerts.until(id!, isOver)).toEqual({
      id,
      project_id: owner.projectId,
      alert_event_id: notice.alertEventId,
      destination_id: destination,
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
    });
  });

  it('are unsigned without a secret, and nulls where the alert has nothing', async () => {
    await alerts.destination(receiver.url);
    const nothing = { alertRuleId: null, ruleName: null, eventId: null, eventType: null, source: null };
    await alerts.raise({ kind: 'project' }, { ...nothing, severity: null, status: null, message: null, payload: null });
    const [request] = await receiver.requests(1);
    expect(Object.keys(request!.headers)).not.toContain('x-service-signature');
    expect(Object.keys(request!.headers)).not.toContain('webhook-signature');
    expect(Object.values(JSON.parse(request!.body) as object).filter((value) => value === null)).toHaveLength(8);
  });

  it('go to every enabled webhook of the project, or to what is linked and enabled, and to nobody else', async () => {
    const at = (path: string, more: object = {}): Promise<string> => alerts.destination(`${receiver.url}${path}`, more);
    const [one, two] = [await at('/one'), await at('/two')];
    const off = await at('/off', { is_enabled: false });
    const slack = await at('/slack', { type: 'slack' });
    const foreign = await alertsOf(app, await ownerWithProject(app)).destination(`${receiver.url}/foreign`);
    const channel = await deliveryOf(app, owner).webhook(`${receiver.url}/channel`);
    const paths = (): string[] =>
      receiver.received
        .splice(0)
        .map(({ path }) => path)
        .sort();

    expect(await alerts.raise({ kind: 'project' })).toHaveLength(2);
    await receiver.requests(2);
    await runAlertDeliveries(app);
    expect(paths()).toEqual(['/one', '/two']);

    expect(await alerts.raise(linked([two, slack, off, foreign, newId()], [channel, newId()]))).toHaveLength(2);
    await receiver.requests(3);
    await runAlertDeliveries(app);
    const channelRequest = receiver.received.find(({ path }) => path === '/channel');
    expect(JSON.parse(channelRequest!.body)).toMatchObject({
      type: 'rule_match',
      channel_id: channel,
      rule: { name: 'Payments fail', severity: 'critical' },
      event: { type: 'payment.failed', message: 'Grüße: 3 payments failed', payload: { z: 1 }, occurrences: 1 },
    });
    const slackRequest = receiver.received.find(({ path }) => path === '/slack');
    expect(JSON.parse(slackRequest!.body)).toMatchObject({
      text: '[CRITICAL] Payments fail: Grüße: 3 payments failed',
    });
    expect(paths()).toEqual(['/channel', '/slack', '/two']);

    expect(await alerts.raise(linked([]))).toEqual([]);
    const shown = await alerts.deliveries({ destination_id: one });
    expect(shown).toMatchObject({ total: 1, limit: 25, offset: 0, items: [{ destination_id: one }] });
  });

  it('exist only when the transaction of their cause commits', async () => {
    await alerts.destination(receiver.url);
    const order = { alertEvent: noticeOf(owner.projectId), targets: { kind: 'project' as const } };
    const undone = app.nest.get(Database).transaction(async (tx) => {
      expect((await app.nest.get(FanOutService, { strict: false }).enqueue(order, tx)).deliveryIds).toHaveLength(1);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await runAlertDeliveries(app);
    expect([(await alerts.deliveries()).total, receiver.connections()]).toEqual([0, 0]);
  });

  it.each([408, 409, 425, 429, 500, 503, 599])('try again after %i', async (status) => {
    receiver.answer(status);
    const id = await alerts.raiseFor(await alerts.destination(receiver.url));
    const delivery = await alerts.until(id, isRetrying);
    expect(delivery).toMatchObject({
      retry_count: 1,
      response_code: status,
      failure_reason: `http_${status}: The receiver answered ${status}`,
    });
    expect(delivery.next_retry_at).not.toBeNull();
    expect(delivery.completed_at).toBeNull();
    expect(await waitOf(id)).toBeGreaterThan(20);
    expect(await waitOf(id)).toBeLessThanOrEqual(30);
  });

  it.each([301, 307, 400, 401, 403, 404, 410, 418, 422])('give up at once after %i', async (status) => {
    receiver.answer((response) =>
      response.writeHead(status, { Location: `${receiver.url}/elsewhere`, 'Retry-After': '1' }).end(),
    );
    const id = await alerts.raiseFor(await alerts.destination(receiver.url));
    expect(await alerts.until(id, isOver)).toMatchObject({
      status: 'failed',
      retry_count: 1,
      next_retry_at: null,
      response_code: status,
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('try five times with growing waits under one id, each time signed anew, and then fail', async () => {
    receiver.answer(500);
    const id = await alerts.raiseFor(await alerts.destination(receiver.url, { secret: SECRET }));
    await alerts.until(id, isRetrying);
    const waits = [await waitOf(id)];
    for (const count of [2, 3, 4]) {
      expect(await tryAgain(id)).toMatchObject({ status: 'retrying', retry_count: count });
      waits.push(await waitOf(id));
    }
    for (const [at, wait] of [30, 60, 120, 240].entries()) {
      expect(waits[at]).toBeGreaterThan(wait - 10);
      expect(waits[at]).toBeLessThanOrEqual(wait);
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

  it.each([
    ['seconds', () => '3600', 3_600],
    ['a date', () => new Date(Date.now() + 7_200_000).toUTCString(), 7_200],
    ['more than a day', () => '999999', 86_400],
    ['less than the policy', () => '20', 20],
    ['nonsense', () => 'soon', 30],
  ])('wait after 429 as Retry-After says, also less than the policy: %s', async (_, value, seconds) => {
    receiver.answer((response) => response.writeHead(429, { 'Retry-After': value() }).end());
    const id = await alerts.raiseFor(await alerts.destination(receiver.url));
    await alerts.until(id, isRetrying);
    expect(await waitOf(id)).toBeGreaterThan(seconds - 10);
    expect(await waitOf(id)).toBeLessThanOrEqual(seconds + 1);
  });

  it.each([
    ['at once', () => '0'],
    ['a date that is past', () => new Date(Date.now() - 7_200_000).toUTCString()],
  ])('are sent again a second after a 429 that asks for no wait: %s', async (_, value) => {
    let answers = 0;
    receiver.answer((response) => response.writeHead(++answers === 1 ? 429 : 200, { 'Retry-After': value() }).end());
    const id = await alerts.raiseFor(await alerts.destination(receiver.url));
    await alerts.until(id, ({ status }) => status === 'sent');
    const [first, second] = receiver.received;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000);
    expect(second!.at - first!.at).toBeLessThan(5_000);
  });

  describe('of one fingerprint', () => {
    const messagesOf = (requests: readonly Received[]): string[] =>
      requests.map(({ body }) => (JSON.parse(body) as { message: string }).message);

    it('reach a destination in order while the first is retried, and hold up no other fingerprint or destination', async () => {
      let answers = 0;
      receiver.answer((response) => response.writeHead(++answers === 1 ? 503 : 200).end());
      const other = await startReceiver();
      const id = await alerts.destination(receiver.url);
      const elsewhere = await alerts.destination(other.url);
      const series = { fingerprint: 'checkout' };
      const first = await alerts.raiseFor(id, { ...series, message: 'opened' });
      await alerts.until(first, isRetrying);
      await alerts.raise(linked([id, elsewhere]), { ...series, message: 'resolved' });
      const third = await alerts.raiseFor(id, { ...series, message: 'opened again' });
      const free = await alerts.raiseFor(id, { fingerprint: 'search', message: 'another series' });
      await alerts.until(free, isOver);
      expect(messagesOf(await other.requests(1))).toEqual(['resolved']);
      await runAlertDeliveries(app);
      expect(messagesOf(receiver.received)).toEqual(['opened', 'another series']);
      expect(await app.metrics()).toMatch(/^alert_delivery_backlog 0$/m);

      await makeDue(first);
      await runAlertDeliveries(app);
      await alerts.until(third, isOver);
      expect(messagesOf(receiver.received).slice(2)).toEqual(['opened', 'resolved', 'opened again']);
      await other.close();
    });

    it('follow at once when the one before was sent or has failed for good, each after the answer to the last', async () => {
      const answered: string[] = [];
      receiver.answer((response, { body }) => {
        const { message } = JSON.parse(body) as { message: string };
        setTimeout(() => {
          answered.push(message);
          response.writeHead(message === '2' ? 400 : 200).end();
        }, 20);
      });
      const id = await alerts.destination(receiver.url);
      const messages = Array.from({ length: 6 }, (_, index) => String(index));
      const ids: string[] = [];
      for (const message of messages) ids.push(await alerts.raiseFor(id, { fingerprint: 'checkout', message }));
      for (const each of ids) await alerts.until(each, isOver);
      expect(messagesOf(receiver.received)).toEqual(messages);
      expect(answered).toEqual(messages);
    });

    it('wait for those before them no longer than an hour', async () => {
      receiver.answer((response, { body }) => response.writeHead(body.includes('stuck') ? 503 : 200).end());
      const id = await alerts.destination(receiver.url);
      const first = await alerts.raiseFor(id, { fingerprint: 'checkout', message: 'stuck' });
      await alerts.until(first, isRetrying);
      const second = await alerts.raiseFor(id, { fingerprint: 'checkout', message: 'later' });
      await runAlertDeliveries(app);
      expect(await alerts.delivery(second)).toMatchObject({ status: 'pending' });
      await app.rows(
        `UPDATE alert_deliveries SET created_at = created_at - interval '61 minutes' WHERE id = ANY ($1)`,
        [[first, second]],
      );
      await runAlertDeliveries(app);
      expect(await alerts.delivery(second)).toMatchObject({ status: 'sent' });
    });
  });

  it('hear Retry-After with no other answer', async () => {
    receiver.answer((response) => response.writeHead(503, { 'Retry-After': '3600' }).end());
    const id = await alerts.raiseFor(await alerts.destination(receiver.url));
    await alerts.until(id, isRetrying);
    expect(await waitOf(id)).toBeLessThanOrEqual(30);
  });

  it('try again when there was no answer at all', async () => {
    const gone = await startReceiver();
    await gone.close();
    receiver.answer((_, __, socket) => socket.destroy());
    const ids = await alerts.raise(
      linked([await alerts.destination(gone.url), await alerts.destination(receiver.url)]),
    );
    const reasons = await Promise.all(
      ids.map(async (id) => (await alerts.until(id, isRetrying)).failure_reason as string),
    );
    expect(reasons.sort()).toEqual([
      'connection_refused: Connection was refused',
      'connection_reset: Connection was closed before an answer',
    ]);
  });

  it('are not sent to an address that became unsafe, nor ever again', async () => {
    const destination = await alerts.destination(receiver.url);
    await app.rows(`UPDATE alert_destinations SET target_url = 'http://169.254.169.254/' WHERE id = $1`, [destination]);
    const id = await alerts.raiseFor(destination);
    expect(await alerts.until(id, isOver)).toMatchObject({
      status: 'failed',
      failure_reason: 'unsafe_destination: Destination is not allowed',
      response_code: null,
    });
  });

  it('keep what receivers say sanitized and without their secret', async () => {
    receiver.answer((response) =>
      response
        .writeHead(500)
        .end(`{"error":"bad ${SECRET}","authorization":"Bearer abcdefghijklmnop"} ${'é'.repeat(900)}`),
    );
    const slack = await alerts.destination(`${receiver.url}/services/slack-path-secret`, {
      type: 'slack',
      secret: SECRET,
    });
    const id = await alerts.raiseFor(slack);
    const { response_summary: summary } = await alerts.until(id, isRetrying);
    expect(summary.length).toBeLessThanOrEqual(500);
    const texts = [summary, JSON.stringify(await app.rows('SELECT * FROM alert_deliveries')), app.logLines.join('\n')];
    for (const text of texts) {
      for (const secret of [SECRET, 'slack-path-secret', 'abcdefghijklmnop']) expect(text).not.toContain(secret);
    }
  });

  it('are signed by the new secret and for 24 hours by the one before', async () => {
    const next = 'the-next-secret-0123456789';
    const destination = await alerts.destination(receiver.url, { secret: SECRET });
    const path = `/v1/alert-destinations/${destination}`;
    const signatures = async (): Promise<string[]> => {
      const count = receiver.received.length;
      await alerts.raiseFor(destination);
      const request = (await receiver.requests(count + 1))[count]!;
      verify(next, request);
      const given = String(request.headers['x-service-signature']).split(',');
      return given.map((one) =>
        one === expectedSignature(next, request) ? 'new' : one === expectedSignature(SECRET, request) ? 'old' : 'none',
      );
    };
    await alerts.send('patch', path, { secret: next });
    expect(await signatures()).toEqual(['new', 'old']);
    verify(SECRET, receiver.received[0]!);
    // The same one again is no rotation.
    await alerts.send('patch', path, { secret: next });
    expect(await signatures()).toEqual(['new', 'old']);

    await app.rows(`UPDATE alert_destinations SET previous_secret_until = now() WHERE id = $1`, [destination]);
    expect(await signatures()).toEqual(['new']);
    await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
    expect(await app.rows('SELECT previous_secret FROM alert_destinations WHERE id = $1', [destination])).toEqual([
      { previous_secret: null },
    ]);
    await alerts.send('patch', path, { secret: null });
    await alerts.raiseFor(destination);
    expect(Object.keys((await receiver.requests(4))[3]!.headers)).not.toContain('x-service-signature');
  });

  it('wait without losing a try while credentials cannot be read, and fail when their key is gone', async () => {
    const destination = await alerts.destination(receiver.url, { secret: SECRET });
    const [row] = await app.rows<{ secret: string }>('SELECT secret FROM alert_destinations WHERE id = $1', [
      destination,
    ]);
    const broken = row!.secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    await app.rows('UPDATE alert_destinations SET secret = $2 WHERE id = $1', [destination, broken]);
    const id = await alerts.raiseFor(destination);
    expect(await alerts.until(id, isOver)).toMatchObject({
      status: 'failed',
      retry_count: 0,
      failure_reason: 'credentials_unreadable',
    });

    const disabled = await createTestApp({
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
      env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' },
    });
    try {
      await app.rows(
        `UPDATE alert_deliveries SET status = 'pending', due_at = now() + interval '1 day', completed_at = NULL WHERE id = $1`,
        [id],
      );
      await app.rows(`UPDATE alert_deliveries SET due_at = now() WHERE id = $1`, [id]);
      await runAlertDeliveries(disabled);
      expect(await alerts.delivery(id)).toMatchObject({
        status: 'pending',
        retry_count: 0,
        failure_reason: 'cryptography_unavailable',
      });
      expect(receiver.connections()).toBe(0);
    } finally {
      await disabled.close();
    }
  });

  it('fail with the disabling of their destination, and can be retried once it is enabled', async () => {
    const destination = await alerts.destination(receiver.url);
    receiver.answer(500);
    const id = await alerts.raiseFor(destination);
    await alerts.until(id, isRetrying);
    const elsewhere = await alerts.raiseFor(await alerts.destination(receiver.url));
    await alerts.until(elsewhere, isRetrying);
    await alerts.send('post', `/v1/alert-destinations/${destination}/disable`);
    expect(isRetrying(await alerts.delivery(elsewhere))).toBe(true);
    expect(await alerts.delivery(id)).toMatchObject({
      status: 'failed',
      retry_count: 1,
      failure_reason: 'destination_disabled',
    });
    const retry = async (client = alerts): Promise<unknown[]> => {
      const { status, body } = await client.send('post', `/v1/alerts/deliveries/${id}/retry`);
      return [status, body.detail ?? body.status];
    };
    expect(await retry()).toEqual([409, 'Alert destination is disabled']);
    await alerts.send('post', `/v1/alert-destinations/${destination}/enable`);
    receiver.answer(204);
    expect(await retry(alerts.as(await addMember(app, owner, 'member')))).toEqual([403, 'Insufficient project role']);
    const answers = await Promise.all([retry(), retry(), retry()]);
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    // Its wake-up passes it over while one of the others still holds the row; the next look has it.
    await runAlertDeliveries(app);
    expect(await alerts.until(id, isOver)).toMatchObject({
      status: 'sent',
      retry_count: 0,
      response_code: 204,
      failure_reason: null,
    });
    expect(await retry()).toEqual([409, 'Alert delivery has not failed']);
    expect(receiver.received).toHaveLength(3);
    const { destination_id: other } = await alerts.delivery(elsewhere);
    await alerts.send('patch', `/v1/alert-destinations/${other}`, { is_enabled: false });
    expect(await alerts.delivery(elsewhere)).toMatchObject({
      status: 'failed',
      failure_reason: 'destination_disabled',
    });
    const [audit] = await app.rows<{ detail: object }>(
      `SELECT detail FROM audit_events WHERE action = 'alert_delivery.retried' AND target_id = $1`,
      [id],
    );
    expect(audit?.detail).toEqual({
      destination_id: destination,
      retry_count: 1,
      failure_reason: 'destination_disabled',
    });
    expect((await alerts.send('post', `/v1/alerts/deliveries/${newId()}/retry`)).body).toEqual({
      detail: 'Alert delivery not found',
    });
  });

  it('are not written over by a result that comes after their claim was ended, which is counted', async () => {
    const lost = async (): Promise<number> =>
      Number(/^alert_delivery_lost_leases_total (\d+)$/m.exec(await app.metrics())?.[1] ?? 0);
    const before = await lost();
    let release: () => void = () => undefined;
    receiver.answer((response) => void (release = () => response.writeHead(200).end()));
    const id = await alerts.raiseFor(await alerts.destination(receiver.url));
    await receiver.requests(1);
    await app.rows(`UPDATE alert_deliveries SET claim_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await app.nest.get(JobQueue).runNow(alertDeliveriesJob, { wait: false });
    expect(await alerts.delivery(id)).toMatchObject({ status: 'retrying', failure_reason: 'lease_expired' });
    release();
    while ((await lost()) === before) await pause(25);
    expect(await alerts.delivery(id)).toMatchObject({
      status: 'retrying',
      retry_count: 1,
      response_code: null,
      failure_reason: 'lease_expired',
    });
  });

  it('stay when their destination is deleted: what waits fails, and cannot be retried', async () => {
    const destination = await alerts.destination(receiver.url);
    receiver.answer(500);
    const [waiting, held] = [await alerts.raiseFor(destination), await alerts.raiseFor(destination)];
    for (const id of [waiting, held]) await alerts.until(id, isRetrying);
    // As if a worker had it in its hands.
    await app.rows(
      `UPDATE alert_deliveries SET claim_token = $2, claim_owner = 'w', claim_expires_at = now() WHERE id = $1`,
      [held, newId()],
    );
    expect((await alerts.send('delete', `/v1/alert-destinations/${destination}`)).status).toBe(204);
    expect(await alerts.delivery(waiting)).toMatchObject({
      status: 'failed',
      failure_reason: 'destination_deleted',
      destination_name: 'Receiver',
    });
    await runAlertDeliveries(app);
    expect(await alerts.delivery(held)).toMatchObject({
      status: 'retrying',
      retry_count: 2,
      failure_reason: 'lease_expired',
    });
    expect(await tryAgain(held)).toMatchObject({ status: 'failed', failure_reason: 'destination_deleted' });
    expect((await alerts.send('post', `/v1/alerts/deliveries/${held}/retry`)).body).toEqual({
      detail: 'Alert destination has been deleted',
    });
  });

  it('can be retried all together: those of a window that failed and may be sent', async () => {
    const [good, off] = [await alerts.destination(receiver.url), await alerts.destination(receiver.url)];
    receiver.answer(404);
    const ids = [
      await alerts.raiseFor(good),
      await alerts.raiseFor(good),
      await alerts.raiseFor(good),
      await alerts.raiseFor(off),
    ];
    for (const id of ids) await alerts.until(id, isOver);
    await alerts.send('post', `/v1/alert-destinations/${off}/disable`);
    await app.rows(`UPDATE alert_deliveries SET created_at = now() - interval '25 hours' WHERE id = $1`, [ids[0]]);
    receiver.answer(200);
    const retry = async (body: object = {}): Promise<unknown> => {
      const answer = await alerts.send('post', '/v1/alerts/deliveries/retry-failed', {
        project_id: owner.projectId,
        ...body,
      });
      return answer.status === 200 ? answer.body : [answer.status, answer.body.detail[0].msg];
    };
    expect(await retry({ from_ts: '2026-01-02T00:00:00Z', to_ts: '2026-01-01T00:00:00Z' })).toEqual([
      422,
      'Value error, from_ts must lie before to_ts',
    ]);
    expect(await retry({ destination_id: newId() })).toEqual({ retried: 0, remaining: 0 });
    expect(await retry()).toEqual({ retried: 2, remaining: 1 });
    for (const id of ids.slice(1, 3)) expect(await alerts.until(id, isOver)).toMatchObject({ status: 'sent' });
    expect(await retry({ from_ts: '2000-01-01T00:00:00Z' })).toEqual({ retried: 1, remaining: 1 });
    expect(await alerts.until(ids[0]!, isOver)).toMatchObject({ status: 'sent' });
    expect((await alerts.deliveries({ status: 'failed' })).items).toMatchObject([{ id: ids[3] }]);
    expect((await alerts.deliveries({ status: 'sent', limit: '2', offset: '2' })).items).toHaveLength(1);
    expect((await alerts.deliveries({ to_ts: new Date(Date.now() - 86_400_000).toISOString() })).items).toMatchObject([
      { id: ids[0] },
    ]);
  });

  it('to a receiver that hangs end after five seconds and delay no other destination', async () => {
    receiver.answer(() => undefined, '/hangs');
    const hangs = await alerts.destination(`${receiver.url}/hangs`);
    const good = await alerts.destination(`${receiver.url}/good`);
    const stuck: string[] = [];
    for (let count = 0; count < 30; count += 1) stuck.push(await alerts.raiseFor(hangs));
    const quick: string[] = [];
    for (let count = 0; count < 30; count += 1) quick.push(await alerts.raiseFor(good));
    for (const id of quick) expect(await alerts.until(id, isOver)).toMatchObject({ status: 'sent' });
    // The hanging one takes half a minute for its own, five at a time: the good one has all of its own long before.
    expect((await alerts.deliveries({ destination_id: hangs, status: 'pending', limit: '100' })).total).toBeGreaterThan(
      0,
    );
    expect(await alerts.until(stuck[0]!, isRetrying)).toMatchObject({
      failure_reason: 'timeout: Timed out waiting for the answer',
    });
  });

  it('are shown by the state of the jobs and by the metrics', async () => {
    const state = (await app.nest.get(JobQueue).state()).find(({ name }) => name === alertDeliveriesJob.name);
    expect(state).toMatchObject({ every_ms: 3_600_000, last_error: null });
    const metrics = await app.metrics();
    for (const name of [
      'outcomes_total{outcome="sent"}',
      'try_seconds_count',
      'backlog',
      'oldest_due_seconds',
      'in_flight',
    ]) {
      expect(metrics).toContain(`alert_delivery_${name} `);
    }
  });
});
