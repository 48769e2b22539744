import { randomBytes } from 'node:crypto';
import type { Response } from 'supertest';
import { eventually } from './eventually.js';
import { hasInternalJobs } from './running-service.js';
import { type Account, api, job, type Tenant } from './service.js';

/* eslint-disable @typescript-eslint/no-explicit-any -- bodies of answers, whose shape the assertions check */
export type Json = any;

/** No rule resolves its alert during a test: the notification of the resolution would be another delivery. */
const KEEP_FIRING_SECONDS = 86_400;

/** The actions of a person below /v1/delivery in one project. */
export class DeliveryClient {
  constructor(
    readonly projectId: string,
    private readonly account: Account,
  ) {}

  as(account: Account): DeliveryClient {
    return new DeliveryClient(this.projectId, account);
  }

  async get(path: string, query: object = {}): Promise<Response> {
    return api.as(this.account).get(`/v1/delivery${path}`, { project_id: this.projectId, ...query });
  }

  async send(method: 'post' | 'patch' | 'delete', path: string, body?: object): Promise<Response> {
    return api.as(this.account)[method](`/v1/delivery${path}`, body).query({ project_id: this.projectId });
  }

  async create(channel: object): Promise<Response> {
    const body = { project_id: this.projectId, name: 'Receiver', ...channel };
    return api.as(this.account).post('/v1/delivery/channels', body);
  }

  /** @returns the id */
  async webhook(url: string, more: { configuration?: object; [field: string]: unknown } = {}): Promise<string> {
    const { configuration, ...rest } = more;
    const answer = await this.create({ type: 'webhook', ...rest, configuration: { url, ...configuration } });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body.id as string;
  }

  /** Returns the channels of the project, the newest first. */
  async channels(): Promise<Json[]> {
    return (await this.get('/channels')).body as Json[];
  }

  /** Sends a test to a channel. @returns the result */
  async test(channelId: string): Promise<Json> {
    return (await this.send('post', `/channels/${channelId}/test`)).body;
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

export function deliveryOf({ projectId, owner }: Tenant): DeliveryClient {
  return new DeliveryClient(projectId, owner);
}

/** Creates an alert rule that matches an event and notifies one channel. @returns the id of the attempt */
export async function ruleMatch({ owner, projectId, key }: Tenant, channelId: string): Promise<string> {
  const type = `payment.failed.${randomBytes(6).toString('hex')}`;
  const rule = {
    project_id: projectId,
    name: 'Payments fail',
    condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: type }] },
    keep_firing_seconds: KEEP_FIRING_SECONDS,
    channel_ids: [channelId],
  };
  const { id: ruleId } = (await api.as(owner).post('/v1/alert-rules', rule).expect(201)).body as { id: string };
  const event = { event_type: type, source: 'shop', payload: { amount: 12 } };
  await api.as(key).post('/v1/events/ingest', event).expect(200);
  // The service evaluates rules each second.
  if (hasInternalJobs) await job('rule-evaluations');
  const query = { project_id: projectId, channel_id: channelId, kind: 'rule_match', limit: 100 };
  const attempt = await eventually(
    async () => {
      const { body } = await api.as(owner).get('/v1/delivery/history', query).expect(200);
      return (body as { items: { id: string; rule_id: string | null }[] }).items.find(
        ({ rule_id }) => rule_id === ruleId,
      );
    },
    (found) => found !== undefined,
    () => `the rule ${ruleId} has not notified the channel ${channelId}`,
  );
  return attempt?.id ?? '';
}
