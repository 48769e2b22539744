import type { Test } from 'supertest';
import type { Actor, Owner } from './actors.js';
import type { TestApp } from './app.js';

export interface KeyRecord {
  id: string;
  key: string;
  source_id: string | null;
  name: string;
  prefix: string;
  scopes: string[];
  status: string;
  expires_at: string | null;
  allowed_origins?: string[];
  rate_limit_per_minute?: number;
}

export interface SourceRecord {
  id: string;
  project_id: string;
  name: string;
  type: string;
  is_enabled: boolean;
  description: string | null;
  created_at: string;
  last_event_at: string | null;
  key: KeyRecord;
}

export type Verb = 'get' | 'post' | 'patch' | 'delete';

/** Returns a function that sends requests of one person below a path. */
export function callerOf(app: TestApp, root: string, actor: Actor) {
  return (verb: Verb, rest = '', body?: object, as: Actor = actor): Test => {
    const request = app.request()[verb](`${root}${rest}`).set('Authorization', as.bearer);
    return body === undefined ? request : request.send(body);
  };
}

export async function createSource(app: TestApp, owner: Owner, body: object = {}): Promise<SourceRecord> {
  const answer = await app
    .request()
    .post('/v1/ingest-sources')
    .set('Authorization', owner.bearer)
    .send({ project_id: owner.projectId, name: 'Checkout', ...body })
    .expect(201);
  return answer.body as SourceRecord;
}

export function ingest(app: TestApp, key: string, body: object = {}): Test {
  return app
    .request()
    .post('/v1/events/ingest')
    .set('X-API-Key', key)
    .send({ event_type: 'order.paid', source: 'shop', ...body });
}

export async function setPlan(app: TestApp, owner: Owner, plan: string): Promise<void> {
  await app.rows('UPDATE organizations SET plan = $2 WHERE id = $1', [owner.organizationId, plan]);
}
