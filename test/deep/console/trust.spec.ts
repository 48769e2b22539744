import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { addMember, type Owner, ownerWithProject, PASSWORD } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { withoutPlanLimits } from '../../support/memberships.js';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

describe.each(SCREENS)('the console on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;
  /** Faults of the network that a test expects, as the browser reports them. */
  let expected: RegExp | null;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    expected = null;
    await page.goto(`${address}/keys`);
    await heading(page, 'API keys');
  });
  afterEach(async () => {
    await browser.context.setOffline(false);
    await page.unrouteAll();
    const faults = await faultsOf(browser);
    browser.faults.length = 0;
    expect(faults.filter((fault) => expected?.test(fault) !== true)).toEqual([]);
  });

  /** Opens a page that no link has loaded before. */
  async function openSecrets(): Promise<void> {
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog');
    await search.getByPlaceholder('Search pages and everything in the project').fill('secrets');
    await search.getByRole('button', { name: /^Secrets/ }).click();
  }

  for (const status of [429, 503])
    itOnDesktop(`says why it waits after ${status}, and asks again when the wait is over`, async () => {
      expected = new RegExp(`status of ${status}`);
      const tab = await browser.openTab();
      let refusals = 0;
      await tab.route('**/v1/projects/*/settings', (route) => {
        refusals += 1;
        return refusals === 1
          ? route.fulfill({ status, headers: { 'Retry-After': '30' }, json: { detail: 'Too many requests' } })
          : route.continue();
      });
      await tab.clock.install();
      await tab.goto(`${address}/settings`);
      await tab.getByText('It asks to wait for 30 seconds').waitFor();
      expect(refusals).toBe(1);
      await tab.clock.runFor(31_000);
      await tab.getByRole('combobox', { name: 'Time zone' }).waitFor();
      await tab.getByText('It asks to wait for').waitFor({ state: 'hidden' });
      await tab.close();
    });

  itOnDesktop('does not repeat an action that was refused with 503', async () => {
    expected = /status of 503/;
    let tries = 0;
    await page.route(/\/v1\/api-keys/, (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      tries += 1;
      return route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { detail: 'Service overloaded' } });
    });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Web server');
    await page.getByRole('button', { name: 'Make the key' }).click();
    // The error is shown after the last try.
    await page.getByText('Service overloaded').waitFor();
    expect(tries).toBe(1);
  });

  itOnDesktop('loads the script of a page again that did not come, without a reload', async () => {
    expected = /ERR_FAILED/;
    let tries = 0;
    await page.route(/\/assets\/secrets-[^/]*\.js$/, (route) => {
      tries += 1;
      return tries === 1 ? route.abort() : route.continue();
    });
    await page.evaluate('window.isSamePage = true');
    await openSecrets();
    await heading(page, 'Secrets');
    expect(tries).toBe(2);
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });

  it('says that it is offline, and goes on when the connection is back', async () => {
    expected = /ERR_INTERNET_DISCONNECTED/;
    await browser.context.setOffline(true);
    await page.getByText('You are offline').waitFor();
    expect(await browser.lookAt('offline')).toEqual([]);
    await openSecrets();
    await browser.context.setOffline(false);
    await page.getByText('No secret yet').waitFor();
    await page.getByText('You are offline').waitFor({ state: 'hidden' });
  });

  it('says that nobody can pay where no payment provider is set up', async () => {
    expected = /status of 500/;
    await page.goto(`${address}/organization/billing`);
    await page.getByRole('button', { name: 'Manage the subscription' }).click();
    await page.getByText('no payment provider is set up').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await browser.lookAt('billing-without-provider')).toEqual([]);
  });

  itOnDesktop('shows the sentence of a refused field without words of the API', async () => {
    expected = /status of 422/;
    await page.goto(`${app.url}/console/account`);
    await page.getByRole('textbox', { name: 'Name' }).fill('\u2800');
    await page.getByRole('textbox', { name: 'Name' }).press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('must have a visible character').waitFor();
    expect(await alert.innerText()).not.toContain('Value error');
  });

  it('keeps a key that is shown once until its button is pressed', async () => {
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Web server');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('region', { name: 'the key' }).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'the key' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // The next dialog closes as before.
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByLabel('Name').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('shows the key of an authenticator as a QR code', async () => {
    // The service asks for the password first.
    expected = /status of 403/;
    await page.goto(`${app.url}/console/account/factors`);
    await page.getByRole('button', { name: 'Set up' }).click();
    const proof = page.getByRole('dialog').locator('input[type=password]');
    const code = page.getByRole('img', { name: 'The key of the authenticator as a QR code' });
    await proof.or(code).waitFor();
    if (await proof.isVisible()) {
      await proof.fill(PASSWORD);
      await proof.press('Enter');
    }
    await code.waitFor();
    expect(await browser.lookAt('authenticator')).toEqual([]);
    const link = await page.getByRole('link', { name: 'open it there' }).getAttribute('href');
    const { data } = encode(link ?? '', { border: 0 });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    expect(link).toMatch(/^otpauth:/);
    expect(await code.locator('path').getAttribute('d')).toBe(dark.join(''));
  });

  itOnDesktop('tells a viewer why the buttons of each page do nothing', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    await withoutPlanLimits(app, owner.organizationId);
    const post = (path: string, body: object) =>
      app
        .request()
        .post(path)
        .set('Authorization', owner.bearer)
        .send({ project_id: owner.projectId, ...body })
        .expect(201);
    await post('/v1/ingest-sources', { name: `Source for ${screen.viewport.width}` });
    await post('/v1/secrets', { name: `SECRET_${screen.viewport.width}`, value: 'kept' });
    await post('/v1/alerts/events', { message: 'Raised by hand' });
    await enter(browser, `${address}/keys`, viewer);
    await heading(page, 'API keys');
    // Only admins may see the members of the organization and its invitations.
    expected = /status of 403/;
    const main = page.getByRole('main');
    const reason = /Your role here is viewer|It takes an admin/;
    const refused = main.locator('button[aria-disabled=true]');
    for (const [path, title] of [
      ['keys', 'API keys'],
      ['sources', 'Sources'],
      ['secrets', 'Secrets'],
      ['members', 'Project members'],
      ['silences', 'Silences'],
      ['organization/members', 'Members'],
      ['organization/invitations', 'Invitations'],
    ] as const) {
      await page.goto(`${address}/${path}`);
      await heading(page, title);
      await refused.first().waitFor();
      for (const button of await refused.all()) {
        await button.focus();
        await page.getByRole('tooltip').filter({ hasText: reason }).waitFor();
        await button.blur();
        await page.getByRole('tooltip').waitFor({ state: 'hidden' });
      }
    }
    // A button of a form cannot be focused. Its page says why.
    await page.goto(`${address}/settings`);
    await heading(page, 'Settings');
    await main.locator('button:disabled').first().waitFor();
    await main.getByText(reason).first().waitFor();
    await page.goto(`${address}/alerts`);
    await page
      .getByRole('button', { name: /^Raised by hand/ })
      .first()
      .click();
    await page.getByText('Your role here is viewer; it takes owner, admin, operator, or member, to comment.').waitFor();
    await page.getByRole('combobox', { name: 'Assigned to', exact: true }).last().focus();
    await page.getByRole('tooltip').getByText('Your role here is viewer').waitFor();
  });

  it('tells a viewer why the buttons for keys do nothing', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    await enter(browser, `${address}/first-event`, viewer);
    await heading(page, 'Send the first event');
    await page.getByText('Ask one of them for a key').waitFor();
    await page.getByRole('button', { name: 'Make a key', disabled: true }).press('Enter');
    expect(await browser.lookAt('first-event-viewer')).toEqual([]);
    await page.goto(`${address}/keys`);
    const revoke = page.getByRole('button', { name: /^Revoke/, disabled: true }).first();
    await revoke.focus();
    await page.getByRole('tooltip').getByText('Your role here is viewer').waitFor();
    await revoke.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
