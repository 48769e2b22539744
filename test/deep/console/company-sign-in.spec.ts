import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { makeCertificate } from '../../support/certificates.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, goTo, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { type NameServer, startNameServer } from '../../support/programs/name-server.mjs';

let app: TestApp;
let names: NameServer;

beforeAll(async () => {
  names = await startNameServer();
  app = await createTestApp({
    env: { SSO_DNS_SERVERS: names.address, OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8' },
  });
});
afterAll(async () => {
  await app.close();
  await names.close();
});

describe.each(SCREENS)('the sign-in page of an organization on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  const domain = `company-${randomBytes(4).toString('hex')}.example`;
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  /** Messages of the browser that a test expects. */
  let expected = /(?!)/;

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    owner = await ownerWithProject(app);
    await enter(browser, await addressOf(app, owner), owner);
    await heading(page, owner.projectName);
    await goTo(page, 'Sign-in');
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    expect((await faultsOf(browser)).filter((fault) => !expected.test(fault))).toEqual([]);
    expected = /(?!)/;
    browser.faults.length = 0;
  });

  const dialog = (name: string) => page.getByRole('dialog', { name });
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  /** Returns the text that a dialog offers to copy. */
  const copied = (name: string): Promise<string> => page.getByRole('region', { name, exact: true }).innerText();
  const settings = async (path: string): Promise<unknown> => {
    const answer = await app
      .request()
      .get(`/sso/organizations/${owner.organizationId}/${path}`)
      .set('Authorization', owner.bearer)
      .expect(200);
    return answer.body;
  };

  it('shows what is missing, and refuses a domain that nobody owns with a sentence', async () => {
    await page.getByText('No domain yet').waitFor();
    await page.getByText('No provider yet').waitFor();
    await page.getByText('No token yet').waitFor();
    expect(await browser.lookAt('company-sign-in-empty')).toEqual([]);
    expected = /status of 422/;
    await page.getByRole('button', { name: 'Add a domain' }).click();
    await dialog('Add a domain').getByLabel('Domain', { exact: true }).fill('gmail.com');
    await page.getByRole('button', { name: 'Add the domain' }).click();
    await page.getByRole('alert').getByText('Domain: anybody can have an address of this domain').waitFor();
  });

  it('adds a domain, shows the record to copy, and verifies it by DNS', async () => {
    expected = /status of 409/;
    await dialog('Add a domain').getByLabel('Domain', { exact: true }).fill(domain.toUpperCase());
    await page.getByRole('button', { name: 'Add the domain' }).click();
    await dialog('Verify the domain').getByText('Add this TXT record').waitFor();
    const name = await copied('the name of the record');
    expect(name).toBe(`_operational-event-service.${domain}`);
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByRole('alert').getByText('DNS has no TXT record of this name yet').waitFor();
    expect(await browser.lookAt('company-sign-in-verify')).toEqual([]);
    names.replies.set(name, [await copied('the value of the record')]);
    await page.getByRole('button', { name: 'Verify now' }).click();
    await dialog('Verify the domain').waitFor({ state: 'hidden' });
    await section('Domains').getByText('verified', { exact: true }).waitFor();
    expect(await settings('domains')).toMatchObject([{ domain, verified_by: 'dns' }]);
  });

  it('adds a provider by OpenID Connect, and shows what to enter there', async () => {
    await page.getByRole('button', { name: 'Add a provider' }).click();
    const form = dialog('Add a provider');
    await form.getByLabel('Name', { exact: true }).fill('Acme login');
    await form.getByLabel('Issuer', { exact: true }).fill('http://127.0.0.1:9/acme');
    await form.getByLabel('Client ID', { exact: true }).fill('service');
    await form.getByLabel('Client secret', { exact: true }).fill('a secret');
    await form.getByRole('button', { name: 'More settings' }).click();
    await form.getByLabel('Claim with the groups', { exact: true }).fill('roles');
    expect(await browser.lookAt('company-sign-in-oidc')).toEqual([]);
    await form.getByRole('button', { name: 'Add the provider' }).click();
    await dialog('Set up the provider').waitFor();
    const [connection] = (await settings('connections')) as [{ id: string; service: { redirect_uri: string } }];
    expect(await copied('the Redirect URI')).toBe(connection.service.redirect_uri);
    expect(connection).toMatchObject({ label: 'Acme login', groups_claim: 'roles', has_client_secret: true });
    expect(await browser.lookAt('company-sign-in-provider')).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await browser.kept()).not.toContain('a secret');
  });

  it('edits a provider, keeps its secret, and switches it off and on', async () => {
    await page.getByRole('button', { name: 'Edit Acme login' }).click();
    const form = dialog('Edit the provider');
    await form.getByLabel('Name', { exact: true }).fill('Acme people');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Switch off Acme people' }).click();
    await page.getByRole('button', { name: 'Switch on Acme people' }).waitFor();
    expect(await settings('connections')).toMatchObject([
      { label: 'Acme people', is_enabled: false, has_client_secret: true, groups_claim: 'roles' },
    ]);
    await page.getByRole('button', { name: 'Switch on Acme people' }).click();
    await page.getByRole('button', { name: 'Switch off Acme people' }).waitFor();
  });

  it('adds a provider by SAML, shows its refused sign-ins, and deletes it after a confirmation', async () => {
    await page.getByRole('button', { name: 'Add a provider' }).click();
    const form = dialog('Add a provider');
    await form.getByText('SAML', { exact: true }).click();
    await form.getByText('Enter its settings', { exact: true }).click();
    await form.getByLabel('Name', { exact: true }).fill('Old login');
    await form.getByLabel('Entity ID of the provider', { exact: true }).fill('https://idp.example.com/metadata');
    await form.getByLabel('Sign-in URL', { exact: true }).fill('https://idp.example.com/sso');
    const certificates = ['a', 'b'].map((name) => makeCertificate({ names: [`${name}.example.com`] }).cert);
    await form.getByLabel('Certificates', { exact: true }).fill(certificates.join('\n'));
    expect(await browser.lookAt('company-sign-in-saml')).toEqual([]);
    await form.getByRole('button', { name: 'Add the provider' }).click();
    await dialog('Set up the provider').waitFor();
    const [, { id }] = (await settings('connections')) as [object, { id: string }];
    expect(await copied('the ACS URL')).toBe(`${app.url}/sso/saml/${id}/acs`);
    expect(await dialog('Set up the provider').getByText('Valid until').count()).toBe(2);
    await page.keyboard.press('Escape');
    await app.request().post(`/sso/saml/${id}/acs`).type('form').send({ SAMLResponse: 'bm9uZQ==' }).expect(303);
    await page.getByRole('button', { name: 'Refusals of Old login' }).click();
    await dialog('Refused sign-ins').getByText('127.0.0.1').waitFor();
    expect(await browser.lookAt('company-sign-in-refusals')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete Old login' }).click();
    await dialog('Delete the provider').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete Old login' }).waitFor({ state: 'hidden' });
    expect(await settings('connections')).toHaveLength(1);
  });

  it('stores the roles of groups', async () => {
    await page.getByRole('button', { name: 'Change the roles' }).click();
    const form = dialog('Change the roles');
    await form.getByRole('button', { name: 'Add a group' }).click();
    await form.getByLabel('Group 1', { exact: true }).fill('On call');
    await form.getByRole('combobox', { name: 'Role of group 1' }).click();
    await page.getByRole('option', { name: 'Operator', exact: true }).click();
    expect(await browser.lookAt('company-sign-in-roles')).toEqual([]);
    await form.getByRole('button', { name: 'Save the roles' }).click();
    await form.waitFor({ state: 'hidden' });
    await section('Roles').getByText('Everybody else').waitFor();
    expect(await settings('roles')).toEqual({
      default_role: 'viewer',
      group_roles: [{ group: 'On call', role: 'operator' }],
    });
  });

  it('makes a token for SCIM that is shown once, and revokes it', async () => {
    await page.getByRole('button', { name: 'New token' }).click();
    const form = dialog('New token');
    await form.getByLabel('Name', { exact: true }).fill('Okta');
    await form.getByRole('button', { name: 'Make the token' }).click();
    await form.getByText('It is shown only once').waitFor();
    const token = await copied('the token');
    const asProvider = () => app.request().get('/scim/v2/Users').set('Authorization', `Bearer ${token}`);
    await asProvider().expect(200);
    expect(await browser.lookAt('company-sign-in-token')).toEqual([]);
    await form.getByRole('button', { name: 'I have kept it' }).click();
    await form.waitFor({ state: 'hidden' });
    expect(await page.getByRole('main').innerText()).not.toContain(token);
    expect(await browser.kept()).not.toContain(token);
    expect(await browser.lookAt('company-sign-in')).toEqual([]);
    await page.getByRole('button', { name: 'Revoke Okta' }).click();
    await dialog('Revoke the token').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No token yet').waitFor();
    await asProvider().expect(401);
  });

  it('removes a domain after a confirmation', async () => {
    await page.getByRole('button', { name: `Remove ${domain}` }).click();
    await dialog('Remove the domain').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No domain yet').waitFor();
    expect(await settings('domains')).toEqual([]);
  });

  itOnDesktop('shows an admin everything and lets the owner alone change it, and shows a viewer why not', async () => {
    const address = `${await addressOf(app, owner)}/organization/sign-in`;
    await enter(browser, address, await addMember(app, owner, 'admin'));
    await page.getByRole('button', { name: 'Set up Acme people' }).click();
    await dialog('Set up the provider').waitFor();
    await page.keyboard.press('Escape');
    await dialog('Set up the provider').waitFor({ state: 'hidden' });
    for (const name of ['Add a domain', 'Add a provider', 'Edit Acme people', 'Change the roles', 'New token']) {
      await page.getByRole('button', { name, disabled: true }).focus();
      await page.getByRole('tooltip').getByText('It takes the owner of the organization').waitFor();
      await page.keyboard.press('Enter');
      expect(await page.getByRole('dialog').count()).toBe(0);
    }
    expect(await browser.lookAt('company-sign-in-admin')).toEqual([]);
    expected = /status of 403/;
    await enter(browser, address, await addMember(app, owner, 'viewer'));
    await page.getByText('It takes an admin or the owner of the organization to see how people sign in').waitFor();
    expect(await page.getByRole('button', { name: 'Add a domain' }).count()).toBe(0);
  });
});
