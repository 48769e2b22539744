import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, goTo, heading, onDesktop, SCREENS, signIn } from '../../support/console-pages.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Noon in UTC, four days ago. In Kathmandu it is 17:45, in New York the morning, in Apia the next day. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS + DAY_MS / 2;
const iso = (at: number): string => new Date(at).toISOString();

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp();
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  await app
    .request()
    .put(`/v1/projects/${owner.projectId}/settings`)
    .set('Authorization', owner.bearer)
    .send({ timezone: 'Asia/Kathmandu' })
    .expect(200);
  for (const hours of [0, 1, 2]) await ingest('order.placed', NOON + hours * HOUR_MS);
  await ingest('site.opened', Date.now() - HOUR_MS / 2);
});
afterAll(() => app.close());

const memberOf = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

async function ingest(event_type: string, at: number): Promise<void> {
  const event = { event_type, source: 'web', timestamp: iso(at) };
  await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send(event).expect(200);
}

/** Waits for a window in the address. */
async function twoTimes(page: Page, from: number, to: number): Promise<void> {
  await page.waitForURL((url) => url.searchParams.get('from') === iso(from) && url.searchParams.get('to') === iso(to));
}

describe.each(SCREENS)('the time range of a project on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openConsole(app, { ...screen, timezoneId: 'America/New_York' });
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

  const opener = () => page.getByRole('button', { name: /^Time: / });

  it('stays in the address from page to page', async () => {
    await page.goto(`${address}/analytics?range=7d&zone=utc&refresh=60`);
    await heading(page, 'Analytics');
    for (const name of ['Performance', 'Alert rules', 'Query', 'Settings', 'Logs']) {
      await goTo(page, name);
      expect([name, memberOf(page, 'range'), memberOf(page, 'zone'), memberOf(page, 'refresh')]).toEqual([
        name,
        '7d',
        'utc',
        '60',
      ]);
    }
    await page.getByText('4 events', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page
      .getByRole('option', { name: 'Analytics' })
      .or(page.getByText('Analytics', { exact: true }))
      .last()
      .click();
    await page.waitForURL(/analytics\?.*range=7d/);
    expect(memberOf(page, 'zone')).toBe('utc');
  });

  it('is a range, two times of the zone, or all time', async () => {
    await page.goto(`${address}/logs`);
    await page.getByText('1 event', { exact: true }).waitFor();
    await opener().click();
    expect(await browser.lookAt('time-range')).toEqual([]);
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await page.waitForURL(/range=7d/);
    await page.getByText('4 events', { exact: true }).waitFor();

    await opener().click();
    // 17:45 and 18:45 in Kathmandu are noon and one o'clock in UTC.
    const day = iso(NOON).slice(0, 10);
    await page.getByLabel('From').fill(`${day}T17:45`);
    await page.getByLabel('To').fill(`${day}T17:30`);
    await page.getByText('It ends before it begins').waitFor();
    await page.getByLabel('To').fill(`${day}T18:45`);
    await page.getByRole('button', { name: 'Apply' }).click();
    await twoTimes(page, NOON, NOON + HOUR_MS);
    await page.getByText('1 event', { exact: true }).waitFor();
    expect(memberOf(page, 'range')).toBeNull();

    await page.getByRole('button', { name: 'Later' }).click();
    await twoTimes(page, NOON + HOUR_MS, NOON + 2 * HOUR_MS);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await twoTimes(page, NOON, NOON + HOUR_MS);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await twoTimes(page, NOON - HOUR_MS / 2, NOON + 1.5 * HOUR_MS);
    await page.getByText('2 events', { exact: true }).waitFor();
    // A filter of the page leaves it as it is.
    await page.goBack();
    await twoTimes(page, NOON, NOON + HOUR_MS);
  });

  itOnDesktop('is the default when the address names nonsense', async () => {
    const years = 'from=-000099-01-01T00:00:00Z&to=%2B200000-01-01T00:00:00Z';
    for (const times of [years, 'from=yesterday&to=2026']) {
      await page.goto(`${address}/logs?range=5y&${times}&zone=mars&refresh=1`);
      await page.getByText('1 event', { exact: true }).waitFor();
      expect(await opener().innerText()).toMatch(/^Last 24 hours/);
    }
    await page.getByRole('button', { name: /^Time zone: Kat/ }).waitFor();
    await page.getByRole('button', { name: 'Refresh interval: Off' }).waitFor();
  });

  itOnDesktop('decides in which zone times are shown', async () => {
    await page.goto(`${address}/logs?from=${iso(NOON)}&to=${iso(NOON + HOUR_MS)}`);
    const row = page.getByRole('group', { name: '1 event' }).getByRole('button');
    const timeOf = async (place: string): Promise<string> => {
      await page.getByRole('button', { name: new RegExp(`^Time zone: .*${place}`) }).waitFor();
      return (await row.locator('time').innerText()).slice(-8);
    };
    expect(await timeOf('Kat')).toBe('17:45:00');
    for (const [name, place] of [
      ['UTC', 'UTC'],
      ['Local', 'New York'],
    ] as const) {
      await page.getByRole('button', { name: /^Time zone: / }).click();
      await page.getByRole('menuitemradio', { name: new RegExp(`^${name}: `) }).click();
      const shown = await timeOf(place);
      const zone = place === 'UTC' ? 'UTC' : 'America/New_York';
      expect(shown).toBe(new Date(NOON).toLocaleTimeString('en-GB', { timeZone: zone }));
      expect(memberOf(page, 'zone')).toBe(name.toLowerCase());
    }
  });
});

describe('a day of the project', () => {
  it.each([
    ['Asia/Kathmandu', ''],
    ['America/New_York', '&zone=local'],
    ['Pacific/Apia', '&zone=local'],
  ])('is a day of %s in its charts, wherever the browser is', async (zone, choice) => {
    const browser = await openConsole(app, {
      ...DESKTOP,
      timezoneId: zone === 'Asia/Kathmandu' ? 'America/New_York' : zone,
    });
    try {
      const { page } = browser;
      const range = `from=${iso(NOON - 2 * DAY_MS)}&to=${iso(NOON + 2 * DAY_MS)}`;
      await page.goto(`${address}/analytics?${range}&interval=day${choice}`);
      await signIn(page, owner.email);
      const chart = page.getByRole('img', { name: /^Events per day/ });
      await chart.waitFor();
      const bars = chart.locator('.u-over');
      const { width = 0, height = 0 } = (await bars.boundingBox()) ?? {};
      const expected = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        year: 'numeric',
      }).format(NOON);
      // The bar of the day has the three events.
      const shown: string[] = [];
      for (let part = 0.05; part < 1; part += 0.1) {
        await bars.hover({ position: { x: width * part, y: height / 2 } });
        shown.push((await chart.locator('.chart-tooltip').innerText()).replaceAll(/\s+/g, ' '));
      }
      expect(shown.filter((text) => text.endsWith(' 3'))[0]).toBe(`${expected} Events 3`);
      expect(browser.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

describe('the keyboard', () => {
  it('opens, shifts and widens the range, except where somebody writes', async () => {
    const browser = await openConsole(app, DESKTOP);
    try {
      const { page } = browser;
      await page.goto(`${address}/performance?from=${iso(NOON)}&to=${iso(NOON + HOUR_MS)}`);
      await signIn(page, owner.email);
      const opener = page.getByRole('button', { name: /^Time: / });
      await opener.waitFor();
      await page.keyboard.press('ArrowLeft');
      await twoTimes(page, NOON - HOUR_MS, NOON);
      await page.keyboard.press('ArrowRight');
      await twoTimes(page, NOON, NOON + HOUR_MS);
      await page.keyboard.press('-');
      await twoTimes(page, NOON - HOUR_MS / 2, NOON + 1.5 * HOUR_MS);
      await page.getByLabel('Apdex threshold, ms').press('ArrowLeft');
      await page.keyboard.press('t');
      await page.keyboard.press('Escape');
      await twoTimes(page, NOON - HOUR_MS / 2, NOON + 1.5 * HOUR_MS);
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('t');
      await page.getByLabel('From').waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Escape');
      await page.getByLabel('From').waitFor({ state: 'hidden' });
      await twoTimes(page, NOON - HOUR_MS / 2, NOON + 1.5 * HOUR_MS);
      expect(browser.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

describe('a refresh interval', () => {
  it('reads the page again, also the answer of a query that was run', async () => {
    const browser = await openConsole(app, DESKTOP);
    try {
      const { page } = browser;
      await page.clock.install();
      await page.goto(`${address}/eql?q=${encodeURIComponent('late.event where true')}&refresh=10`);
      await signIn(page, owner.email);
      await page
        .getByRole('status')
        .filter({ hasText: /^0 events/ })
        .waitFor();
      await ingest('late.event', Date.now() - 60_000);
      await page.clock.fastForward(11_000);
      await page
        .getByRole('status')
        .filter({ hasText: /^1 event,/ })
        .waitFor();
      expect(browser.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
