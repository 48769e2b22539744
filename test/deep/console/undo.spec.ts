import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertEventsClient, alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { RULES_ENV } from '../../support/rules.js';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: RULES_ENV });
});
afterAll(() => app.close());

describe.each(SCREENS)('the offer to undo on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;
  let alerts: AlertEventsClient;
  /** Faults of the network that a test expects, as the browser reports them. */
  let expected: RegExp | null;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    alerts = alertEventsOf(app, owner);
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  beforeEach(() => {
    expected = null;
  });
  afterEach(async () => {
    const faults = await faultsOf(browser);
    browser.faults.length = 0;
    expect(faults.filter((fault) => expected?.test(fault) !== true)).toEqual([]);
  });

  /** Raises an alert and opens it. @returns its id */
  async function opened(message: string): Promise<string> {
    const id = await alerts.fire({ message, fingerprint: message });
    await page.goto(`${address}/alerts?status=all&alert=${id}`);
    await heading(page, message);
    return id;
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const toast = (text: string) => page.locator('.toast').getByText(text, { exact: true });
  const undoButton = () => page.locator('.toast').getByRole('button', { name: 'Undo' });
  /** Waits for the offer. Its time stops while the pointer is on it. */
  async function offered(said: string): Promise<void> {
    await toast(said).hover();
    await page.getByRole('status').filter({ hasText: said }).waitFor();
  }
  /** Returns the acts of people on an alert, in order. */
  const actsOn = async (id: string) =>
    (await alerts.types(id)).filter((type) => !['opened', 'notified', 'nobody_notified'].includes(type));
  const isOf = (id: string, status: string) =>
    eventually(
      () => alerts.get(id),
      (alert) => alert.status === status,
    );

  it('reopens a resolved alert, as it was before', async () => {
    const id = await opened('Resolved by mistake');
    await press('Resolve');
    await offered('Resolved “Resolved by mistake”');
    expect((await alerts.get(id)).status).toBe('resolved');
    expect(await browser.lookAt('undo')).toEqual([]);
    await undoButton().click();
    await page.getByRole('button', { name: 'Resolve', exact: true }).waitFor();
    await isOf(id, 'open');
    await press('Acknowledge');
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).waitFor({ state: 'hidden' });
    // Nothing makes the alert open again, so there is no offer.
    expect((await alerts.get(id)).status).toBe('acknowledged');
    expect(await undoButton().count()).toBe(0);
    await press('Resolve');
    await offered('Resolved “Resolved by mistake”');
    await page.keyboard.press('z');
    await isOf(id, 'acknowledged');
    expect(await actsOn(id)).toEqual(['resolved', 'reopened', 'acknowledged', 'resolved', 'reopened', 'acknowledged']);
    await undoButton().waitFor({ state: 'hidden' });
  });

  it('is replaced by the next one, and ends when it is closed or the page is left', async () => {
    await opened('Resolved first');
    await press('Resolve');
    await offered('Resolved “Resolved first”');
    // Leads to the next alert within the page, so that the offer stays.
    const id = await alerts.fire({ message: 'Resolved second', fingerprint: 'Resolved second' });
    if (screen.isMobile) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Resolved second/ }).click();
    await heading(page, 'Resolved second');
    await press('Resolve');
    await offered('Resolved “Resolved second”');
    expect(await toast('Resolved “Resolved first”').count()).toBe(0);
    await press('Close the message');
    await toast('Resolved “Resolved second”').waitFor({ state: 'hidden' });
    expect((await alerts.get(id)).status).toBe('resolved');
    await opened('Resolved third');
    await press('Resolve');
    await offered('Resolved “Resolved third”');
    if (screen.isMobile) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Account and security' }).click();
    await heading(page, 'Profile');
    await page.goBack();
    await heading(page, 'Alerts');
    expect(await undoButton().count()).toBe(0);
  });

  it('tells why it failed, until that is closed', async () => {
    expected = /status of 409/;
    const id = await opened('Reopened by another');
    await press('Resolve');
    await offered('Resolved “Reopened by another”');
    await alerts.act(id, 'reopen', {});
    await undoButton().click();
    await page
      .getByRole('status')
      .getByText(/^It was not reopened: /)
      .waitFor();
    expect(await browser.lookAt('undo-failed')).toEqual([]);
    expect(await undoButton().count()).toBe(0);
    await press('Close the message');
    await page.getByText(/^It was not reopened: /).waitFor({ state: 'hidden' });
  });

  itOnDesktop('reopens exactly the alerts that were resolved together', async () => {
    const fire = (message: string) => alerts.fire({ message, fingerprint: message });
    const one = await fire('Many, one');
    const other = await fire('Many, other');
    const over = await fire('Many, over');
    await alerts.act(one, 'acknowledge', {});
    await page.goto(`${address}/alerts?q=Many&status=all`);
    for (const name of ['Choose Many, one', 'Choose Many, other', 'Choose Many, over'])
      await page.getByRole('checkbox', { name }).press('Space');
    await page.getByText('3 chosen').waitFor();
    await alerts.act(over, 'resolve', {});
    await press('Resolve them');
    await offered('Resolved 2 alerts');
    await page.getByText(/^1 of 3 failed: /).waitFor();
    await undoButton().click();
    await isOf(one, 'acknowledged');
    await isOf(other, 'open');
    expect(await actsOn(one)).toEqual(['acknowledged', 'resolved', 'reopened', 'acknowledged']);
    expect(await actsOn(other)).toEqual(['resolved', 'reopened']);
    expect(await actsOn(over)).toEqual(['resolved']);
  });

  itOnDesktop('ends a new silence', async () => {
    await opened('Silenced by mistake');
    await page.getByRole('link', { name: 'Silence', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New silence' });
    await dialog.getByLabel('Reason').fill('Planned work');
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await offered('Started the silence “Planned work”');
    const row = page.getByRole('row').filter({ hasText: 'Planned work' });
    await row.getByText(/^active$/i).waitFor();
    await undoButton().click();
    await row.getByText(/^expired$/i).waitFor();
  });

  itOnDesktop('saves a deleted view again', async () => {
    const views = `/v1/projects/${owner.projectId}/saved-views`;
    const view = { name: 'Nearly lost', kind: 'view', filters: { page: 'logs', q: 'lost' } };
    await app.request().post(views).set('Authorization', owner.bearer).send(view).expect(201);
    const stored = async () =>
      (await app.request().get(views).set('Authorization', owner.bearer).expect(200)).body as object[];
    await page.goto(`${address}/logs`);
    await press('Views');
    await page.getByRole('menuitem', { name: 'Change saved views' }).click();
    await press('Delete Nearly lost');
    await page.getByRole('form', { name: 'Nearly lost' }).waitFor({ state: 'hidden' });
    await offered('Deleted “Nearly lost”');
    expect(await stored()).toEqual([]);
    await page.keyboard.press('z');
    await page.getByRole('form', { name: 'Nearly lost' }).waitFor();
    expect(await stored()).toEqual([expect.objectContaining(view)]);
  });
});
