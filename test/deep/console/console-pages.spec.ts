import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Actor, ownerWithProject, PASSWORD, randomEmail, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, follow, goTo, heading, onDesktop, SCREENS, signIn } from '../../support/console-pages.js';
import { waitForMails } from '../../support/outbox.js';
import { forgetUsedCodes, guardedByTotp, totpCode } from '../../support/second-factors.js';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

describe.each(SCREENS)('a new user on $device', ({ device, screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  const email = randomEmail();
  let key = '';

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
  });
  afterAll(() => browser.close());

  afterEach(async () => {
    expect(browser.faults).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.viewport.width);
    const kept = await browser.kept();
    for (const secret of [PASSWORD, 'eyJ', 'oes_', 'token=', 'console_session']) expect(kept).not.toContain(secret);
  });

  it('registers, confirms the address by the mailed link, and goes on to the sign-in with it', async () => {
    await page.goto(`${app.url}/console`);
    await heading(page, 'Sign in');
    expect(await browser.lookAt('sign-in')).toEqual([]);
    await page.getByRole('link', { name: 'Register' }).click();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('input[type=password]').fill(PASSWORD);
    expect(await browser.lookAt('register')).toEqual([]);
    await page.getByRole('button', { name: 'Register' }).click();
    await heading(page, 'Check your mail');
    expect(await browser.lookAt('mail')).toEqual([]);

    const [mail] = await waitForMails(app.dataDir, email, 1);
    const link = /http\S+\/verify-email\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    await page.goto(link.replace(/^http:\/\/[^/]+/, app.url));
    await page.waitForURL(`${app.url}/console/verify-email`);
    expect(await browser.lookAt('verify-email')).toEqual([]);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await heading(page, 'Sign in');
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
    await page.locator('input[name=password]:focus').waitFor();
    expect(await browser.lookAt('sign-in-confirmed')).toEqual([]);
  });

  it('creates an organization, a project and a key, and sees the first events arrive', async () => {
    await signIn(page, email);
    await heading(page, 'First steps');
    expect(await browser.lookAt('first-steps')).toEqual([]);
    await page.getByLabel('Name of the organization').fill(`Ada on ${device}`);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the project').fill('Web shop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const command = await page.getByRole('region', { name: 'the curl command' }).innerText();
    await page.getByRole('region', { name: 'the key' }).waitFor();
    key = (await page.getByRole('region', { name: 'the key' }).innerText()).trim();
    const commandWithKey = await page.getByRole('region', { name: 'the curl command' }).innerText();
    expect(commandWithKey).toBe(command.replace('YOUR_KEY', key));
    await page.getByRole('button', { name: 'I have kept it' }).click();

    for (const [index, path] of ['/cart', '/checkout', '/checkout'].entries()) {
      const payload = { method: 'GET', path, status_code: index === 2 ? 500 : 200, latency_ms: 40 + index };
      const event = { event_type: 'http.request', source: 'web', payload };
      await app.request().post('/v1/events/ingest').set('X-API-Key', key).send(event).expect(200);
    }
    await page.getByText('from web').nth(2).waitFor();
    expect(await browser.lookAt('first-event')).toEqual([]);
  });

  it('sees the events in the overview, also after a reload', async () => {
    await page.getByRole('link', { name: 'To the overview' }).click();
    const events = page.getByRole('region', { name: 'Events', exact: true });
    await events.getByText('3', { exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Errors' }).innerText()).toMatch(/Errors\s+1\s+Error rate 33.33%/);
    expect(await browser.lookAt('overview')).toEqual([]);
    await page.reload();
    await events.getByText('3', { exact: true }).waitFor();
  });

  itOnDesktop('finds an event of the log by filters, which a reload keeps', async () => {
    await goTo(page, 'Logs');
    await page.getByText('3 events', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Search' }).fill('checkout');
    await page.keyboard.press('Enter');
    await page.getByText('2 events', { exact: true }).waitFor();
    await page.waitForURL(/logs\?q=checkout$/);
    await page.getByRole('combobox', { name: 'Search' }).fill('status:>=500');
    await page.keyboard.press('Enter');
    await page.getByText('1 event', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 event', { exact: true }).waitFor();
    await page.getByRole('group', { name: '1 event' }).getByRole('button').click();
    await page.getByRole('dialog').getByText('42 ms').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('creates a key and revokes another, which is refused immediately', async () => {
    await goTo(page, 'API keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Web server');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('region', { name: 'the key' }).waitFor();
    expect(await browser.lookAt('new-key')).toEqual([]);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Revoke First steps' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked').waitFor();
    expect(await browser.lookAt('keys')).toEqual([]);
    await app.request().post('/v1/events/ingest').set('X-API-Key', key).send({ event_type: 'x' }).expect(403);
  });

  it('finds a key with the keyboard, and signs out', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByPlaceholder('Search pages and everything in the project').fill('web serv');
    await page.getByRole('dialog').getByText('Web server').waitFor();
    expect(await browser.lookAt('search')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    await page.goBack();
    await heading(page, 'Sign in');
    expect(await browser.context.cookies()).toEqual([]);
  });
});

describe('a browser of the console', () => {
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openConsole(app, DESKTOP);
    ({ page } = browser);
  });
  afterAll(() => browser.close());

  /** As the sign-in leaves it. */
  async function enter(actor: Actor): Promise<void> {
    await browser.context.clearCookies();
    await page.goto(`${app.url}/console/login`);
    await signIn(page, actor.email);
  }

  /** Goes to another page. A read of this page may lead to the sign-in before. */
  async function goOn(): Promise<void> {
    const link = page.getByRole('link', { name: 'Sources & keys' });
    await link.or(page.getByRole('heading', { name: 'Sign in', exact: true })).click();
  }

  it.each([
    ['the authenticator', 'Authenticator', 'Code of the authenticator'],
    ['a recovery code', 'Recovery code', 'Recovery code'],
  ])('asks for a second proof: %s', async (_, way, label) => {
    const actor = await guardedByTotp(app);
    await forgetUsedCodes(app, actor.id);
    await enter(actor);
    await heading(page, 'One more step');
    await page.getByText(way, { exact: true }).first().click();
    const code = way === 'Authenticator' ? totpCode(actor.secret) : (actor.recoveryCodes[0] ?? '');
    await page.getByRole('textbox', { name: label }).fill(code);
    expect(await browser.lookAt('second-factor')).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'First steps');
  });

  it('says what was wrong with a sign-in, and which request it was', async () => {
    const actor = await signedIn(app);
    await browser.context.clearCookies();
    await page.goto(`${app.url}/console/login`);
    await page.getByLabel('E-mail address').fill(actor.email);
    await page.locator('input[name=password]').fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(await page.getByRole('alert').innerText()).toMatch(/Incorrect.*\s+Request [\w-]{36}$/s);
    expect(await browser.lookAt('sign-in-refused')).toEqual([]);
  });

  it('chooses a new password by the mailed link', async () => {
    const actor = await signedIn(app);
    await browser.context.clearCookies();
    await page.goto(`${app.url}/console/forgot-password`);
    await page.getByLabel('E-mail address').fill(actor.email);
    expect(await browser.lookAt('forgot-password')).toEqual([]);
    await page.getByRole('button', { name: 'Send the mail' }).click();
    await heading(page, 'Check your mail');
    const mails = await waitForMails(app.dataDir, actor.email, 1);
    const link = mails.map(({ text }) => /http\S+\/reset-password\S+/.exec(text ?? '')?.[0]).find(Boolean) ?? '';
    await page.goto(link.replace(/^http:\/\/[^/]+/, app.url));
    await page.waitForURL(`${app.url}/console/reset-password`);
    await page.locator('input[type=password]').fill('another-horse-battery');
    expect(await browser.lookAt('reset-password')).toEqual([]);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await heading(page, 'The password is set');
  });

  it('signs out of every tab, and forgets who it was when the session ends elsewhere', async () => {
    const owner = await ownerWithProject(app);
    const address = await addressOf(app, owner);
    await enter(owner);
    await heading(page, owner.projectName);
    const tab = await browser.openTab();
    await tab.goto(`${address}/keys`);
    await heading(tab, 'API keys');
    await tab.getByRole('button', { name: 'Your account' }).click();
    await tab.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(tab, 'Sign in');
    await heading(page, 'Sign in');

    await signIn(page, owner.email);
    await heading(page, owner.projectName);
    await app.request().post('/v1/auth/sessions/revoke-others').set('Authorization', owner.bearer).expect(200);
    await goOn();
    await heading(page, 'Sign in');
    await page.waitForURL(/login\?next=/);
    await signIn(page, owner.email);
    await page
      .getByRole('heading', { name: 'Sources', exact: true })
      .or(page.getByRole('heading', { name: owner.projectName, exact: true }))
      .waitFor();
    await tab.close();
  });

  it('shows whoever signs in next nothing of whoever was there before, in no tab', async () => {
    const [former, next] = [await ownerWithProject(app, 'Bakery'), await ownerWithProject(app, 'Brewery')];
    await enter(former);
    await heading(page, 'Bakery');
    await app.request().post('/v1/auth/sessions/revoke-others').set('Authorization', former.bearer).expect(200);
    await goOn();
    await heading(page, 'Sign in');
    await signIn(page, next.email);
    await heading(page, 'There is no such page');
    await page.getByRole('link', { name: 'To the console' }).click();
    await heading(page, 'Brewery');

    const tab = await browser.openTab();
    await tab.goto(`${app.url}/console/login`);
    await signIn(tab, former.email);
    await heading(tab, 'Bakery');
    await heading(page, 'There is no such page');
    await page.getByRole('link', { name: 'To the console' }).click();
    await heading(page, 'Bakery');
    await tab.close();
  });

  it('says so when a sign-out came to nothing, and does it once the service is back', async () => {
    const owner = await ownerWithProject(app);
    await enter(owner);
    await heading(page, owner.projectName);
    await page.route('**/console/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'You are still signed in' });
    await dialog.getByText('The service cannot be reached').waitFor();
    expect(await browser.lookAt('sign-out-failed')).toEqual([]);
    await page.unroute('**/console/session');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Sign in');
    expect(await browser.context.cookies()).toEqual([]);
  });

  it('says that the service is away, and goes on when it is back', async () => {
    const owner = await ownerWithProject(app);
    await enter(owner);
    await heading(page, owner.projectName);
    await page.getByRole('link', { name: 'Sources & keys' }).hover();
    await page.route('**/v1/**', (route) => route.abort());
    await follow(page, 'API keys');
    await page.getByText('The service cannot be reached').waitFor();
    await page.unroute('**/v1/**');
    await page.getByRole('link', { name: 'Home' }).click();
    await follow(page, 'API keys');
    await page.getByRole('cell', { name: 'active' }).first().waitFor();
  });

  it('leads nowhere outside after a sign-in', async () => {
    const owner = await ownerWithProject(app);
    await browser.context.clearCookies();
    for (const next of ['//example.com/', 'https://example.com/', '/\\example.com']) {
      await page.goto(`${app.url}/console/login?next=${encodeURIComponent(next)}`);
      await signIn(page, owner.email);
      await heading(page, owner.projectName);
      expect(new URL(page.url()).origin).toBe(app.url);
      await browser.context.clearCookies();
    }
  });
});
