import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, heading, onDesktop, SCREENS, signIn } from '../../support/console-pages.js';

const MINUTE_MS = 60_000;

let app: TestApp;
let owner: Owner;
let address: string;

beforeAll(async () => {
  app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: 'events=1000/1000' } });
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  await ingest(shopEvents());
});
afterAll(() => app.close());

interface Sent {
  readonly event_type: string;
  readonly minutesAgo: number;
  readonly user: string;
  readonly request?: { method: string; path: string; status_code: number; latency_ms: number };
  readonly severity?: string;
}

/** Six people open a cart, three order, one pays; two requests fail. */
function shopEvents(): Sent[] {
  const people = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];
  return people.flatMap((user, index) => {
    const opened = { event_type: 'cart.opened', minutesAgo: 50 - index, user };
    const ordered = { event_type: 'order.placed', minutesAgo: 40 - index, user };
    const paid = { event_type: 'payment.settled', minutesAgo: 30, user };
    const status_code = index < 2 ? 503 : 200;
    const request = { method: 'POST', path: '/checkout', status_code, latency_ms: 40 + 100 * index };
    return [
      opened,
      ...(index < 3 ? [ordered] : []),
      ...(index < 1 ? [paid] : []),
      {
        event_type: 'http.request',
        minutesAgo: 20 - index,
        user,
        severity: status_code === 503 ? 'error' : 'info',
        request,
      },
    ];
  });
}

async function ingest(events: readonly Sent[]): Promise<void> {
  const now = Date.now();
  for (const { event_type, minutesAgo, user, request, severity = 'info' } of events) {
    const timestamp = new Date(now - minutesAgo * MINUTE_MS).toISOString();
    const body = { event_type, source: 'web', severity, timestamp, payload: { user, ...request } };
    await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send(body).expect(200);
  }
}

describe.each(SCREENS)('asking about events on $device', ({ screen }) => {
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

  const status = (text: string): Promise<void> => page.getByRole('status').filter({ hasText: text }).first().waitFor();
  it('tells what happened over time, by value and how far people came', async () => {
    await page.goto(`${address}/analytics?range=1h&interval=minute&split=event`);
    await heading(page, 'Analytics');
    await page.getByRole('img', { name: /^Events per minute, .*cart\.opened/ }).waitFor();
    expect(await page.getByRole('region', { name: 'Events', exact: true }).innerText()).toMatch(/16/);
    expect(await browser.lookAt('analytics')).toEqual([]);

    await page.getByText('By value', { exact: true }).click();
    await page.getByRole('cell', { name: 'cart.opened' }).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).fill('properties.user');
    await page.keyboard.press('Enter');
    await page.waitForURL(/by=properties\.user/);
    await status('6 values in 16 events');
    expect(await browser.lookAt('breakdown')).toEqual([]);

    await page.goto(`${address}/analytics?range=1h&ask=funnel`);
    await page.getByRole('combobox', { name: 'Step 1' }).fill('cart.opened');
    await page.getByRole('combobox', { name: 'Step 2' }).fill('order.placed');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByRole('combobox', { name: 'Step 3' }).fill('payment.settled');
    await page.getByRole('combobox', { name: 'Group by' }).fill('properties.user');
    await page.getByRole('combobox', { name: 'Group by' }).press('Enter');
    await page.getByRole('button', { name: 'Show the funnel' }).click();
    await page.waitForURL(/steps=/);
    await status('reached the last step');
    await page.getByText('6 · 100%').waitFor();
    await page.getByText('3 · 50%').waitFor();
    expect(await browser.lookAt('funnel')).toEqual([]);
  });

  itOnDesktop('says what is wrong with a condition, at the condition', async () => {
    await page.goto(`${address}/analytics?where=log.status%20%3E`);
    // Of the totals, and of the series.
    await page.getByRole('alert').filter({ hasText: 'Where' }).nth(1).waitFor();
    browser.faults.length = 0;
  });

  it('completes a query, runs it by the keyboard and shows its sequences', async () => {
    await page.goto(`${address}/eql`);
    await heading(page, 'Query');
    await page.getByText('Examples').waitFor();
    const editor = page.getByRole('textbox', { name: 'Query' });
    // The language comes a moment later; until then nothing is suggested.
    await page.getByRole('button', { name: 'Requests that failed' }).waitFor();
    expect(await browser.lookAt('eql')).toEqual([]);
    await editor.fill('sequence by user with maxspan=1h\n  [cart.opened where true]\n  [');
    await editor.press('Control+Space');
    await page.getByRole('option', { name: 'order.placed' }).waitFor();
    expect(await browser.lookAt('completion')).toEqual([]);
    await editor.pressSequentially('ord');
    await page.getByRole('option').first().waitFor();
    await editor.press('Tab');
    expect(await editor.inputValue()).toMatch(/\[order\.placed $/);
    await editor.pressSequentially('where true]');
    await editor.press('Escape');
    await editor.press('Control+Enter');
    await status('3 sequences');
    await page.waitForURL(/eql\?q=sequence/);
    await page.getByRole('region', { name: 'ann' }).getByText('10 min later').waitFor();
    expect(await browser.lookAt('sequences')).toEqual([]);
    await page.reload();
    await status('3 sequences');
    await page.getByRole('region', { name: 'ann' }).getByRole('button').first().click();
    await page.getByRole('dialog').getByText('"user": "ann"').first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('marks what is wrong with a query, and mends it', async () => {
    await page.goto(`${address}/eql`);
    const editor = page.getByRole('textbox', { name: 'Query' });
    await editor.fill('any where startWith(user, "a")');
    await editor.press('Escape');
    await editor.press('Control+Enter');
    await page.getByRole('alert').getByText('there is no function startWith').waitFor();
    expect(await page.locator('.eql-wrong').innerText()).toBe('startWith');
    expect(await browser.lookAt('eql-refused')).toEqual([]);
    await page.getByRole('button', { name: 'Write startsWith' }).click();
    expect(await editor.inputValue()).toBe('any where startsWith(user, "a")');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await status('4 events');
    expect(await browser.lookAt('eql-events')).toEqual([]);
    // A refused query is an error of the network in the eyes of the browser.
    expect(browser.faults.splice(0)).toEqual([expect.stringContaining('422')]);
  });
});
