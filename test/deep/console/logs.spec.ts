import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { bytesOfDownload } from '../../support/chromium.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import {
  addressOf,
  DESKTOP,
  enter,
  goTo,
  heading,
  onDesktop,
  SCREENS,
  signIn,
  visit,
} from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';
import { countEvents, insertEvents } from '../../support/event-rows.js';

const MINUTE_MS = 60_000;
const NOW = Date.now();
const ROWS = 50_000;
const PAGE_ROWS = 200;

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp({
    env: {
      RATE_LIMIT_OVERRIDES: 'events=1000/1000,logs=1000/1000,analytics=1000/1000,project-events-explorer=1000/1000',
    },
  });
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  for (const event of shopEvents()) await ingest(owner, event);
});
afterAll(() => app.close());

/** Six people open a cart, three order, one pays; two requests fail. */
function shopEvents(): object[] {
  const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * MINUTE_MS).toISOString();
  const people = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];
  return people.flatMap((user, index) => {
    const status_code = index < 2 ? 503 : 200;
    const request = { method: 'POST', path: '/checkout', status_code, latency_ms: 40 + 100 * index };
    const plan = index < 2 ? 'pro' : 'free';
    return [
      { event_type: 'cart.opened', timestamp: at(50 - index), payload: { user } },
      ...(index < 3 ? [{ event_type: 'order.placed', timestamp: at(40 - index), payload: { user } }] : []),
      ...(index < 1 ? [{ event_type: 'payment.settled', timestamp: at(30), status: 'ok', payload: { user } }] : []),
      {
        event_type: 'http.request',
        timestamp: at(20 - index),
        severity: status_code === 503 ? 'error' : 'info',
        payload: { user, ...request, cart: { plan, items: ['a', 'b'] } },
      },
    ];
  });
}

async function ingest(to: Owner, event: object): Promise<void> {
  await app
    .request()
    .post('/v1/events/ingest')
    .set('X-API-Key', to.apiKey)
    .send({ source: 'web', ...event })
    .expect(200);
}

/** Opens the logs of another project. */
async function opened(other: Owner, search: string, act: (page: Page, browser: ConsoleBrowser) => Promise<void>) {
  const browser = await openConsole(app, DESKTOP);
  try {
    await enter(browser, `${await addressOf(app, other)}/logs${search}`, other);
    await act(browser.page, browser);
    expect(browser.faults).toEqual([]);
  } finally {
    await browser.close();
  }
}

const search = (page: Page) => page.getByRole('combobox', { name: 'Search' });
const chips = (page: Page) => page.getByRole('group', { name: 'Filters that apply' });
const member = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

/** Adds a typed text to the search. */
async function type(page: Page, text: string): Promise<void> {
  await search(page).fill(text);
  await search(page).press('Enter');
}

const count = (page: Page, text: string): Promise<void> =>
  page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${text}$`) })
    .first()
    .waitFor();

describe.each(SCREENS)('the page of logs on $device', ({ device, screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await page.goto(`${app.url}/console/login`);
    await signIn(page, owner.email);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());

  afterEach(async () => {
    expect(browser.faults.splice(0)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.viewport.width);
  });

  /** Opens the facets, which a phone has behind a button. */
  async function openFacets(): Promise<void> {
    const filters = page.getByRole('button', { name: 'Filters', exact: true });
    if (await filters.isVisible()) await filters.click();
  }
  /** Waits until the list, the facets and the histogram were refused. */
  async function areRefused(): Promise<void> {
    const faults = await eventually(
      () => browser.faults,
      ({ length }) => length >= 3,
    );
    expect(faults.filter((fault) => !fault.includes('422'))).toEqual([]);
    browser.faults.length = 0;
  }
  const facet = (name: string) => page.getByRole('group', { name, exact: true }).filter({ visible: true });
  const rows = (name: string) => page.getByRole('group', { name, exact: true }).locator('.row');

  it('shows the events of the range with counts and a histogram', async () => {
    await visit(page, `${address}/logs`);
    await heading(page, 'Logs');
    await count(page, '16 events');
    await page.getByRole('img', { name: /^16 events per .*, Other, 5xx$/ }).waitFor();
    await rows('16 events').filter({ hasText: '/checkout' }).first().waitFor();
    expect(await browser.lookAt('logs')).toEqual([]);
    await openFacets();
    await facet('HTTP status').getByRole('button', { name: '5xx 2' }).waitFor();
    await facet('Severity').getByRole('button', { name: 'error 2' }).waitFor();
    expect(await browser.lookAt('logs-facets')).toEqual([]);
    await facet('Event').getByRole('button', { name: 'order.placed 3' }).click();
    await page.waitForURL(/logs\?event=order\.placed$/);
    await count(page, '3 events');
    await chips(page).getByRole('button', { name: 'Event: order.placed' }).click();
    await count(page, '16 events');
    await page.goBack();
    await count(page, '3 events');
  });

  itOnDesktop('narrows the list to the bar of the histogram that somebody clicks on', async () => {
    const from = Math.floor(NOW / MINUTE_MS) * MINUTE_MS - 60 * MINUTE_MS;
    const range = [from, from + 60 * MINUTE_MS].map((at) => new Date(at).toISOString());
    const open = () => visit(page, `${address}/logs?from=${range[0]}&to=${range[1]}`);
    const clickAt = async (minutesAgo: number): Promise<void> => {
      const bars = page.getByRole('img', { name: /^16 events per minute, Other, 5xx$/ }).locator('.u-over');
      const { width, height } = await eventually(
        async () => (await bars.boundingBox()) ?? { width: 0, height: 0 },
        (box) => box.width > 0,
      );
      await bars.click({ position: { x: (width * (60.5 - minutesAgo)) / 60, y: height / 2 } });
    };
    await open();
    // No event of this minute has failed, and none of the other one has not.
    await clickAt(48);
    await count(page, '1 event');
    await rows('1 event').filter({ hasText: 'cart.opened' }).waitFor();
    expect(member(page, 'where')).toBe('(log.status_class == null or log.status_class not in ("4xx", "5xx"))');
    expect(member(page, 'from')).toBe(new Date(from + 12 * MINUTE_MS).toISOString());
    await open();
    await clickAt(19);
    await page.waitForURL((url) => url.searchParams.get('where') === 'log.status_class == "5xx"');
    await count(page, '1 event');
    expect(member(page, 'to')).toBe(new Date(from + 42 * MINUTE_MS).toISOString());
  });

  itOnDesktop('intersects the filters of a field, and replaces them by a new value', async () => {
    const where = 'severity in ("error", "info") and severity in ("info", "warning")';
    await visit(page, `${address}/logs?where=${encodeURIComponent(where)}`);
    await count(page, '4 events');
    await openFacets();
    await facet('Severity').getByRole('button', { name: 'info 4', pressed: true }).waitFor();
    await facet('Severity').getByRole('button', { name: 'error 2', pressed: false }).waitFor();
    await type(page, 'severity:error');
    await count(page, '2 events');
    expect([member(page, 'severity'), member(page, 'where')]).toEqual(['error', null]);
    await type(page, 'properties.user:ann');
    await count(page, '1 event');
    await type(page, 'properties.user:bob');
    await page.waitForURL((url) => url.searchParams.get('where') === 'properties.user == "bob"');
    await count(page, '1 event');
  });

  itOnDesktop('keeps the values of a facet while those of another choice are read', async () => {
    const byUser = encodeURIComponent('["properties.user"]');
    await visit(page, `${address}/logs?event=order.placed&facets=${byUser}`);
    await count(page, '3 events');
    await openFacets();
    await facet('properties.user').getByRole('button', { name: 'ann 1' }).waitFor();
    const asked: string[] = [];
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/facets\?/, async (route) => {
      const url = route.request().url();
      asked.push(url);
      // The values of the facet itself come last.
      if (!url.includes('where=')) await held;
      await route.continue();
    });
    await facet('Event').getByRole('button', { name: 'cart.opened 6' }).click();
    await facet('properties.user').getByRole('button', { name: 'ann 2' }).waitFor();
    await facet('Event').getByRole('button', { name: 'http.request 6', pressed: false }).waitFor();
    answer();
    await count(page, '9 events');
    await facet('Event').getByRole('button', { name: 'http.request 6', pressed: false }).waitFor();
    expect(asked).toHaveLength(2);
    await page.unrouteAll({ behavior: 'wait' });
  });

  itOnDesktop('counts the values of a property and filters by them', async () => {
    await visit(page, `${address}/logs`);
    await count(page, '16 events');
    await openFacets();
    await page.getByRole('combobox', { name: 'Add a facet' }).filter({ visible: true }).fill('properties.cart.plan');
    await page.keyboard.press('Enter');
    await facet('properties.cart.plan').getByRole('button', { name: 'free 4' }).waitFor();
    await facet('properties.cart.plan').getByRole('button', { name: 'pro 2' }).click();
    await count(page, '2 events');
    expect(member(page, 'where')).toBe('properties.cart.plan == "pro"');
    await facet('properties.cart.plan').getByRole('button', { name: 'pro 2', pressed: true }).click();
    await count(page, '16 events');
    await facet('properties.cart.plan').getByRole('button', { name: 'Exclude free' }).click();
    await count(page, '12 events');
  });

  itOnDesktop('takes fields with values, texts and conditions in one field, and completes them', async () => {
    await visit(page, `${address}/logs`);
    await count(page, '16 events');
    await type(page, 'status:>=500');
    await count(page, '2 events');
    await type(page, 'properties.user:ann');
    await count(page, '1 event');
    await chips(page).getByRole('button', { name: 'log.status >= 500' }).click();
    await count(page, '4 events');
    await chips(page).getByRole('button', { name: 'Clear' }).click();
    await count(page, '16 events');
    for (const text of ['not found', 'took > 5 s', 'at handle(x.js:1)', '"log.status == 503"']) {
      await type(page, text);
      await chips(page)
        .getByRole('button', { name: `Text: ${text.replaceAll('"', '')}` })
        .waitFor();
      await count(page, '0 events');
    }
    await type(page, 'log.status == 503 // only failures');
    await count(page, '0 events');
    await type(page, 'CHECKOUT');
    await count(page, '2 events');
    await chips(page).getByRole('button', { name: 'log.status == 503' }).click();
    await count(page, '6 events');
    await type(page, '-severity:error');
    await count(page, '4 events');
    await type(page, 'log.latency_ms < 400 and event : "HTTP*"');
    await count(page, '2 events');
    await visit(page, `${address}/logs`);
    await count(page, '16 events');
    await search(page).fill('seve');
    await page.getByRole('option', { name: /^severity:/ }).click();
    await page.getByRole('option', { name: /^severity:error/ }).click();
    await page.waitForURL(/severity=error/);
    await count(page, '2 events');
    await type(page, 'log.status >= >');
    await page.getByRole('alert').filter({ hasText: 'Where' }).waitFor();
    await areRefused();
    await chips(page).getByRole('button', { name: 'log.status >= >' }).click();
    await count(page, '2 events');
  });

  it('opens an event by its address, goes to the next and filters by its values', async () => {
    await visit(page, `${address}/logs?event=order.placed`);
    await count(page, '3 events');
    const dialog = page.getByRole('dialog');
    await rows('3 events').first().click();
    await dialog.getByText('"user": "cyd"').first().waitFor();
    await dialog.getByText('1 of 3').waitFor();
    expect(await browser.lookAt('log-event')).toEqual([]);
    await page.reload();
    await dialog.getByText('"user": "cyd"').first().waitFor();
    await dialog.getByText('1 of 3').waitFor();
    expect(await dialog.getByRole('button', { name: 'Previous event' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Next event' }).click();
    await dialog.getByText('"user": "bob"').first().waitFor();
    await page.keyboard.press('k');
    await dialog.getByText('"user": "cyd"').first().waitFor();
    const value = dialog.getByRole('button', { name: 'properties.user cyd' });
    await value.click();
    await page.getByRole('menuitem', { name: 'Filter for this value' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await count(page, '1 event');
    expect(member(page, 'where')).toBe('properties.user == "cyd"');

    await rows('1 event').first().click();
    await value.click();
    await page.getByRole('menuitem', { name: 'Count by this property' }).click();
    await facet('properties.user').getByRole('button', { name: 'cyd 1' }).waitFor();
    await visit(page, `${address}/logs?event=order.placed`);
    await count(page, '3 events');
    await rows('3 events').first().click();
    await value.click();
    await page.getByRole('menuitem', { name: 'Exclude this value' }).click();
    await count(page, '2 events');
  });

  it('has the columns that somebody chooses, in the address', async () => {
    await visit(page, `${address}/logs?event=order.placed`);
    await count(page, '3 events');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'properties.user', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Message' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Wrap lines' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Compact' }).click();
    await page.waitForURL(/wrap=on.*density=compact/);
    await page.keyboard.press('Escape');
    expect(JSON.parse(member(page, 'columns') ?? '')).toEqual(
      expect.arrayContaining(['time', 'event', 'properties.user']),
    );
    await page.reload();
    await rows('3 events').filter({ hasText: /cyd$/ }).waitFor();
    expect(await browser.lookAt('logs-columns')).toEqual([]);
  });

  itOnDesktop('takes the addresses of the Explorer and the earlier logs', async () => {
    await page.goto(`${address}/events?event=payment.settled&status=ok&range=7d`);
    await page.waitForURL(/\/logs\?/);
    await count(page, '1 event');
    expect([member(page, 'range'), member(page, 'where')]).toEqual(['7d', 'status == "ok"']);
    await page.goto(`${address}/logs?status=errors&method=post`);
    await count(page, '2 events');
    expect(member(page, 'where')).toBe('log.status >= 500 and log.method == "POST"');
  });

  it('walks through the rows by the keyboard', async () => {
    await visit(page, `${address}/logs`);
    await count(page, '16 events');
    await rows('16 events').first().focus();
    for (const key of ['ArrowDown', 'End', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('dialog').getByText('"user": "bob"').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('keeps a view, applies, renames and deletes it', async () => {
    await visit(page, `${address}/logs?event=http.request&severity=error&range=7d`);
    await count(page, '2 events');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save what is shown' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(`Failed requests on ${device}`);
    expect(await browser.lookAt('save-view')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await visit(page, `${address}/logs`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: `Failed requests on ${device}` }).click();
    await page.waitForURL(/severity=error/);
    await count(page, '2 events');

    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Change saved views' }).click();
    await page.getByLabel(`Name of Failed requests on ${device}`).fill('Failures');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('form', { name: 'Failures' }).waitFor();
    expect(await browser.lookAt('views')).toEqual([]);
    await page.getByRole('button', { name: 'Delete Failures' }).click();
    await page.getByText('No saved views').waitFor();
    await page.keyboard.press('Escape');
  });

  itOnDesktop('exports every event that matches', async () => {
    await visit(page, `${address}/logs?where=${encodeURIComponent('log.status >= 500')}`);
    await count(page, '2 events');
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /CSV/ }).click(),
    ]);
    const lines = (await bytesOfDownload(file)).toString().trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(file.suggestedFilename()).toMatch(/-events-\d{4}-\d\d-\d\d\.csv$/);
  });

  itOnDesktop('stops an export when somebody leaves the page', async () => {
    await visit(page, `${address}/eql`);
    await heading(page, 'Query');
    await goTo(page, 'Logs');
    await count(page, '16 events');
    await page.route('**/export', () => undefined);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /CSV/ }).click();
    await page.getByRole('dialog').getByText('0 MB so far').waitFor();
    const [request] = await Promise.all([page.waitForEvent('requestfailed'), page.evaluate('history.go(-1)')]);
    expect(request.url()).toContain('/export');
    await page.unroute('**/export');
  });

  itOnDesktop('ignores members of the address that make no sense', async () => {
    const nonsense = {
      facets: '["properties.", "no", 7, "properties.a..b", "properties.user"]',
      columns: '{"time": 1}',
      wrap: 'yes',
      density: '9',
      live: 'maybe',
      range: '5y',
      zone: 'mars',
      page: '-1',
    };
    await page.goto(`${address}/logs?${new URLSearchParams(nonsense).toString()}`);
    await count(page, '16 events');
    await openFacets();
    await facet('properties.user').getByRole('button', { name: 'ann 4' }).waitFor();
    await page.goto(`${address}/logs?facets=[[[&columns=%5B%22no%22%2C%22properties.%22%5D`);
    await count(page, '16 events');
    await page.goto(`${address}/logs?shown=nonsense`);
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${address}/logs?source_id=nonsense`);
    await page.getByRole('main').getByRole('alert').first().waitFor();
    await chips(page).getByRole('button', { name: 'Source: nonsense' }).waitFor();
    await areRefused();
  });
});

/** Seven events of every 35th instant, 1,001 in all. */
const isFailed = (index: number): boolean => Math.floor(index / 10) % 35 === 0 && index % 10 < 7;

describe('the list of fifty thousand events', () => {
  it('finds every error in the range, counts it, exports it and pages through it', async () => {
    const large = await ownerWithProject(app);
    const begin = Date.now() - 30 * MINUTE_MS;
    for (let first = 0; first < ROWS; first += ROWS / 5) {
      await insertEvents(
        app,
        large.projectId,
        Array.from({ length: ROWS / 5 }, (_, index) => ({
          // Ten events share each instant. Seven of some instants failed, so that pages end within an instant.
          timestamp: new Date(begin + Math.floor((first + index) / 10) * 100),
          log_endpoint: `/row/${first + index}`,
          log_method: 'GET',
          log_status: isFailed(first + index) ? 500 : 200,
        })),
      );
    }
    await countEvents(app);
    await opened(large, '', async (page, browser) => {
      await count(page, '50,000 events');
      await page.getByText(`The newest ${PAGE_ROWS} are loaded`).waitFor();
      await page.getByRole('img', { name: /^50,000 events per .*, Other, 5xx$/ }).waitFor();
      expect(await page.locator('.row').count()).toBeLessThan(80);
      const answers: Promise<unknown>[] = [];
      page.on('response', (response) => {
        if (/\/events\?.*5xx/.test(response.url())) answers.push(response.json());
      });
      await type(page, 'class:5xx');
      await count(page, '1,001 events');
      await page.getByRole('img', { name: /^1,001 events per/ }).waitFor();
      const list = page.locator('.rows.entry');
      for (const loaded of ['400', '600', '800', '1,000']) {
        await list.evaluate((element) => element.scrollTo(0, 1e9));
        await page.getByText(`The newest ${loaded} are loaded`).waitFor();
      }
      await list.evaluate((element) => element.scrollTo(0, 1e9));
      await page.getByRole('group', { name: '1001 events' }).waitFor();
      const pages = (await Promise.all(answers)) as { items: { id: string }[] }[];
      expect(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size).toBe(1_001);
      await list.evaluate((element) => element.scrollTo(0, 1e9));
      await page.getByText('/row/0', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Export' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: /NDJSON/ }).click(),
      ]);
      const lines = (await bytesOfDownload(file))
        .toString()
        .split('\n')
        .filter((line) => line !== '');
      expect(lines).toHaveLength(1_001);
      expect(await browser.lookAt('logs-large')).toEqual([]);
    });
  });
});

describe('a refresh of a long list', () => {
  const made = (count: number, at: number, name: string, everyMs = 1) =>
    Array.from({ length: count }, (_, index) => ({
      timestamp: new Date(at - index * everyMs),
      log_endpoint: `/${name}/${index}`,
      log_method: 'GET',
    }));
  const list = (page: Page) => page.locator('.rows.entry');
  const loaded = (page: Page, rows: string): Promise<void> => page.getByText(`The newest ${rows} are loaded`).waitFor();

  /** Scrolls to the end of the list until so many rows are loaded. */
  async function scrollThrough(page: Page, ...numbers: readonly string[]): Promise<void> {
    for (const rows of numbers) {
      await list(page).evaluate((element) => element.scrollTo(0, 1e9));
      await loaded(page, rows);
    }
    await list(page).evaluate((element) => element.scrollTo(0, 0));
  }

  async function refreshEach(page: Page, interval: 'Off' | 'Every 10 s'): Promise<void> {
    await page.getByRole('button', { name: /^Refresh interval/ }).click();
    await page.getByRole('menuitemradio', { name: interval }).click();
  }

  /** Tells a read of the first page of a list from those of older pages and of marks. */
  const isFirstPage = (url: string): boolean => /\/events\?.*range=/.test(url) && !url.includes('where=');

  it('reads its first page only when it comes by itself, keeps the rest and adds what is new', async () => {
    const deep = await ownerWithProject(app);
    await insertEvents(app, deep.projectId, made(900, Date.now() - MINUTE_MS, 'old'));
    await countEvents(app);
    await opened(deep, '', async (page) => {
      await scrollThrough(page, '400', '600', '800');
      const older: string[] = [];
      page.on('request', (request) => {
        const url = request.url();
        if (/\/events\?/.test(url) && !url.includes('where=') && !isFirstPage(url)) older.push(url);
      });
      await refreshEach(page, 'Every 10 s');
      await insertEvents(app, deep.projectId, made(3, Date.now(), 'new'));
      await countEvents(app);
      await loaded(page, '803');
      // More are new than one page has: the rest of the list is read again when somebody scrolls to it.
      await insertEvents(app, deep.projectId, made(300, Date.now(), 'newest'));
      await countEvents(app);
      await loaded(page, '200');
      for (let again = 0; again < 2; again++) await page.waitForResponse((response) => isFirstPage(response.url()));
      await count(page, '1,203 events');
      await loaded(page, '200');
      expect(older).toEqual([]);
      await refreshEach(page, 'Off');
      await scrollThrough(page, '400', '600', '800', '1,000', '1,200');
      await list(page).evaluate((element) => element.scrollTo(0, 1e9));
      await page.getByRole('group', { name: '1203 events' }).waitFor();
    });
  });

  it('drops the rows that its range has left behind', async () => {
    const moving = await ownerWithProject(app);
    const at = Date.now() - MINUTE_MS;
    await insertEvents(app, moving.projectId, made(900, at, 'old'));
    await countEvents(app);
    await opened(moving, '', async (page) => {
      await scrollThrough(page, '400', '600');
      // Time would do the same.
      await page.route(
        (url) => isFirstPage(url.href),
        async (route) => {
          const response = await route.fetch();
          const json = (await response.json()) as object;
          await route.fulfill({ response, json: { ...json, from_ts: new Date(at - 499).toISOString() } });
        },
      );
      await refreshEach(page, 'Every 10 s');
      await loaded(page, '500');
      await page.unrouteAll({ behavior: 'wait' });
    });
  });

  it('starts again when somebody asks for it, and then has what came late', async () => {
    const late = await ownerWithProject(app);
    const at = Date.now() - MINUTE_MS;
    await insertEvents(app, late.projectId, made(500, at, 'old', 2));
    await countEvents(app);
    await opened(late, '', async (page) => {
      await scrollThrough(page, '400');
      await insertEvents(app, late.projectId, made(1, at - 501, 'late'));
      await countEvents(app);
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      await loaded(page, '200');
      await count(page, '501 events');
      await scrollThrough(page, '400');
      await list(page).evaluate((element) => element.scrollTo(0, (element.scrollHeight * 250) / 400));
      await page.getByText('/late/0', { exact: true }).waitFor();
    });
  });

  it('starts again by itself when an event of a fixed range came late', async () => {
    const late = await ownerWithProject(app);
    const at = Date.now() - MINUTE_MS;
    await insertEvents(app, late.projectId, made(500, at, 'old', 2));
    await countEvents(app);
    const range = [at - 10 * MINUTE_MS, at + 1].map((each) => new Date(each).toISOString());
    await opened(late, `?from=${range[0]}&to=${range[1]}`, async (page) => {
      await scrollThrough(page, '400');
      await insertEvents(app, late.projectId, made(1, at - 501, 'late'));
      await countEvents(app);
      await refreshEach(page, 'Every 10 s');
      await count(page, '501 events');
      await loaded(page, '200');
    });
  });
});

describe('the live list', () => {
  it('begins with the newest rows, adds what comes and keeps to the filters', async () => {
    const busy = await ownerWithProject(app);
    const now = Date.now();
    await insertEvents(
      app,
      busy.projectId,
      Array.from({ length: 500 }, (_, index) => ({
        timestamp: new Date(now - MINUTE_MS - index),
        log_endpoint: `/old/${index}`,
        log_status: 500,
        log_method: 'GET',
      })),
    );
    await countEvents(app);
    await opened(busy, '?live=on&where=log.status+%3E%3D+500', async (page, browser) => {
      await count(page, '500 events');
      await page.getByText(`The newest ${PAGE_ROWS} are loaded`).waitFor();
      await ingest(busy, { event_type: 'http.request', payload: { method: 'GET', path: '/fine', status_code: 200 } });
      await ingest(busy, { event_type: 'http.request', payload: { method: 'GET', path: '/broken', status_code: 502 } });
      await page.getByText('/broken', { exact: true }).waitFor();
      await count(page, '501 events');
      await page.getByText(`The newest ${PAGE_ROWS + 1} are loaded`).waitFor();
      expect(await page.getByText('/fine', { exact: true }).count()).toBe(0);
      await page.getByRole('switch', { name: 'Live' }).click();
      await page.waitForURL((url) => !url.searchParams.has('live'));
      await count(page, '501 events');
      await page.goto(`${page.url()}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`);
      expect(await page.getByRole('switch', { name: 'Live' }).isDisabled()).toBe(true);
      expect(browser.faults).toEqual([]);
    });
  });
});

describe('values that a sender chooses', () => {
  it('are shown as text and can be filtered by, whatever they are', async () => {
    const odd = await ownerWithProject(app);
    const html = '<img src=x onerror=alert(1)>';
    const properties = {
      'a.b': 'dotted',
      'odd `name`': 'ticked',
      html,
      rtl: '\u05e9\u05dc\u05d5\u05dd \u202e\u0661\u0662',
      quotes: 'a "b" \\ c\nd\u0007',
      long: 'x'.repeat(100_000),
      list: ['one', 'two'],
    };
    await ingest(odd, { event_type: 'odd', message: html, properties });
    await ingest(odd, { event_type: 'plain' });
    await opened(odd, '', async (page, browser) => {
      await count(page, '2 events');
      const dialog = page.getByRole('dialog');
      for (const [name, length] of [
        ['properties.a.b', 1],
        ['properties.odd `name`', 1],
        ['properties.html', 1],
        ['properties.rtl', 1],
        ['properties.quotes', 1],
        ['properties.long', 1],
        ['properties.list.1', 1],
      ] as const) {
        await page.getByRole('group', { name: '2 events' }).locator('.row').last().click();
        await dialog
          .getByRole('button')
          .filter({ has: page.getByText(name, { exact: true }) })
          .click();
        await page.getByRole('menuitem', { name: 'Filter for this value' }).click();
        await count(page, `${length} event`);
        await chips(page).getByRole('button', { name: 'Clear' }).click();
        await count(page, '2 events');
      }
      expect(await page.locator('img[src=x]').count()).toBe(0);
      expect(await browser.lookAt('logs-odd')).toEqual([]);
    });
  });

  it('are missing from as many events as a facet says, which can be chosen and excluded', async () => {
    const other = await ownerWithProject(app);
    const full = { severity: 'info', status: 'ok', environment: 'live', payload: { plan: 'pro' } };
    for (let sent = 0; sent < 3; sent += 1) await ingest(other, { event_type: 'full', ...full });
    await ingest(other, { event_type: 'bare' });
    await ingest(other, { event_type: 'bare', payload: { plan: null } });
    await opened(other, `?facets=${encodeURIComponent('["properties.plan"]')}`, async (page) => {
      const none = /^\(none\) ?2$/;
      for (const [name, field] of [
        ['Severity', 'severity'],
        ['Status', 'status'],
        ['Environment', 'environment'],
        ['properties.plan', 'properties.plan'],
      ] as const) {
        await count(page, '5 events');
        const facet = page.getByRole('group', { name, exact: true });
        await facet.getByRole('button', { name: none }).click();
        await count(page, '2 events');
        expect(member(page, 'where')).toBe(`${field} == null`);
        await facet.getByRole('button', { name: none, pressed: true }).click();
        await count(page, '5 events');
        await facet.getByRole('button', { name: 'Exclude (none)' }).click();
        await count(page, '3 events');
        await chips(page).getByRole('button', { name: 'Clear' }).click();
      }
      await page.getByRole('textbox', { name: 'Find a value' }).fill('(NONE)');
      await page.getByRole('group', { name: 'properties.plan' }).getByRole('button', { name: none }).waitFor();
    });
  });

  it.each(['constructor', '__proto__'])('are shown as they are: %s', async (word) => {
    const other = await ownerWithProject(app);
    await ingest(other, {
      event_type: word,
      source: word,
      severity: word,
      status: word,
      environment: word,
      message: 'Odd',
    });
    const columns = JSON.stringify(['event', 'source', 'severity', 'status', 'environment', 'message']);
    await opened(other, `?columns=${encodeURIComponent(columns)}`, async (page) => {
      const row = page.getByRole('group', { name: '1 event' }).locator('.row');
      await row.waitFor();
      expect((await row.innerText()).split(/\s+/)).toEqual([word, word, word, word, word, 'Odd']);
      await page
        .getByRole('group', { name: 'Severity' })
        .getByRole('button', { name: `${word} 1` })
        .waitFor();
    });
  });

  it('are listed by their frequency when there are a thousand', async () => {
    const many = await ownerWithProject(app);
    const now = Date.now();
    await insertEvents(
      app,
      many.projectId,
      Array.from({ length: 1_000 }, (_, index) => ({
        timestamp: new Date(now - MINUTE_MS - index),
        event: `kind.${index}`,
        properties: { user: `u${index}` },
      })),
    );
    await countEvents(app);
    await opened(many, '?facets=%5B%22properties.user%22%5D', async (page) => {
      await count(page, '1,000 events');
      await page.getByText('980 more values in 980 events').first().waitFor();
      await page.getByRole('group', { name: 'Event', exact: true }).getByRole('button', { name: 'Show all' }).click();
      const kinds = page.getByRole('group', { name: 'Event', exact: true }).getByRole('button', { name: /^kind/ });
      await eventually(
        () => kinds.count(),
        (shown) => shown === 100,
      );
    });
  });
});

describe('a source', () => {
  it('is named by the filter for its events', async () => {
    const { body } = await app
      .request()
      .post('/v1/ingest-sources')
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, name: 'Web shop' })
      .expect(201);
    const { id } = body as { id: string };
    await opened(owner, `?source_id=${id}`, async (page) => {
      await chips(page).getByRole('button', { name: 'Source: Web shop' }).waitFor();
      await page.getByText('No event matches').waitFor();
    });
  });
});

describe('a project without events', () => {
  it('is told how to send one', async () => {
    await opened(await ownerWithProject(app), '', async (page, browser) => {
      await page.getByText('No event in this time').waitFor();
      await page.getByRole('link', { name: 'Send an event' }).waitFor();
      expect(await browser.lookAt('logs-empty')).toEqual([]);
    });
  });
});

describe('an operator', () => {
  it('saves views like others who work with the project', async () => {
    const operator = await addMember(app, owner, 'operator');
    const browser = await openConsole(app, DESKTOP);
    try {
      const { page } = browser;
      await enter(browser, `${address}/logs`, operator);
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save what is shown' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Of the night shift');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Of the night shift' }).waitFor();
      expect(browser.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

describe('a viewer', () => {
  it('reads all events and is told why no view can be saved', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    const browser = await openConsole(app, DESKTOP);
    try {
      const { page } = browser;
      await page.goto(`${address}/logs`);
      await signIn(page, viewer.email);
      await page.getByText('16 events', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByText('Your role here is viewer').waitFor();
      expect(await page.getByRole('menuitem', { name: 'Save what is shown' }).isDisabled()).toBe(true);
      expect(browser.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
