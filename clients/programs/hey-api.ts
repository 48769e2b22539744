import { client } from './generated/hey-api/client.gen.js';
import {
  createApiKey,
  createOrganization,
  createProject,
  ingestEvent,
  listEvents,
  logIn,
} from './generated/hey-api/index.js';
import type { CreateProjectError, IngestRequest } from './generated/hey-api/index.js';
import { EVENTS, password, print, slug, url, username } from './report.js';

client.setConfig({ baseUrl: url });
const throwOnError = true;

const { data: tokens } = await logIn({ body: { username, password }, throwOnError });
if (!('access_token' in tokens)) throw new Error(`a second factor is asked for: ${tokens.methods.join()}`);
let key = '';
client.setConfig({ auth: ({ type }) => (type === 'http' ? tokens.access_token : key) });

const { data: organization } = await createOrganization({ body: { name: 'Acme', slug }, throwOnError });
const shop = { organization_id: organization.id, name: 'Shop', slug };
const { data: project } = await createProject({ body: shop, throwOnError });
const { data: issued } = await createApiKey({
  body: { project_id: project.id, name: 'Shop', scopes: ['events:write'] },
  throwOnError,
});
key = issued.key;

for (const event_id of EVENTS) {
  const body: IngestRequest = { event_type: 'order.paid', source: 'shop', event_id };
  await ingestEvent({ body, throwOnError });
}

const events: (string | null)[] = [];
for (let before: string | null | undefined; before !== null;) {
  const query = { project_id: project.id, limit: 2, ...(before !== undefined && { before }) };
  const { data: page } = await listEvents({ query, throwOnError });
  events.push(...page.items.map(({ external_event_id }) => external_event_id));
  before = page.next_before;
}

const again = await createProject({ body: shop });
const sentence: CreateProjectError['detail'] | undefined = again.error?.detail;
const empty = await createProject({ body: { ...shop, name: '' } });
const rows = typeof empty.error?.detail === 'object' ? empty.error.detail : [];
print({
  events,
  refusal: sentence === 'Plan limit reached: projects' ? sentence : 'another refusal',
  faults: rows.map(({ loc, type }) => [loc.join('.'), type]),
});
