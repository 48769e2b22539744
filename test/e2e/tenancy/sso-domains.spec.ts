import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { replyTo } from '../../support/name-server.js';
import { platformAdmin } from '../../support/platform-admin.js';
import { type Account, api, PASSWORD, type Tenant, tenant } from '../../support/service.js';
import { storedSsoSettings } from '../../support/sql-builders/sso.js';
import { organizationAudit } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
/** A lookup ends after 5 seconds. The rest is for a busy machine. */
const PATIENT_MS = 120_000;

interface Domain {
  readonly id: string;
  readonly domain: string;
  readonly record_name: string;
  readonly record_value: string;
  readonly verified_at: string | null;
  readonly verified_by: string | null;
}

const path = ({ organizationId }: Pick<Tenant, 'organizationId'>, below = '') =>
  `/sso/organizations/${organizationId}/domains${below && `/${below}`}`;
const newDomain = (): string => `company-${randomBytes(6).toString('hex')}.example`;
const list = async (of: Tenant): Promise<Domain[]> =>
  (await api.as(of.owner).get(path(of)).expect(200)).body as Domain[];
const add = (of: Tenant, domain: unknown, caller: Account = of.owner) => api.as(caller).post(path(of), { domain });
const added = async (of: Tenant, domain = newDomain()): Promise<Domain> =>
  (await add(of, domain).expect(201)).body as Domain;
const verify = (of: Tenant, { id }: Pick<Domain, 'id'>, caller: Account = of.owner) =>
  api.as(caller).post(path(of, `${id}/verify`));
const approve = (of: Tenant, { id }: Pick<Domain, 'id'>, caller: Account) =>
  api.as(caller).post(path(of, `${id}/approve`));
const remove = (of: Tenant, { id }: Pick<Domain, 'id'>, caller: Account = of.owner) =>
  api.as(caller).delete(path(of, id));
const publish = ({ record_name: name, record_value: value }: Domain) => replyTo(name, [value]);
/** Returns an organization that has verified the domain. */
async function verified(of: Tenant, domain = newDomain()): Promise<Domain> {
  const claim = await added(of, domain);
  await publish(claim);
  return (await verify(of, claim).expect(200)).body as Domain;
}

let acme: Tenant;

async function newTenant(): Promise<void> {
  acme = await tenant();
}

describe('a domain of an organization', () => {
  beforeEach(newTenant);

  it('is added with the record that verifies it, is listed by name, and is removed', async () => {
    const name = newDomain();
    const second = await added(acme, `b.${name}`);
    const answer = await add(acme, `a.${name}`).expect(201);
    expect(answer.body).toEqual({
      id: expect.any(String) as unknown,
      organization_id: acme.organizationId,
      domain: `a.${name}`,
      record_name: `_operational-event-service.a.${name}`,
      record_value: expect.stringMatching(/^operational-event-service=[\w-]{32}$/) as unknown,
      verified_at: null,
      verified_by: null,
      created_at: TIME,
    });
    const first = answer.body as Domain;
    expect(first.record_value).not.toBe(second.record_value);
    expect(await list(acme)).toEqual([first, second]);
    await remove(acme, first).expect(204);
    expect(await list(acme)).toEqual([second]);
    await remove(acme, first).expect(404, { detail: 'Domain not found' });
    await verify(acme, first).expect(404, { detail: 'Domain not found' });
  });

  it('is the same in every spelling: case, final dot, blanks and A-labels', async () => {
    const label = `b\u00fccher-${randomBytes(6).toString('hex')}`;
    const { domain } = await added(acme, ` ${label.toUpperCase()}.Example. `);
    expect(domain).toBe(new URL(`https://${label}.example`).hostname);
    expect(domain).toMatch(/^xn--/);
    for (const spelling of [domain, `${label}.example`, `bu\u0308${label.slice(2)}.example`])
      await add(acme, spelling).expect(409, { detail: 'Domain was added already' });
  });

  it('is refused when the organization has 20 domains, also when requests race', async () => {
    for (let count = 0; count < 19; count += 1) await added(acme);
    const answers = await Promise.all([add(acme, newDomain()), add(acme, newDomain()), add(acme, newDomain())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await add(acme, newDomain()).expect(409, { detail: 'An organization has at most 20 domains' });
    expect(await list(acme)).toHaveLength(20);
  });

  it('is shown to admins, changed by the owner alone, and unknown to everybody else', async () => {
    const claim = await added(acme);
    const [admin, member, viewer] = [await acme.admin(), await acme.member(), await acme.viewer()];
    expect((await api.as(admin).get(path(acme)).expect(200)).body).toEqual([claim]);
    for (const caller of [member, viewer]) {
      await api.as(caller).get(path(acme)).expect(403, { detail: 'Admin role required' });
    }
    for (const caller of [admin, member, viewer]) {
      await add(acme, newDomain(), caller).expect(403, { detail: 'Owner role required' });
      await verify(acme, claim, caller).expect(403, { detail: 'Owner role required' });
      await remove(acme, claim, caller).expect(403, { detail: 'Owner role required' });
    }
    const globex = await tenant();
    for (const request of [
      api.as(globex.owner).get(path(acme)),
      add(acme, newDomain(), globex.owner),
      verify(acme, claim, globex.owner),
      remove(acme, claim, globex.owner),
    ])
      await request.expect(403, { detail: 'Not an organization member' });
    await verify(globex, claim).expect(404, { detail: 'Domain not found' });
    await remove(globex, claim).expect(404, { detail: 'Domain not found' });
    await api.get(path(acme)).expect(401, { detail: 'Not authenticated' });
    await api
      .as(acme.owner)
      .get(path({ organizationId: NOWHERE }))
      .expect(404, { detail: 'Organization not found' });
    expect(await list(acme)).toEqual([claim]);
  });
});

describe('a domain with an invalid name', () => {
  beforeAll(newTenant);

  it.each([
    ['192.0.2.1', 'an IP address is no domain'],
    ['2001:db8::1', 'an IP address is no domain'],
    ['0x7f.1', 'an IP address is no domain'],
    ['localhost', 'a domain name has at least two labels, such as example.com'],
    ['com', 'a domain name has at least two labels, such as example.com'],
    ['co.uk', 'under this domain anybody can register a name, so no organization owns it'],
    ['github.io', 'under this domain anybody can register a name, so no organization owns it'],
    ['gmail.com', 'anybody can have an address of this domain, so no organization owns it'],
    ['GMX.de.', 'anybody can have an address of this domain, so no organization owns it'],
    ['exam_ple.com', 'this is no domain name'],
    ['*.example.com', 'this is no domain name'],
    ['https://example.com', 'this is no domain name'],
    ['user@example.com', 'this is no domain name'],
    ['-a.example.com', 'this is no domain name'],
    ['a..example.com', 'this is no domain name'],
    ['\u212aelvin.example', 'this is no domain name'],
    [`${'a'.repeat(64)}.example`, 'this is no domain name'],
    [`${'abcdefg.'.repeat(28)}example`, 'a domain name should have at most 226 characters'],
  ])('is refused as %s', async (domain, sentence) => {
    const { body } = await add(acme, domain).expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'domain'], msg: `Value error, ${sentence}` }] });
  });

  it('is refused when it is no text, too long or missing', async () => {
    for (const domain of [5, null, ['example.com'], '', 'a'.repeat(254), undefined])
      await add(acme, domain).expect(422);
    expect(await list(acme)).toEqual([]);
  });
});

describe('the verification of a domain', () => {
  beforeEach(newTenant);

  it('takes the TXT record with the value of this organization, and is in the audit log', async () => {
    const claim = await added(acme);
    await verify(acme, claim).expect(409, { detail: 'DNS has no TXT record of this name yet' });
    await replyTo(claim.record_name, ['v=spf1 -all', claim.record_value]);
    const { body } = await verify(acme, claim).expect(200);
    expect(body).toEqual({ ...claim, verified_at: TIME, verified_by: 'dns' });
    await replyTo(claim.record_name, 'no such name');
    await verify(acme, claim).expect(200, body as object);
    await remove(acme, claim).expect(204);
    const audited = await organizationAudit(acme.organizationId);
    const { id: targetId, domain } = claim;
    expect(audited.filter(({ target_type }) => target_type === 'sso_domain')).toMatchObject(
      [
        { action: 'sso_domain.added', detail: { domain } },
        { action: 'sso_domain.verified', detail: { domain, by: 'dns' } },
        { action: 'sso_domain.removed', detail: { domain, was_verified: true } },
      ].map((act) => ({ ...act, actor_user_id: acme.owner.id, target_id: targetId })),
    );
  });

  it('refuses another value, the value of another organization, and a value with more around it', async () => {
    const domain = newDomain();
    const claim = await added(acme, domain);
    const other = await added(await tenant(), domain);
    const refusal = { detail: 'The TXT record in DNS has another value' };
    for (const reply of [
      ['operational-event-service='],
      [other.record_value],
      [`${claim.record_value}x`],
      [`x ${claim.record_value}`],
      [claim.record_value.toUpperCase()],
      [''],
    ]) {
      await replyTo(claim.record_name, reply);
      await verify(acme, claim).expect(409, refusal);
    }
    expect(await list(acme)).toEqual([claim]);
  });

  it('reads a record that has several pieces, and an answer that is too large for UDP', async () => {
    const claim = await added(acme);
    const noise = Array.from({ length: 40 }, (_, index) => `noise ${index} ${'x'.repeat(500)}`);
    await replyTo(claim.record_name, [...noise, claim.record_value]);
    await verify(acme, claim).expect(200);
  });

  it('compares no more than 50 records of up to 1,000 characters', async () => {
    const claim = await added(acme);
    const refusal = { detail: 'The TXT record in DNS has another value' };
    await replyTo(claim.record_name, [...Array.from({ length: 50 }, () => 'x'.repeat(1_000)), claim.record_value]);
    await verify(acme, claim).expect(409, refusal);
    await replyTo(claim.record_name, [claim.record_value + ' '.repeat(2_000)]);
    await verify(acme, claim).expect(409, refusal);
  });

  it(
    'ends when the name servers fail or are silent, and delays no other organization',
    async () => {
      const [claim, silent] = [await added(acme), await added(acme)];
      await replyTo(claim.record_name, 'server failure');
      await verify(acme, claim).expect(409, { detail: 'The name servers of the domain did not answer' });
      await replyTo(silent.record_name, 'silence');
      const waiting = Array.from({ length: 4 }, () =>
        verify(acme, silent).expect(409, { detail: 'The name servers of the domain did not answer' }),
      );
      const all = Promise.all(waiting);
      await verified(await tenant());
      await all;
    },
    PATIENT_MS,
  );

  it('lets one organization alone have a domain until it removes it', async () => {
    const domain = newDomain();
    const globex = await tenant();
    const theirs = await added(globex, domain);
    const ours = await verified(acme, domain);
    await publish(theirs);
    await verify(globex, theirs).expect(409, { detail: 'Another organization has verified this domain' });
    await add(await tenant(), domain).expect(409, { detail: 'Another organization has verified this domain' });
    await remove(acme, ours).expect(204);
    await verify(globex, theirs).expect(200);
  });

  it('has one winner when several organizations verify a domain at once', async () => {
    const domain = newDomain();
    const tenants = [acme, await tenant(), await tenant(), await tenant()];
    const claims = await Promise.all(tenants.map((each) => added(each, domain)));
    await replyTo(
      claims[0]?.record_name ?? '',
      claims.map(({ record_value }) => record_value),
    );
    const answers = await Promise.all(
      tenants.flatMap((each, index) => {
        const claim = claims[index] as Domain;
        return [verify(each, claim), verify(each, claim)];
      }),
    );
    const winners = tenants.filter((_, index) => answers[2 * index]?.status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409, 409, 409, 409]);
    const [winner] = winners as [Tenant];
    const acts = (await organizationAudit(winner.organizationId)).map(({ action }) => action);
    expect(acts.filter((action) => action === 'sso_domain.verified')).toHaveLength(1);
  });
});

describe('a platform administrator', () => {
  beforeEach(newTenant);

  let admin: Account;
  beforeAll(async () => {
    admin = await platformAdmin();
  });

  it('approves a domain without a record, once, for the organization that claims it', async () => {
    const claim = await added(acme);
    const { body } = await approve(acme, claim, admin).expect(200);
    expect(body).toEqual({ ...claim, verified_at: TIME, verified_by: 'platform' });
    await approve(acme, claim, admin).expect(200, body as object);
    const globex = await tenant();
    await approve(globex, claim, admin).expect(404, { detail: 'Domain not found' });
    await api.as(admin).get(path(acme)).expect(403, { detail: 'Not an organization member' });
    await approve({ ...acme, organizationId: NOWHERE }, claim, admin).expect(404, { detail: 'Organization not found' });
    const audited = await organizationAudit(acme.organizationId);
    expect(audited.filter(({ action }) => action === 'sso_domain.verified')).toMatchObject([
      { actor_user_id: admin.id, detail: { domain: claim.domain, by: 'platform' } },
    ]);
  });

  it('is the only one who approves domains', async () => {
    const claim = await added(acme);
    for (const caller of [acme.owner, await acme.admin(), await acme.member(), await acme.viewer()])
      await approve(acme, claim, caller).expect(403, { detail: 'Platform administrator required' });
    expect(await list(acme)).toEqual([claim]);
  });

  it('cannot approve a domain that another organization has verified', async () => {
    const domain = newDomain();
    const globex = await tenant();
    const claim = await added(globex, domain);
    await verified(acme, domain);
    await approve(globex, claim, admin).expect(409, { detail: 'Another organization has verified this domain' });
  });
});

describe('the removal of a domain by a platform administrator', () => {
  beforeEach(newTenant);

  let admin: Account;
  beforeAll(async () => {
    admin = await platformAdmin();
  });

  it('frees a verified domain for another organization, and is in the audit log', async () => {
    const domain = newDomain();
    const globex = await tenant();
    const theirs = await added(globex, domain);
    const ours = await verified(acme, domain);
    await remove(globex, ours, admin).expect(404, { detail: 'Domain not found' });
    await remove(acme, ours, admin).expect(204);
    await remove(acme, ours, admin).expect(404, { detail: 'Domain not found' });
    expect(await list(acme)).toEqual([]);
    const audited = await organizationAudit(acme.organizationId);
    expect(audited.filter(({ action }) => action === 'sso_domain.removed')).toMatchObject([
      { actor_user_id: admin.id, target_id: ours.id, detail: { domain, was_verified: true, by: 'platform' } },
    ]);
    await publish(theirs);
    await verify(globex, theirs).expect(200);
  });

  it('gives no other access to the settings of the organization', async () => {
    const claim = await added(acme);
    await verify(acme, claim, admin).expect(403, { detail: 'Not an organization member' });
    await add(acme, newDomain(), admin).expect(403, { detail: 'Not an organization member' });
    const nowhere = { ...acme, organizationId: NOWHERE };
    await remove(nowhere, claim, admin).expect(404, { detail: 'Organization not found' });
    expect(await list(acme)).toEqual([claim]);
  });
});

describe('a deleted organization', () => {
  beforeEach(newTenant);

  it('keeps no settings, and frees its domain at once', async () => {
    const domain = newDomain();
    await verified(acme, domain);
    await api
      .as(acme.owner)
      .put(`/sso/organizations/${acme.organizationId}/roles`, { default_role: 'member', group_roles: [] })
      .expect(200);
    await api
      .as(acme.owner)
      .post(`/sso/organizations/${acme.organizationId}/connections`, {
        protocol: 'oidc',
        label: 'Company',
        issuer: 'http://127.0.0.1:9',
        client_id: 'service',
        client_secret: 'kept-nowhere',
      })
      .expect(201);
    await api
      .as(acme.owner)
      .post('/v1/account/delete', { current_password: PASSWORD, delete_organizations: true })
      .expect(200);
    expect(await storedSsoSettings(acme.organizationId)).toBe('[]');
    await verified(await tenant(), domain);
  });
});
