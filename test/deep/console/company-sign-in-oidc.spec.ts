import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { faultsOf, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { startCompany } from '../../support/oidc-provider.js';
import { guardedByTotp, totpCode } from '../../support/second-factors.js';

type Company = Awaited<ReturnType<typeof startCompany>>;

const ICON = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`;

let acme: Company;
let globex: Company;
let app: TestApp;
let owner: Owner;
let organizationId: string;

beforeAll(async () => {
  [acme, globex] = await Promise.all([startCompany('acme'), startCompany('globex')]);
  const env = {
    ...acme.env,
    ...globex.env,
    OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
    OIDC_ACME_LABEL: 'Acme',
    OIDC_ACME_ICON: ICON,
    OIDC_ACME_ORGANIZATION: 'acme',
    OIDC_ACME_GROUPS: 'On-call=acme:operator',
  };
  app = await createTestApp({ env });
  owner = await ownerWithProject(app);
  ({ organizationId } = owner);
  await app.rows("UPDATE organizations SET slug = 'acme' WHERE id = $1", [organizationId]);
});
afterAll(async () => {
  await app.close();
  await Promise.all([acme.close(), globex.close()]);
});

/** Signs a person in on the page of the provider. */
async function atProvider(page: Page, subject: string): Promise<void> {
  await page.locator('input[name=subject]').fill(subject);
  await page.keyboard.press('Enter');
}

/** Returns where the field of the address stands, once the page is read and nothing moves by itself. */
async function placeOfForm(page: Page): Promise<unknown> {
  await page.evaluate(`new Promise((resolve) => {
    if (document.readyState !== 'loading') resolve();
    else document.addEventListener('readystatechange', resolve, { once: true });
  })`);
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
  return page.locator('input[name=username]').boundingBox();
}

describe.each(SCREENS)('the sign-in page with providers of companies, on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;

  beforeEach(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
  });
  afterEach(async () => {
    const faults = await faultsOf(browser);
    // The pages of the providers are other origins.
    expect(faults.filter((fault) => !fault.startsWith(acme.issuer) && !fault.startsWith(globex.issuer))).toEqual([]);
    await browser.close();
  });
  const role = async (email: string): Promise<string | undefined> => {
    const [row] = await app.rows<{ role: string }>(
      `SELECT m.role FROM organization_members m JOIN users u ON u.id = m.user_id
       WHERE m.organization_id = $1 AND u.email = $2`,
      [organizationId, email],
    );
    return row?.role;
  };

  it('signs in by the button of a provider, and lands in the organization with the role of the group', async () => {
    const { subject, email, claims } = acme.addPerson();
    acme.people.set(subject, { ...claims, groups: ['On-call'] });
    let letCome = () => {};
    const mayCome = new Promise<void>((resolve) => (letCome = resolve));
    await page.route(/\/assets\/first-[^/]*\.js$/, async (route) => {
      await mayCome;
      await route.continue();
    });
    await page.goto(`${app.url}/console/login?next=/account`, { waitUntil: 'commit' });
    const before = await placeOfForm(page);
    letCome();
    const button = page.getByRole('button', { name: 'Sign in with Acme' });
    await button.waitFor();
    expect(await placeOfForm(page)).toEqual(before);
    expect(await page.getByRole('button', { name: 'Sign in with your company' }).count()).toBe(0);
    expect(await button.locator('img').getAttribute('src')).toBe(ICON);
    expect(await browser.lookAt('sign-in-companies')).toEqual([]);
    await button.click();
    await atProvider(page, subject);
    await page.getByText(`You sign in as ${email}.`).waitFor();
    expect(await role(email)).toBe('operator');
    await page.goto(`${app.url}/console`);
    await heading(page, 'Web shop');
  });

  it('finds the provider of a verified domain, and lands in its organization with the role of the group', async () => {
    const domain = `d${randomBytes(6).toString('hex')}.example`;
    await app.rows(
      `INSERT INTO sso_domains (id, organization_id, domain, challenge, verified_at, verified_by)
       VALUES ($1, $2, $3, 'challenge', now(), 'dns')`,
      [randomUUID(), organizationId, domain],
    );
    const send = (method: string, path: string, body?: object) =>
      fetch(`${app.url}/sso/organizations/${organizationId}/${path}`, {
        method,
        headers: { Authorization: owner.bearer, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    const roles = { default_role: 'viewer', group_roles: [{ group: 'Platform', role: 'operator' }] };
    expect((await send('PUT', 'roles', roles)).status).toBe(200);
    const connection = {
      protocol: 'oidc',
      label: 'Globex',
      issuer: globex.issuer,
      client_id: 'events',
      client_secret: globex.clientSecret,
    };
    const created = await send('POST', 'connections', connection);
    expect(created.status).toBe(201);
    const { subject, email, claims } = globex.addPerson(`ada@${domain}`);
    globex.people.set(subject, { ...claims, groups: ['Platform'] });

    await page.goto(`${app.url}/console/login`);
    await page.getByRole('button', { name: 'Sign in with your company' }).click();
    await heading(page, 'Sign in with your company');
    await page.getByLabel('E-mail address at your company').fill('ada@nowhere.example');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No company has set up a sign-in for this address.').waitFor();
    expect(await browser.lookAt('sign-in-discovery')).toEqual([]);
    await page.getByLabel('E-mail address at your company').fill(email);
    await page.getByRole('button', { name: 'Continue' }).click();
    await atProvider(page, subject);
    await heading(page, 'Web shop');
    expect(await role(email)).toBe('operator');
    const { id } = (await created.json()) as { id: string };
    expect((await send('DELETE', `connections/${id}`)).status).toBe(204);
  });

  itOnDesktop(
    'stays usable when the person goes back before the answer, and when the browser restores it',
    async () => {
      const providers = [{ label: 'Globex', protocol: 'oidc', start_url: '/sso/oidc/globex/start' }];
      await page.route('**/sso/providers', (route) => route.fulfill({ json: { providers: [], by_address: true } }));
      const held: (() => void)[] = [];
      await page.route('**/sso/discover', async (route) => {
        await new Promise<void>((resolve) => held.push(resolve));
        await route.fulfill({ json: { providers } });
      });
      const starts: string[] = [];
      // The page stays after an answer without content, as a restored page has stayed.
      await page.route('**/sso/oidc/globex/start', async (route) => {
        starts.push(route.request().url());
        await route.fulfill({ status: 204 });
      });
      const release = async (): Promise<void> => {
        const response = page.waitForResponse('**/sso/discover');
        await eventually(
          () => held.length,
          (length) => length > 0,
        );
        held.pop()?.();
        await (await response).finished();
        await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      };
      const proceed = page.getByRole('button', { name: 'Continue' });
      await page.goto(`${app.url}/console/login`);
      await page.getByRole('button', { name: 'Sign in with your company' }).click();
      await page.getByLabel('E-mail address at your company').fill('ada@globex.example');
      await proceed.click();
      await page.getByRole('button', { name: 'Sign in another way' }).click();
      await release();
      await heading(page, 'Sign in');
      expect(starts).toEqual([]);

      await page.getByRole('button', { name: 'Sign in with your company' }).click();
      await page.getByLabel('E-mail address at your company').fill('ada@globex.example');
      await proceed.click();
      await release();
      await eventually(
        () => starts.length,
        (length) => length === 1,
      );
      expect(await proceed.isEnabled()).toBe(false);
      await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
      await eventually(
        () => proceed.isEnabled(),
        (isEnabled) => isEnabled,
      );
    },
  );

  itOnDesktop('says in a sentence why a sign-in was refused', async () => {
    const { subject, claims } = acme.addPerson();
    acme.people.set(subject, { ...claims, email_verified: false });
    await page.goto(`${app.url}/console/login?next=/account`);
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await atProvider(page, subject);
    await page.getByRole('alert').getByText('Your company’s sign-in did not work.').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/account');
    expect(await browser.lookAt('sign-in-refused')).toEqual([]);
  });

  itOnDesktop('asks for the second factor of an account that has one', async () => {
    const guarded = await guardedByTotp(app);
    const { subject } = acme.addPerson(guarded.email);
    await page.goto(`${app.url}/console/login?next=/account`);
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await atProvider(page, subject);
    await heading(page, 'One more step');
    await page.waitForURL((url) => url.hash === '');
    await page.getByLabel('Code of the authenticator').fill(totpCode(guarded.secret));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(`You sign in as ${guarded.email}.`).waitFor();
    expect(await role(guarded.email)).toBe('viewer');
  });

  itOnDesktop('signs out at the provider too', async () => {
    const { subject } = acme.addPerson();
    await page.goto(`${app.url}/console/login`);
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await atProvider(page, subject);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin === acme.issuer);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${app.url}/console/login`);
    await heading(page, 'Sign in');
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    // The session at the provider has ended, too.
    await page.locator('input[name=subject]').waitFor();
  });
});
