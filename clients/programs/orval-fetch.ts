import {
  createApiKey,
  createOrganization,
  createProject,
  type IngestRequest,
  ingestEvent,
  listEvents,
  logIn,
} from './generated/orval-fetch.js';
import { EVENTS, password, print, slug, username } from './report.js';

const signedIn = await logIn({ username, password });
if (signedIn.status !== 200) throw new Error(JSON.stringify(signedIn.data));
const tokens = signedIn.data;
if (!('access_token' in tokens)) throw new Error(`a second factor is asked for: ${tokens.methods.join()}`);
const bearer = { headers: { Authorization: `Bearer ${tokens.access_token}` } };

const organization = await createOrganization({ name: 'Acme', slug }, bearer);
if (organization.status !== 201) throw new Error(JSON.stringify(organization.data));
const shop = { organization_id: organization.data.id, name: 'Shop', slug };
const project = await createProject(shop, bearer);
if (project.status !== 201) throw new Error(JSON.stringify(project.data));
const project_id = project.data.id;
const issued = await createApiKey({ project_id, name: 'Shop', scopes: ['events:write'] }, bearer);
if (issued.status !== 201) throw new Error(JSON.stringify(issued.data));

for (const event_id of EVENTS) {
  const event: IngestRequest = { event_type: 'order.paid', source: 'shop', event_id };
  // Of two media types the generator chooses none.
  const headers = { 'X-API-Key': issued.data.key, 'Content-Type': 'application/json' };
  const taken = await ingestEvent(event, { headers });
  if (taken.status !== 200) throw new Error(JSON.stringify(taken.data));
}

const events: (string | null)[] = [];
for (let before: string | null | undefined; before !== null;) {
  const page = await listEvents({ project_id, limit: 2, ...(before !== undefined && { before }) }, bearer);
  if (page.status !== 200) throw new Error(JSON.stringify(page.data));
  events.push(...page.data.items.map(({ external_event_id }) => external_event_id));
  before = page.data.next_before;
}

const again = await createProject(shop, bearer);
const empty = await createProject({ ...shop, name: '' }, bearer);
print({
  events,
  refusal: again.status === 403 ? again.data.detail : 'another refusal',
  faults: empty.status === 422 ? empty.data.detail.map(({ loc, type }) => [loc.join('.'), type]) : [],
});
