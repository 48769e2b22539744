import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, enter, faultsOf, heading } from '../../support/console-pages.js';
import { type PageRequests, shownIn, watchRequests } from '../../support/shown-numbers.js';

const PAGES =
  '/ /logs /analytics /performance /eql /dashboards /alerts /alert-rules /alert-rules/new /silences /sentinel /attempts /endpoints /dead-letters /retries /sources /keys /secrets /files /settings /members /activity /organization/members /organization/invitations /organization/sign-in /organization/billing'.split(
    ' ',
  );
/** Every search parameter that some page has. */
const MEMBERS =
  'aggregate alert apdex ask assignee attempt by channel columns compare delivery density destination endpoint environment event events facets field finding fingerprint from full interval kind list live method overview page past prefix q question range refresh retry route rule severity shown sort source_id split state status steps to values where within wrap zone'.split(
    ' ',
  );

let app: TestApp;
let owner: Owner;
let address: string;
let browser: ConsoleBrowser;
let page: Page;
let requests: PageRequests;
/** Messages of the browser that a test expects. */
let expected: RegExp;

beforeAll(async () => {
  app = await createTestApp();
  owner = await ownerWithProject(app);
  address = await addressOf(app, owner);
  await app
    .request()
    .post('/v1/events/ingest')
    .set('X-API-Key', owner.apiKey)
    .send({ source: 'web', event_type: 'order.placed', payload: { total: 3 } })
    .expect(200);
});
beforeAll(async () => {
  browser = await openConsole(app, DESKTOP);
  ({ page } = browser);
  requests = watchRequests(page);
  await enter(browser, address, owner);
  await heading(page, owner.projectName);
});
afterAll(async () => {
  await browser.close();
  await app.close();
});
afterEach(async () => {
  const faults = await faultsOf(browser);
  browser.faults.length = 0;
  expect(faults.filter((fault) => !expected.test(fault))).toEqual([]);
});

/** Waits until the page shows its heading and waits for no answer. */
async function isRead(path: string): Promise<void> {
  await page.locator('h1').first().waitFor();
  await shownIn(page, 'main', requests);
  const title = await page.locator('h1').first().innerText();
  expect([path, title]).not.toEqual([path, expect.stringMatching(/could not be shown|no such page/)]);
}

describe('A page of the console', () => {
  it.each([
    ['markup with control characters', `"><img src=x onerror="alert(1)">\u202e\u0000\n\\`],
    ['a JSON object', '{"a":[1,null]}'],
    ['a JSON list without an end', '["'],
    ['a large number', '9'.repeat(200)],
  ])('opens when every search parameter is %s', async (_, value) => {
    // Unknown ids and conditions that cannot be read are refused, and the page says so.
    expected = /status of 4(00|04|14|22|31)/;
    const search = new URLSearchParams(Object.fromEntries(MEMBERS.map((member) => [member, value]))).toString();
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const path of PAGES) {
      await page.goto(`${address}${path}?${search}`);
      await isRead(path);
      expect(await page.locator('img[src=x]').count()).toBe(0);
    }
    expect(dialogs).toEqual([]);
  });

  it('is complete when the service refuses each read once with 429 or 503', async () => {
    expected = /status of (429|503)/;
    for (const path of PAGES) {
      const asked = new Set<string>();
      await page.route(/\/v1\//, (route) => {
        const { pathname, searchParams } = new URL(route.request().url());
        // The end of a time range differs at each try.
        searchParams.delete('to_ts');
        searchParams.delete('from_ts');
        const question = `${pathname}?${searchParams.toString()}`;
        const isRead = route.request().method() === 'GET' && !pathname.endsWith('/stream');
        if (!isRead || asked.has(question)) return route.continue();
        asked.add(question);
        const status = asked.size % 2 === 0 ? 503 : 429;
        return route.fulfill({ status, headers: { 'Retry-After': '0' }, json: { detail: 'Too many requests' } });
      });
      await page.goto(`${address}${path}`);
      await isRead(path);
      expect([path, await page.getByText('Too many requests').count()]).toEqual([path, 0]);
      expect(asked.size).toBeGreaterThan(0);
      await page.unroute(/\/v1\//);
    }
  });
});
