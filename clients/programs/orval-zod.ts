import type { z } from 'zod';
import {
  createApiKeyBody,
  createOrganizationBody,
  createProjectBody,
  ingestEventBody,
  ingestEventResponse,
  listEventsQueryParams,
  listEventsResponse,
  logInResponse,
} from './generated/orval-zod.js';
import { EVENTS, password, print, slug, url, username } from './report.js';

let headers: Record<string, string> = {};
/** What is sent and what comes is what the schemas say. */
async function ask(method: string, path: string, body?: object): Promise<{ status: number; data: unknown }> {
  const isForm = body instanceof URLSearchParams;
  const json = { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const sent = body === undefined ? null : isForm ? body : JSON.stringify(body);
  const answer = await fetch(url + path, { method, headers: isForm ? headers : json, body: sent });
  return { status: answer.status, data: await answer.json() };
}
/** Schemas are made of the answers 200 alone. */
const idOf = ({ data }: { data: unknown }): string => (data as { id: string }).id;

const signedIn = await ask('POST', '/v1/auth/login', new URLSearchParams({ username, password }));
const tokens = logInResponse.parse(signedIn.data);
if (!('access_token' in tokens)) throw new Error(`a second factor is asked for: ${tokens.methods.join()}`);
const bearer = { Authorization: `Bearer ${tokens.access_token}` };
headers = bearer;

const organization = await ask('POST', '/v1/organizations', createOrganizationBody.parse({ name: 'Acme', slug }));
const shop: z.infer<typeof createProjectBody> = { organization_id: idOf(organization), name: 'Shop', slug };
const project_id = idOf(await ask('POST', '/v1/projects', createProjectBody.parse(shop)));
const key = createApiKeyBody.parse({ project_id, name: 'Shop', scopes: ['events:write'] });
const issued = await ask('POST', '/v1/api-keys', key);

headers = { 'X-API-Key': (issued.data as { key: string }).key };
for (const event_id of EVENTS) {
  const event = ingestEventBody.parse({ event_type: 'order.paid', source: 'shop', event_id });
  ingestEventResponse.parse((await ask('POST', '/v1/events/ingest', event)).data);
}

headers = bearer;
const events: (string | null)[] = [];
for (let before: string | null | undefined; before !== null;) {
  const query = listEventsQueryParams.parse({ project_id, limit: 2, ...(before !== undefined && { before }) });
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const page = listEventsResponse.parse((await ask('GET', `/v1/events?${search.toString()}`)).data);
  events.push(...page.items.map(({ external_event_id }) => external_event_id));
  before = page.next_before;
}

const again = (await ask('POST', '/v1/projects', shop)).data as { detail: string };
const faults = createProjectBody.safeParse({ ...shop, name: '' }).error?.issues ?? [];
print({
  events,
  refusal: again.detail,
  faults: faults.map(({ path, code }) => [`body.${path.join('.')}`, code === 'too_small' ? 'string_too_short' : code]),
});
