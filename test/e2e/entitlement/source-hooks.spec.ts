import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { activityOf } from '../../support/activity.js';
import { type Account, api, service, type Tenant, tenant } from '../../support/service.js';
import { createHook, type HookSource } from '../../support/source-hooks.js';
import { createSource } from '../../support/sources-api.js';
import { storedHook } from '../../support/sql-builders/entitlement.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const ROOT = '/v1/ingest-sources';
const SECRET = 'It is a secret to everybody';
const GITHUB = { scheme: 'github', secret: SECRET };

describe('the hook of an Event Source', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
    await setPlan(acme.organizationId, 'scale');
  });

  const change = (id: string, body: object, as: Account = acme.owner): Test => api.as(as).patch(`${ROOT}/${id}`, body);
  const changed = async (id: string, body: object): Promise<HookSource> =>
    (await change(id, body).expect(200)).body as HookSource;
  const read = async (id: string, as: Account = acme.owner): Promise<HookSource> =>
    (await api.as(as).get(`${ROOT}/${id}`).expect(200)).body as HookSource;
  const detailsOfUpdates = async (): Promise<object[]> =>
    (await activityOf(acme)).filter(({ action }) => action === 'event_source.updated').map(({ detail }) => detail);

  it('has an address of 128 random bits, and no verification by default', async () => {
    const [first, second] = [await createHook(acme), await createHook(acme)];
    expect(first).toMatchObject({ verification: { scheme: 'none' }, has_verification_secret: false });
    const addresses = [first, second].map(({ hook_url }) => hook_url);
    for (const address of addresses) {
      expect(address.startsWith(`${service.url}/intake/hooks/`)).toBe(true);
      expect(address).toMatch(/\/[0-9a-f]{32}$/);
    }
    expect(new Set(addresses).size).toBe(2);
    const { key: _, ...source } = first;
    expect(await read(first.id)).toEqual(source);
    const { body } = await api.as(acme.owner).get(ROOT, { project_id: acme.projectId }).expect(200);
    expect(body).toContainEqual(source);
  });

  it.each(['http', 'server', 'browser', 'cron', 'custom'])('is not offered for a source of type %s', async (type) => {
    const source = await createSource(acme, { type, verification: null });
    for (const member of ['hook_url', 'verification', 'has_verification_secret'])
      expect(source).not.toHaveProperty(member);
    for (const body of [{ verification: GITHUB }, { verification: { scheme: 'none' } }, { rotate_hook: true }]) {
      const refused = await change(source.id, body).expect(422);
      expect((refused.body as { detail: object[] }).detail).toEqual([
        expect.objectContaining({
          loc: ['body', Object.keys(body)[0]],
          msg: 'Value error, only sources of type webhook receive webhooks',
        }),
      ]);
    }
    const body = { project_id: acme.projectId, name: 'Refused', type, verification: GITHUB };
    await api.as(acme.owner).post(ROOT, body).expect(422);
    await change(source.id, { verification: null, rotate_hook: false }).expect(200);
    expect(await detailsOfUpdates()).toEqual([]);
  });

  it('keeps its secret encrypted, and never answers it', async () => {
    const created = await createHook(acme, GITHUB);
    expect(created).toMatchObject({ verification: { scheme: 'github' }, has_verification_secret: true });
    const answers = [created, await read(created.id), await changed(created.id, { verification: GITHUB })];
    expect(JSON.stringify([answers, await activityOf(acme)])).not.toContain(SECRET);
    const stored = await storedHook(created.id);
    expect(stored).toMatch(/"secret":"v[^."]+\.[^."]+\.[^."]+\.[^."]+"/);
    expect(stored).not.toContain(SECRET);
  });

  it('is verified as the last change says, which replaces the verification whole', async () => {
    const { id, hook_url } = await createHook(acme, GITHUB);
    const steps: [object | null, object, boolean][] = [
      [
        { scheme: 'hmac-sha256', secret: 's', header: 'X-Signature' },
        { scheme: 'hmac-sha256', header: 'X-Signature', encoding: 'hex', prefix: '' },
        true,
      ],
      [
        { scheme: 'hmac-sha256', secret: 's', header: 'X-Sig', encoding: 'base64', prefix: 'v0=' },
        { scheme: 'hmac-sha256', header: 'X-Sig', encoding: 'base64', prefix: 'v0=' },
        true,
      ],
      [
        { scheme: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
        { scheme: 'standard-webhooks' },
        true,
      ],
      [{ scheme: 'none' }, { scheme: 'none' }, false],
      [{ scheme: 'gitlab', secret: 'token' }, { scheme: 'gitlab' }, true],
      [null, { scheme: 'none' }, false],
    ];
    for (const [verification, expected, has] of steps) {
      const answer = await changed(id, { verification });
      expect(answer).toMatchObject({ hook_url, has_verification_secret: has });
      expect(answer.verification).toEqual(expected);
      expect(await read(id)).toEqual(answer);
    }
    expect(await changed(id, { name: 'Renamed' })).toMatchObject({ hook_url, verification: { scheme: 'none' } });
    expect((await detailsOfUpdates())[1]).toMatchObject({ verification: 'hmac-sha256' });
  });

  it.each([
    ['no scheme', { secret: 's' }, ['scheme']],
    ['the unknown scheme paypal', { scheme: 'paypal', secret: 's' }, ['scheme']],
    ['no secret for github', { scheme: 'github' }, ['secret']],
    ['the secret null for stripe', { scheme: 'stripe', secret: null }, ['secret']],
    ['an empty secret', { scheme: 'slack', secret: '' }, ['secret']],
    ['a secret of 501 characters', { scheme: 'slack', secret: 'x'.repeat(501) }, ['secret']],
    ['a number as the secret', { scheme: 'slack', secret: 7 }, ['secret']],
    ['a secret for none', { scheme: 'none', secret: 's' }, ['secret']],
    [
      'a secret of standard-webhooks that is not base64',
      { scheme: 'standard-webhooks', secret: 'whsec_é' },
      ['secret'],
    ],
    ['no header for hmac-sha256', { scheme: 'hmac-sha256', secret: 's' }, ['header']],
    ['a header with a space', { scheme: 'hmac-sha256', secret: 's', header: 'X Signature' }, ['header']],
    ['a header of 101 characters', { scheme: 'hmac-sha256', secret: 's', header: 'x'.repeat(101) }, ['header']],
    ['the encoding base32', { scheme: 'hmac-sha256', secret: 's', header: 'X', encoding: 'base32' }, ['encoding']],
    ['a prefix with a line break', { scheme: 'hmac-sha256', secret: 's', header: 'X', prefix: 'a\n' }, ['prefix']],
    ['a header for github', { ...GITHUB, header: 'X-Signature' }, ['header']],
    [
      'an encoding and a prefix for gitlab',
      { scheme: 'gitlab', secret: 's', encoding: 'hex', prefix: 'x' },
      ['encoding', 'prefix'],
    ],
  ])('is refused with %s', async (_, verification, members) => {
    const { id } = await createHook(acme, GITHUB);
    const body = { project_id: acme.projectId, name: 'Refused', type: 'webhook', verification };
    for (const refused of [
      await change(id, { verification }).expect(422),
      await api.as(acme.owner).post(ROOT, body).expect(422),
    ]) {
      const { detail } = refused.body as { detail: { loc: unknown }[] };
      expect(detail.map(({ loc }) => loc)).toEqual(members.map((member) => ['body', 'verification', member]));
      expect(JSON.stringify(detail)).not.toContain(SECRET);
    }
    expect(await read(id)).toMatchObject({ verification: { scheme: 'github' }, has_verification_secret: true });
  });

  it('gets another address by rotation, which keeps its secret', async () => {
    const before = await createHook(acme, GITHUB);
    const after = await changed(before.id, { rotate_hook: true });
    expect(after.hook_url).not.toBe(before.hook_url);
    expect(after).toMatchObject({ verification: { scheme: 'github' }, has_verification_secret: true });
    expect(await changed(before.id, { rotate_hook: false })).toEqual(after);
    await change(before.id, { rotate_hook: null }).expect(422);
    expect(await detailsOfUpdates()).toEqual([expect.objectContaining({ hook_url: 'rotated' })]);
    expect(JSON.stringify(await activityOf(acme))).not.toContain(after.hook_url);
  });

  it('begins and ends with the type of the source', async () => {
    const { id } = await createSource(acme);
    const first = await changed(id, { type: 'webhook', verification: GITHUB });
    expect(first).toMatchObject({ hook_url: expect.any(String), verification: { scheme: 'github' } });
    expect(await changed(id, { type: 'server' })).not.toHaveProperty('hook_url');
    expect(await storedHook(id)).toBe('');
    const second = await changed(id, { type: 'webhook' });
    expect(second).toMatchObject({ verification: { scheme: 'none' }, has_verification_secret: false });
    expect(second.hook_url).not.toBe(first.hook_url);
  });

  it('shows its address to admins only, who alone may change it', async () => {
    const { id } = await createHook(acme, GITHUB);
    for (const account of [await acme.viewer(), await acme.member(), await acme.operator()]) {
      expect(await read(id, account)).toMatchObject({ hook_url: null, verification: { scheme: 'github' } });
      await change(id, { rotate_hook: true }, account).expect(403, { detail: 'Insufficient project role' });
    }
    expect(await read(id, await acme.admin())).toMatchObject({ hook_url: expect.any(String) });
    const other = await tenant();
    await change(id, { verification: null }, other.owner).expect(404, { detail: 'Event source not found' });
    await api.as(acme.owner).delete(`${ROOT}/${id}`).expect(204);
    expect(await storedHook(id)).toBe('');
  });
});
