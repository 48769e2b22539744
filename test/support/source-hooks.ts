import { createSource, type SourceRecord } from './sources-api.js';
import type { Tenant } from './service.js';

/** An Event Source of type `webhook`, as the API answers it to an admin. */
export interface HookSource extends SourceRecord {
  hook_url: string;
  verification: { scheme: string; header?: string; encoding?: string; prefix?: string };
  has_verification_secret: boolean;
}

/** Creates an Event Source of type `webhook` of a tenant, as its owner. */
export async function createHook(acme: Tenant, verification?: object, body: object = {}): Promise<HookSource> {
  const more = verification === undefined ? {} : { verification };
  return (await createSource(acme, { type: 'webhook', name: 'Shop hooks', ...more, ...body })) as HookSource;
}
