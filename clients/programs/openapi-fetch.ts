import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi-typescript.js';
import { EVENTS, expected, password, print, slug, url, username } from './report.js';

const api = createClient<paths>({ baseUrl: url });

const signedIn = await api.POST('/v1/auth/login', {
  body: { username, password },
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
});
const tokens = expected(signedIn.data, signedIn.error);
if (!('access_token' in tokens)) throw new Error(`a second factor is asked for: ${tokens.methods.join()}`);
api.use({ onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${tokens.access_token}`) });

const organization = await api.POST('/v1/organizations', { body: { name: 'Acme', slug } });
const { id: organization_id } = expected(organization.data, organization.error);
const project = await api.POST('/v1/projects', { body: { organization_id, name: 'Shop', slug } });
const { id: project_id } = expected(project.data, project.error);
const issued = await api.POST('/v1/api-keys', { body: { project_id, name: 'Shop', scopes: ['events:write'] } });
const { key } = expected(issued.data, issued.error);

for (const event_id of EVENTS) {
  const body: components['schemas']['IngestRequest'] = { event_type: 'order.paid', source: 'shop', event_id };
  const taken = await api.POST('/v1/events/ingest', { body, headers: { 'X-API-Key': key } });
  expected(taken.data, taken.error);
}

const events: (string | null)[] = [];
for (let before: string | null | undefined; before !== null;) {
  const query = { project_id, limit: 2, ...(before !== undefined && { before }) };
  const page = await api.GET('/v1/events', { params: { query } });
  const { items, next_before } = expected(page.data, page.error);
  events.push(...items.map(({ external_event_id }) => external_event_id));
  before = next_before;
}

const again = await api.POST('/v1/projects', { body: { organization_id, name: 'Shop', slug } });
if (again.error === undefined) throw new Error('the plan has no limit');
const { detail } = again.error;
const empty = await api.POST('/v1/projects', { body: { organization_id, name: '', slug } });
const rows = typeof empty.error?.detail === 'object' ? empty.error.detail : [];
print({
  events,
  refusal: detail === 'Plan limit reached: projects' ? detail : 'another refusal',
  faults: rows.map(({ loc, type }) => [loc.join('.'), type]),
});
