import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, goTo, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { insertEvents } from '../../support/event-rows.js';
import { alertsOf, runAlertDeliveries } from '../../support/alerts.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { eventIs, RULES_ENV, rulesOf } from '../../support/rules.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** As many as fit into a day. */
const FIRINGS = 184;

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: RULES_ENV });
});
afterAll(() => app.close());

describe.each(SCREENS)('the work on an incident on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver(200);
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });
  afterAll(async () => {
    await browser.close();
    await receiver.close();
  });
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
  });

  it('begins with the runbook and the notes that the rule has for it', async () => {
    const runbook = 'https://wiki.example.com/payments-fail';
    const rule = await rulesOf(app, owner).rule();
    await page.goto(`${address}/alert-rules/${rule}`);
    await page.getByLabel('Runbook').fill(runbook);
    await page.getByLabel('Notes').fill('<b>Call</b> the provider first');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const alert = await alertEventsOf(app, owner).fire({ rule: { id: rule } });
    await page.goto(`${address}/alerts?alert=${alert}`);
    const guidance = page.getByRole('region', { name: 'Runbook and notes' });
    await guidance.getByText('<b>Call</b> the provider first').waitFor();
    const link = guidance.getByRole('link', { name: `Runbook: ${runbook}` });
    expect(await link.getAttribute('href')).toBe(runbook);
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    expect(await browser.lookAt('alert-runbook')).toEqual([]);
  });

  it('is tried on stored events before its rule is saved, each firing apart from the next', async () => {
    const now = Date.now();
    // One firing each 7 minutes, in which nothing happens for most of the time.
    await insertEvents(
      app,
      owner.projectId,
      Array.from({ length: FIRINGS }, (_, index) => ({
        timestamp: new Date(now - (index + 1) * 7 * MINUTE),
        event: 'card.declined',
      })),
    );
    await page.goto(`${address}/alert-rules/new`);
    await page.getByRole('textbox', { name: 'Value' }).fill('card.declined');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText(`It would have fired ${FIRINGS} times.`).waitFor();
    await preview.getByRole('img', { name: new RegExp(`over each 15 minutes; .* ${FIRINGS} times`) }).waitFor();
    expect(await tintedShare(page)).toBeLessThan(0.5);
    expect(await browser.lookAt('rule-tried')).toEqual([]);
    expect(await rulesOf(app, owner).list()).not.toContainEqual(expect.objectContaining({ name: 'Preview' }));

    // Three events in one window of five minutes, and bars of such windows.
    await insertEvents(
      app,
      owner.projectId,
      [1, 2, 3].map((index) => ({ timestamp: new Date(now - HOUR + index * 1_000), event: 'refund.failed' })),
    );
    await page.getByRole('radio', { name: 'Threshold' }).check();
    await page.getByRole('textbox', { name: 'Value' }).fill('refund.failed');
    await page.getByRole('textbox', { name: 'Threshold' }).fill('3');
    await preview.getByText('It would have fired 1 time.').waitFor();
    await preview.getByRole('img', { name: /over each 5 minutes, with the threshold 3; .* 1 times?/ }).waitFor();
    expect(await tintedShare(page)).toBeLessThan(0.1);
    expect(await browser.lookAt('rule-tried-window')).toEqual([]);
  });

  it('has the number of the rule, its events, who was notified and what came before in one place', async () => {
    const now = Date.now();
    const of = (country: string, ages: readonly number[]) =>
      ages.map((age) => ({
        timestamp: new Date(now - age * 1_000),
        event: 'order.failed',
        message: `No stock in ${country}`,
        properties: { country },
      }));
    const yesterday = 24 * 3_600 + 60;
    const deployed = (age: number, message: string) => ({
      timestamp: new Date(now - age),
      event: 'deploy.finished',
      message,
    });
    await insertEvents(app, owner.projectId, [
      ...of('de', [60, 61, 62, yesterday, yesterday + 1]),
      ...of('fr', [63]),
      deployed(10 * MINUTE, 'checkout 2.41.0'),
      ...[1, 2, 3, 4, 5].map((index) => deployed(5 * HOUR + index * MINUTE, `checkout 2.40.${index}`)),
    ]);
    receiver.answer((response) => response.writeHead(202).end('Paged the team'));
    await alertsOf(app, owner).destination(`${receiver.url}/pager`, { name: 'Pager' });
    const rule = await rulesOf(app, owner).rule({
      name: 'Orders fail',
      group_by: ['properties.country'],
      for_seconds: 120,
      condition: {
        kind: 'threshold',
        window_seconds: 300,
        aggregate: 'count',
        op: 'gte',
        value: 3,
        ...eventIs('order.failed'),
      },
    });
    const alerts = alertEventsOf(app, owner);
    const series = {
      fingerprint: `${rule} de`,
      groupValues: { 'properties.country': 'de' },
      message: 'Orders fail: 3 events',
      rule: { id: rule },
    };
    const earlier = await alerts.fire(series);
    await alerts.act(earlier, 'acknowledge');
    await alerts.act(earlier, 'resolve');
    const alert = await alerts.fire(series);
    await runAlertDeliveries(app);

    const marked: string[] = [];
    page.on('request', (request) => {
      if (decodeURIComponent(request.url()).includes('deploy.*')) marked.push(request.url());
    });
    await page.goto(`${address}/alerts`);
    await page.getByText(/\(MTTA\) .*, to resolve \(MTTR\) /).waitFor();
    await page.getByRole('button', { name: /Orders fail: 3 events .*country = de/ }).click();
    await page.waitForURL(new RegExp(`alert=${alert}`));
    await page
      .getByRole('img', {
        name: /The number of the rule, over each 5 minutes, with the threshold 3; firing for .*, pending for 2 min before/,
      })
      .waitFor();
    const samples = page.getByRole('region', { name: 'Sample events' });
    await samples.getByText('No stock in de').first().waitFor();
    expect(await samples.getByRole('row').count()).toBe(3);
    await page.getByText(/^Peak 3 at .* Threshold 3$/).waitFor();
    // The last, least, mean and largest value of each series.
    await page.getByRole('row', { name: /^24 hours before( .*)? 2$/ }).waitFor();
    const deploys = page.getByRole('region', { name: 'Deploys nearby' });
    await deploys.getByText('checkout 2.41.0').waitFor();
    await deploys.getByText(/^1\d(\.\d+)? min before the alert$/).waitFor();
    await deploys.getByText('checkout 2.40.4').waitFor();
    expect(await deploys.getByText('checkout 2.40.5').count()).toBe(0);
    expect(await deploys.getByRole('link', { name: '5 of 6' }).getAttribute('href')).toContain('deploy.*');
    const notifications = page.getByRole('region', { name: 'Notifications' });
    await notifications
      .getByText(/Answer 202: Paged the team/)
      .first()
      .waitFor();
    expect(await browser.lookAt('incident')).toEqual([]);
    // The chart and the list of deploys share one question, which a long test may read again.
    expect(new Set(marked).size).toBe(1);
    await page
      .getByRole('region', { name: 'Earlier alerts' })
      .getByText(/resolved after/)
      .waitFor();
    await page.getByRole('region', { name: 'Earlier alerts' }).scrollIntoViewIfNeeded();
    expect(await browser.lookAt('incident-evidence')).toEqual([]);
    await samples.getByRole('link', { name: 'All 3 events' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^3 events$/ })
      .waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Earlier alerts' }).getByRole('link').click();
    await page.waitForURL(new RegExp(`alert=${earlier}`));
  });

  itOnDesktop(
    'is shown in at most a week around its beginning, with the lowest number of a rule on low numbers',
    async () => {
      const rule = await rulesOf(app, owner).rule({
        name: 'Few logins',
        condition: {
          kind: 'threshold',
          window_seconds: 86_400,
          aggregate: 'count',
          op: 'lt',
          value: 5,
          ...eventIs('user.login'),
        },
      });
      const begun = Date.now() - 20 * DAY;
      await insertEvents(
        app,
        owner.projectId,
        [-40, -41, 1].map((hours) => ({ timestamp: new Date(begun + hours * HOUR), event: 'user.login' })),
      );
      const alert = await alertEventsOf(app, owner).fire({ rule: { id: rule }, message: 'Few logins' });
      await app.rows('UPDATE alert_events SET created_at = $2 WHERE id = $1', [alert, new Date(begun)]);
      // The page before may still ask for other times.
      const asked = page.waitForRequest((request) => {
        const { pathname, searchParams } = new URL(request.url());
        return pathname.endsWith('/analytics/timeseries') && Date.parse(searchParams.get('from_ts') ?? '') < begun;
      });
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => (answer = resolve));
      await page.route(
        (url) => url.searchParams.get('where')?.includes('deploy.*') === true,
        async (route) => {
          await held;
          await route.continue();
        },
      );
      await page.goto(`${address}/alerts?alert=${alert}`);
      const deploys = page.getByRole('region', { name: 'Deploys nearby' });
      await deploys.getByText('Loading…').waitFor();
      answer();
      await page.getByRole('img', { name: /The number of the rule, .*; firing for 20 / }).waitFor();
      // The day belongs to the time, since the chart has several.
      await page.getByText(/^Lowest 0 at \w+ \w+, .* Last/).waitFor();
      const { searchParams } = new URL((await asked).url());
      const [from = 0, to = 0] = ['from_ts', 'to_ts'].map((name) => Date.parse(searchParams.get(name) ?? ''));
      expect(from).toBe(begun - 3 * DAY);
      expect(Math.floor((to - from) / MINUTE)).toBe(7 * 24 * 60);
      await deploys.getByText(/^There was none from .* to .*\.$/).waitFor();
      expect(await deploys.getByText('Loading…').count()).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
    },
  );

  it('acts on the chosen alerts by snoozing, assigning and silencing them', async () => {
    const alerts = alertEventsOf(app, owner);
    const [one, other] = await Promise.all([
      alerts.fire({ message: 'Chosen, one', fingerprint: 'chosen one' }),
      alerts.fire({ message: 'Chosen, other', fingerprint: 'chosen other' }),
    ]);
    const choose = async (status: string) => {
      await page.goto(`${address}/alerts?q=Chosen${status}`);
      for (const name of ['Choose Chosen, one', 'Choose Chosen, other'])
        await page.getByRole('checkbox', { name }).press('Space');
      await page.getByText('2 chosen', { exact: true }).waitFor();
    };
    await choose('');
    expect(await browser.lookAt('alerts-chosen-acts')).toEqual([]);
    await page.getByRole('combobox', { name: 'Assign them to' }).click();
    await page.getByRole('option', { name: /^Me/ }).click();
    await page.getByText('2 chosen', { exact: true }).waitFor({ state: 'hidden' });
    await choose('');
    await page.getByRole('button', { name: 'Snooze them' }).click();
    await page.getByRole('menuitem', { name: 'For an hour' }).click();
    await page.getByText('No alert matches').waitFor();
    for (const id of [one, other])
      expect(await alerts.get(id)).toMatchObject({ status: 'snoozed', assignee_id: expect.any(String) });
    await choose('&status=snoozed');
    await page.getByRole('button', { name: 'Silence them' }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence the chosen alerts' });
    await dialog.getByLabel('Reason').fill('A release');
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    const silences: unknown = (await alerts.ask('/silences')).body;
    expect(silences).toEqual([
      expect.objectContaining({
        reason: 'A release',
        filter: {
          all: [{ field: 'fingerprint', op: 'in', value: expect.arrayContaining(['chosen one', 'chosen other']) }],
        },
      }),
    ]);
  });

  it('does not lose a rule that is not saved', async () => {
    await page.goto(`${address}/alert-rules/new`);
    await page.getByLabel('Name').fill('Half made');
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    await page.close({ runBeforeUnload: true });
    expect(await asked).toBe('beforeunload');
    const silences = page
      .getByRole('navigation', { name: 'Pages of Alerts' })
      .getByRole('link', { name: 'Silences', exact: true });
    await silences.click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();
    expect(await browser.lookAt('rule-unsaved')).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Half made');
    await silences.click();
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await heading(page, 'Silences');
    // A saved rule is left without a question.
    await page.goto(`${address}/alert-rules/new`);
    await page.getByLabel('Name').fill('Whole');
    await page.getByRole('button', { name: 'Create the rule' }).click();
    await heading(page, 'Whole');
    await goTo(page, 'Silences');
  });
});

describe('the inbox', () => {
  it('takes keys again when Escape leaves a field', async () => {
    const owner = await ownerWithProject(app);
    const browser = await openConsole(app, DESKTOP);
    const { page } = browser;
    const alerts = alertEventsOf(app, owner);
    const second = await alerts.fire({ message: 'Second' });
    const first = await alerts.fire({ message: 'First' });
    await enter(browser, `${await addressOf(app, owner)}/alerts?alert=${first}`, owner);
    await heading(page, 'First');
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Opened').waitFor();
    for (const [key, field] of [
      ['a', page.getByRole('combobox', { name: 'Assigned to', exact: true }).last()],
      ['c', page.getByLabel('Comment')],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForFunction(`document.activeElement.matches('input, textarea')`);
      await page.keyboard.press('Escape');
      await page.keyboard.press(key === 'a' ? 'r' : 'j');
      expect(await field.inputValue()).toBe('');
      if (key === 'a') await timeline.getByText(/^Resolved by/).waitFor();
    }
    await page.waitForURL(new RegExp(`alert=${second}`));
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
  });
});

/** Returns the share of the points of a chart, along its middle, that have a colour. */
function tintedShare(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector('.chart canvas');
    const { data } = canvas.getContext('2d').getImageData(0, Math.floor(canvas.height / 4), canvas.width, 1);
    const points = Array.from({ length: canvas.width }, (_, index) => data[index * 4 + 3]);
    return points.filter((alpha) => alpha > 20).length / points.length;
  })()`);
}
