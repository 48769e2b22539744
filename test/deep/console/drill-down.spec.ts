import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, faultsOf, heading, onDesktop, SCREENS, signIn, visit } from '../../support/console-pages.js';
import { eventually } from '../../support/eventually.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The beginning of a day in UTC, two days ago. */
const DAY = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
const RANGE = rangeFrom(DAY);
/** A day before there are events with many values. */
const BEFORE = DAY - DAY_MS;
/** Requests by hour, and how many of them failed. */
const REQUESTS = [
  { all: 12, failed: 2 },
  { all: 20, failed: 4 },
  { all: 8, failed: 0 },
];

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Returns three hours as members of an address. */
function rangeFrom(at: number): string {
  return `from=${iso(at)}&to=${iso(at + 3 * HOUR_MS)}&zone=utc`;
}

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp();
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  await app
    .request()
    .post('/v1/events/ingest')
    .set('X-API-Key', owner.apiKey)
    .set('Content-Type', 'application/x-ndjson')
    .send([...shopEvents(), ...manyValues()].map((event) => JSON.stringify({ source: 'web', ...event })).join('\n'))
    .expect(200);
});
afterAll(() => app.close());

/**
 * 40 requests in three hours, each slower by 10 ms than the one before. Six people open a cart in the first hour, three
 * of them order, and one pays.
 */
function shopEvents(): object[] {
  let sent = 0;
  const requests = REQUESTS.flatMap(({ all, failed }, hour) =>
    Array.from({ length: all }, (_, index) => {
      sent += 1;
      return {
        event_type: 'http.request',
        timestamp: iso(DAY + hour * HOUR_MS + (index + 1) * MINUTE_MS),
        severity: index < failed ? 'error' : 'info',
        payload: {
          method: 'GET',
          path: `/orders/${1000 + sent}`,
          status_code: index < failed ? 503 : index < failed + 1 ? 404 : 200,
          latency_ms: 10 * sent,
          plan: sent % 4 === 0 ? 'pro' : 'free',
        },
      };
    }),
  );
  const step = (event_type: string, minute: number, people: number) =>
    Array.from({ length: people }, (_, index) => ({
      event_type,
      timestamp: iso(DAY + (minute + index) * MINUTE_MS),
      payload: { user: `user ${index}` },
    }));
  return [...requests, ...step('cart.opened', 5, 6), ...step('order.placed', 20, 3), ...step('payment.settled', 40, 1)];
}

/**
 * 100 events with 50 items, of five types. Two more types have eight events: with five other items, and with a list, an
 * object and nothing.
 */
function manyValues(): object[] {
  const texts = Array.from({ length: 40 }, (_, index) => `item ${index}`);
  const numbers = Array.from({ length: 10 }, (_, index) => index);
  const named = [...texts, ...numbers].flatMap((item) => [item, item]);
  const of = (event_type: string, index: number, payload: object) => ({
    event_type,
    timestamp: iso(BEFORE + (index + 1) * 1_000),
    payload,
  });
  return [
    ...named.map((item, index) => of(`kind.${index % 5}`, index, { item })),
    ...['rare', '5', 98, 99, true].map((item, index) => of('kind.5', 200 + index, { item })),
    ...[{ item: ['item 0'] }, { item: { name: 'item 0' } }, {}].map((payload, index) =>
      of('kind.6', 300 + index, payload),
    ),
  ];
}

describe.each(SCREENS)('the events behind a number on $device', ({ screen }) => {
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

  /** Waits until Logs shows so many events, of the range of the test or of a part of it. */
  async function showsEvents(count: number, begin = DAY): Promise<void> {
    await page.waitForURL(/\/logs\?/);
    await page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${count} events?$`) })
      .first()
      .waitFor();
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    expect(from).toBeGreaterThanOrEqual(begin);
    expect(to).toBeLessThanOrEqual(begin + 3 * HOUR_MS);
  }

  /** Follows a link, compares the number of events, and goes back. */
  async function leadsTo(link: Locator, count: number, begin = DAY): Promise<void> {
    const before = page.url();
    await link.click();
    await showsEvents(count, begin);
    await page.goBack();
    await page.waitForURL(before);
  }

  const figure = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('link');
  const link = (name: string) => page.getByRole('link', { name, exact: true });

  it('are those of the tiles of the overview and of its most frequent events', async () => {
    await visit(page, `${address}?${RANGE}`);
    await figure('Events').getByText('50', { exact: true }).waitFor();
    expect(await browser.lookAt('drill-overview')).toEqual([]);
    await leadsTo(figure('Events'), 50);
    await leadsTo(figure('Errors').filter({ hasText: '6' }), 6);
    // The 38th of 40 latencies, and those above.
    await leadsTo(figure('p95 latency').filter({ hasText: '380 ms' }), 3);
    await leadsTo(link('cart.opened'), 6);
  });

  /** Returns a point of a chart: the middle of an hour, at a value. @param most the largest value of the chart */
  async function pointAt(chart: Locator, hour: number, value: number, most: number) {
    const { width, height } = await eventually(
      async () => (await chart.locator('.u-over').boundingBox()) ?? { width: 0, height: 0 },
      (box) => box.width > 0,
    );
    return { x: (width * (hour + 0.5)) / 3, y: height * (1 - value / (most * 1.08)) };
  }

  async function clickAt(chart: Locator, hour: number, value: number, most: number): Promise<void> {
    await chart.locator('.u-over').click({ position: await pointAt(chart, hour, value, most) });
  }

  async function chartOf(search: string, range = RANGE): Promise<Locator> {
    await visit(page, `${address}/analytics?${range}&interval=hour&${search}`);
    const chart = page.getByRole('img', { name: / per hour,/ });
    await chart.locator('canvas').waitFor();
    return chart;
  }

  itOnDesktop('are those of the part of a bar that somebody clicks on, and of the whole bar above it', async () => {
    const chart = await chartOf('split=event');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.chart .u-over')).cursor`)).toBe('pointer');
    await clickAt(chart, 0, 4, 22);
    await showsEvents(12);
    expect(new URL(page.url()).searchParams.get('to')).toBe(iso(DAY + HOUR_MS));
    await page.goBack();
    await clickAt(chart, 0, 15, 22);
    await showsEvents(6);
    await page.goBack();
    await clickAt(chart, 1, 21.5, 22);
    await showsEvents(20);
    await page.goBack();
    // The parts above this one are 0.
    await clickAt(chart, 1, 10, 22);
    await showsEvents(20);
    expect(new URL(page.url()).searchParams.get('where')).toBe('event == "http.request"');
  });

  itOnDesktop('opens the events although the pointer moves a little during the click', async () => {
    const chart = await chartOf('split=event');
    const position = await pointAt(chart, 1, 10, 22);
    await chart.locator('.u-over').hover({ position });
    const { x, y } = (await chart.locator('.u-over').boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.down();
    await page.mouse.move(x + position.x + 2, y + position.y + 1);
    await page.mouse.up();
    await showsEvents(20);
  });

  itOnDesktop('are those of all values of a split that have no part of their own', async () => {
    const chart = await chartOf('split=event', rangeFrom(BEFORE));
    await page.getByRole('button', { name: 'Other', exact: true }).waitFor();
    await clickAt(chart, 0, 104, 108);
    await showsEvents(8, BEFORE);
  });

  itOnDesktop('are those of a point of a line, which took at least as long', async () => {
    const chart = await chartOf('aggregate=max&field=log.latency_ms');
    await clickAt(chart, 1, 320, 400);
    await showsEvents(1);
  });

  itOnDesktop('are linked from the table of a chart, for the keyboard', async () => {
    const chart = await chartOf('aggregate=errors');
    await page.getByRole('button', { name: /^Options of the chart/ }).click();
    await page.getByRole('menuitem', { name: 'Show as table' }).click();
    await chart.waitFor({ state: 'hidden' });
    const table = page.getByRole('region', { name: /^Errors per hour/ });
    // Nothing is behind the third hour, which has no errors.
    expect(await table.getByRole('link').allInnerTexts()).toEqual(['2', '4']);
    await table.getByRole('link', { name: '4' }).press('Enter');
    await showsEvents(4);
  });

  itOnDesktop('are those of the other values of a breakdown, whatever their types', async () => {
    await visit(page, `${address}/analytics?${rangeFrom(BEFORE)}&ask=breakdown&by=properties.item`);
    await leadsTo(link('5 other values'), 5, BEFORE);
    await visit(page, `${address}/analytics?${rangeFrom(BEFORE)}&ask=breakdown&by=event`);
    await leadsTo(link('kind.6'), 3, BEFORE);
  });

  itOnDesktop('are those of the values of a breakdown and, without a property, of none', async () => {
    await visit(page, `${address}/analytics?${RANGE}&ask=breakdown&by=properties.plan`);
    await page.getByRole('cell', { name: 'pro', exact: true }).waitFor();
    expect(await browser.lookAt('drill-breakdown')).toEqual([]);
    await leadsTo(link('pro'), 10);
    // A condition cannot tell a missing property from a list or an object.
    await page.getByRole('cell', { name: 'Events without it' }).waitFor();
    expect(await link('Events without it').count()).toBe(0);
    const errors = page.locator('tr', { has: link('free') }).getByTitle('Show the errors');
    await leadsTo(errors, Number(await errors.innerText()));
    await leadsTo(figure('Errors'), 6);
    await visit(page, `${address}/analytics?${RANGE}&ask=breakdown&by=status`);
    await leadsTo(link('Events without it'), 50);
  });

  itOnDesktop('are said to have dropped to none after a period with events', async () => {
    await visit(page, `${address}/analytics?${rangeFrom(DAY + 3 * HOUR_MS)}`);
    await page.getByRole('region', { name: 'Events', exact: true }).getByText('-100% vs. previous period').waitFor();
  });

  itOnDesktop('are no link where there are none, or where a condition would be too long', async () => {
    await visit(page, `${address}?${rangeFrom(BEFORE)}`);
    const figureOf = (name: string) => page.getByRole('region', { name, exact: true });
    await figureOf('Errors').getByText('Error rate 0%').waitFor();
    expect(await figureOf('Errors').getByRole('link').count()).toBe(0);
    const where = encodeURIComponent(`message != "${'x'.repeat(1_950)}" or event != null`);
    await visit(page, `${address}/analytics?${RANGE}&ask=breakdown&by=event&where=${where}`);
    await page.getByRole('cell', { name: 'cart.opened', exact: true }).waitFor();
    await leadsTo(figure('Events'), 50);
    expect(await link('http.request').count()).toBe(0);
    const steps = JSON.stringify([...Array.from({ length: 6 }, () => 'http.request'), 'payment.settled']);
    const funnel = `${address}/analytics?${RANGE}&ask=funnel&by=properties.plan&steps=${encodeURIComponent(steps)}`;
    await visit(page, funnel);
    await link('2 went no further').waitFor();
    await visit(page, `${funnel}&where=${where}`);
    await page.getByText('2 went no further').waitFor();
    expect(await link('2 went no further').count()).toBe(0);
  });

  itOnDesktop('are those of a step of a funnel, and of those who went no further', async () => {
    const steps = encodeURIComponent('["cart.opened","order.placed","payment.settled"]');
    await visit(page, `${address}/analytics?${RANGE}&ask=funnel&by=properties.user&steps=${steps}&within=7200`);
    await page.getByText('6 · 100%').waitFor();
    expect(await browser.lookAt('drill-funnel')).toEqual([]);
    await leadsTo(link('order.placed'), 3);
    for (const [left, events] of [
      ['3 went no further', ['cart.opened']],
      ['2 went no further', ['cart.opened', 'order.placed']],
    ] as const) {
      await link(left).click();
      await page.waitForURL(/\/eql\?/);
      const count = left.slice(0, 1);
      await page.getByText(new RegExp(`^${count} sequences, of`)).waitFor();
      const sequence = page.getByRole('region', { name: /^user/ }).first();
      expect(await sequence.getByRole('button').locator('b').allInnerTexts()).toEqual(events);
      await page.goBack();
      await page.waitForURL(/\/analytics\?/);
    }
  });

  itOnDesktop('are those of the figures, routes and failures of performance', async () => {
    await visit(page, `${address}/performance?${RANGE}`);
    await figure('Requests').getByText('40', { exact: true }).waitFor();
    await leadsTo(figure('Requests'), 40);
    await leadsTo(figure('Error rate'), 6);
    await leadsTo(figure('p95 latency'), 3);
    // More than 4 × 50 ms, or failed.
    await visit(page, `${address}/performance?${RANGE}&apdex=50`);
    const frustrated = page.getByRole('region', { name: 'Apdex', exact: true }).getByText(/\d+ frustrated/);
    await leadsTo(figure('Apdex'), Number(/(\d+) frustrated/.exec(await frustrated.innerText())?.[1]));
    const route = page.locator('tr', { has: link('GET /orders/:id') });
    await leadsTo(route.getByRole('link', { name: '40', exact: true }), 40);
    await leadsTo(route.getByRole('link', { name: '6', exact: true }), 6);
    await visit(page, `${address}/performance?${RANGE}&list=failures`);
    await leadsTo(link('Events with 503'), 6);
    const chart = page.getByRole('img', { name: /^Requests and errors per/ });
    await chart.locator('canvas').waitFor();
    expect(await chart.getAttribute('data-opens')).toBe('true');
  });

  it('can be widened by another value of a facet that filters them', async () => {
    await visit(page, `${address}/logs?${RANGE}&severity=error`);
    await page
      .getByRole('status')
      .filter({ hasText: /^6 events$/ })
      .waitFor();
    const filters = page.getByRole('button', { name: 'Filters', exact: true });
    if (await filters.isVisible()) await filters.click();
    const facet = (name: string) => page.getByRole('group', { name, exact: true }).filter({ visible: true });
    await facet('Severity').getByRole('button', { name: 'error 6', pressed: true }).waitFor();
    await facet('Severity').getByRole('button', { name: 'info 34' }).click();
    await showsEvents(40);
    expect(new URL(page.url()).searchParams.get('where')).toBe('severity in ("error", "info")');
    await facet('HTTP status').getByRole('button', { name: '5xx 6' }).click();
    await showsEvents(6);
    await facet('HTTP status').getByRole('button', { name: '4xx 3' }).click();
    await showsEvents(9);
    expect(await browser.lookAt('drill-facets')).toEqual([]);
    await facet('HTTP status').getByRole('button', { name: '5xx 6', pressed: true }).click();
    await showsEvents(3);
    await facet('Severity').getByRole('button', { name: 'info 3', pressed: true }).click();
    await page.waitForURL((url) => url.searchParams.get('severity') === 'error');
  });
});
