import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { AlertingApi } from '../../support/alerting-api.js';
import { exampleOf, type ListedOperation, operations, resolve } from '../../support/document.js';
import { secretsOf } from '../../support/secrets-api.js';
import { account, type Account, api, randomEmail, service, type Tenant, tenant } from '../../support/service.js';
import { sessionIdOf } from '../../support/sign-in-api.js';
import { createSource } from '../../support/sources-api.js';
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
const titleOf = ({ method, path }: ListedOperation): string => `${method} ${path}`;
const table = (list: ListedOperation[]): [string, ListedOperation][] => list.map((item) => [titleOf(item), item]);
/** Groups operations by the first two names of their paths. */
function grouped(list: ListedOperation[]): [string, ListedOperation[]][] {
  const startOf = ({ path }: ListedOperation): string => path.split('/', 3).join('/');
  const starts = [...new Set(list.map(startOf))];
  return starts.map((start) => [start, list.filter((item) => startOf(item) === start)]);
}

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

/** One operation of each access that the document declares. */
const ONE_OF_EACH_ACCESS = new Set(new Map(operations.map((item) => [item.operation['x-access'], item])).values());

/**
 * Returns all roles for one operation of each access and where capabilities decide. Elsewhere a stronger role has
 * the rights of a weaker one, so the strongest role that is refused and the weakest that is admitted show the limit.
 */
function rolesOf(item: ListedOperation): readonly Role[] {
  const access = item.operation['x-access'];
  if (ONE_OF_EACH_ACCESS.has(item) || access.startsWith('capability')) return ROLES;
  const weakest = ROLES.findIndex((role) => allows(access, role));
  return ROLES.slice(Math.max(0, weakest - 1), weakest + 1);
}

const refusedRoles = (item: ListedOperation): Role[] =>
  rolesOf(item).filter((role) => !allows(item.operation['x-access'], role));
const admittedRoles = (item: ListedOperation): Role[] =>
  rolesOf(item).filter((role) => allows(item.operation['x-access'], role));

/** Sorts operations so that each still finds what it names. The deletion of a project comes last. */
function deletingLast(list: ListedOperation[]): ListedOperation[] {
  const rank = ({ method, path }: ListedOperation): number =>
    method !== 'DELETE' ? 0 : path === '/v1/projects/{project_id}' ? Infinity : 1 / path.split('/').length;
  return list.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** A tenant with one thing of each kind that a path can name. */
interface World {
  readonly acme: Tenant;
  /** The account to which the paths refer. */
  readonly viewer: Account;
  /** The things of acme by the parameters that name them. */
  readonly ids: Readonly<Record<string, string>>;
  /** Values of other members of requests. */
  readonly known: Readonly<Record<string, string>>;
  /** A text that occurs in no other world. */
  readonly mark: string;
}

async function newWorld(): Promise<World> {
  const acme = await tenant();
  const viewer = await acme.viewer();
  /** @returns the id of what the owner creates */
  const created = async (path: string, body: object): Promise<string> =>
    ((await api.as(acme.owner).post(path, body).expect(201)).body as { id: string }).id;
  // Only the requests of a test may change what is stored. Sentinel would resolve the finding.
  await holdJudging(acme.projectId);
  const ids = {
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
    source_id: await usedSource(acme),
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
  const known = { ...ids, role: 'viewer', slug: mark, email: randomEmail(), url: nowhere, target_url: nowhere };
  return { acme, viewer, ids, known, mark };
}

/** An Event Source that has ingested, so that no request can delete it. */
async function usedSource(acme: Tenant): Promise<string> {
  const { id } = await createSource(acme);
  const now = new Date().toISOString();
  await sourceDay({ projectId: acme.projectId, sourceId: id, day: now.slice(0, 10), lastEventAt: now });
  return id;
}

/** Sends a valid request of the operation that names the things of a world. */
async function send(
  { ids, known }: World,
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

// The tests are derived from the OpenAPI document, so a new operation is covered from its first commit.
describe('an operation of the API', () => {
  let world: World;
  let acme: Tenant;
  /**
   * Accounts that have nothing to do with acme. An owner has every right of the weaker roles, so that a check that
   * forgets the tenant lets the owner in.
   */
  let outsiders: Record<string, Account>;
  /** Its API key is used, and the service writes uses of keys some seconds later. No test compares its rows. */
  let initech: Tenant;
  let observed: Observed;

  beforeAll(async () => {
    world = await newWorld();
    ({ acme } = world);
    const globex = await tenant();
    initech = await tenant();
    outsiders = { 'person without an organization': await account(), 'owner of another organization': globex.owner };
    observed = {
      organizationIds: [acme.organizationId, globex.organizationId],
      projectIds: [acme.projectId, globex.projectId],
      userIds: [acme.owner, world.viewer, ...Object.values(outsiders)].map(({ id }) => id),
      mark: world.mark,
    };
  });

  const call = (item: ListedOperation, credentials: Credentials, body?: object): Promise<Answer> =>
    send(world, item, credentials, body);

  /** The rows after the latest test that changed none. */
  let latest: object[] | undefined;

  /** Runs requests of a group of operations, and expects that they change nothing. Reading the rows costs more than a request. */
  async function expectNoChange(requests: () => Promise<void>): Promise<void> {
    const before = latest ?? (await storedRows(observed));
    latest = undefined;
    await requests();
    const after = await storedRows(observed);
    expect(after).toEqual(before);
    latest = after;
  }

  function expectNothingOfAcme({ text }: Answer): void {
    for (const id of [acme.owner.id, acme.owner.email, ...Object.values(world.ids)]) expect(text).not.toContain(id);
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

  it.each(grouped(operations.filter(isProtected)))(
    'returns 401 without valid credentials, and changes nothing: %s',
    async (_, items) => {
      const faulty = { Authorization: 'Bearer x.y.z', 'X-API-Key': 'oes_abcdefgh_0123', 'X-Internal-Token': 'nope' };
      await expectNoChange(async () => {
        for (const item of items) {
          const answers = await Promise.all([call(item, {}), call(item, faulty)]);
          for (const { status, body } of answers)
            expect([titleOf(item), status, body]).toEqual([
              titleOf(item),
              401,
              { detail: expect.stringMatching(/^(Not authenticated|Invalid API key)$/) },
            ]);
        }
      });
    },
  );

  it.each(table(operations.filter(isForKeys)))(
    'returns 401 to a person, because it is for API keys: %s',
    async (_, item) => {
      expect((await call(item, bearer(acme.owner))).status).toBe(401);
    },
  );

  it.each(grouped(operations.filter(isForPeople)))(
    'returns 401 to an API key, because it is for people: %s',
    async (_, items) => {
      const { apiKey } = acme.key;
      for (const item of items) {
        const answers = await Promise.all([
          call(item, { 'X-API-Key': apiKey }),
          call(item, { Authorization: `Bearer ${apiKey}` }),
        ]);
        expect([titleOf(item), ...answers.map(({ status }) => status)]).toEqual([titleOf(item), 401, 401]);
      }
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
      const credentials = {
        ...bearer(acme.owner),
        'X-API-Key': acme.key.apiKey,
        'X-Internal-Token': service.internalToken,
      };
      await expectNoChange(async () => {
        for (const signature of signatures) {
          expect((await call(item, { ...credentials, ...signature })).status).toBe(400);
          expect((await call(item, { ...credentials, ...signature }, event)).status).toBe(400);
        }
      });
    },
  );

  it.each(grouped(operations.filter(isTenants)))(
    'returns 403 or 404 to a person from outside, and neither shows nor changes anything: %s',
    async (_, items) => {
      await expectNoChange(async () => {
        for (const item of items)
          for (const [who, outsider] of Object.entries(outsiders)) {
            const answer = await call(item, bearer(outsider));
            const isRefused = [403, 404].includes(answer.status);
            expect([titleOf(item), who, isRefused]).toEqual([titleOf(item), who, true]);
            expect(Object.keys(answer.body as object)).toEqual(['detail']);
            expectNothingOfAcme(answer);
          }
      });
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

  describe('an operation that depends on the role', () => {
    const byRole = operations.filter(isByRole);
    /** Whether a request was refused because of the role, by operation and role. */
    const refusals: Record<string, Partial<Record<Role, boolean>>> = {};

    // All requests are sent here, because an admitted request changes or deletes what other requests name. First come
    // the refused requests, which change nothing.
    beforeAll(async () => {
      const own = await newWorld();
      const actors: Record<Role, Account> = {
        viewer: await own.acme.viewer(),
        member: await own.acme.member(),
        operator: await own.acme.operator(),
        admin: await own.acme.admin(),
        owner: own.acme.owner,
      };
      const request = async (item: ListedOperation, role: Role): Promise<void> => {
        const { status, body } = await send(own, item, bearer(actors[role]));
        const { detail } = body as { detail?: unknown };
        const isRefused = status === 403 && typeof detail === 'string' && /role|member|capability/i.test(detail);
        (refusals[titleOf(item)] ??= {})[role] = isRefused;
      };
      for (const item of byRole) await Promise.all(refusedRoles(item).map((role) => request(item, role)));
      for (const item of deletingLast(byRole)) for (const role of admittedRoles(item)) await request(item, role);
    });

    it.each(table(byRole))('admits every role that is declared for it, and refuses the others: %s', (title, item) => {
      const expected = [
        ...refusedRoles(item).map((role) => [role, true]),
        ...admittedRoles(item).map((role) => [role, false]),
      ];
      expect(refusals[title]).toEqual(Object.fromEntries(expected));
    });
  });
});
