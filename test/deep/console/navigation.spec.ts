import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, goTo, heading, SCREENS } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

describe.each(SCREENS)('the navigation on $device', ({ screen }) => {
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

  const areas = () => page.getByRole('navigation', { name: 'Pages of the project' });
  async function open(): Promise<void> {
    if (screen.isMobile) await page.getByRole('button', { name: 'Navigation' }).click();
  }

  const hasTitle = (title: string) =>
    eventually(
      () => page.title(),
      (shown) => shown === title,
    );

  it('has at most ten areas, whose pages are tabs, and names each page in the title', async () => {
    await open();
    expect(await areas().getByRole('link').allInnerTexts()).toEqual([
      'Home',
      'Logs',
      'Explore',
      'Dashboards',
      'Performance',
      'Alerts',
      'Sentinel',
      'Deliveries',
      'Sources & keys',
      'Settings',
      'First steps',
      'API documentation',
    ]);
    expect(await browser.lookAt('navigation')).toEqual([]);
    if (screen.isMobile) await page.getByRole('button', { name: 'Navigation' }).click();
    for (const name of ['Query', 'Silences', 'Dead letters', 'API keys', 'Billing']) {
      await goTo(page, name);
      await hasTitle(`${name} · ${owner.projectName}`);
      const tab = page.getByRole('navigation', { name: /^Pages of (?!the)/ }).getByRole('link', { name, exact: true });
      expect(await tab.getAttribute('aria-current')).toBe('page');
      await eventually(
        () => tab.boundingBox(),
        (box) => box !== null && box.x >= 0 && box.x + box.width <= screen.viewport.width,
      );
      expect(await browser.lookAt(`tabs-${name.toLowerCase().replace(' ', '-')}`)).toEqual([]);
    }
  });

  it('remembers which groups are folded', async () => {
    await open();
    await areas().getByRole('button', { name: 'Deliver', exact: true }).click();
    expect(await areas().getByRole('link', { name: 'Deliveries' }).count()).toBe(0);
    await page.reload();
    await open();
    await areas().getByRole('button', { name: 'Deliver', exact: true, expanded: false }).waitFor();
    expect(await areas().getByRole('link', { name: 'Deliveries' }).count()).toBe(0);
    await areas().getByRole('button', { name: 'Deliver', exact: true }).click();
    await areas().getByRole('link', { name: 'Deliveries' }).waitFor();
  });

  it('counts the open alerts in the navigation and in the title', async () => {
    const { body } = await app
      .request()
      .get('/v1/alerts/summary')
      .query({ project_id: owner.projectId, range: 'all' })
      .set('Authorization', owner.bearer)
      .expect(200);
    await page.route('**/v1/alerts/summary*', (route) =>
      route.fulfill({ json: { ...(body as object), unresolved: 3 } }),
    );
    await page.goto(`${address}/keys`);
    await hasTitle(`(3) API keys · ${owner.projectName}`);
    await open();
    await areas().getByRole('link', { name: 'Alerts 3' }).waitFor();
    expect(await browser.lookAt('navigation-alerts')).toEqual([]);
    await page.unrouteAll();
  });

  it('opens a saved view on its page with its filters', async () => {
    const views = [
      ['Failed payments', 'view', { page: 'explorer', event: 'payment.failed' }, 'logs', 'event=payment.failed'],
      ['Refused carts', 'view', { page: 'logs', status: 'refused' }, 'logs', 'where=log.status_class+%3D%3D+%224xx%22'],
      ['Slow checkouts', 'performance', { endpoint: '/checkout' }, 'performance', 'endpoint=%2Fcheckout'],
    ] as const;
    for (const [name, kind, filters] of views) {
      await app
        .request()
        .post(`/v1/projects/${owner.projectId}/saved-views`)
        .set('Authorization', owner.bearer)
        .send({ name, kind, filters })
        .expect(201);
    }
    for (const [name, , , path, search] of views) {
      await page.goto(`${address}/settings`);
      await heading(page, 'Settings');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByPlaceholder('Search pages and everything in the project').fill(name);
      await page.getByRole('dialog').getByText('Saved view').first().click();
      await page.waitForURL(`${address}/${path}?${search}`);
    }
  });

  it('opens pages with g and a key, and lists all shortcuts with ?', async () => {
    await page.goto(`${address}/alerts`);
    await heading(page, 'Alerts');
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    await heading(page, 'Attempts');
    // In the inbox the key a alone goes to the assignee.
    await page.goto(`${address}/alerts`);
    await heading(page, 'Alerts');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Search field').waitFor();
    expect(await browser.lookAt('shortcuts')).toEqual([]);
    // A dialog takes no shortcuts of the page.
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    expect(page.url()).toBe(`${address}/alerts`);
  });

  it('finds acts in the search', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByPlaceholder('Search pages and everything in the project').fill('new alert');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /New alert rule/ })
      .click();
    await heading(page, 'New rule');
    expect(page.url()).toBe(`${address}/alert-rules/new`);
  });

  it('has one main part on a page that is missing', async () => {
    await page.goto(`${address}/no-such-page`);
    await heading(page, 'There is no such page');
    expect(await page.getByRole('main').count()).toBe(1);
  });
});
