import type { Test } from 'supertest';
import { api, type Tenant } from './service.js';

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

/** Creates an Event Source of a tenant, as its owner. */
export async function createSource({ owner, projectId }: Tenant, body: object = {}): Promise<SourceRecord> {
  const source = { project_id: projectId, name: 'Checkout', ...body };
  return (await api.as(owner).post('/v1/ingest-sources', source).expect(201)).body as SourceRecord;
}

/** Sends one event with a key. */
export function ingest(apiKey: string, body: object = {}): Test {
  return api.as({ apiKey }).post('/v1/events/ingest', { event_type: 'order.paid', source: 'shop', ...body });
}
