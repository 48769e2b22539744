import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response, Test } from 'supertest';
import { type Capability, hasCapability, type Role, roleAtLeast, ROLES } from '../../../src/modules/access/index.js';
import { KeyUseRecorder } from '../../../src/modules/entitlement/api-keys/key-use.recorder.js';
import { addMember, type Actor, type Owner, ownerWithProject, randomEmail, signedIn } from '../../support/actors.js';
import { newId } from '../../../src/platform/ids/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { exampleOf, type ListedOperation, operations, resolve } from '../../support/document.js';
import { createSource } from '../../support/sources.js';

const TOKEN = 'internal-job-token-of-the-test';
/** Whose access depends on a role in the organization or project they name. */
const isByRole = ({ operation }: ListedOperation): boolean =>
  /^(organization|project|capability|bearer-or-key):/.test(operation['x-access']);
/** Who name a thing that belongs to somebody. */
const isTenants = (item: ListedOperation): boolean =>
  isByRole(item) || /^(bearer:addressee|platform-admin)$/.test(item.operation['x-access']);
/** By a person's or a key's credential; the payment provider signs what it sends. */
const isProtected = ({ operation }: ListedOperation): boolean => !/^(public|provider)$/.test(operation['x-access']);
const isForKeysToo = ({ operation }: ListedOperation): boolean => operation['x-access'].startsWith('bearer-or-key');
const titleOf = ({ method, path }: ListedOperation): string => `${method} ${path}`;
const table = (list: ListedOperation[]): [string, ListedOperation][] => list.map((item) => [titleOf(item), item]);

/** Whether a role fulfils what the document says about an operation of a tenant. */
function allows(access: string, role: Role): boolean {
  const [kind = '', ...needed] = access.split(':');
  if (kind === 'capability') return hasCapability(role, needed.join(':') as Capability);
  return roleAtLeast(role, needed[0]?.split('|')[0] as Role);
}

type Answer = Pick<Response, 'status' | 'text' | 'body'>;

/** A stream never ends by itself: its head says all that is asked here. Refusals are read as ever. */
async function headOfStream(url: string, headers: Record<string, string>): Promise<Answer> {
  const leave = new AbortController();
  const answer = await fetch(url, { headers, signal: leave.signal });
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? '{}' : await answer.text();
  leave.abort();
  return { status: answer.status, text, body: JSON.parse(text) as unknown };
}

/** A line for each table, of what nobody may change who is refused. */
const WHAT_IS_STORED = [
  'organizations',
  'organization_members',
  'invitations',
  'projects',
  'project_members',
  'api_keys',
  'event_sources',
  'events',
  'project_settings',
  'project_secrets',
  'stored_blobs',
  'stored_objects',
  'object_uploads',
  'saved_views',
  'passkeys',
  'trusted_devices',
  'totp_factors',
  'recovery_codes',
  'payment_events',
  'payment_subscriptions',
  'alert_deliveries',
  'alert_destinations',
  'alert_events',
  'alert_notices',
  'alert_rule_channels',
  'alert_rule_destinations',
  'alert_rule_series',
  'alert_rules',
  'alert_silences',
  'alert_timeline',
  'delivery_channels',
  'delivery_protected_headers',
  'delivery_attempts',
  'delivery_retry_audits',
  'delivery_recovery_audits',
  'sentinel_findings',
  'sentinel_points',
  'sentinel_feedback',
]
  .map(
    (name) =>
      `SELECT '${name}' AS name, count(*)::int, md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) FROM ${name} t`,
  )
  .join(' UNION ALL ');

/** Derived from the document, so that a new route is covered at its birth. */
describe('access to every operation', () => {
  let app: TestApp;
  let owner: Owner;
  let stranger: Owner;
  /** People who have nothing to do with the first organization. */
  let outsiders: Record<string, Actor>;
  let ids: Record<string, string>;

  beforeAll(async () => {
    app = await createTestApp({
      env: {
        // Nothing changes but by what is called: a round in between would end the finding below.
        PROCESS_ROLE: 'api',
        INTERNAL_JOB_TOKEN: TOKEN,
        ENABLE_BILLING_ADMIN: 'true',
        PLATFORM_ADMIN_EMAILS: 'nobody@example.com',
        ENABLE_PAYMENT_WEBHOOKS: 'true',
        PAYMENT_SECRET_KEY: 'sk_test_access',
        PAYMENT_WEBHOOK_SECRET: 'whsec_access',
      },
    });
    owner = await ownerWithProject(app);
    stranger = await ownerWithProject(app);
    outsiders = {
      'person without an organization': await signedIn(app),
      'viewer of another organization': await addMember(app, stranger, 'viewer'),
      'admin of another organization': await addMember(app, stranger, 'admin'),
      'owner of another organization': stranger,
    };
    const invited = await app
      .request()
      .post(`/v1/organizations/${owner.organizationId}/invites`)
      .set('Authorization', owner.bearer)
      .send({ email: randomEmail() })
      .expect(201);
    const view = await app
      .request()
      .post(`/v1/projects/${owner.projectId}/saved-views`)
      .set('Authorization', owner.bearer)
      .send({ name: 'Everything' })
      .expect(201);
    ids = {
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      key_id: owner.apiKeyId,
      user_id: (await addMember(app, owner, 'viewer')).id,
      invite_id: (invited.body as { id: string }).id,
      ...(await thingsOf(owner.id)),
      view_id: (view.body as { id: string }).id,
      secret_id: await storedSecret(),
      ...(await storedObject()),
      ...(await deliveryOf()),
      source_id: await usedSource(),
      event_id: await ingestedEvent(),
      ...(await alertDeliveryOf()),
      rule_id: await alertRule(),
      ...(await alertEventOf()),
      finding_id: await finding(),
    };
    const [session] = await app.rows<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [owner.id]);
    ids.session_id = session?.id ?? '';
  });
  afterAll(() => app.close());

  async function storedSecret(): Promise<string> {
    const secret_id = newId();
    await app.rows(
      `INSERT INTO project_secrets (id, project_id, name, value, version) VALUES ($1, $2, 'KNOWN', 'envelope', 1)`,
      [secret_id, owner.projectId],
    );
    return secret_id;
  }

  /** An object, and an upload that nobody can complete. */
  async function storedObject(): Promise<Record<string, string>> {
    const [object_id, upload_id, blob_id] = [newId(), newId(), newId()];
    const { organizationId, projectId } = owner;
    await app.rows(
      `INSERT INTO stored_blobs (id, organization_id, project_id, size, state, driver) VALUES ($1, $2, $3, 1, 'live', 'files')`,
      [blob_id, organizationId, projectId],
    );
    await app.rows(
      `INSERT INTO stored_objects (id, project_id, organization_id, key, blob_id, size, content_type, etag, metadata, version,
         content_at, created_at, updated_at)
       VALUES ($1, $2, $3, 'known', $4, 1, 'text/plain', 'etag', '{}', 1, now(), now(), now())`,
      [object_id, projectId, organizationId, blob_id],
    );
    await app.rows(
      `INSERT INTO object_uploads (id, project_id, organization_id, blob_id, key, size, content_type, metadata, overwrite,
         part_size, part_count, status, object_id, created_at, expires_at)
       VALUES ($1, $2, $3, $4, 'known', 1, 'text/plain', '{}', false, 1, 1, 'completed', $5, now(), now() + interval '1 day')`,
      [upload_id, projectId, organizationId, blob_id, object_id],
    );
    // A number that stands in no answer by chance.
    return { object_id, upload_id, part_number: '7654321' };
  }

  /** A channel with a protected header and a failed attempt of the first project; nothing is sent to its address. */
  async function deliveryOf(): Promise<Record<string, string>> {
    const [channel_id, attempt_id] = [newId(), newId()];
    await app.rows(
      `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
       VALUES ($1, $2, 'Hook', 'webhook', false, '{"url": "http://127.0.0.1/", "method": "POST", "headers": {}}')`,
      [channel_id, owner.projectId],
    );
    await app.rows(
      `INSERT INTO delivery_protected_headers (id, project_id, channel_id, name, name_key, value, key_version)
       VALUES ($1, $2, $3, 'X-Known', 'x-known', 'envelope', 'k1')`,
      [newId(), owner.projectId, channel_id],
    );
    await app.rows(
      `INSERT INTO delivery_attempts (id, project_id, channel_id, kind, status, retry_state, due_at)
       VALUES ($1, $2, $3, 'rule_match', 'failed', 'dlq', NULL)`,
      [attempt_id, owner.projectId, channel_id],
    );
    return { channel_id, attempt_id, header_name: 'X-Known' };
  }

  /** An Event Source that has ingested, so that no call can delete it. */
  async function usedSource(): Promise<string> {
    const { id } = await createSource(app, owner);
    await app.rows(
      `INSERT INTO source_days (project_id, source_id, day, events, last_event_at) VALUES ($1, $2, '2026-01-01', 1, now())`,
      [owner.projectId, id],
    );
    return id;
  }

  async function ingestedEvent(): Promise<string> {
    const answer = await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .send({ event_type: 'http.request', source: 'web' })
      .expect(200);
    return (answer.body as { ingested_event_id: string }).ingested_event_id;
  }

  /** A passkey and a trusted device of an account. */
  async function thingsOf(userId: string): Promise<Record<string, string>> {
    const [passkey_id, device_id] = [newId(), newId()];
    await app.rows(
      `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, backup_eligible, backed_up, transports)
       VALUES ($1, $2, 'Laptop', 'id', 'key', 0, false, false, '{}')`,
      [passkey_id, userId],
    );
    await app.rows(
      `INSERT INTO trusted_devices (id, user_id, token_hash, expires_at) VALUES ($1, $2, 'hash', now() + interval '1 day')`,
      [device_id, userId],
    );
    return { passkey_id, device_id };
  }

  /** A destination and a failed delivery of the first project; nothing is sent to its address. */
  async function alertDeliveryOf(): Promise<Record<string, string>> {
    const [destination_id, notice_id, delivery_id] = [newId(), newId(), newId()];
    await app.rows(
      `INSERT INTO alert_destinations (id, project_id, type, name, target_url, is_enabled)
       VALUES ($1, $2, 'webhook', 'Hook', 'http://127.0.0.1/', false)`,
      [destination_id, owner.projectId],
    );
    await app.rows(`INSERT INTO alert_notices (id, project_id, alert_event_id, notice) VALUES ($1, $2, $3, '{}')`, [
      notice_id,
      owner.projectId,
      newId(),
    ]);
    await app.rows(
      `INSERT INTO alert_deliveries (id, project_id, notice_id, alert_event_id, destination_id, destination_name,
         destination_type, status, due_at, completed_at)
       VALUES ($1, $2, $3, $4, $5, 'Hook', 'webhook', 'failed', NULL, now())`,
      [delivery_id, owner.projectId, notice_id, newId(), destination_id],
    );
    return { destination_id, delivery_id };
  }

  /** A rule that is switched off, and still has a series. */
  async function alertRule(): Promise<string> {
    const rule_id = newId();
    await app.rows(
      `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                                keep_firing_seconds, cooldown_seconds)
       VALUES ($1, $2, 'Rule', false, 'info', 'match', '{"kind": "match"}', '{}', 0, 0, 0)`,
      [rule_id, owner.projectId],
    );
    await app.rows(
      `INSERT INTO alert_rule_series (rule_id, fingerprint, group_values, state, since, breached_at)
       VALUES ($1, 'f', '{}', 'pending', now(), now())`,
      [rule_id],
    );
    return rule_id;
  }

  /** An alert event and a silence of the first project. */
  async function alertEventOf(): Promise<Record<string, string>> {
    const [alert_event_id, silence_id] = [newId(), newId()];
    await app.rows(
      `INSERT INTO alert_events (id, project_id, fingerprint, group_values, severity, message, payload, occurrences,
         cooldown_seconds, targets, created_at, changed_at, last_occurred_at)
       VALUES ($1, $2, 'print', '{}', 'info', 'Alert', '{}', 1, 0, '{"kind": "project"}', now(), now(), now())`,
      [alert_event_id, owner.projectId],
    );
    await app.rows(
      `INSERT INTO alert_timeline (id, project_id, alert_event_id, type, detail, created_at)
       VALUES ($1, $2, $3, 'opened', '{}', now())`,
      [newId(), owner.projectId, alert_event_id],
    );
    await app.rows(
      `INSERT INTO alert_silences (id, project_id, filter, starts_at, ends_at)
       VALUES ($1, $2, '{"field": "event", "op": "eq", "value": "x"}', now(), now() + interval '1 day')`,
      [silence_id, owner.projectId],
    );
    return { alert_event_id, silence_id };
  }

  async function finding(): Promise<string> {
    const finding_id = newId();
    await app.rows(
      `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title,
         summary, started_at, detected_at, last_seen_at, evidence)
       VALUES ($1, $2, 'rate_spike', 'project', '', 'events', 'open', 'warning', 1, 'Finding', 'Finding', now(), now(), now(), $3)`,
      [
        finding_id,
        owner.projectId,
        JSON.stringify({
          interval_seconds: 300,
          points: [],
          baseline: {
            from_ts: '2026-01-01T00:00:00.000Z',
            to_ts: '2026-01-02T00:00:00.000Z',
            samples: 1,
            method: 'recent',
          },
          sample_event_ids: [],
        }),
      ],
    );
    return finding_id;
  }

  /** A valid request of the operation that names the first owner's things. */
  function call(
    { method, path, operation }: ListedOperation,
    credentials: Record<string, string>,
  ): Test | Promise<Answer> {
    const parameters = operation.parameters ?? [];
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const id = ids[name];
      if (id === undefined) throw new Error(`the suite knows no ${name}: add one to its ids`);
      return id;
    });
    // A tenant that may be left out is named all the same.
    const query = parameters.filter(
      ({ in: place, name, required }) =>
        place === 'query' && (required === true || name === 'organization_id' || name === 'project_id'),
    );
    const asked = Object.fromEntries(query.map(({ name, schema }) => [name, exampleOf(schema ?? {}, ids, name)]));
    if (operation.responses['200']?.content?.['text/event-stream'] !== undefined) {
      const search = new URLSearchParams(asked as Record<string, string>).toString();
      return headOfStream(`${app.url}${filled}?${search}`, credentials);
    }
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const request = app.request()[verb](filled).set(credentials).query(asked);
    const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    if (type === undefined || content === undefined) return request;
    if (type === 'application/octet-stream') return request.type(type).send('content');
    // The least role, which everybody who may give roles may give.
    const known = { ...ids, role: 'viewer' };
    return request.type(type).send(exampleOf(resolve(content.schema), known) as object);
  }

  /** Everything, with the uses of keys that would be written in a while. */
  async function snapshot(): Promise<unknown> {
    await app.nest.get(KeyUseRecorder, { strict: false }).flush();
    return app.rows(WHAT_IS_STORED);
  }

  it('declares who may call each operation', () => {
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
    const enforced = operations.map(({ method, path, operation }) => [method, path, operation['x-access']]);
    expect(declared.sort()).toEqual(enforced.sort());
  });

  it.each(table(operations.filter(isProtected)))('%s refuses the anonymous', async (_, item) => {
    const before = await snapshot();
    const answers: Answer[] = [
      await call(item, {}),
      await call(item, { Authorization: 'Bearer x.y.z', 'X-API-Key': 'oes_abcdefgh_0123', 'X-Internal-Token': 'nope' }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({ detail: expect.stringMatching(/^(Not authenticated|Invalid API key)$/) });
    }
    expect(await snapshot()).toEqual(before);
  });

  it.each(table(operations.filter((item) => item.operation['x-access'].startsWith('api-key'))))(
    '%s refuses a person',
    async (_, item) => {
      expect((await call(item, { Authorization: owner.bearer })).status).toBe(401);
    },
  );

  it.each(
    table(
      operations.filter(
        (item) =>
          /^(bearer|organization|project|capability|platform-admin)/.test(item.operation['x-access']) &&
          !isForKeysToo(item),
      ),
    ),
  )('%s refuses an API key', async (_, item) => {
    expect((await call(item, { 'X-API-Key': owner.apiKey })).status).toBe(401);
    expect((await call(item, { Authorization: `Bearer ${owner.apiKey}` })).status).toBe(401);
  });

  it.each(table(operations.filter(({ operation }) => operation['x-access'] === 'provider')))(
    '%s refuses everybody who does not sign',
    async (_, item) => {
      const before = await snapshot();
      const signatures: Record<string, string>[] = [
        {},
        { 'Provider-Signature': 't=1,v1=00' },
        { 'Stripe-Signature': 'x' },
      ];
      for (const signature of signatures) {
        const credentials = { Authorization: owner.bearer, 'X-API-Key': owner.apiKey, 'X-Internal-Token': TOKEN };
        expect((await call(item, { ...credentials, ...signature })).status).toBe(400);
      }
      expect(await snapshot()).toEqual(before);
    },
  );

  it.each(table(operations.filter(isTenants)))('%s refuses strangers and shows nothing', async (_, item) => {
    const before = await snapshot();
    for (const [who, { bearer }] of Object.entries(outsiders)) {
      const answer = await call(item, { Authorization: bearer });
      expect([who, [403, 404].includes(answer.status)]).toEqual([who, true]);
      expect(Object.keys(answer.body as object)).toEqual(['detail']);
      for (const id of [owner.id, owner.email, ...Object.values(ids)]) expect(answer.text).not.toContain(id);
    }
    expect(await snapshot()).toEqual(before);
  });

  it.each(
    table(
      operations.filter(
        (item) => isProtected(item) && (!isTenants(item) || isForKeysToo(item)) && item.method === 'GET',
      ),
    ),
  )('%s shows a stranger nothing of another tenant', async (_, item) => {
    for (const { bearer } of Object.values(outsiders)) {
      const credentials = { Authorization: bearer, 'X-API-Key': stranger.apiKey, 'X-Internal-Token': TOKEN };
      const answer = await call(item, credentials);
      expect(answer.status).toBe(200);
      for (const id of [owner.id, owner.email, ...Object.values(ids)]) expect(answer.text).not.toContain(id);
    }
  });

  describe('by role', () => {
    const actors = new Map<string, Actor>();

    beforeAll(async () => {
      actors.set('owner', owner);
      for (const role of ROLES.slice(0, -1)) actors.set(role, await addMember(app, owner, role));
    });
    // Who may delete something does so, and there would be nothing left to be refused.
    const deletingLast = [
      ...operations.filter(({ method }) => method !== 'DELETE'),
      ...operations.filter(({ method }) => method === 'DELETE'),
    ];
    it.each(table(deletingLast.filter(isByRole)))('%s lets each do what is declared and no more', async (_, item) => {
      const access = item.operation['x-access'];
      for (const role of ROLES) {
        const { status, body } = await call(item, { Authorization: actors.get(role)?.bearer ?? '' });
        const detail = (body as { detail?: unknown }).detail;
        const isRoleRefusal = status === 403 && typeof detail === 'string' && /role|member|capability/i.test(detail);
        expect([role, isRoleRefusal]).toEqual([role, !allows(access, role)]);
      }
    });
  });
});
