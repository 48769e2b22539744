import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readExamples } from '../../../src/openapi/examples.js';
import { ownerWithProject, type Owner } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Chromium, launchChromium } from '../../support/chromium.js';
import { onDesktop, SCREENS } from '../../support/console-pages.js';

const FILES = [
  '/openapi.json',
  '/openapi.client.json',
  '/docs',
  '/docs/start.js',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/icon.svg',
  '/redoc',
  '/redoc/redoc.standalone.js',
];
let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

/** As it was sent, which clients of tests would unpack. */
function fetched(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request(`${app.url}${path}`, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: new Headers(answer.headers as Record<string, string>),
          bytes: Buffer.concat(chunks),
        }),
      );
    })
      .once('error', reject)
      .end();
  });
}

describe('a file of the document’s pages', () => {
  it.each(FILES)('is compressed for clients that accept it, and returns 304 when unchanged: %s', async (path) => {
    const plain = await fetched(path);
    expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null]);
    const brotli = await fetched(path, { 'Accept-Encoding': 'gzip, br' });
    expect(brotli.headers.get('content-encoding')).toBe('br');
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    const gzip = await fetched(path, { 'Accept-Encoding': 'gzip;q=0.5, br;q=0' });
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);

    for (const { headers } of [plain, brotli, gzip]) expect(headers.get('vary')).toContain('Accept-Encoding');
    const tag = plain.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(plain.headers.get('cache-control')).toBe('no-cache');
    const again = await fetched(path, { 'If-None-Match': tag, 'Accept-Encoding': 'br' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect((await fetched(path, { 'If-None-Match': 'W/"of another"' })).status).toBe(200);
  });

  it('is cacheable for a year when its address names its version', async () => {
    const pages = await Promise.all(['/docs', '/redoc'].map((path) => fetched(path)));
    const named = pages.flatMap(({ bytes }) => [...bytes.toString('utf8').matchAll(/"(\/[^"]+\?v=[^"]+)"/g)]);
    expect(named).toHaveLength(3);
    for (const [, path = ''] of named)
      expect((await fetched(path)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetched('/docs/swagger-ui.css?v=0')).headers.get('cache-control')).toBe('no-cache');
  });
});

describe('an example of the document', () => {
  /** Names of members, and of those of the first item of a list. */
  function formOf(value: unknown): unknown {
    if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
    if (value === null || typeof value !== 'object') return 'value';
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, formOf(inner)]));
  }

  it('has the form of what is answered today', async () => {
    const owner = await ownerWithProject(app);
    const get = async (path: string): Promise<unknown> =>
      (await app.request().get(path).set('Authorization', owner.bearer).expect(200)).body;
    const of = `project_id=${owner.projectId}`;
    const answers: Record<string, unknown> = {
      getCurrentUser: await get('/v1/auth/me'),
      listOrganizations: await get('/v1/organizations'),
      getProject: await get(`/v1/projects/${owner.projectId}`),
      listProjects: await get('/v1/projects'),
      getEventCounts: await get(`/v1/events/counts?${of}`),
      getStorageUsage: await get(`/v1/core/usage?${of}`),
      getTwoFactor: await get('/v1/account/two-factor'),
    };
    const examples = readExamples();
    const committed = Object.keys(answers).map((name) => [name, formOf(examples[name]?.answer?.value)]);
    expect(committed).toEqual(Object.entries(answers).map(([name, answer]) => [name, formOf(answer)]));
  });
});

describe.each(SCREENS)('the pages of the document on $device', ({ screen }) => {
  const itOnDesktop = onDesktop(screen);
  let chromium: Chromium;
  let page: Page;
  let owner: Owner;
  const faults: string[] = [];

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    chromium = await launchChromium(screen);
    page = await chromium.context.newPage();
    // What a page was refused by its policy is told as an error here.
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', ({ message }) => void faults.push(message));
    page.on('requestfailed', (request) => {
      const fault = `${request.url()} ${request.failure()?.errorText}`;
      // The browser gives up its icon when the page is left before it came.
      if (!fault.endsWith('/docs/icon.svg net::ERR_ABORTED')) faults.push(fault);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(app.url) && !/^(data|blob):/.test(request.url())) faults.push(request.url());
    });
  });
  afterAll(() => chromium.close());

  async function expectToFit(): Promise<void> {
    expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual(
      Array(2).fill(screen.viewport.width),
    );
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/docs/icon.svg');
    expect(faults).toEqual([]);
  }

  it('shows tags folded, and finds operations by words of their names', async () => {
    await page.goto(`${app.url}/docs`);
    await page.locator('#operations-tag-auth').waitFor();
    expect(await page.locator('.opblock').count()).toBe(0);
    await expectToFit();

    await page.getByLabel('Filter operations').fill('POST ingestevent');
    await page.locator('.opblock').waitFor();
    expect(await page.locator('.opblock-summary-path').allInnerTexts()).toEqual([
      expect.stringMatching(/events\W*\/ingest/),
    ]);
    await page.getByLabel('Filter operations').fill('no such thing');
    await page.locator('.opblock').waitFor({ state: 'detached' });
    await page.getByLabel('Filter operations').fill('');
    await page.locator('#operations-tag-auth').waitFor();
    expect(await page.locator('.opblock').count()).toBe(0);
    await expectToFit();
  });

  it('tries an operation with a key that it remembers', async () => {
    const opened = page.locator('#operations-api-keys-getCurrentApiKey');
    await page.locator('.btn.authorize').click();
    const form = page.locator('.auth-container', { hasText: 'X-API-Key' });
    await form.locator('input').fill(owner.apiKey);
    await form.locator('button[type=submit]').click();
    await expectToFit();

    // The address of an operation opens it.
    await page.goto(`${app.url}/docs#/api-keys/getCurrentApiKey`);
    await page.reload();
    await opened.locator('.try-out__btn').click();
    await opened.locator('.execute').click();
    const answer = opened.locator('.live-responses-table .response-col_description .highlight-code').first();
    await answer.waitFor();
    expect(await answer.innerText()).toContain(owner.apiKeyId);
    await expectToFit();
  });

  itOnDesktop(
    'shows an example of every parameter, and fills in those alone that have to be given and are no id',
    async () => {
      await page.goto('about:blank');
      await page.goto(`${app.url}/docs#/analytics/getAnalyticsFunnel`);
      const opened = page.locator('#operations-analytics-getAnalyticsFunnel');
      await opened.locator('.try-out__btn').click();
      const row = (name: string) => opened.locator(`tr[data-param-name="${name}"]`);
      expect(await row('by').locator('input').inputValue()).toBe('properties.user');
      for (const name of ['project_id', 'from_ts', 'event', 'within_seconds']) {
        expect([name, await row(name).locator('input').inputValue()]).toEqual([name, '']);
        expect(await row(name).innerText()).toContain('Example: ');
      }
      await expectToFit();
    },
  );

  itOnDesktop('shows an example that operations share', async () => {
    await page.goto('about:blank');
    await page.goto(`${app.url}/docs#/projects/getProject`);
    const shown = page.locator('#operations-projects-getProject .responses-table .highlight-code').first();
    await shown.waitFor();
    expect(await shown.innerText()).toContain('"slug": "web-shop"');
    await expectToFit();
  });

  it('reads in Redoc as well', async () => {
    await page.goto(`${app.url}/redoc#operation/ingestEvent`);
    await page.locator('[id="operation/ingestEvent"]').waitFor();
    await expectToFit();
  });
});
