import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { makeCertificate } from '../../support/certificates.js';
import { launchChromium, type Chromium } from '../../support/chromium.js';
import { DESKTOP, heading } from '../../support/console-pages.js';
import { type LoopbackSamlProvider, startSamlProvider } from '../../support/programs/saml.mjs';

/** The provider is another site for the browser: cookies of the service do not go with the form that it posts. */
describe('a sign-in by a SAML provider in a browser', () => {
  const certificate = makeCertificate({ names: ['idp.example.com'], keyType: 'rsa' });
  let app: TestApp;
  let owner: Owner;
  let provider: LoopbackSamlProvider;
  let browser: Chromium;
  let start: string;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
    provider = await startSamlProvider(certificate);
    const [connection] = await app.rows<{ id: string }>(
      `INSERT INTO sso_connections (id, organization_id, protocol, label, entity_id, sign_in_url, certificates, groups_attribute)
       VALUES (gen_random_uuid(), $1, 'saml', 'Acme', $2, $3, $4, 'group') RETURNING id`,
      [owner.organizationId, provider.entityId, provider.signInUrl, [certificate.cert]],
    );
    await app.rows(
      `INSERT INTO sso_domains (id, organization_id, domain, challenge, verified_at, verified_by)
       VALUES (gen_random_uuid(), $1, 'acme.example.com', 'none', now(), 'platform')`,
      [owner.organizationId],
    );
    await app.rows(
      `INSERT INTO sso_roles (organization_id, default_role, group_roles)
       VALUES ($1, 'viewer', '[{"group": "operations", "role": "operator"}]')`,
      [owner.organizationId],
    );
    start = `${app.url}/sso/saml/${connection?.id ?? ''}/start`;
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });
  beforeEach(async () => {
    browser = await launchChromium(DESKTOP);
  });
  afterEach(() => browser.close());

  it('lands in the organization with the role of the group', async () => {
    Object.assign(provider.person, { email: 'ann@acme.example.com', name: 'Ann Example', group: 'operations' });
    const page = await browser.context.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => void faults.push(message));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    const posts: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && posts.push(new URL(request.url()).pathname)));
    await page.goto(start);
    await page.waitForURL(`${app.url}/console/**`);
    // The form of the provider comes without the cookie, and our own page posts it again.
    const acs = new URL(start).pathname.replace(/start$/, 'acs');
    expect(posts.filter((path) => path === acs)).toHaveLength(2);
    await page.getByRole('heading').first().waitFor();
    expect(faults).toEqual([]);
    expect(page.url()).not.toContain('error');
    const members = await app.rows<{ email: string; role: string }>(
      'SELECT u.email, m.role FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 ORDER BY m.role',
      [owner.organizationId],
    );
    expect(members).toContainEqual({ email: 'ann@acme.example.com', role: 'operator' });
  });

  it('returns to the sign-in page with a code when the address is of a foreign domain', async () => {
    Object.assign(provider.person, { email: 'ann@other.example.com', name: 'Ann Example', group: '' });
    const page = await browser.context.newPage();
    await page.goto(start);
    await page.waitForURL(`${app.url}/console/login?error=sso_domain`);
    await heading(page, 'Sign in');
  });
});
