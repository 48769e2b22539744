import type { Response } from 'supertest';
import type { ProjectId } from '../../src/modules/access/index.js';
import { DeliveryRequestService, type RuleMatch } from '../../src/modules/delivery/deliveries/index.js';
import { Database } from '../../src/platform/database/database.js';
import type { Actor, Owner } from './actors.js';
import type { TestApp } from './app.js';
import { eventually } from './eventually.js';

export const INTERNAL_TOKEN = 'internal-job-token-of-the-test';
/** Receivers of the tests listen on the loopback. Polls are rare, so that the tests cover wake-ups. */
export const DELIVERY_ENV = {
  OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
  INTERNAL_JOB_TOKEN: INTERNAL_TOKEN,
  DELIVERY_RETRY_POLL_SECONDS: '3600',
};

/* eslint-disable @typescript-eslint/no-explicit-any -- bodies of answers, whose shape the assertions check */
export type Json = any;

/** The actions of a person below /v1/delivery in one project. */
export class DeliveryClient {
  constructor(
    private readonly app: TestApp,
    private readonly actor: Pick<Actor, 'bearer'>,
    readonly projectId: ProjectId,
  ) {}

  as(actor: Pick<Actor, 'bearer'>): DeliveryClient {
    return new DeliveryClient(this.app, actor, this.projectId);
  }

  async get(path: string, query: object = {}): Promise<Response> {
    return this.app
      .request()
      .get(`/v1/delivery${path}`)
      .query({ project_id: this.projectId, ...query })
      .set('Authorization', this.actor.bearer);
  }

  async send(method: 'post' | 'patch' | 'delete', path: string, body?: object): Promise<Response> {
    const request = this.app
      .request()
      [method](`/v1/delivery${path}`)
      .query({ project_id: this.projectId })
      .set('Authorization', this.actor.bearer);
    return body === undefined ? request : request.send(body);
  }

  async create(channel: object): Promise<Response> {
    return this.app
      .request()
      .post('/v1/delivery/channels')
      .set('Authorization', this.actor.bearer)
      .send({ project_id: this.projectId, name: 'Receiver', ...channel });
  }

  /** @returns the id */
  async webhook(url: string, more: { configuration?: object; [field: string]: unknown } = {}): Promise<string> {
    const { configuration, ...rest } = more;
    const answer = await this.create({ type: 'webhook', ...rest, configuration: { url, ...configuration } });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body.id as string;
  }

  async attempt(id: string): Promise<Json> {
    return (await this.get(`/history/${id}`)).body;
  }

  async audits(id: string): Promise<Json[]> {
    return (await this.get('/retry-audits', { delivery_id: id })).body.items as Json[];
  }

  /** Waits until an attempt satisfies the condition. */
  until(id: string, holds: (attempt: Json) => boolean): Promise<Json> {
    return eventually(() => this.attempt(id), holds);
  }
}

export function deliveryOf(app: TestApp, owner: Owner): DeliveryClient {
  return new DeliveryClient(app, owner, owner.projectId);
}

/** Creates an attempt as the alerts module does, in a transaction of its own. */
export async function ruleMatch(
  app: TestApp,
  projectId: ProjectId,
  channelId: string,
  more: Partial<RuleMatch> = {},
): Promise<string> {
  const database = app.nest.get(Database);
  const requests = app.nest.get(DeliveryRequestService, { strict: false });
  const id = await database.transaction((tx) =>
    requests.ruleMatch(tx, {
      projectId,
      channelId,
      rule: { name: 'Payments fail' },
      event: { event: 'payment.failed', properties: { amount: 12 } },
      ruleId: null,
      ...more,
    }),
  );
  if (id === null) throw new Error('no such channel');
  return id;
}

/** Makes the scheduled retry of an attempt due now. */
export async function makeDue(app: TestApp, id: string): Promise<void> {
  await app.rows('UPDATE delivery_attempts SET due_at = now() WHERE id = $1 AND due_at IS NOT NULL', [id]);
}

/** Calls POST /internal/jobs/delivery-retries. */
export async function runRetries(app: TestApp): Promise<number> {
  const answer = await app
    .request()
    .post('/internal/jobs/delivery-retries')
    .set('X-Internal-Token', INTERNAL_TOKEN)
    .expect(200);
  return (answer.body as { processed: number }).processed;
}
