import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, goTo, heading, onDesktop, SCREENS } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { withoutPlanLimits } from '../../support/memberships.js';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

describe.each(SCREENS)('the navigation on $device', ({ screen }) => {
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
      'Help',
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

  itOnDesktop('opens a saved view on its page with its filters', async () => {
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

  itOnDesktop('opens pages with g and a key, and lists all shortcuts with ?', async () => {
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

  itOnDesktop('finds acts in the search', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByPlaceholder('Search pages and everything in the project').fill('new alert');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /New alert rule/ })
      .click();
    await heading(page, 'New rule');
    expect(page.url()).toBe(`${address}/alert-rules/new`);
  });

  const search = () => page.getByRole('dialog').getByPlaceholder('Search pages and everything in the project');
  /** Opens the search as people of the device do. */
  async function openSearch(text: string): Promise<void> {
    if (screen.isMobile) await page.getByRole('button', { name: 'Search', exact: true }).click();
    else await page.keyboard.press('Control+k');
    await search().fill(text);
  }
  const saveView = async (name: string, kind: string, filters: object): Promise<string> => {
    const { body } = await app
      .request()
      .post(`/v1/projects/${owner.projectId}/saved-views`)
      .set('Authorization', owner.bearer)
      .send({ name, kind, filters })
      .expect(201);
    return (body as { id: string }).id;
  };
  const pinned = () => areas().getByRole('group', { name: 'Pinned views' }).getByRole('button');

  const forgetPins = () =>
    page.evaluate(`
      for (const key of Object.keys(localStorage)) if (key.startsWith('console-pins-')) localStorage.removeItem(key);
    `);

  it('keeps pinned views below the areas, until they are unpinned or deleted', async () => {
    await saveView('Orders by day', 'analysis', { ask: 'series', interval: 'day' });
    const query = await saveView('Paid orders', 'query', { q: 'events' });
    await page.goto(`${address}/settings`);
    await heading(page, 'Settings');
    await saveView('Kept orders', 'query', { q: 'events' });
    for (const name of ['Orders by day', 'Paid orders', 'Kept orders']) {
      await openSearch(`Pin ${name}`);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Pin ${name} Act` })
        .click();
      await search().waitFor({ state: 'hidden' });
    }
    await page.reload();
    await heading(page, 'Settings');
    await open();
    await pinned().nth(2).waitFor();
    expect(await pinned().allInnerTexts()).toEqual(['Orders by day', 'Paid orders', 'Kept orders']);
    expect(await browser.lookAt('pinned-views')).toEqual([]);
    await pinned().first().click();
    await page.waitForURL(`${address}/analytics?ask=series&interval=day`);
    await heading(page, 'Analytics');
    await app
      .request()
      .delete(`/v1/projects/${owner.projectId}/saved-views/${query}`)
      .set('Authorization', owner.bearer)
      .expect(204);
    await openSearch('Unpin Orders by day');
    await page.getByRole('dialog').getByRole('button', { name: 'Unpin Orders by day Act' }).click();
    await search().waitFor({ state: 'hidden' });
    await page.reload();
    await heading(page, 'Analytics');
    await open();
    await pinned().first().waitFor();
    expect(await pinned().allInnerTexts()).toEqual(['Kept orders']);
    await forgetPins();
  });

  it('pins at most ten views, from the menu of the logs', async () => {
    for (let number = 1; number <= 11; number += 1)
      await saveView(`View ${String(number).padStart(2, '0')}`, 'view', { page: 'logs', q: `text ${number}` });
    await page.goto(`${address}/logs`);
    await heading(page, 'Logs');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Pin views to the navigation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pinned views' });
    for (let number = 1; number <= 10; number += 1)
      await dialog.getByRole('checkbox', { name: `View ${String(number).padStart(2, '0')}` }).check();
    await dialog.getByText('At most 10 views can be pinned').waitFor();
    expect(await dialog.getByRole('checkbox', { name: 'View 11' }).isDisabled()).toBe(true);
    expect(await browser.lookAt('pin-views')).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await open();
    await pinned().nth(9).waitFor();
    await pinned().nth(9).click();
    await page.waitForURL(`${address}/logs?q=text+10`);
    await forgetPins();
  });

  it('opens the forms of acts and recent places from the search', async () => {
    await page.goto(`${address}/settings`);
    await heading(page, 'Settings');
    for (const [name, form] of [
      ['New API key', page.getByRole('dialog', { name: 'New key' })],
      ['New endpoint', page.getByRole('menu', { name: 'New endpoint' })],
      ['Invite a person', page.getByRole('dialog', { name: 'Invite somebody' })],
    ] as const) {
      await openSearch(name);
      await page.getByRole('dialog').getByRole('button', { name, exact: false }).first().click();
      await form.waitFor();
      await page.keyboard.press('Escape');
      await form.waitFor({ state: 'hidden' });
    }
    // The form was wanted once.
    await page.goBack();
    await heading(page, 'Endpoints');
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.goForward();
    await heading(page, 'Invitations');
    await openSearch('');
    const places = page.getByRole('dialog').locator('[data-action=true]');
    await places.filter({ hasText: 'API keys' }).first().waitFor();
    expect((await places.allInnerTexts()).slice(0, 2)).toEqual([expect.stringContaining('Endpoints'), 'API keys']);
    expect(await browser.lookAt('search')).toEqual([]);
    await places.nth(1).click();
    await heading(page, 'API keys');
  });

  itOnDesktop('sets a time preset, the theme and the sign-out by the keyboard alone', async () => {
    const run = async (text: string) => {
      await openSearch(text);
      await page.getByRole('dialog').locator('[data-action=true]').first().waitFor();
      await page.keyboard.press('Enter');
      await search().waitFor({ state: 'hidden' });
    };
    await page.goto(`${address}/analytics`);
    await heading(page, 'Analytics');
    await run('Last 7 days');
    await page.waitForURL(`${address}/analytics?range=7d`);
    const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme');
    const before = await scheme();
    await run('theme');
    await eventually(scheme, (now) => now !== before);
    await page.evaluate(`localStorage.removeItem('mantine-color-scheme-value')`);
    await page.goto(`${address}/settings`);
    await heading(page, 'Settings');
    // A page without a time range has no presets.
    await openSearch('Last 7 days');
    await page.getByText('Nothing has these words').waitFor();
    await page.keyboard.press('Escape');
    await search().waitFor({ state: 'hidden' });
    await run('Sign out');
    await heading(page, 'Sign in');
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });

  itOnDesktop('lists exactly the shortcuts of the page', async () => {
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const titles = async (path: string, title: string) => {
      await page.goto(`${address}/${path}`);
      await heading(page, title);
      await page.keyboard.press('?');
      await sheet.getByText('This list').waitFor();
      const shown = await sheet.locator('section').evaluateAll((all) => all.map((each) => each.ariaLabel));
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'hidden' });
      return shown.filter((each) => each !== 'Navigation');
    };
    expect(await titles('settings', 'Settings')).toEqual(['Everywhere', 'Go to']);
    expect((await titles('analytics', 'Analytics')).toSorted()).toEqual(['Everywhere', 'Go to', 'Time range']);
    expect(await titles('alerts', 'Alerts')).toEqual(['Everywhere', 'Go to', 'Alerts']);
    const id = await alertEventsOf(app, owner).fire();
    expect((await titles(`alerts?alert=${id}`, 'Alerts')).toSorted()).toEqual([
      'Alerts',
      'Everywhere',
      'Go to',
      'The alert',
    ]);
  });

  itOnDesktop('moves through the rows of a table with j and k, and opens one with Enter', async () => {
    await withoutPlanLimits(app, owner.organizationId);
    await page.goto(`${address}/sources`);
    for (const name of ['First lamp', 'Second lamp'])
      await app
        .request()
        .post('/v1/ingest-sources')
        .set('Authorization', owner.bearer)
        .send({ project_id: owner.projectId, name })
        .expect(201);
    await page.reload();
    await page.getByRole('link', { name: 'Second lamp' }).waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await page.keyboard.press('j');
    const first = await focused();
    await page.keyboard.press('j');
    const second = await focused();
    expect([first, second].toSorted()).toEqual(['First lamp', 'Second lamp']);
    await page.keyboard.press('k');
    expect(await focused()).toBe(first);
    // A modifier or a field keeps the keys.
    await page.keyboard.press('Control+j');
    expect(await focused()).toBe(first);
    await page.keyboard.press('Enter');
    await heading(page, first);
  });

  itOnDesktop('has one main part on a page that is missing', async () => {
    await page.goto(`${address}/no-such-page`);
    await heading(page, 'There is no such page');
    expect(await page.getByRole('main').count()).toBe(1);
  });
});

describe('the navigation as a rail', () => {
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

  const areas = () => page.getByRole('navigation', { name: 'Pages of the project' });
  const widthIs = (width: number) =>
    eventually(
      () => areas().boundingBox(),
      (box) => box?.width === width,
    );

  it('has icons with names, and is remembered', async () => {
    await page.keyboard.press('[');
    await widthIs(48);
    await page.reload();
    await heading(page, owner.projectName);
    await widthIs(48);
    for (const name of ['Home', 'Alerts', 'Settings', 'First steps'])
      await areas().getByRole('link', { name, exact: true }).waitFor();
    expect(await areas().innerText()).not.toContain('Alerts');
    await areas().getByRole('link', { name: 'Alerts', exact: true }).hover();
    await page.getByRole('tooltip').getByText('Alerts').waitFor();
    expect(await browser.lookAt('rail')).toEqual([]);
    await areas().getByRole('link', { name: 'Alerts', exact: true }).click();
    await heading(page, 'Alerts');
    // The field keeps the key.
    await page.getByLabel('Find').press('[');
    expect(await page.getByLabel('Find').inputValue()).toBe('[');
    await page.keyboard.press('Escape');
    await page.keyboard.press('[');
    await widthIs(232);
  });

  it('is not one on a narrow screen', async () => {
    await page.goto(`${address}/keys`);
    await heading(page, 'API keys');
    await page.keyboard.press('[');
    await widthIs(48);
    await page.setViewportSize({ width: 600, height: 800 });
    await page.getByRole('button', { name: 'Navigation' }).click();
    await areas().getByText('Alerts').waitFor();
    await areas().getByRole('button', { name: 'Observe', expanded: true }).waitFor();
    await page.setViewportSize(DESKTOP.viewport);
    await page.keyboard.press('[');
  });
});

it('tells a viewer in the search why acts do nothing', async () => {
  const owner = await ownerWithProject(app);
  const viewer = await addMember(app, owner, 'viewer');
  const browser = await openConsole(app, DESKTOP);
  const { page } = browser;
  await enter(browser, `${await addressOf(app, owner)}/keys`, viewer);
  await heading(page, 'API keys');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('dialog', { name: 'Search' });
  await search.getByPlaceholder('Search pages and everything in the project').fill('new api key');
  const act = search.getByRole('button', { name: /^New API key Your role here is viewer/, disabled: true });
  await act.waitFor();
  expect(await browser.lookAt('search-viewer')).toEqual([]);
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog', { name: 'New key' }).count()).toBe(0);
  expect(await act.isVisible()).toBe(true);
  expect(await faultsOf(browser)).toEqual([]);
  await browser.close();
});
