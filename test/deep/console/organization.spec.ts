import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Actor, addMember, type Owner, ownerWithProject, randomEmail, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import {
  addressOf,
  DESKTOP,
  enter,
  faultsOf,
  follow,
  goTo,
  heading,
  onDesktop,
  SCREENS,
} from '../../support/console-pages.js';
import { waitForMails } from '../../support/outbox.js';
import { PaymentStandIn } from '../../support/payment-provider.js';

let app: TestApp;
let provider: PaymentStandIn;

beforeAll(async () => {
  provider = await PaymentStandIn.start();
  app = await createTestApp({ env: provider.env });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** From the list of a select. */
async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

describe.each(SCREENS)('an organization on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let member: Actor;
  const invited = randomEmail();

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    owner = await ownerWithProject(app);
    member = await addMember(app, owner, 'viewer');
    await enter(browser, await addressOf(app, owner), owner);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    expect((await faultsOf(browser)).filter((fault) => !/status of 4(09|29)/.test(fault))).toEqual([]);
  });

  it('invites somebody, says why a second mail is refused, and takes the invitation back', async () => {
    await goTo(page, 'Invitations');
    await page.getByText('Nobody is invited').waitFor();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail address').fill(invited);
    expect(await browser.lookAt('invite')).toEqual([]);
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('pending', { exact: true }).waitFor();
    await waitForMails(app.dataDir, invited, 1);
    await page.getByRole('button', { name: 'Send', exact: false }).getByText('Send again').click();
    await page
      .getByRole('alert')
      .getByText(/^Request/)
      .waitFor();
    expect(await browser.lookAt('invitations')).toEqual([]);
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    await page.getByText('Refused: ').waitFor();
  });

  it('changes the role of a member where it stands', async () => {
    await goTo(page, 'Members');
    expect(await browser.lookAt('members')).toEqual([]);
    await choose(page, 'Role of', 'Operator');
    await page.getByRole('combobox', { name: 'Role of' }).and(page.locator('[value=Operator]')).waitFor();
    await page.getByRole('combobox', { name: 'Role of', disabled: false }).waitFor();
    const roles = await app.rows('SELECT role FROM project_members WHERE user_id = $1', [member.id]);
    expect(roles).toEqual([{ role: 'operator' }]);
  });

  it('shows the plan and what is used of it, and leads to the payment and back', async () => {
    await page.goto(`${app.url}/console/billing`);
    await heading(page, 'Billing');
    await page.getByText(/^0 of /).waitFor();
    expect(await browser.lookAt('billing')).toEqual([]);
    await page.route('https://checkout.example.com/**', (route) => route.fulfill({ body: 'At the provider' }));
    await page.getByRole('button', { name: 'Go to the payment' }).click();
    await page.getByText('At the provider').waitFor();
    expect([...provider.sessions.values()].map(({ url }) => url)).toContain(page.url());
    browser.faults.length = 0;
    await page.goBack();
    await heading(page, 'Billing');
  });

  it('warns on every page while 80 % of the month are used, and leads to the usage', async () => {
    const { organizationId } = owner;
    await app.rows('UPDATE organizations SET events_per_month_limit = 10 WHERE id = $1', [organizationId]);
    await app.rows(
      `INSERT INTO organization_months (organization_id, month, events)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 8)`,
      [organizationId],
    );
    await page.goto(await addressOf(app, owner));
    const banner = page.getByRole('status').filter({ hasText: 'has used more than 80 % of the events of the month' });
    await banner.waitFor();
    expect(await browser.lookAt('quota-banner')).toEqual([]);
    await banner.getByRole('link', { name: 'Usage and plan' }).click();
    await heading(page, 'Billing');
    await app.rows('UPDATE organizations SET events_per_month_limit = NULL WHERE id = $1', [organizationId]);
    await page.reload();
    await page.getByText(/^8 of /).waitFor();
    expect(await banner.count()).toBe(0);
  });

  itOnDesktop('removes a member, whose browser finds nothing there any more', async () => {
    const other = await openConsole(app, screen);
    try {
      await enter(other, await addressOf(app, owner), member);
      await heading(other.page, owner.projectName);
      await goTo(page, 'Members');
      await page.getByRole('button', { name: /^Remove/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: /^Remove/ }).waitFor({ state: 'hidden' });
      await other.page.reload();
      await heading(other.page, 'There is no such page');
    } finally {
      await other.close();
    }
  });
});

describe.each(SCREENS)('the page of an invitation on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    owner = await ownerWithProject(app);
  });
  afterAll(() => browser.close());

  /** Invites an address as viewer. Returns the address that the mail links to. */
  async function linkFor(email: string): Promise<string> {
    await app
      .request()
      .post(`/v1/organizations/${owner.organizationId}/invites`)
      .auth(owner.accessToken, { type: 'bearer' })
      .send({ email, role: 'viewer' })
      .expect(201);
    const [mail] = await waitForMails(app.dataDir, email, 1);
    const [path = ''] = /\/invites\/\S+/.exec(mail?.text ?? '') ?? [];
    return app.url + path;
  }

  it('names the organization, the role and the inviter before a person joins', async () => {
    const invited = await signedIn(app);
    await app.rows(`UPDATE users SET name = 'Ada Lovelace' WHERE id = $1`, [owner.id]);
    await enter(browser, await linkFor(invited.email), invited);
    await heading(page, 'Join Acme');
    await page.getByText('Ada Lovelace invites you as viewer.').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await browser.lookAt('invitation')).toEqual([]);
    expect(await faultsOf(browser)).toEqual([]);
    await page.getByRole('button', { name: 'Join' }).click();
    await heading(page, owner.projectName);
  });

  itOnDesktop('says that an invitation was declined', async () => {
    const invited = await signedIn(app);
    await enter(browser, await linkFor(invited.email), invited);
    await page.getByRole('button', { name: 'Decline' }).click();
    await heading(page, 'Declined');
    await page.reload();
    await page.getByText('You have declined this invitation.').waitFor();
    expect(await page.getByRole('button', { name: 'Join' }).count()).toBe(0);
  });

  itOnDesktop(
    'tells another account that the invitation is not for it, without the name of the organization',
    async () => {
      await enter(browser, await linkFor(randomEmail()), await signedIn(app));
      await page.getByRole('alert').getByText('Invitation belongs to another account').waitFor();
      expect(await page.getByText('Acme').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Join' }).count()).toBe(0);
    },
  );
});

describe('two browsers of one organization', () => {
  let first: ConsoleBrowser;
  let second: ConsoleBrowser;
  let owner: Owner;
  let viewer: Actor;

  beforeAll(async () => {
    [first, second] = await Promise.all([openConsole(app, DESKTOP), openConsole(app, DESKTOP)]);
    owner = await ownerWithProject(app);
    viewer = await addMember(app, owner, 'viewer');
    const address = await addressOf(app, owner);
    await enter(first, `${address}/organization/members`, owner);
    await enter(second, `${address}/organization/members`, viewer);
  });
  afterAll(() => Promise.all([first.close(), second.close()]));

  it('offers a viewer nothing that the role may not do, and says why', async () => {
    const { page } = second;
    await page.getByText('It takes an admin or the owner of the organization to see the members').waitFor();
    expect(await second.lookAt('members-viewer')).toEqual([]);
    await goTo(page, 'API keys');
    await page.getByRole('button', { name: 'New key' }).hover();
    await page.getByRole('tooltip').getByText('Your role here is viewer').waitFor();
    await page.getByRole('button', { name: 'New key' }).press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Revoke/, disabled: false }).count()).toBe(0);
  });

  it('asks a viewer no more for what was refused', async () => {
    const tab = await second.openTab();
    await tab.clock.install();
    await tab.goto(`${await addressOf(app, owner)}/organization/billing`);
    await tab.getByText('It takes an admin or the owner of the organization').waitFor();
    const asked: string[] = [];
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await tab.clock.runFor(90_000);
    await tab.waitForResponse(/billing/);
    expect(asked.filter((path) => path.endsWith('/members'))).toEqual([]);
    await tab.close();
  });

  it('shows each the acts of the other on the members', async () => {
    await choose(first.page, 'Role of', 'Admin');
    await first.page.getByRole('combobox', { name: 'Role of', disabled: false }).waitFor();
    const { page } = second;
    await page.reload();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog', { name: 'New key' }).waitFor();
    await page.keyboard.press('Escape');
    await follow(page, 'Members');
    await page.getByText('(you)').waitFor();
    await page.getByText('Owner', { exact: true }).hover();
    await page.getByRole('tooltip').getByText('The role of the owner stays as it is').waitFor();

    await page.getByRole('button', { name: /^Leave/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await heading(page, 'First steps');
    await first.page.reload();
    await first.page.getByText('(you)').waitFor();
    expect(await first.page.getByRole('combobox', { name: 'Role of' }).count()).toBe(0);
  });
});
