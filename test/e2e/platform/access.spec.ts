import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { AlertingApi } from '../../support/alerting-api.js';
import { exampleOf, type ListedOperation, operations, resolve } from '../../support/document.js';
import { eventually } from '../../support/eventually.js';
import { secretsOf } from '../../support/secrets-api.js';
import { account, type Account, api, randomEmail, service, type Tenant, tenant } from '../../support/service.js';
import { sessionIdOf } from '../../support/sign-in-api.js';
import { createSource, type KeyRecord } from '../../support/sources-api.js';
import {
  disabledRuleWithSeries,
  failedAlertDelivery,
  failedAttempt,
  objectAndUpload,
  type Observed,
  openFinding,
  passkeyAndDevice,
  quietAlertEvent,
  storedRows,
} from '../../support/sql-builders/access.js';
import { sourceDay } from '../../support/sql-builders/entitlement.js';
import { holdJudging } from '../../support/sql-builders/rule-runs.js';

/** The weakest first. */
const ROLES = ['viewer', 'member', 'operator', 'admin', 'owner'] as const;
type Role = (typeof ROLES)[number];

/** What each role may do with deliveries. A member manages channels and an operator does not. */
const CAPABILITIES: Readonly<Record<Role, readonly string[]>> = {
  viewer: ['delivery:read'],
  member: ['delivery:read', 'delivery:manage_channels'],
  operator: ['delivery:read', 'delivery:replay', 'delivery:retry_now'],
  admin: ['delivery:read', 'delivery:replay', 'delivery:retry_now', 'delivery:dlq_drain', 'delivery:manage_channels'],
  owner: ['delivery:read', 'delivery:replay', 'delivery:retry_now', 'delivery:dlq_drain', 'delivery:manage_channels'],
};

/** Whether a role fulfils what the document says about an operation of a tenant. */
function allows(access: string, role: Role): boolean {
  const [kind = '', ...needed] = access.split(':');
  if (kind === 'capability') return CAPABILITIES[role].includes(needed.join(':'));
  const least = ROLES.indexOf(needed[0]?.split('|')[0] as Role);
  if (least < 0) throw new Error(`the suite does not know the role in ${access}`);
  return ROLES.indexOf(role) >= least;
}

/** Access depends on the caller's role in the organization or project that the request names. */
const isByRole = ({ operation }: ListedOperation): boolean =>
  /^(organization|project|capability|bearer-or-key):/.test(operation['x-access']);
/** The request names a thing that belongs to somebody. */
const isTenants = (item: ListedOperation): boolean =>
  isByRole(item) || /^(bearer:addressee|platform-admin)$/.test(item.operation['x-access']);
/** The caller needs the credentials of a person or key. The payment provider signs its requests. */
const isProtected = ({ operation }: ListedOperation): boolean => !/^(public|provider)$/.test(operation['x-access']);
const isForKeys = ({ operation }: ListedOperation): boolean => operation['x-access'].startsWith('api-key');
const isForKeysToo = ({ operation }: ListedOperation): boolean => operation['x-access'].startsWith('bearer-or-key');
const isForPeople = (item: ListedOperation): boolean =>
  /^(bearer|organization|project|capability|platform-admin)/.test(item.operation['x-access']) && !isForKeysToo(item);
const isForProvider = ({ operation }: ListedOperation): boolean => operation['x-access'] === 'provider';
const table = (list: ListedOperation[]): [string, ListedOperation][] =>
  list.map((item) => [`${item.method} ${item.path}`, item]);

type Answer = Pick<Response, 'status' | 'text' | 'body'>;
type Credentials = Readonly<Record<string, string>>;

const bearer = ({ accessToken }: Account): Credentials => ({ Authorization: `Bearer ${accessToken}` });

/** A stream does not end by itself, so its body is not read. Other answers are read as a whole. */
async function headOfStream(url: string, headers: Credentials): Promise<Answer> {
  const leave = new AbortController();
  const answer = await fetch(url, { headers, signal: leave.signal });
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? '{}' : await answer.text();
  leave.abort();
  return { status: answer.status, text, body: JSON.parse(text) as unknown };
}

// The tests are derived from the OpenAPI document, so a new operation is covered from its first commit.
describe('an operation of the API', () => {
  let acme: Tenant;
  /** Accounts that have nothing to do with acme. */
  let outsiders: Record<string, Account>;
  /** Its API key is used, and the service writes uses of keys some seconds later. No test compares its rows. */
  let initech: Tenant;
  /** The things of acme by the parameters that name them. */
  let ids: Record<string, string>;
  /** Values of other members of requests. */
  let known: Record<string, string>;
  let observed: Observed;

  beforeAll(async () => {
    acme = await tenant();
    const globex = await tenant();
    initech = await tenant();
    const viewer = await acme.viewer();
    outsiders = {
      'person without an organization': await account(),
      'viewer of another organization': await globex.viewer(),
      'admin of another organization': await globex.admin(),
      'owner of another organization': globex.owner,
    };
    // Only the requests of a test may change what is stored. Sentinel would resolve the finding.
    await holdJudging(acme.projectId);
    ids = {
      organization_id: acme.organizationId,
      project_id: acme.projectId,
      key_id: acme.key.id,
      user_id: viewer.id,
      invite_id: await created(`/v1/organizations/${acme.organizationId}/invites`, { email: randomEmail() }),
      ...(await passkeyAndDevice(acme.owner.id)),
      session_id: sessionIdOf(acme.owner),
      view_id: await created(`/v1/projects/${acme.projectId}/saved-views`, { name: 'Everything' }),
      secret_id: await secretsOf(acme).created('KNOWN', 'a known secret'),
      ...(await objectAndUpload(acme)),
      // This number is in no answer by chance.
      part_number: '7654321',
      ...(await failedAttempt(acme.projectId)),
      source_id: await usedSource(),
      event_id: await created('/v1/events', {
        project_id: acme.projectId,
        event_type: 'http.request',
        source: 'web',
      }),
      ...(await failedAlertDelivery(acme.projectId)),
      rule_id: await disabledRuleWithSeries(acme.projectId),
      alert_event_id: await quietAlertEvent(acme.projectId),
      silence_id: (await new AlertingApi(acme).silenced()).id,
      finding_id: await openFinding(acme.projectId),
    };
    const mark = `access-${randomBytes(6).toString('hex')}`;
    // Nobody listens at the address. The role is the least one, which everybody may give who may give roles.
    const nowhere = 'http://127.0.0.1:9/';
    known = { ...ids, role: 'viewer', slug: mark, email: randomEmail(), url: nowhere, target_url: nowhere };
    observed = {
      organizationIds: [acme.organizationId, globex.organizationId],
      projectIds: [acme.projectId, globex.projectId],
      userIds: [acme.owner, viewer, ...Object.values(outsiders)].map(({ id }) => id),
      mark,
    };
  });

  /** @returns the id of what the owner creates */
  async function created(path: string, body: object): Promise<string> {
    return ((await api.as(acme.owner).post(path, body).expect(201)).body as { id: string }).id;
  }

  /** An Event Source that has ingested, so that no request can delete it. */
  async function usedSource(): Promise<string> {
    const { id } = await createSource(acme);
    const now = new Date().toISOString();
    await sourceDay({ projectId: acme.projectId, sourceId: id, day: now.slice(0, 10), lastEventAt: now });
    return id;
  }

  /** Sends a valid request of the operation that names the things of acme. */
  async function call(
    { method, path, operation }: ListedOperation,
    credentials: Credentials,
    body?: object,
  ): Promise<Answer> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const id = ids[name];
      if (id === undefined) throw new Error(`the suite knows no ${name}: add one to its ids`);
      return id;
    });
    // A tenant that may be left out is named all the same.
    const query = (operation.parameters ?? []).filter(
      ({ in: place, name, required }) =>
        place === 'query' && (required === true || name === 'organization_id' || name === 'project_id'),
    );
    const asked = Object.fromEntries(query.map(({ name, schema }) => [name, exampleOf(schema ?? {}, ids, name)]));
    if (operation.responses['200']?.content?.['text/event-stream'] !== undefined) {
      const search = new URLSearchParams(asked as Record<string, string>).toString();
      return headOfStream(`${service.url}${filled}?${search}`, credentials);
    }
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const request = api[verb](filled).set(credentials).query(asked);
    const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    if (type === undefined || content === undefined) return request;
    if (type === 'application/octet-stream') return request.type(type).send('content');
    return request.type(type).send(body ?? (exampleOf(resolve(content.schema), known) as object));
  }

  /** The rows after the latest test that changed none. They cost more than the requests of a test. */
  let latest: object[] | undefined;
  /** A key that was used after the requests that name a key although they come from the payment provider. */
  let keyUsedLater: string | undefined;

  const storedBefore = async (): Promise<object[]> => (latest ??= await storedRows(observed));

  async function expectStored(before: object[]): Promise<void> {
    latest = undefined;
    const after = await storedRows(observed);
    expect(after).toEqual(before);
    latest = after;
  }

  /** Uses a new key. The service writes this use together with all earlier ones, every 20 seconds. @returns its id */
  async function usedKey(): Promise<string> {
    const { projectId, owner } = initech;
    const body = { project_id: projectId, name: 'Used last', scopes: ['events:read'] };
    const answer = await api.as(owner).post('/v1/api-keys', body).expect(201);
    const { id, key } = answer.body as KeyRecord;
    await api.as({ apiKey: key }).get('/v1/api-keys/me').expect(200);
    return id;
  }

  /** Resolves when the service has written the use of this key of {@link usedKey}. */
  async function useWritten(id: string): Promise<void> {
    await eventually(
      async () => {
        const query = { project_id: initech.projectId };
        const list = await api.as(initech.owner).get('/v1/api-keys', query).expect(200);
        return (list.body as { id: string; last_used_at: string | null }[]).find((one) => one.id === id)?.last_used_at;
      },
      (lastUse) => typeof lastUse === 'string',
    );
  }

  function expectNothingOfAcme({ text }: Answer): void {
    for (const id of [acme.owner.id, acme.owner.email, ...Object.values(ids)]) expect(text).not.toContain(id);
  }

  it('declares who may call it, with the same words in the document and in the table of routes', () => {
    expect(
      operations.filter(
        ({ operation }) =>
          !/^(public|internal|provider|platform-admin|bearer(:addressee)?|bearer-or-key:\w+|organization:\w+(\|self)?|project:\w+|capability:[\w:]+|api-key:[\w:|]+)$/.test(
            operation['x-access'],
          ),
      ),
    ).toEqual([]);
    const committed = readFileSync(new URL('../../../docs/api/routes.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .slice(1);
    const declared = committed.map((line) => line.split(/ +/).slice(0, 3));
    const documented = operations.map(({ method, path, operation }) => [method, path, operation['x-access']]);
    expect(declared.sort()).toEqual(documented.sort());
  });

  it.each(table(operations.filter(isProtected)))(
    'returns 401 without valid credentials, and changes nothing: %s',
    async (_, item) => {
      const before = await storedBefore();
      const answers: Answer[] = [
        await call(item, {}),
        await call(item, {
          Authorization: 'Bearer x.y.z',
          'X-API-Key': 'oes_abcdefgh_0123',
          'X-Internal-Token': 'nope',
        }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ detail: expect.stringMatching(/^(Not authenticated|Invalid API key)$/) });
      }
      await expectStored(before);
    },
  );

  it.each(table(operations.filter(isForKeys)))(
    'returns 401 to a person, because it is for API keys: %s',
    async (_, item) => {
      expect((await call(item, bearer(acme.owner))).status).toBe(401);
    },
  );

  it.each(table(operations.filter(isForPeople)))(
    'returns 401 to an API key, because it is for people: %s',
    async (_, item) => {
      const { apiKey } = acme.key;
      expect((await call(item, { 'X-API-Key': apiKey })).status).toBe(401);
      expect((await call(item, { Authorization: `Bearer ${apiKey}` })).status).toBe(401);
    },
  );

  it.each(table(operations.filter(isForProvider)))(
    'returns 400 without a signature of the payment provider, and changes nothing: %s',
    async (_, item) => {
      const { mark } = observed;
      const subscription = { id: mark, metadata: { organization_id: acme.organizationId } };
      const event = {
        id: mark,
        type: 'customer.subscription.updated',
        livemode: false,
        data: { object: subscription },
      };
      const signatures: Credentials[] = [{}, { 'Provider-Signature': 't=1,v1=00' }, { 'Stripe-Signature': 'x' }];
      const before = await storedBefore();
      for (const signature of signatures) {
        const credentials = {
          ...bearer(acme.owner),
          'X-API-Key': acme.key.apiKey,
          'X-Internal-Token': service.internalToken,
        };
        expect((await call(item, { ...credentials, ...signature })).status).toBe(400);
        expect((await call(item, { ...credentials, ...signature }, event)).status).toBe(400);
      }
      await expectStored(before);
      keyUsedLater = await usedKey();
    },
  );

  it.each(table(operations.filter(isTenants)))(
    'returns 403 or 404 to a person from outside, and neither shows nor changes anything: %s',
    async (_, item) => {
      const before = await storedBefore();
      for (const [who, outsider] of Object.entries(outsiders)) {
        const answer = await call(item, bearer(outsider));
        expect([who, [403, 404].includes(answer.status)]).toEqual([who, true]);
        expect(Object.keys(answer.body as object)).toEqual(['detail']);
        expectNothingOfAcme(answer);
      }
      await expectStored(before);
    },
  );

  it.each(
    table(
      operations.filter(
        (item) => isProtected(item) && (!isTenants(item) || isForKeysToo(item)) && item.method === 'GET',
      ),
    ),
  )('returns 200 to a person from outside, and shows nothing of another tenant: %s', async (_, item) => {
    for (const outsider of Object.values(outsiders)) {
      const answer = await call(item, {
        ...bearer(outsider),
        'X-API-Key': initech.key.apiKey,
        'X-Internal-Token': service.internalToken,
      });
      expect(answer.status).toBe(200);
      expectNothingOfAcme(answer);
    }
  });

  // The service writes uses every 20 seconds. The tests since the requests take a part of that time.
  it('does not count a request of the payment provider as a use of the API key that it names', async () => {
    const before = await storedBefore();
    await useWritten((keyUsedLater ??= await usedKey()));
    await expectStored(before);
  });

  describe('an operation that depends on the role', () => {
    let actors: Record<Role, Account>;

    beforeAll(async () => {
      actors = {
        viewer: await acme.viewer(),
        member: await acme.member(),
        operator: await acme.operator(),
        admin: await acme.admin(),
        owner: acme.owner,
      };
    });

    // A caller who may delete something does so, and then there is nothing left that could be refused.
    const deletingLast = [
      ...operations.filter(({ method }) => method !== 'DELETE'),
      ...operations.filter(({ method }) => method === 'DELETE'),
    ];

    it.each(table(deletingLast.filter(isByRole)))(
      'admits every role that is declared for it, and refuses the others: %s',
      async (_, item) => {
        for (const role of ROLES) {
          const { status, body } = await call(item, bearer(actors[role]));
          const detail = (body as { detail?: unknown }).detail;
          const isRoleRefusal = status === 403 && typeof detail === 'string' && /role|member|capability/i.test(detail);
          expect([role, isRoleRefusal]).toEqual([role, !allows(item.operation['x-access'], role)]);
        }
      },
    );
  });
});
