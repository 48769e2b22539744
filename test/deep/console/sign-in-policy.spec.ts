import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PASSWORD, randomEmail, signedIn } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { DESKTOP, enter, faultsOf, heading, signIn } from '../../support/console-pages.js';
import { freePort } from '../../support/free-port.js';
import { startGoogle, type StandIn } from '../../support/oidc-provider.js';
import { addAuthenticator } from '../../support/passkey-browser.js';
import { totpCode } from '../../support/second-factors.js';

const REQUIREMENT = 'This service requires a second factor: set one up here to go on.';
const COMPANY = "Sign in with your company's provider";

let app: TestApp;
let google: StandIn;
let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  google = await startGoogle(`${url}/console/oauth/callback`);
  const env = {
    ...google.env,
    PORT: String(port),
    WEBAUTHN_ORIGINS: url,
    REQUIRE_MFA: 'true',
    REQUIRE_SSO_DOMAINS: 'acme.example',
  };
  app = { ...(await createApiApp({ env })), url };
  browser = await openConsole(app, DESKTOP);
  ({ page } = browser);
});
afterAll(async () => {
  await browser.close();
  await app.close();
  await google.close();
});
// The browser reports refusals as errors of the network, and a service without providers of companies knows none.
afterEach(async () => {
  const faults = await faultsOf(browser);
  expect(faults.filter((fault) => !/status of 40[134]/.test(fault) && !fault.startsWith(google.issuer))).toEqual([]);
});

describe('the console of a deployment that requires a second factor', () => {
  it('leads a person without one to the set-up, and on when it is done', async () => {
    const { email } = await signedIn(app);
    await page.goto(`${app.url}/console/login`);
    await signIn(page, email);
    await heading(page, 'Second factors');
    await page.getByText(REQUIREMENT).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await browser.lookAt('second-factor-required')).toEqual([]);

    await page.getByRole('button', { name: 'Set up' }).click();
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    const dialog = page.getByRole('dialog', { name: 'Set up the authenticator' });
    await proof.or(dialog).waitFor();
    if (await proof.isVisible()) {
      await proof.locator('input[autocomplete=current-password]').fill(PASSWORD);
      await proof.getByRole('button', { name: 'Go on' }).click();
    }
    const secret = (await dialog.getByRole('region', { name: 'the key of the authenticator' }).innerText()).trim();
    await dialog.getByLabel('Code that the app shows').fill(totpCode(secret));
    await dialog.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('link', { name: 'Go on' }).click();
    await heading(page, 'First steps');
  });

  it('leads from a page of the account and back to it with a passkey', async () => {
    const person = await signedIn(app);
    await addAuthenticator(await browser.context.newCDPSession(page));
    await enter(browser, `${app.url}/console/account/security-log`, person);
    await heading(page, 'Second factors');
    await page.getByText(REQUIREMENT).waitFor();
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByText(`You sign in as ${person.email}.`).waitFor();
    await page.getByRole('link', { name: 'To the projects' }).click();
    await page.getByText(REQUIREMENT).waitFor();
    await page.goto(`${app.url}/console/account/security-log`);
    await page.getByText(REQUIREMENT).waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await proof.or(codes).waitFor();
    if (await proof.isVisible()) {
      await proof.locator('input[autocomplete=current-password]').fill(PASSWORD);
      await proof.getByRole('button', { name: 'Go on' }).click();
    }
    await codes.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('link', { name: 'Go on' }).click();
    await heading(page, 'Security log');
    await page.getByText('Passkey added').waitFor();
  });
});

describe('the sign-in page of a deployment with domains of companies', () => {
  it('leads a person who types a password to the provider', async () => {
    await browser.context.clearCookies();
    const { subject, email } = google.addPerson(randomEmail().replace('example.com', 'acme.example'));
    await page.goto(`${app.url}/console/login`);
    await signIn(page, email);
    const refusal = page.getByRole('alert');
    await refusal.getByText(COMPANY).waitFor();
    await refusal.getByText('Use the button of its provider below').waitFor();
    expect(await browser.lookAt('company-sign-in')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.locator('input[name=subject]').fill(subject);
    await page.keyboard.press('Enter');
    await heading(page, 'First steps');
  });

  it("offers the company's own provider in place of the others, and the page that the person wanted", async () => {
    await browser.context.clearCookies();
    const start_url = '/sso/oidc/acme/start';
    const json = { providers: [{ label: 'Acme', protocol: 'oidc', start_url }] };
    await page.route('**/sso/discover', (route) => route.fulfill({ json }));
    await page.goto(`${app.url}/console/login?next=%2Faccount`);
    await signIn(page, 'ada@acme.example');
    const button = page.getByRole('alert').getByRole('link', { name: 'Sign in with Acme' });
    expect(await button.getAttribute('href')).toBe(`${start_url}?return_to=%2Fconsole%2Faccount`);
    expect(await page.getByText('Use the button of its provider below').count()).toBe(0);
    await page.unroute('**/sso/discover');
  });

  it.each([
    ['forgot-password', 'Send the mail'],
    ['register', 'Register'],
  ])('shows the way to the providers on the page %s', async (path, button) => {
    await browser.context.clearCookies();
    await page.goto(`${app.url}/console/${path}`);
    await page.getByLabel('E-mail address').fill('ada@acme.example');
    const password = page.locator('input[autocomplete=new-password]');
    if ((await password.count()) > 0) await password.fill(PASSWORD);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('alert').getByText(COMPANY).waitFor();
    await page.getByRole('link', { name: 'To the providers' }).click();
    await heading(page, 'Sign in');
  });
});
