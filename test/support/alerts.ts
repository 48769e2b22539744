import { createHmac } from 'node:crypto';
import type { Response } from 'supertest';
import type { ProjectId } from '../../src/modules/access/index.js';
import type { AlertNotification } from '../../src/modules/alerting/destinations/index.js';
import { FanOutService, type NotificationTargets } from '../../src/modules/alerting/fan-out/index.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/ids/index.js';
import type { Actor, Owner } from './actors.js';
import type { TestApp } from './app.js';
import { INTERNAL_TOKEN, type Json } from './delivery.js';
import { eventually } from './eventually.js';
import type { Received } from './receiver.js';

/** The actions of a person on the alert destinations and deliveries of one project. */
export class AlertClient {
  constructor(
    private readonly app: TestApp,
    private readonly actor: Pick<Actor, 'bearer'>,
    readonly projectId: ProjectId,
  ) {}

  as(actor: Pick<Actor, 'bearer'>): AlertClient {
    return new AlertClient(this.app, actor, this.projectId);
  }

  async send(method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object): Promise<Response> {
    const request = this.app.request()[method](path).set('Authorization', this.actor.bearer);
    return body === undefined ? request : request.send(body);
  }

  create(destination: object): Promise<Response> {
    return this.send('post', '/v1/alert-destinations', {
      project_id: this.projectId,
      type: 'webhook',
      name: 'Receiver',
      ...destination,
    });
  }

  /** @returns the id */
  async destination(targetUrl: string, more: object = {}): Promise<string> {
    const answer = await this.create({ target_url: targetUrl, ...more });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return (answer.body as { id: string }).id;
  }

  async destinations(): Promise<Json[]> {
    return (await this.send('get', `/v1/alert-destinations?project_id=${this.projectId}`)).body as Json[];
  }

  async deliveries(query: Readonly<Record<string, string>> = {}): Promise<Json> {
    const search = new URLSearchParams({ project_id: this.projectId, ...query });
    return (await this.send('get', `/v1/alerts/deliveries?${search.toString()}`)).body;
  }

  async delivery(id: string): Promise<Json> {
    return (await this.send('get', `/v1/alerts/deliveries/${id}`)).body;
  }

  /** Waits until a delivery satisfies the condition. */
  until(id: string, holds: (delivery: Json) => boolean): Promise<Json> {
    return eventually(() => this.delivery(id), holds);
  }

  /**
   * Enqueues a notification as the alerts module does, in a transaction of its own. @returns the ids of the deliveries
   */
  async raise(
    targets: NotificationTargets = { kind: 'project' },
    more: Partial<AlertNotification> = {},
  ): Promise<string[]> {
    const alertEvent = { ...notificationOf(this.projectId), ...more };
    const notifications = this.app.nest.get(FanOutService, { strict: false });
    const enqueued = await this.app.nest
      .get(Database)
      .transaction((tx) => notifications.enqueue({ alertEvent, targets }, tx));
    return [...enqueued.deliveryIds];
  }

  /** Like {@link raise}, but for one destination. */
  async raiseFor(destinationId: string, more: Partial<AlertNotification> = {}): Promise<string> {
    const [id] = await this.raise({ kind: 'linked', destinationIds: [destinationId], channelIds: [] }, more);
    if (id === undefined) throw new Error('nobody was told');
    return id;
  }
}

export function alertsOf(app: TestApp, owner: Owner): AlertClient {
  return new AlertClient(app, owner, owner.projectId);
}

export function notificationOf(projectId: ProjectId): AlertNotification {
  return {
    alertEventId: newId(),
    alertRuleId: newId(),
    ruleName: 'Payments fail',
    projectId,
    eventId: newId(),
    eventType: 'payment.failed',
    source: 'checkout',
    sourceId: null,
    eventAt: new Date('2026-03-01T11:59:00.000Z'),
    eventMessage: '3 payments failed',
    groupValues: {},
    severity: 'critical',
    status: 'open',
    message: 'Grüße: 3 payments failed',
    payload: { z: 1, a: { amount: 12.5 } },
    occurrences: 1,
    traceparent: null,
    createdAt: new Date('2026-03-01T12:00:00.000Z'),
  };
}

/** Calls POST /internal/jobs/alert-deliveries. */
export async function runAlertDeliveries(app: TestApp): Promise<number> {
  const answer = await app
    .request()
    .post('/internal/jobs/alert-deliveries')
    .set('X-Internal-Token', INTERNAL_TOKEN)
    .expect(200);
  return (answer.body as { processed: number }).processed;
}

/** Computes the signature from the documentation, with code of its own, as a receiver does. */
export function expectedSignature(secret: string, { headers, body }: Received): string {
  const signed = `${String(headers['x-service-timestamp'])}.${body}`;
  return `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}
