import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, heading } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { RULES_ENV } from '../../support/rules.js';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: RULES_ENV });
});
afterAll(() => app.close());

describe('a key of a page', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    browser = await openConsole(app, DESKTOP);
    ({ page } = browser);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
  });

  /** Raises an alert and opens it. @returns its id */
  async function opened(message: string): Promise<string> {
    const id = await alertEventsOf(app, owner).fire({ message, fingerprint: message });
    await page.goto(`${address}/alerts?alert=${id}`);
    await heading(page, message);
    return id;
  }

  const statusOf = async (id: string) => (await alertEventsOf(app, owner).get(id)).status;

  it('acts on the alert that is shown', async () => {
    const id = await opened('Keys act on it');
    await page.keyboard.press('s');
    await page.getByRole('menuitem', { name: 'For an hour' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await page.keyboard.press('e');
    await eventually(
      () => statusOf(id),
      (status) => status === 'acknowledged',
    );
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).waitFor({ state: 'hidden' });
    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Reopen', exact: true }).waitFor();
    expect(await statusOf(id)).toBe('resolved');
    // A resolved alert cannot be snoozed. The next key shows that this one has been handled.
    await page.keyboard.press('s');
    await page.keyboard.press('c');
    await page.keyboard.type('done');
    expect(await page.getByLabel('Comment').inputValue()).toBe('done');
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.keyboard.press('Escape');
    await opened('Keys silence it');
    await page.keyboard.press('m');
    await page.getByRole('dialog', { name: 'New silence' }).waitFor();
  });

  it('does nothing while somebody types, with a modifier, or while a dialog is open', async () => {
    const id = await opened('Keys leave it alone');
    await page.keyboard.press('c');
    await page.keyboard.type('er');
    expect(await page.getByLabel('Comment').inputValue()).toBe('er');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+r');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('This list').waitFor();
    await page.keyboard.press('r');
    // Also when the focus is not in the dialog.
    await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true }))`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    // The next act comes after an act of one of the keys before.
    await page.keyboard.press('e');
    await eventually(
      () => statusOf(id),
      (status) => status !== 'open',
    );
    expect(await alertEventsOf(app, owner).types(id)).not.toContain('resolved');
  });

  it('changes the time range', async () => {
    await page.goto(`${address}/analytics?range=1h`);
    await heading(page, 'Analytics');
    await page.keyboard.press('t');
    await page.getByRole('dialog', { name: 'Choice of a time' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Choice of a time' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/from=.*to=/);
    const { searchParams } = new URL(page.url());
    await page.keyboard.press('-');
    await eventually(
      () => new URL(page.url()).searchParams.get('from') ?? '',
      (from) => from < (searchParams.get('from') ?? ''),
    );
  });

  it('chooses from the menu of a value', async () => {
    const event = { event_type: 'order.placed', source: 'web', severity: 'info', payload: { country: 'de' } };
    await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send(event).expect(200);
    const menuOf = async (name: string) => {
      await page.goto(`${address}/logs`);
      // The list has one row, which the key focuses.
      await page.getByText('1 event', { exact: true }).waitFor();
      await page.getByRole('group', { name: '1 event' }).getByRole('button').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page
        .getByRole('group', { name: 'Values' })
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .click();
      await page.getByRole('menuitem', { name: 'Copy the value' }).waitFor();
    };
    await menuOf('properties.country');
    expect(await browser.lookAt('value-keys')).toEqual([]);
    await page.keyboard.press('b');
    await page.waitForURL(/facets=.*country/);
    await menuOf('properties.country');
    await page.keyboard.press('-');
    await page.waitForURL(/where=.*not\+properties.country/);
    await menuOf('severity');
    await page.keyboard.press('=');
    await page.waitForURL(/severity=info/);
  });

  it('does nothing for a viewer that the role may not do', async () => {
    const id = await alertEventsOf(app, owner).fire({ message: 'Only looked at', fingerprint: 'looked at' });
    const viewer = await addMember(app, owner, 'viewer');
    await enter(browser, `${address}/alerts?alert=${id}`, viewer);
    await heading(page, 'Only looked at');
    await page.getByRole('button', { name: 'Acknowledge', exact: true, disabled: true }).waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    for (const key of ['e', 'r', 's']) await page.keyboard.press(key);
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Select', { exact: true }).waitFor();
    expect(await sheet.getByText('Acknowledge', { exact: true }).count()).toBe(0);
    expect(sent.filter((url) => url.includes(id))).toEqual([]);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
  });
});
