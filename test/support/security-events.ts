import type { TestApp } from './app.js';

export interface SecurityEventItem {
  id: string;
  type: string;
  ip: string | null;
  user_agent: string | null;
  created_at: string;
  detail: Record<string, unknown>;
}

/** The account's security log as its owner reads it, newest first. */
export async function securityEvents(app: TestApp, bearer: string): Promise<SecurityEventItem[]> {
  const { body } = await app
    .request()
    .get('/v1/account/security-events?limit=100')
    .set('Authorization', bearer)
    .expect(200);
  return (body as { items: SecurityEventItem[] }).items;
}

export async function securityEventTypes(app: TestApp, bearer: string): Promise<string[]> {
  return (await securityEvents(app, bearer)).map(({ type }) => type);
}
