import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject, PASSWORD, randomEmail } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, DESKTOP, follow, heading, signIn } from '../../support/console-pages.js';
import { withoutPlanLimits } from '../../support/memberships.js';
import { waitForMails } from '../../support/outbox.js';

/** More than any page has controls. */
const MOST_TABS = 60;

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

describe('somebody without a mouse', () => {
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openConsole(app, DESKTOP);
    ({ page } = browser);
  });
  afterAll(() => browser.close());

  /** Goes on by Tab until the control of that name has the focus. */
  async function reach(name: string): Promise<void> {
    const named = `(() => {
      const at = document.activeElement;
      return at?.getAttribute('aria-label') ?? (at?.labels?.[0] ?? at)?.textContent ?? '';
    })()`;
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      const text = await page.evaluate<string>(named);
      if (text.replace(/\s*\*$/, '').trim() === name) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not get to ${name}`);
  }
  async function press(name: string): Promise<void> {
    await reach(name);
    await page.keyboard.press('Enter');
  }
  async function write(name: string, text: string): Promise<void> {
    await reach(name);
    await page.keyboard.type(text);
  }

  it('gets from the registration to the first event seen', async () => {
    const email = randomEmail();
    await page.goto(`${app.url}/console`);
    await heading(page, 'Sign in');
    await press('Register');
    await heading(page, 'Register');
    await write('Name', 'Ada');
    await write('E-mail address', email);
    await write('Password', PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Check your mail');

    const [mail] = await waitForMails(app.dataDir, email, 1);
    const link = /http\S+\/verify-email\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    await page.goto(link.replace(/^http:\/\/[^/]+/, app.url));
    await press('Confirm');
    await heading(page, 'Sign in');
    await write('Password', PASSWORD);
    await page.keyboard.press('Enter');

    await heading(page, 'First steps');
    await write('Name of the organization', 'By the keyboard');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the project').waitFor();
    await write('Name of the project', 'Web shop');
    await page.keyboard.press('Enter');
    await heading(page, 'Send the first event');
    await press('Make a key');
    const key = (await page.getByRole('region', { name: 'the key' }).innerText()).trim();
    const event = { event_type: 'order.placed', source: 'shell', payload: {} };
    await app.request().post('/v1/events/ingest').set('X-API-Key', key).send(event).expect(200);
    await page.getByText('from shell').waitFor();
    await press('I have kept it');
    await press('To the overview');
    await heading(page, 'Web shop');
    expect(browser.faults).toEqual([]);
  });
});

describe('a page of a project', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;

  beforeAll(async () => {
    browser = await openConsole(app, DESKTOP);
    ({ page } = browser);
    owner = await ownerWithProject(app);
    await withoutPlanLimits(app, owner.organizationId);
    address = await addressOf(app, owner);
    await page.goto(`${app.url}/console/login`);
    await signIn(page, owner.email);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());

  it('follows the content security policy, and loads nothing from other hosts', async () => {
    // What the policy refuses is an error of the page's console.
    const links = page.getByRole('navigation').getByRole('link');
    const paths = () => links.evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    // The tabs of an area come with its first page.
    const pages = new Set<string>((await paths()).filter((path) => path.startsWith(address)));
    for (const path of pages) {
      await page.goto(path);
      await page.locator('main h1').waitFor();
      expect([path, browser.faults]).toEqual([path, []]);
      for (const found of await paths()) if (found.startsWith(address)) pages.add(found);
    }
    expect(pages.size).toBeGreaterThan(20);
  });

  it('continues by itself after the browser was offline', async () => {
    await page.goto(`${address}/logs?live=on`);
    await page.getByText('Waiting for events').waitFor();
    await browser.context.setOffline(true);
    await follow(page, 'Analytics');
    await browser.context.setOffline(false);
    await heading(page, 'Analytics');
    await follow(page, 'Logs');
    await page.getByText('No event in this time').waitFor();
    await page.getByRole('switch', { name: 'Live' }).click();
    await page.getByText('Waiting for events').waitFor();
    const event = { event_type: 'http.request', source: 'web', payload: { method: 'GET', path: '/back' } };
    await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send(event).expect(200);
    await page.getByText('/back', { exact: true }).waitFor();
  });

  const post = (path: string, body: object) =>
    app
      .request()
      .post(path)
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, ...body })
      .expect(201);

  it('keeps nothing of the project that was shown before', async () => {
    const body = { organization_id: owner.organizationId, name: 'Lighthouse', slug: 'lighthouse' };
    await app.request().post('/v1/projects').set('Authorization', owner.bearer).send(body).expect(201);
    await page.goto(`${address}/logs?live=on`);
    await page.getByRole('switch', { name: 'Live', checked: true }).waitFor();
    await page.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option', { name: 'Lighthouse' }).click();
    await heading(page, 'Lighthouse');
    await follow(page, 'Logs');
    await page.getByRole('switch', { name: 'Live', checked: false }).waitFor();
    await page.evaluate('history.go(-2)');
    await page.waitForURL(`${address}/logs?live=on`);
    await page.getByRole('switch', { name: 'Live', checked: true }).waitFor();
  });

  it('keeps nothing of the source that was shown before', async () => {
    const [first] = [
      await post('/v1/ingest-sources', { name: 'First lamp' }),
      await post('/v1/ingest-sources', { name: 'Second lamp' }),
    ];
    await page.goto(`${address}/sources/${(first.body as { id: string }).id}`);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('The test event was taken.').waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog');
    await search.getByPlaceholder('Search pages and everything in the project').fill('second lamp');
    await search.getByRole('button', { name: 'Second lamp Source' }).click();
    await heading(page, 'Second lamp');
    await search.waitFor({ state: 'hidden' });
    expect(await page.getByText('The test event was taken.').count()).toBe(0);
  });

  it('is found by the names that it shows', async () => {
    await post('/v1/ingest-sources', { name: 'Lighthouse checkout' });
    await post('/v1/secrets', { name: 'LIGHTHOUSE_TOKEN', value: 'kept' });
    const event = { event_type: 'lighthouse.lit', source: 'web', payload: {} };
    await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send(event).expect(200);
    await page.goto(`${address}/logs`);
    await page.getByRole('textbox').first().focus();
    for (const [title, leadsTo] of [
      ['Lighthouse checkout', '/sources/'],
      ['LIGHTHOUSE_TOKEN', '/secrets'],
      ['lighthouse.lit', '/logs?'],
    ]) {
      await page.keyboard.press('Control+k');
      const search = page.getByRole('dialog');
      await search.getByPlaceholder('Search pages and everything in the project').fill('lighthouse');
      await search
        .getByText(title ?? '', { exact: true })
        .first()
        .click();
      await page.waitForURL((url) => url.href.startsWith(`${address}${leadsTo}`));
      await page
        .getByRole('main')
        .getByText(title ?? '')
        .first()
        .waitFor();
    }
  });
});
