import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Actor, addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { bytesOfDownload } from '../../support/chromium.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { HOOK_SECRET, ofGitHub, type SignedDelivery } from '../../support/hook-deliveries.js';
import { addressOf, enter, faultsOf, goTo, heading, SCREENS } from '../../support/console-pages.js';

const VALUE = 'a-token-of-the-receiver';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

describe.each(SCREENS)('the owner of a project on $device', ({ screen }) => {
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let member: Actor;

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    owner = await ownerWithProject(app);
    member = await addMember(app, owner, 'member');
    await enter(browser, await addressOf(app, owner), owner);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const faults = await faultsOf(browser, [VALUE, HOOK_SECRET]);
    expect(faults.filter((fault) => !/status of 409/.test(fault))).toEqual([]);
  });

  const ingest = (key: string) =>
    app.request().post('/v1/events/ingest').set('X-API-Key', key).send({ event_type: 'order.paid', source: 'shop' });
  const shown = async (name: string): Promise<string> =>
    (await page.getByRole('region', { name, exact: true }).innerText()).trim();
  const kept = () => page.getByRole('button', { name: 'I have kept it' }).click();

  it('makes a source, whose key sends and whose health shows it', async () => {
    await goTo(page, 'Sources');
    await page.getByText('No source yet').waitFor();
    expect(await browser.lookAt('sources-empty')).toEqual([]);
    await page.getByRole('button', { name: 'New source' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Checkout');
    expect(await browser.lookAt('new-source')).toEqual([]);
    await page.getByRole('button', { name: 'Make the source' }).click();
    const key = await shown('the key');
    await kept();
    await heading(page, 'Checkout');
    await page.getByText('Never seen').waitFor();
    await ingest(key).expect(200);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('The test event was taken.').waitFor();
    await page.getByText('Healthy').waitFor();
    expect(await browser.lookAt('source')).toEqual([]);
  });

  it('makes and rotates keys of a source, and refuses all of them while it is off', async () => {
    await page.getByRole('button', { name: 'New browser key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop front');
    await dialog.getByLabel('Sites').fill('https://shop.example.com');
    await page.keyboard.press('Enter');
    expect(await browser.lookAt('browser-key')).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const browserKey = await shown('the browser key');
    expect(browserKey).toMatch(/^oesb_/);
    await kept();
    await ingest(browserKey).set('Origin', 'https://shop.example.com').expect(200);

    await page.getByRole('button', { name: 'Rotate Shop front' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make the new key' }).click();
    expect(await shown('the new key')).not.toBe(browserKey);
    expect(await browser.lookAt('rotated-key')).toEqual([]);
    await kept();
    await page.getByText('rotating', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    await ingest(browserKey).set('Origin', 'https://shop.example.com').expect(403);
    await page.reload();
    await page.getByText('Source disabled (403)').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    expect(await browser.lookAt('source-refused')).toEqual([]);
  });

  it('shows the address of webhooks, verifies them with a secret that is never shown, and lists what came', async () => {
    await app.rows(`UPDATE organizations SET plan = 'scale' WHERE id = $1`, [owner.organizationId]);
    await goTo(page, 'Sources');
    await page.getByRole('button', { name: 'New source' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Repository');
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Webhook', exact: true }).click();
    await page.getByRole('button', { name: 'Make the source' }).click();
    await kept();
    await heading(page, 'Webhooks');
    await page.getByText('No webhook has come yet.').waitFor();
    const address = await shown('the address');
    const post = ({ headers, body }: SignedDelivery) =>
      app.request().post(new URL(address).pathname).set(headers).type('json').send(body);
    await page.getByRole('button', { name: 'Verify with a secret' }).click();
    await page.getByRole('dialog').getByLabel('Secret').fill(HOOK_SECRET);
    expect(await browser.lookAt('verify-webhooks')).toEqual([]);
    await page.getByRole('button', { name: 'Set the secret' }).click();
    await page.getByRole('cell', { name: 'GitHub', exact: true }).waitFor();
    await post(ofGitHub('pull_request', { action: 'opened' }, 'delivery-1')).expect(200);
    await post({ headers: {}, body: '{}' }).expect(401);
    await page.reload();
    await page.getByRole('cell', { name: 'github.pull_request.opened' }).waitFor();
    await page.getByText('Invalid signature (401)').waitFor();
    expect(await page.content()).not.toContain(HOOK_SECRET);
    expect(await browser.lookAt('webhooks')).toEqual([]);

    await page.getByRole('button', { name: 'New address' }).click();
    await page.getByRole('button', { name: 'Make a new address' }).click();
    await page.getByRole('region', { name: 'the address' }).filter({ hasNotText: address }).waitFor();
    await post(ofGitHub('push', {})).expect(404);
    await page.getByRole('button', { name: 'Change the verification' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Scheme' }).click();
    await page.getByRole('option', { name: 'Not verified' }).click();
    await page.getByRole('button', { name: 'Remove the secret' }).click();
    await page.getByRole('button', { name: 'Verify with a secret' }).waitFor();
  });

  it('renames a key of the project, and shows that one was rotated', async () => {
    await goTo(page, 'API keys');
    await page.getByRole('button', { name: 'Rename Test' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Web server');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('cell', { name: 'Web server', exact: true }).waitFor();
    expect(await browser.lookAt('keys')).toEqual([]);
    await page.getByRole('button', { name: 'Rotate Web server' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make the new key' }).click();
    await shown('the new key');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    const rows = page.getByRole('row').filter({ hasText: 'Web server' });
    await rows.filter({ hasText: 'rotating' }).waitFor();
    await rows.filter({ hasText: 'active' }).waitFor();
  });

  it('keeps a secret, counts its versions, and never shows it', async () => {
    await goTo(page, 'Secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('PAYMENTS_TOKEN');
    await page.getByRole('dialog').getByLabel('Value').fill(VALUE);
    expect(await browser.lookAt('new-secret')).toEqual([]);
    await page.getByRole('button', { name: 'Keep the secret' }).click();
    await page.getByText('PAYMENTS_TOKEN').waitFor();
    await page.getByRole('button', { name: 'Replace PAYMENTS_TOKEN' }).click();
    await page.getByRole('dialog').getByLabel('Value').fill(`${VALUE}-2`);
    await page.getByRole('button', { name: 'Replace the value' }).click();
    await page.getByRole('cell', { name: '2', exact: true }).waitFor();
    expect(await page.content()).not.toContain(VALUE);
    expect(await browser.lookAt('secrets')).toEqual([]);
    await page.getByRole('button', { name: 'Delete PAYMENTS_TOKEN' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No secret yet').waitFor();
  });

  it('takes a file in, in parts where it is large, and gives it out as it was', async () => {
    await goTo(page, 'Files');
    const send = async (name: string, buffer: Buffer, mimeType: string): Promise<void> => {
      await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
      await page.getByRole('button', { name: `Download ${name}` }).waitFor();
    };
    await page.goto(`${page.url()}?prefix=reports%2F`);
    await page.getByText('Nothing in this folder').waitFor();
    const large = Buffer.alloc(9 * 1024 * 1024, 'oes');
    await send('november.csv', Buffer.from('day,events\n1,2\n'), 'text/csv');
    await send('backup.bin', large, 'application/octet-stream');
    expect(await browser.lookAt('files')).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download backup.bin' }).click(),
    ]);
    expect((await bytesOfDownload(download)).equals(large)).toBe(true);
    await page.getByRole('button', { name: 'Delete november.csv' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete november.csv' }).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'All files' }).click();
    await page.getByRole('link', { name: 'reports/' }).waitFor();
  });

  it('gives a member another role in this project alone, and takes them out and in', async () => {
    await goTo(page, 'Project members');
    await page.getByRole('combobox', { name: /^Role of/ }).click();
    await page.getByRole('option', { name: 'Admin', exact: true }).click();
    await page.getByRole('combobox', { name: /^Role of/, disabled: false }).waitFor();
    expect(await browser.lookAt('project-members')).toEqual([]);
    const query = 'SELECT role FROM project_members WHERE user_id = $1';
    expect(await app.rows(query, [member.id])).toEqual([{ role: 'admin' }]);
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('combobox', { name: /^Role of/ }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByRole('combobox', { name: 'Who' }).click();
    await page.getByRole('option').first().click();
    expect(await browser.lookAt('add-member')).toEqual([]);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('combobox', { name: /^Role of/ }).waitFor();
  });

  it('redacts properties, renames the project in its address too, archives and restores it', async () => {
    await goTo(page, 'Settings');
    await page.getByRole('combobox', { name: 'Properties that are never kept' }).fill('card.number');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByText('card.number', { exact: true }).waitFor();
    expect(await browser.lookAt('settings')).toEqual([]);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop of the web');
    await page.getByLabel('In addresses').fill('shop-of-the-web');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.waitForURL(/\/p\/shop-of-the-web\/settings$/);
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await heading(page, 'The project is archived');
    await ingest(owner.apiKey).expect(403);
    await page.getByRole('button', { name: 'Restore' }).click();
    await heading(page, 'Archive');
  });

  it('tells who did what', async () => {
    await goTo(page, 'Activity');
    await page.getByText('Project archived').waitFor();
    expect(await page.getByRole('cell', { name: 'You', exact: true }).count()).toBeGreaterThan(2);
    expect(await browser.lookAt('activity')).toEqual([]);
  });

  it('deletes the project once its name is typed', async () => {
    await goTo(page, 'Settings');
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await heading(page, 'The project is archived');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Type Shop of the web to go on').fill('Shop of the web');
    expect(await browser.lookAt('delete-project')).toEqual([]);
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await heading(page, 'First steps');
  });
});
