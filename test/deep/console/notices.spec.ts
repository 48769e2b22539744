import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { RULES_ENV } from '../../support/rules.js';

/** Records the notifications of a tab, and lets a test hide the tab. */
const RECORDED = `
  window.notices = [];
  window.Notification = class extends window.Notification {
    constructor(title, options) {
      super(title, options);
      window.notices.push({ title, body: options.body, notice: this });
    }
  };
  let visibility = 'visible';
  Object.defineProperty(document, 'visibilityState', { get: () => visibility });
  window.setVisibility = (next) => {
    visibility = next;
    document.dispatchEvent(new Event('visibilitychange'));
  };
`;

interface Notice {
  readonly title: string;
  readonly body: string | null;
}

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: RULES_ENV });
});
afterAll(() => app.close());

describe.each(SCREENS)('notifications of the browser on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;

  beforeEach(async () => {
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    browser = await openConsole(app, screen, 'whole-browser');
    ({ page } = browser);
    await browser.context.addInitScript(RECORDED);
  });
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
  });

  const toggle = () => page.getByRole('switch', { name: 'Notify me in this browser' });
  const noticesOf = (tab: Page) =>
    tab.evaluate<Notice[]>(
      `window.notices.filter(({ notice }) => notice.tag !== 'chosen').map(({ title, body }) => ({ title, body: body ?? null }))`,
    );
  const hide = (tab: Page) => tab.evaluate(`window.setVisibility('hidden')`);

  async function switchOn(): Promise<void> {
    await browser.context.grantPermissions(['notifications'], { origin: app.url });
    await enter(browser, `${address}/alerts`, owner);
    await heading(page, 'Alerts');
    await toggle().press('Space');
    await page.getByRole('switch', { name: 'Notify me in this browser', checked: true }).waitFor();
  }

  it('are shown once for each new alert, whatever the number of tabs, and open it', async () => {
    const alerts = alertEventsOf(app, owner);
    await alerts.fire({ message: 'An alert of before', fingerprint: 'before' });
    await switchOn();
    expect(await browser.lookAt('notices')).toEqual([]);
    const other = await browser.openTab();
    await other.goto(`${address}/keys`);
    await heading(other, 'API keys');
    for (const tab of [page, other]) await hide(tab);
    // Only one of the tabs reads the stream.
    await eventually(
      () => page.evaluate<number>(`navigator.locks.query().then(({ pending }) => pending.length)`),
      (waiting) => waiting === 1,
    );
    const id = await alerts.fire({ message: 'Card 4111 was declined', fingerprint: 'new' });
    const shown = await eventually(
      async () => [...(await noticesOf(page)), ...(await noticesOf(other))],
      (notices) => notices.length > 0,
    );
    expect(shown).toEqual([{ title: `Critical alert in ${owner.projectName}`, body: 'Payments fail' }]);
    // A change is no new alert. The next alert comes after it in the stream.
    await alerts.act(id, 'acknowledge', {});
    await alerts.fire({ message: 'Another', fingerprint: 'another', rule: { severity: 'info' } });
    const all = await eventually(
      async () => [...(await noticesOf(page)), ...(await noticesOf(other))],
      (notices) => notices.length > 1,
    );
    expect(all.map(({ title }) => title)).toEqual([
      `Critical alert in ${owner.projectName}`,
      `Info alert in ${owner.projectName}`,
    ]);
    const [tab] = (await noticesOf(page)).length > 0 ? [page] : [other];
    await tab.evaluate(`window.notices.find(({ notice }) => notice.tag === '${id}').notice.onclick()`);
    await tab.waitForURL(new RegExp(`/alerts\\?.*alert=${id}`));
    await other.close();
  });

  itOnDesktop('are shown by the tab that is left when another one is closed', async () => {
    await switchOn();
    const other = await browser.openTab();
    await other.goto(`${address}/keys`);
    await heading(other, 'API keys');
    await hide(other);
    await page.goto('about:blank');
    const alerts = alertEventsOf(app, owner);
    await eventually(
      () => other.evaluate<string>(`navigator.locks.query().then(({ held }) => held.map(({ name }) => name).join())`),
      (held) => held.includes('console-alert-notices') && !held.includes('console-seen'),
    );
    await alerts.fire({ message: 'Later', fingerprint: 'later' });
    const shown = await eventually(
      () => noticesOf(other),
      (notices) => notices.length > 0,
    );
    expect(shown).toEqual([{ title: `Critical alert in ${owner.projectName}`, body: 'Payments fail' }]);
    await other.close();
    await page.goto(address);
  });

  itOnDesktop('are not shown while the console can be seen, nor once they are switched off', async () => {
    await switchOn();
    const alerts = alertEventsOf(app, owner);
    await alerts.fire({ message: 'Seen on the page', fingerprint: 'seen' });
    await page.getByRole('button', { name: /Seen on the page/ }).waitFor();
    await hide(page);
    const id = await alerts.fire({ message: 'Not seen', fingerprint: 'unseen' });
    await eventually(
      () => noticesOf(page),
      (notices) => notices.length > 0,
    );
    const tags = `window.notices.map(({ notice }) => notice.tag).filter((tag) => tag !== 'chosen')`;
    expect(await page.evaluate(tags)).toEqual([id]);
    await toggle().press('Space');
    await page.getByRole('switch', { name: 'Notify me in this browser', checked: false }).waitFor();
    await eventually(
      () => page.evaluate<number>(`navigator.locks.query().then(({ held }) => held.length)`),
      (held) => held === 0,
    );
  });

  it('are left off with a reason when the browser refuses them', async () => {
    await browser.context.addInitScript(`Notification.requestPermission = () => Promise.resolve('denied')`);
    await enter(browser, `${address}/alerts`, owner);
    await heading(page, 'Alerts');
    expect(await page.getByRole('alert').count()).toBe(0);
    await toggle().press('Space');
    await page.getByRole('alert').getByText('The browser blocks notifications').waitFor();
    expect(await browser.lookAt('notices-refused')).toEqual([]);
    expect(await toggle().isChecked()).toBe(false);
  });
});
