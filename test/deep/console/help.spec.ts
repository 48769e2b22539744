import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, heading, onDesktop, SCREENS } from '../../support/console-pages.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const GUIDES = readdirSync(join(ROOT, 'docs/guide')).filter((name) => name.endsWith('.md'));
const HELP = '/console/help';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

async function textOf(path: string): Promise<string> {
  const answer = await fetch(`${app.url}${path}`);
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
  return answer.text();
}

/** Returns the links of a page to pages of the help, without those within the page. */
const linksIn = (text: string): string[] =>
  [...text.matchAll(/ href="(\/console\/help[^"]*)"/g)].map(([, href = '']) => href);

/** Returns the links whose page or anchor does not exist. */
async function brokenOf(links: readonly string[]): Promise<string[]> {
  const broken: string[] = [];
  for (const link of new Set(links)) {
    const [path = '', anchor] = link.split('#');
    const answer = await fetch(`${app.url}${path}`);
    const text = await answer.text();
    if (!answer.ok || (anchor !== undefined && !text.includes(` id="${anchor}"`))) broken.push(link);
  }
  return broken;
}

describe('the help over HTTP', () => {
  it('has a page for each guide, with the headings of the guide as anchors', async () => {
    const index = linksIn(await textOf(HELP));
    for (const file of GUIDES) {
      const path = `${HELP}/${file.slice(0, -'.md'.length)}`;
      expect(index).toContain(path);
      const text = await textOf(path);
      const [, title = ''] = /^# (.+)$/m.exec(readFileSync(join(ROOT, 'docs/guide', file), 'utf8')) ?? [];
      expect(text).toContain(`>${title}</a></h1>`);
    }
    expect(await textOf(`${HELP}/`)).toBe(await textOf(HELP));
  });

  it('has no link to a page or an anchor that does not exist', async () => {
    const pages = await Promise.all(GUIDES.map((file) => textOf(`${HELP}/${file.slice(0, -'.md'.length)}`)));
    const links = pages.flatMap(linksIn);
    expect(links).toContain(`${HELP}/eql#routes-and-classes-of-statuses`);
    expect(await brokenOf(links)).toEqual([]);
    // A relative link would lead to a file of the repository.
    for (const text of pages) expect(text).not.toMatch(/ href="(?!\/|#|https?:)/);
  });

  it('has the page and the anchor of every link in the console', async () => {
    const folder = join(ROOT, 'console/src');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
    const texts = sources.map((name) => readFileSync(join(folder, name), 'utf8'));
    const guides = texts.flatMap((text) => [...text.matchAll(/\bguide="([^"]+)"/g)].map(([, guide = '']) => guide));
    expect(guides.length).toBeGreaterThan(20);
    expect(await brokenOf(guides.map((guide) => `${HELP}/${guide}`))).toEqual([]);
  });

  it('permits no script or style in its pages, and lets browsers keep only files that are named by their content', async () => {
    const answer = await fetch(`${app.url}${HELP}/alerts`);
    const text = await answer.text();
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none';script-src 'self';style-src 'self';");
    expect(policy).not.toMatch(/unsafe|nonce/);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style| style=/);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('etag')).toMatch(/^W\/"[\w-]{22}"$/);
    const [style = ''] = linksIn(text).filter((href) => href.endsWith('.css'));
    expect((await fetch(`${app.url}${style}`)).headers.get('cache-control')).toContain('immutable');
  });

  it.each([
    'nothing',
    'nothing/',
    '404',
    'alerts/nothing',
    '..%2f',
    '..%2F..%2Findex.html',
    '%2e%2e%2findex.html',
    'alerts%2f..',
    '%',
  ])('answers 404 to %s with a page that says so', async (unknown) => {
    const answer = await fetch(`${app.url}${HELP}/${unknown}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const text = await answer.text();
    expect(text).toContain('<h1>There is no such guide</h1>');
    expect(linksIn(text)).toContain(HELP);
  });

  it('answers 404 to a POST, and answers a HEAD without a body', async () => {
    expect((await fetch(`${app.url}${HELP}`, { method: 'POST' })).status).toBe(404);
    const head = await fetch(`${app.url}${HELP}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe.each(SCREENS)('the help on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let browser: ConsoleBrowser;
  let page: Page;

  beforeEach(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
  });
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
  });

  it('says without a sign-in that a guide does not exist, and leads to the list', async () => {
    await page.goto(`${app.url}${HELP}/nothing`);
    await heading(page, 'There is no such guide');
    expect(browser.faults.splice(0)).toEqual([expect.stringContaining('status of 404')]);
    expect(await browser.lookAt('help-missing')).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Help' }).click();
    await heading(page, 'Help');
  });

  it('leads without a sign-in from the list to a guide, its sections and other guides', async () => {
    await page.goto(`${app.url}${HELP}`);
    await heading(page, 'Help');
    expect(await browser.lookAt('help')).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Alerts', exact: true }).click();
    await heading(page, 'Alerts');
    expect(await browser.lookAt('help-alerts')).toEqual([]);
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Destinations' }).click();
    await page.waitForURL(`${app.url}${HELP}/alerts#destinations`);
    await page.getByRole('main').getByRole('link', { name: 'alerts as code' }).first().click();
    await heading(page, 'Alerts as code');
    expect(await browser.lookAt('help-alerts-as-code')).toEqual([]);
  });

  it('shows every guide within the width of the screen', async () => {
    for (const file of GUIDES) {
      await page.goto(`${app.url}${HELP}/${file.slice(0, -'.md'.length)}`);
      await page.locator('main h1').waitFor();
      expect([file, await faultsOf(browser)]).toEqual([file, []]);
    }
  });

  itOnDesktop('keeps the colours that a person has chosen in the console', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${app.url}${HELP}`);
    await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'dark')`);
    await page.reload();
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  });

  it('opens beside the page at the section that a link in the console names', async () => {
    const owner = await ownerWithProject(app);
    await enter(browser, `${await addressOf(app, owner)}/keys`, owner);
    await heading(page, 'API keys');
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Help: API keys' }).click();
    const help = await opened;
    await help.waitForURL(`${app.url}${HELP}/keys-and-sources#keys`);
    await heading(help, 'Keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Help: New key' }).waitFor();
    expect(await browser.lookAt('help-in-dialog')).toEqual([]);
  });
});
