import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Actor, login, ownerWithProject, PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { DESKTOP, enter, faultsOf, goTo, heading, SCREENS, signIn } from '../../support/console-pages.js';
import { freePort } from '../../support/free-port.js';
import { startApple, startGoogle, type StandIn } from '../../support/oidc-provider.js';
import { tokenIn, waitForMails } from '../../support/outbox.js';
import { addAuthenticator } from '../../support/passkey-browser.js';
import { forgetUsedCodes, guardedByTotp, totpCode } from '../../support/second-factors.js';

const NEW_PASSWORD = 'another-horse-battery';

let app: TestApp;
let google: StandIn;
let apple: StandIn;

beforeAll(async () => {
  // Passkeys and providers go by the address, which has to be known before the service is there.
  const port = await freePort();
  const url = `http://localhost:${port}`;
  [google, apple] = await Promise.all([
    startGoogle(`${url}/console/oauth/callback`),
    startApple(`${url}/console/oauth/callback`),
  ]);
  const env = { ...google.env, ...apple.env, PORT: String(port), WEBAUTHN_ORIGINS: url };
  app = { ...(await createTestApp({ env })), url };
});
afterAll(async () => {
  await app.close();
  await Promise.all([google.close(), apple.close()]);
});

/** In the dialog that asks for a proof. */
async function prove(page: Page, password: string, code?: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Is it you?' });
  await dialog.locator('input[autocomplete=current-password]').fill(password);
  if (code !== undefined) await dialog.getByLabel('Code of the authenticator').fill(code);
  await dialog.getByRole('button', { name: 'Go on' }).click();
}

describe.each(SCREENS)('the account on $device', ({ screen }) => {
  let browser: ConsoleBrowser;
  let page: Page;
  let actor: Actor;
  let secret = '';

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    actor = await signedIn(app);
    await addAuthenticator(await browser.context.newCDPSession(page));
    await enter(browser, `${app.url}/console/account`, actor);
    await heading(page, 'Profile');
  });
  afterAll(() => browser.close());
  // Refusals are asked for here: the browser tells of them as errors of the network.
  afterEach(async () => {
    const faults = await faultsOf(browser, [NEW_PASSWORD, ...(secret === '' ? [] : [secret])]);
    expect(faults.filter((fault) => !/status of 40[13]/.test(fault))).toEqual([]);
  });

  it('changes the name', async () => {
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('button', { name: 'Save the name', disabled: true }).waitFor();
    await page.reload();
    await heading(page, 'Profile');
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Ada Lovelace');
    expect(await browser.lookAt('account')).toEqual([]);
  });

  it('asks for the password before the address changes, says when it is wrong, and asks once', async () => {
    await page.getByLabel('New address').fill(`new-${actor.email}`);
    await page.getByRole('button', { name: 'Mail the link' }).click();
    await prove(page, 'not the password');
    await page.getByRole('dialog').getByText('Incorrect password').waitFor();
    expect(await browser.lookAt('step-up')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.getByRole('alert').count()).toBe(0);

    await page.getByRole('button', { name: 'Mail the link' }).click();
    await prove(page, PASSWORD);
    await page.getByText('Check your mail').waitFor();
    const [mail] = await waitForMails(app.dataDir, `new-${actor.email}`, 1);
    expect(mail && tokenIn(mail)).toMatch(/^[\w-]{20,}/);
  });

  it('sets up an authenticator and shows the recovery codes once', async () => {
    await goTo(page, 'Second factors');
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set up the authenticator' });
    secret = (await dialog.getByRole('region', { name: 'the key of the authenticator' }).innerText()).trim();
    expect(await browser.lookAt('authenticator')).toEqual([]);
    await dialog.getByLabel('Code that the app shows').fill(totpCode(secret));
    await dialog.getByRole('button', { name: 'Switch on' }).click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    const text = await codes.getByRole('region', { name: 'the recovery codes' }).innerText();
    expect(text.trim().split('\n')).toHaveLength(10);
    expect(await browser.lookAt('recovery-codes')).toEqual([]);
    await codes.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('On', { exact: true }).waitFor();
  });

  it('adds, renames and removes a passkey, with both proofs', async () => {
    await forgetUsedCodes(app, actor.id);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await prove(page, PASSWORD, totpCode(secret));
    const naming = page.getByRole('dialog', { name: 'Name the passkey' });
    await naming.getByLabel('Name').fill('This laptop');
    await naming.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('cell', { name: 'This laptop', exact: true }).waitFor();
    expect(await browser.lookAt('factors')).toEqual([]);
    await page.getByRole('button', { name: 'Remove This laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('None yet.').waitFor();
  });

  it('ends sessions, and says so in the security log', async () => {
    const other = await challenged(actor.email);
    await goTo(page, 'Sessions');
    await page.getByText('This one').waitFor();
    expect(await browser.lookAt('sessions')).toEqual([]);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End them' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'hidden' });
    await app.request().get('/v1/auth/me').set('Authorization', other).expect(401);
    await goTo(page, 'Security log');
    await page.getByText('Other sessions revoked').waitFor();
    expect(await browser.lookAt('security-log')).toEqual([]);
  });

  it('switches the authenticator off, and changes the password', async () => {
    await goTo(page, 'Second factors');
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    await goTo(page, 'Profile');
    await page.locator('input[autocomplete=new-password]').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await prove(page, PASSWORD);
    await page.getByText('The password is changed').waitFor();
  });

  it('deletes the account, which is then nobody', async () => {
    await page.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await prove(page, NEW_PASSWORD);
    await heading(page, 'Sign in');
    expect(await app.rows('SELECT FROM users WHERE id = $1', [actor.id])).toEqual([]);
  });

  /** @returns the bearer of a session elsewhere */
  async function challenged(email: string): Promise<string> {
    await forgetUsedCodes(app, actor.id);
    const form = { username: email, password: PASSWORD, otp_code: totpCode(secret) };
    const { body } = await app.request().post('/v1/auth/login').type('form').send(form).expect(200);
    return `Bearer ${(body as { access_token: string }).access_token}`;
  }
});

describe('an account elsewhere', () => {
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openConsole(app, DESKTOP);
    ({ page } = browser);
  });
  afterAll(() => browser.close());

  it('is asked who it is when its session ends in another browser, and comes back to the page', async () => {
    const actor = await signedIn(app);
    await enter(browser, `${app.url}/console/account/sessions`, actor);
    await heading(page, 'Sessions');
    const { bearer } = await login(app, actor.email);
    await app.request().post('/v1/auth/sessions/revoke-others').set('Authorization', bearer).expect(200);
    await page.getByRole('link', { name: 'Security log' }).click();
    await heading(page, 'Sign in');
    await signIn(page, actor.email);
    await heading(page, 'Security log');
  });

  it.each([
    ['Google', () => google],
    ['Apple', () => apple],
  ])('signs in with %s, by the page that it is sent back to', async (name, provider) => {
    await browser.context.clearCookies();
    const { subject, email } = provider().addPerson();
    await page.goto(`${app.url}/console/login`);
    await page.getByRole('button', { name: `Sign in with ${name}` }).waitFor();
    expect(await browser.lookAt('sign-in-providers')).toEqual([]);
    await page.getByRole('button', { name: `Sign in with ${name}` }).click();
    await page.locator('input[name=subject]').fill(subject);
    await page.keyboard.press('Enter');
    await heading(page, 'First steps');
    expect(await browser.kept()).not.toMatch(/code|nonce|state=/);
    await page.goto(`${app.url}/console/account`);
    await page.getByText(`You sign in as ${email}.`).waitFor();
  });

  it('signs in also where the name that a provider sent along cannot be read', async () => {
    await browser.context.clearCookies();
    const { subject } = apple.addPerson();
    const tab = await browser.openTab();
    await tab.addInitScript(
      `if (location.hash.startsWith('#code=')) history.replaceState(null, '', location.href + '&user=%7B')`,
    );
    await tab.goto(`${app.url}/console/login`);
    await tab.getByRole('button', { name: 'Sign in with Apple' }).click();
    await tab.locator('input[name=subject]').fill(subject);
    await tab.keyboard.press('Enter');
    await heading(tab, 'First steps');
    await tab.close();
  });

  it('says why it came to no sign-in with a provider', async () => {
    await browser.context.clearCookies();
    await page.goto(`${app.url}/console/oauth/callback?code=a&state=b`);
    await page.getByText('This sign-in was not begun in this tab').waitFor();
    expect(page.url()).toBe(`${app.url}/console/oauth/callback`);
    await page.goto(`${app.url}/console/login`);
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.locator('input[name=subject]').waitFor();
    await page.goto(`${app.url}/console/oauth/callback?error=access_denied`);
    await page.getByText('Google did not sign you in.').waitFor();
    expect(await browser.lookAt('oauth-refused')).toEqual([]);
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await heading(page, 'Sign in');
  });

  it('shows the second factor once more where a provider is linked to an account that has one', async () => {
    const guarded = await guardedByTotp(app);
    await browser.context.clearCookies();
    const { subject } = google.addPerson(guarded.email);
    await page.goto(`${app.url}/console/login`);
    // Whoever signed in at the provider before is still signed in there.
    await browser.context.clearCookies();
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.locator('input[name=subject]').fill(subject);
    await page.keyboard.press('Enter');
    await heading(page, 'One more step');
    await page.getByLabel('Code of the authenticator').fill(totpCode(guarded.secret));
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'First steps');
  });

  it('keeps the account of whoever owns an organization, and says so', async () => {
    const owner = await ownerWithProject(app);
    await enter(browser, `${app.url}/console/account`, owner);
    await page.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await prove(page, PASSWORD);
    await page
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/^Request/)
      .waitFor();
    expect(await app.rows('SELECT FROM users WHERE id = $1', [owner.id])).toHaveLength(1);
  });
});
