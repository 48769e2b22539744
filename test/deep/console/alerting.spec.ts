import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, goTo, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { insertEvents } from '../../support/event-rows.js';
import { evaluateRules, RULES_ENV, rulesOf } from '../../support/rules.js';
import { SentinelClient } from '../../support/sentinel.js';

const HOUR = 3_600_000;
const DAY_BUCKETS = 288;
/** More than are acted on in one request, and than come on one page. */
const BURST = 130;
/** Chooses whatever comes into sight from the first alert to the last. */
const CHOOSE_ALL = `(async () => {
  const list = document.querySelector('.rows.inbox');
  const frame = () => new Promise(requestAnimationFrame);
  for (let top = 0; top < list.scrollHeight; top += 200) {
    list.scrollTo(0, top);
    await frame();
    await frame();
    for (const box of list.querySelectorAll('input:not(:checked)')) box.click();
  }
})()`;

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: RULES_ENV });
});
afterAll(() => app.close());

describe.each(SCREENS)('alerting on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
  });

  it('makes a rule, shows when it would have fired, and switches it off', async () => {
    const now = Date.now();
    const hours = Array.from({ length: 20 }, (_, index) => index + 1);
    await insertEvents(
      app,
      owner.projectId,
      hours.flatMap((hour) =>
        Array.from({ length: hour % 5 === 0 ? 12 : 3 }, (_, index) => ({
          timestamp: new Date(now - hour * HOUR + index * 1_000),
          event: 'payment.failed',
        })),
      ),
    );
    await goTo(page, 'Alert rules');
    await page.getByText('No rule yet').waitFor();
    expect(await browser.lookAt('rules-none')).toEqual([]);
    await page.getByRole('link', { name: 'New rule' }).click();
    await heading(page, 'New rule');
    await page.getByLabel('Name').fill('Payments fail');
    await page.getByRole('radio', { name: 'Threshold' }).check();
    await page.getByRole('textbox', { name: 'Value' }).fill('payment.failed');
    await page.getByRole('textbox', { name: 'Threshold' }).fill('10');
    await page.getByRole('img', { name: /The number of the rule/ }).waitFor();
    expect(await browser.lookAt('rule-new')).toEqual([]);
    await page.getByRole('button', { name: 'Create the rule' }).click();

    await heading(page, 'Payments fail');
    await page.getByText(/It would have fired \d+ times?\./).waitFor();
    await page.getByRole('region', { name: 'Firings' }).waitFor();
    expect(await browser.lookAt('rule')).toEqual([]);
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/past=7d/);
    await page.getByText(/shorter peaks may be missed/).waitFor();

    await goTo(page, 'Alert rules');
    await page.getByText('Count of events where event is payment.failed over 5 minutes is at least 10').waitFor();
    await page.getByRole('switch', { name: 'Payments fail is on' }).press('Space');
    await page.locator('input[role=switch]:not(:checked)').waitFor({ state: 'attached' });
    expect(await browser.lookAt('rules')).toEqual([]);
    await page.reload();
    await page.locator('input[role=switch]:not(:checked)').waitFor({ state: 'attached' });
    expect((await rulesOf(app, owner).list())[0].is_enabled).toBe(false);
  });

  it('says what is wrong with a rule, and which request it was', async () => {
    await page.goto(`${address}/alert-rules/new`);
    await page.getByLabel('Name').fill('Misspelt');
    await page.getByRole('combobox', { name: 'Comparison' }).click();
    await page.getByRole('option', { name: 'matches' }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill('(');
    await page.getByRole('button', { name: 'Create the rule' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'The rule was not saved' })
      .getByText(/Request/)
      .waitFor();
    expect(await browser.lookAt('rule-refused')).toEqual([]);
    // The browser asks before the unsaved rule is left.
    page.once('dialog', (dialog) => void dialog.accept());
    await page.goto(`${address}/alerts`);
    // Refusals are in the browser's console, too.
    expect(browser.faults.splice(0).filter((fault) => !fault.includes('422'))).toEqual([]);
  });

  it('shows what comes in, and takes it by the keyboard or by touch', async () => {
    const alerts = alertEventsOf(app, owner);
    const group = (country: string) => ({
      fingerprint: `rule ${country}`,
      groupValues: { 'properties.country': country },
    });
    await alerts.fire({ ...group('de'), message: 'Payments fail in Germany' });
    await alerts.fire({ ...group('fr'), message: 'Payments fail in France', rule: { severity: 'warning' } });
    await goTo(page, 'Alerts');
    await page.getByRole('button', { name: /in Germany/ }).waitFor();
    await alerts.fire({ ...group('it'), message: 'Payments fail in Italy', rule: { severity: 'info' } });
    await page.getByRole('button', { name: /in Italy/ }).waitFor();

    if (screen.isMobile) {
      expect(await browser.lookAt('alerts')).toEqual([]);
      await page.getByRole('button', { name: /in Italy/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    } else {
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await heading(page, 'Payments fail in France');
      await page.keyboard.press('k');
      await heading(page, 'Payments fail in Italy');
      await page.keyboard.press('e');
    }
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText(/^Acknowledged by/).waitFor();
    await page.getByLabel('Comment').fill('The provider is at it');
    await page.keyboard.press('Control+Enter');
    await timeline.getByText('The provider is at it').waitFor();
    expect(await browser.lookAt('alert')).toEqual([]);

    await page.getByRole('combobox', { name: 'Assigned to', exact: true }).last().click();
    await page.getByRole('option', { name: /^Me/ }).last().click();
    await timeline.getByText(/^Assigned by/).waitFor();
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('menuitem', { name: 'For an hour' }).click();
    await timeline.getByText(/^Snoozed by/).waitFor();
    await page.getByRole('button', { name: 'Resolve', exact: true }).click();
    await timeline.getByText(/^Resolved by/).waitFor();
  });

  it('acts on many at once', async () => {
    await page.goto(`${address}/alerts`);
    await page.getByRole('checkbox', { name: /in Germany/ }).press('Space');
    await page.getByRole('checkbox', { name: /in France/ }).press('Space');
    expect(await browser.lookAt('alerts-chosen')).toEqual([]);
    await page.getByRole('button', { name: 'Acknowledge them' }).click();
    await page.getByText('No open alerts').waitFor();
    expect(await browser.lookAt('alerts-none')).toEqual([]);
    await page.goto(`${address}/alerts?status=acknowledged&severity=warning`);
    await page.getByRole('button', { name: /in France/ }).waitFor();
    expect(await page.getByRole('button', { name: /in Germany/ }).count()).toBe(0);
  });

  it('silences what is like an alert, and ends that', async () => {
    await page.getByRole('button', { name: /in France/ }).click();
    await page.getByRole('link', { name: 'Silence', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New silence' });
    await dialog.getByLabel('Reason').fill('The provider is being moved');
    expect(await dialog.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('rule fr');
    expect(await browser.lookAt('silence-new')).toEqual([]);
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await page.getByRole('cell', { name: 'fingerprint is rule fr' }).waitFor();
    expect(await browser.lookAt('silences')).toEqual([]);
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'End it' }).click();
    await page.getByRole('cell', { name: 'expired' }).waitFor();
  });

  it('draws what Sentinel has found, and hears what it was worth', async () => {
    await app.rows('DELETE FROM sentinel_projects');
    await app.rows('DELETE FROM alert_heartbeats');
    const sentinel = new SentinelClient(app, owner);
    await sentinel.put(-4 * DAY_BUCKETS - 1, -1, { events: 50, errors: 1 });
    await sentinel.put(0, 0, { events: 50, errors: 30 });
    await sentinel.count();
    await sentinel.watchFrom(0);
    await evaluateRules(app);
    await goTo(page, 'Sentinel');
    await page.getByRole('table').getByRole('button', { name: 'Burst of errors' }).click();
    const drawer = page.getByRole('dialog', { name: 'Finding' });
    await drawer.getByRole('img', { name: /were unusual/ }).waitFor();
    expect(await browser.lookAt('finding')).toEqual([]);
    await drawer.getByRole('link', { name: 'Events of this time' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^30 events$/ })
      .waitFor();
    await page.goBack();
    await drawer.getByRole('button', { name: 'Acknowledge' }).click();
    await drawer.getByText('acknowledged', { exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('radio', { name: 'Expected' }).check();
    await page.getByLabel('Note').fill('Load test');
    expect(await browser.lookAt('finding-dismiss')).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss', exact: true }).last().click();
    await drawer.getByText('expected: Load test').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('region', { name: 'Health' }).getByText('100', { exact: true }).waitFor();
    expect(await browser.lookAt('sentinel')).toEqual([]);
  });

  itOnDesktop('opens the events of the hour whose distinct values Sentinel counted', async () => {
    await app.rows('DELETE FROM sentinel_projects');
    await app.rows('DELETE FROM alert_heartbeats');
    const other = await ownerWithProject(app);
    const sentinel = new SentinelClient(app, other);
    await sentinel.put(-4 * DAY_BUCKETS, 0, { events: 5 });
    for (let index = 0; index < 60; index++) await sentinel.put(0, 0, { events: 1, event: `many.${index}` });
    await sentinel.count();
    await sentinel.watchFrom(0);
    await evaluateRules(app);
    const [finding] = await sentinel.findings('&kind=cardinality_explosion');
    const id = String(finding?.id);
    await enter(browser, `${await addressOf(app, other)}/sentinel?finding=${id}`, other);
    const drawer = page.getByRole('dialog', { name: 'Finding' });
    await drawer.getByRole('img', { name: /were unusual/ }).waitFor();
    await drawer.getByRole('link', { name: 'Events of this time' }).click();
    // Twelve buckets of 5, and the 60 new ones.
    await page
      .getByRole('status')
      .filter({ hasText: /^120 events$/ })
      .waitFor();
    await enter(browser, address, owner);
  });
});

describe('many alerts at once', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    browser = await openConsole(app, DESKTOP);
    ({ page } = browser);
    await enter(browser, `${await addressOf(app, owner)}/alerts`, owner);
    await page.getByText('No open alerts').waitFor();
  });
  afterAll(() => browser.close());

  it('are read in a few requests as they come in', async () => {
    let reads = 0;
    page.on('request', (request) => {
      if (request.method() === 'GET' && new URL(request.url()).pathname === '/v1/alerts/events') reads += 1;
    });
    for (let count = 0; count < BURST; count += 1) await alertEventsOf(app, owner).fire({ message: `Fails, ${count}` });
    await page.getByText(`${BURST} unresolved`, { exact: true }).waitFor();
    await page.getByRole('group', { name: `${BURST} alerts` }).waitFor();
    expect(reads).toBeLessThan(BURST / 3);
  });

  it('are let go of by a filter, and come back without the words that were looked for', async () => {
    await page.getByLabel('Find').fill('nothing of this kind');
    await page.getByText('No alert matches').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('group', { name: `${BURST} alerts` }).waitFor();
    expect(await page.getByLabel('Find').inputValue()).toBe('');
  });

  it('are all acted on, however many are chosen', async () => {
    await page.evaluate(CHOOSE_ALL);
    // The next page comes when the end of the first is in sight.
    await page.getByRole('group', { name: `${BURST} alerts` }).waitFor();
    await page.evaluate(CHOOSE_ALL);
    await page.getByText(`${BURST} chosen`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resolve them' }).click();
    await page.getByText('No open alerts').waitFor();
    expect(
      await app.rows(`SELECT FROM alert_events WHERE project_id = $1 AND status <> 'resolved'`, [owner.projectId]),
    ).toEqual([]);
    expect(await faultsOf(browser)).toEqual([]);
  });
});

describe('a viewer', () => {
  it('sees all of it, and is told why nothing may be done', async () => {
    const owner = await ownerWithProject(app);
    const viewer = await addMember(app, owner, 'viewer');
    const address = await addressOf(app, owner);
    const rule = await rulesOf(app, owner).rule();
    await alertEventsOf(app, owner).fire({ message: 'Payments fail' });
    await app
      .request()
      .post('/v1/alerts/silences')
      .set('Authorization', owner.bearer)
      .send({
        project_id: owner.projectId,
        filter: { all: [{ field: 'severity', op: 'eq', value: 'info' }] },
        ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      })
      .expect(201);
    const browser = await openConsole(app, DESKTOP);
    const { page } = browser;
    await enter(browser, `${address}/alert-rules`, viewer);
    await page.getByText('Your role here is viewer; it takes owner, admin, or operator, to make rules.').waitFor();
    await page.goto(`${address}/alert-rules/${rule}`);
    await page.getByRole('button', { name: 'Save' }).and(page.locator(':disabled')).waitFor();
    await isToldWhyNot(page, 'Delete');
    expect(await browser.lookAt('rule-viewer')).toEqual([]);
    await page.goto(`${address}/alerts`);
    await page.getByRole('button', { name: /^Payments fail/ }).click();
    await isToldWhyNot(page, 'Acknowledge');
    await isToldWhyNot(page, 'Snooze');
    await page.getByRole('checkbox', { name: /Payments fail/ }).check();
    await isToldWhyNot(page, 'Resolve them');
    await isToldWhyNot(page, 'Snooze them');
    await page.getByRole('combobox', { name: 'Assign them to', disabled: true }).hover();
    await page.getByRole('tooltip').getByText('Your role here is viewer').waitFor();
    await page.goto(`${address}/silences`);
    await isToldWhyNot(page, 'New silence');
    await isToldWhyNot(page, 'End');
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
  });
});

/** Presses a button that the role may not use. */
async function isToldWhyNot(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true, disabled: true });
  await button.hover();
  await page.getByRole('tooltip').getByText('Your role here is viewer').waitFor();
  await button.press('Enter');
  expect(await page.getByRole('menu').or(page.getByRole('dialog')).count()).toBe(0);
  await button.blur();
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').waitFor({ state: 'hidden' });
}
