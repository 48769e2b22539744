import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { bytesOfDownload } from '../../support/chromium.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, heading, signIn } from '../../support/console-pages.js';
import { insertEvents } from '../../support/event-rows.js';

/** As many as a new connection is given; more come as they come in. */
const AT_ONCE = 10_000;
const ROWS = 50_000;
const LARGE_ROWS = 80;

let app: TestApp;
let owner: Owner;
let browser: ConsoleBrowser;
let page: Page;
let address: string;

beforeAll(async () => {
  app = await createTestApp();
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  browser = await openConsole(app, DESKTOP);
  ({ page } = browser);
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const begin = Date.now() - 3_600_000;
const insertRows = (from: number, count: number): Promise<string[]> =>
  insertEvents(
    app,
    owner.projectId,
    Array.from({ length: count }, (_, index) => ({
      timestamp: new Date(begin + (from + index) * 10),
      log_endpoint: `/row/${from + index}`,
      log_method: 'GET',
      log_status: index % 1000 === 0 ? 500 : 200,
    })),
  );

describe('the log', () => {
  it('keeps only the rows in sight of fifty thousand in the page', async () => {
    await insertRows(0, AT_ONCE);
    await page.goto(`${address}/logs`);
    await signIn(page, owner.email);
    await page.getByText('10,000 rows').waitFor();
    for (let rows = AT_ONCE; rows < ROWS; rows += AT_ONCE) await insertRows(rows, AT_ONCE);
    await page.getByText('50,000 rows').waitFor();
    await page.getByText('/row/49999', { exact: true }).waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(80);
    await page.evaluate("document.querySelector('.rows').scrollTo(0, 1e9)");
    await page.getByText('/row/0', { exact: true }).waitFor();
    await page.getByLabel('Find').fill('row/4777');
    await page.getByText('11 of 50,000 rows').waitFor();
    expect(await page.locator('.row').count()).toBe(11);
    expect(browser.faults).toEqual([]);
  });

  it('keeps its filters as a view, and gives the rows that are shown as a file', async () => {
    await page.getByLabel('Find').fill('');
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Errors (5xx)' }).click();
    await page.getByText('50 of 50,000 rows').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save what is shown' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Errors, live');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /CSV/ }).click(),
    ]);
    const lines = (await bytesOfDownload(file)).toString().trim().split('\r\n');
    expect(lines).toHaveLength(51);
    expect(lines[1]).toMatch(/,GET,\/row\/49000,500,0,/);

    await page.goto(`${address}/logs?q=row%2F1`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Errors, live' }).click();
    await page.waitForURL(/logs\?status=errors$/);
    expect(await page.getByLabel('Find').inputValue()).toBe('');
    expect(await browser.lookAt('logs-view')).toEqual([]);
    await heading(page, 'Logs');
    expect(browser.faults).toEqual([]);
  });
});

describe('rows of a megabyte each', () => {
  it('are kept as long as all of them take some tens of megabytes, and the newest longest', async () => {
    const other = await ownerWithProject(app);
    const sent = Date.now() - 60_000;
    const large = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < LARGE_ROWS; index += 1) {
      const row = { timestamp: new Date(sent + index), log_endpoint: `/large/${index}`, properties: { large } };
      await insertEvents(app, other.projectId, [row]);
    }
    await enter(browser, `${await addressOf(app, other)}/logs`, other);
    await page.getByText(`/large/${LARGE_ROWS - 1}`, { exact: true }).waitFor();
    const rows = Number((await page.getByText(/^\d+ rows$/).innerText()).split(' ')[0]);
    expect(rows).toBeGreaterThan(50);
    expect(rows).toBeLessThan(LARGE_ROWS);
    expect(browser.faults).toEqual([]);
  });
});

describe('rows whose senders have odd clocks', () => {
  it('are rows like others, and told instead of drawn where they are of another time', async () => {
    const odd = await ownerWithProject(app);
    const now = Date.now();
    // The last two hours, and tomorrow, whose row comes when its time does.
    const times = [0, -60, 1_400, -1, -120].map((minutes) => new Date(now + minutes * 60_000).toISOString());
    for (const timestamp of [...times, '0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z']) {
      const event = { event_type: 'clock.read', source: 'web', timestamp };
      await app.request().post('/v1/events/ingest').set('X-API-Key', odd.apiKey).send(event).expect(200);
    }
    await enter(browser, `${await addressOf(app, odd)}/logs`, odd);
    await page.getByText('6 rows', { exact: true }).waitFor();
    await page.getByRole('img', { name: '4 rows over time, errors apart' }).waitFor();
    await page.getByText('2 rows are not drawn').waitFor();
    expect(await browser.lookAt('logs-odd-clocks')).toEqual([]);
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'All time' }).click();
    // Which begins with 1970, and ends now.
    await page.getByText('5 rows', { exact: true }).waitFor();
    await page.getByRole('img', { name: '4 rows over time, errors apart' }).waitFor();
    await page.getByText('1 row is not drawn').waitFor();
    expect(browser.faults).toEqual([]);
  });
});
