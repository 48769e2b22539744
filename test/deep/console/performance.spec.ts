import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import {
  addressOf,
  DESKTOP,
  enter,
  faultsOf,
  heading,
  onDesktop,
  SCREENS,
  signIn,
  visit,
} from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';

const MINUTE_MS = 60_000;

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: 'events=1000/1000,performance=1000/1000' } });
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  await app
    .request()
    .post('/v1/events/ingest')
    .set('X-API-Key', owner.apiKey)
    .set('Content-Type', 'application/x-ndjson')
    .send(
      shopEvents()
        .map((event) => JSON.stringify(event))
        .join('\n'),
    )
    .expect(200);
});
afterAll(() => app.close());

/**
 * In the last hour: 60 orders are read, three of them in vain and two of them not found, four carts are checked out, one
 * of them in vain, two carts are read by a route that the sender names, and five people sign up. In the hour before:
 * three orders are read and 30 carts are checked out.
 */
function shopEvents(): object[] {
  const now = Date.now();
  const request = (minutesAgo: number, payload: object) => ({
    event_type: 'http.request',
    source: 'web',
    timestamp: new Date(now - minutesAgo * MINUTE_MS).toISOString(),
    payload: { method: 'GET', status_code: 200, latency_ms: 20, ...payload },
  });
  const many = <Made>(count: number, make: (index: number) => Made): Made[] =>
    Array.from({ length: count }, (_, index) => make(index));
  return [
    ...many(60, (index) =>
      request(5 + index / 2, {
        path: `/orders/${1000 + index}`,
        status_code: index < 3 ? 503 : index < 5 ? 404 : 200,
        latency_ms: 10 + index,
      }),
    ),
    ...many(4, (index) =>
      request(10 + index, {
        method: 'POST',
        path: '/checkout',
        status_code: index === 0 ? 503 : 200,
        latency_ms: 600 + index,
        plan: index < 2 ? 'pro' : 'free',
      }),
    ),
    ...many(2, (index) => request(12 + index, { path: `/carts/${index}`, route: '/carts/{cart}' })),
    ...many(5, (index) => ({
      event_type: 'sign.up',
      source: 'web',
      timestamp: new Date(now - (20 + index) * MINUTE_MS).toISOString(),
    })),
    ...many(3, (index) => request(75 + index, { path: `/orders/${index}` })),
    ...many(30, (index) => request(75 + index, { method: 'POST', path: '/checkout' })),
  ];
}

interface Figures {
  readonly requests: number;
  readonly errors: number;
  readonly latency: { readonly p50_ms: number; readonly p95_ms: number };
}

/** Asks the API about the last hour. */
async function read<Answer>(path: string, query: object): Promise<Answer> {
  const { body } = await app
    .request()
    .get(path)
    .query({ project_id: owner.projectId, range: '1h', ...query })
    .set('Authorization', owner.bearer)
    .expect(200);
  return body as Answer;
}

/** Returns the number of events behind a link to the events of the last hour. */
async function eventsBehind(link: Locator): Promise<number> {
  const target = new URL((await link.getAttribute('href')) ?? '', app.url);
  expect([target.pathname.split('/').at(-1), target.searchParams.get('range')]).toEqual(['logs', '1h']);
  const where = target.searchParams.get('where');
  const { total } = await read<{ total: number }>(`/v1/projects/${owner.projectId}/events`, { where });
  return total;
}

describe.each(SCREENS)('performance on $device', ({ screen }) => {
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
    expect(await faultsOf(browser)).toEqual([]);
  });

  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const figure = (name: string) => page.getByRole('region', { name, exact: true });
  const total = (text: string) => page.getByText(text, { exact: true }).waitFor();
  /** Waits until the table of routes or endpoints has these names in this order. */
  const names = (label: string, expected: readonly string[]) =>
    eventually(
      () =>
        page
          .getByRole('region', { name: label, exact: true })
          .locator('td:first-child')
          .getByRole('link')
          .allInnerTexts(),
      (shown) => JSON.stringify(shown) === JSON.stringify(expected),
    );
  const cellsOf = (name: string) =>
    page
      .locator('tr', { has: link(name) })
      .locator('td')
      .allInnerTexts();

  it('lists routes with the figures of the API, and endpoints by a switch', async () => {
    await visit(page, `${address}/performance?range=1h`);
    await heading(page, 'Performance');
    await names('Routes', ['GET /orders/:id', 'POST /checkout', 'GET /carts/{cart}']);
    await page.getByRole('img', { name: /^Latency per minute/ }).waitFor();
    expect(await cellsOf('GET /orders/:id')).toEqual([
      'GET /orders/:id',
      '60',
      '3',
      '5%',
      '39 ms',
      '66 ms',
      '69 ms',
      expect.stringMatching(/^\d.*%$/),
    ]);
    expect(await browser.lookAt('performance')).toEqual([]);

    await page.getByText('Endpoint', { exact: true }).first().click();
    await page.waitForURL(/by=endpoint/);
    await total('63 in all');
    expect(
      await page.getByRole('region', { name: 'Endpoints' }).locator('td:first-child').getByRole('link').count(),
    ).toBe(50);
    await page.getByRole('button', { name: 'Page 2' }).click();
    await page.waitForURL(/page=2/);
    await eventually(
      () => page.getByRole('region', { name: 'Endpoints' }).locator('td:first-child').getByRole('link').count(),
      (count) => count === 13,
    );
    await page.getByText('Route', { exact: true }).first().click();
    await page.waitForURL((url) => !url.search.includes('page=') && !url.search.includes('by='));
    await total('3 in all');
  });

  itOnDesktop('keeps requests apart from other events', async () => {
    await visit(page, `${address}/performance?range=1h`);
    await figure('Requests').getByText('66', { exact: true }).waitFor();
    expect(await eventsBehind(link('All requests'))).toBe(66);
    await page.getByText('Other events', { exact: true }).click();
    await page.waitForURL(/events=other/);
    await figure('Events').getByText('5', { exact: true }).waitFor();
    await names('Routes', ['EVENT /events/sign.up']);
    expect(await eventsBehind(link('All these events'))).toBe(5);
    await page.reload();
    await names('Routes', ['EVENT /events/sign.up']);
  });

  itOnDesktop('searches and sorts all routes at the service', async () => {
    await visit(page, `${address}/performance?range=1h`);
    await names('Routes', ['GET /orders/:id', 'POST /checkout', 'GET /carts/{cart}']);
    await page.getByRole('columnheader', { name: /^p95/ }).getByRole('button').click();
    await page.waitForURL(/sort=p95/);
    await names('Routes', ['POST /checkout', 'GET /orders/:id', 'GET /carts/{cart}']);
    await page.getByLabel('Find').fill('CART');
    await page.waitForURL(/q=CART/);
    await names('Routes', ['GET /carts/{cart}']);
    await page.getByLabel('Find').fill('post');
    await names('Routes', ['POST /checkout']);
    await page.getByLabel('Find').fill('"\\ nothing');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear search and filter' }).click();
    await total('3 in all');
  });

  itOnDesktop('narrows all figures by a condition', async () => {
    await visit(page, `${address}/performance?range=1h`);
    await page.getByRole('combobox', { name: 'Filter' }).fill('properties.plan == "pro" or properties.plan == "free"');
    await page.keyboard.press('Enter');
    await page.waitForURL(/where=/);
    await figure('Requests').getByText('4', { exact: true }).waitFor();
    await names('Routes', ['POST /checkout']);
    expect(await eventsBehind(link('All requests'))).toBe(4);

    const condition = 'properties.plan == "pro"';
    await visit(page, `${address}/performance?range=1h&where=${encodeURIComponent(condition)}`);
    await link('POST /checkout').click();
    await heading(page, 'POST /checkout');
    await figure('Requests').getByText('2', { exact: true }).waitFor();
    expect(await eventsBehind(link('All its events'))).toBe(2);
    await page.getByRole('button', { name: `Filter: ${condition}` }).click();
    await page.waitForURL((url) => !url.searchParams.has('where'));
    await figure('Requests').getByText('4', { exact: true }).waitFor();
  });

  it('gives a route a page with its figures, failures, slowest events and the events behind them', async () => {
    await visit(page, `${address}/performance?range=1h&q=orders`);
    await link('GET /orders/:id').click();
    await page.waitForURL(/route=%2Forders%2F%3Aid/);
    await heading(page, 'GET /orders/:id');
    const { requests, latency } = await read<Figures>('/v1/performance/summary', {
      where: 'log.method == "GET" and log.route == "/orders/:id"',
    });
    expect(requests).toBe(60);
    await figure('Requests').getByText('60', { exact: true }).waitFor();
    await figure('Error rate').getByText('3 with 5xx, 2 with 4xx').waitFor();
    await figure('p50 latency').getByText(`${latency.p50_ms} ms`, { exact: true }).waitFor();
    await figure('p95 latency').getByText(`${latency.p95_ms} ms`, { exact: true }).waitFor();
    await page.getByRole('img', { name: 'Requests and errors per minute' }).waitFor();
    expect(await eventsBehind(link('All its events'))).toBe(60);
    expect(await eventsBehind(link('Failed events'))).toBe(5);
    expect(await eventsBehind(link('Events with 503'))).toBe(3);
    await page.getByRole('status').filter({ hasText: '5 of 60 failed' }).waitFor();
    expect(await page.getByRole('region', { name: 'Failing endpoints' }).locator('time').first().innerText()).toMatch(
      /^\d+ min\. ago$/,
    );
    expect(await browser.lookAt('performance-route')).toEqual([]);

    await page.getByRole('button', { name: 'GET /orders/1059' }).click();
    await page.waitForURL(/shown=/);
    await page.getByRole('dialog').getByText('69 ms').waitFor();
    await page.reload();
    await page.getByRole('dialog').getByText('69 ms').waitFor();
    expect(await browser.lookAt('performance-event')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await link('GET /orders/1000').click();
    await heading(page, 'GET /orders/1000');
    await figure('Requests').getByText('1', { exact: true }).waitFor();
    expect(await eventsBehind(link('All its events'))).toBe(1);
    await page.getByRole('main').getByRole('link', { name: 'Performance', exact: true }).click();
    await heading(page, 'Performance');
    expect(await page.getByLabel('Find').inputValue()).toBe('orders');
    await names('Routes', ['GET /orders/:id']);
  });

  itOnDesktop('opens the page of an endpoint by an address without a method', async () => {
    await visit(page, `${address}/performance?range=1h&endpoint=/checkout`);
    await heading(page, '/checkout');
    await figure('Requests').getByText('4', { exact: true }).waitFor();
    expect(await eventsBehind(link('All its events'))).toBe(4);
  });

  itOnDesktop('says new for requests, and nothing for a latency, against a period with under 20 requests', async () => {
    await visit(page, `${address}/performance?range=1h&method=GET&route=/orders/:id`);
    await figure('Requests').getByText('new', { exact: true }).waitFor();
    // A latency is not new: it has nothing to be compared with.
    expect(await figure('p95 latency').getByText('new').count()).toBe(0);
    await visit(page, `${address}/performance?range=1h&method=POST&route=/checkout`);
    await figure('Requests').getByText('-87% vs. previous period', { exact: true }).waitFor();
    await figure('p95 latency')
      .getByText(/^\+[\d,]+% vs. previous period$/)
      .waitFor();
  });

  it('lists failures and the slowest requests of all routes', async () => {
    await visit(page, `${address}/performance?range=1h`);
    await page.getByText('Slowest', { exact: true }).click();
    await page.waitForURL(/list=slowest/);
    await page.getByRole('region', { name: 'Slowest requests' }).getByRole('button').first().click();
    await page.getByRole('dialog').getByText('603 ms').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await browser.lookAt('slowest')).toEqual([]);
    await page.getByText('Failures', { exact: true }).click();
    await page.waitForURL(/list=failures/);
    await page.getByRole('status').filter({ hasText: '6 of 66 failed' }).waitFor();
    expect(await eventsBehind(link('Events with 503'))).toBe(4);
    expect(await browser.lookAt('failures')).toEqual([]);
  });

  itOnDesktop('rates by the threshold of the Apdex that the address names', async () => {
    await visit(page, `${address}/performance?range=1h&method=POST&route=/checkout&apdex=700`);
    await figure('Apdex').getByText('0.75', { exact: true }).waitFor();
    await visit(page, `${address}/performance?range=1h`);
    await page.getByLabel('Apdex threshold, ms').fill('700');
    await page.keyboard.press('Enter');
    await page.waitForURL(/apdex=700/);
  });
});

describe('a project without requests', () => {
  it('says what a request is, and where other events are', async () => {
    const other = await ownerWithProject(app);
    const browser = await openConsole(app, DESKTOP);
    try {
      await enter(browser, `${await addressOf(app, other)}/performance`, other);
      await browser.page.getByText('No requests in this time').first().waitFor();
      await browser.page.getByRole('link', { name: 'Send an event' }).waitFor();
      expect(await browser.lookAt('performance-empty')).toEqual([]);
      expect(await faultsOf(browser)).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
