import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { parse } from 'yaml';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, heading, SCREENS } from '../../support/console-pages.js';

const run = promisify(execFile);
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** The samples, by the title of their tab, with the description of their code. */
const SAMPLES = {
  curl: 'the curl command',
  TypeScript: 'the TypeScript program',
  Python: 'the Python program',
  Go: 'the Go program',
  OpenTelemetry: 'the OpenTelemetry variables',
  Collector: 'the collector configuration',
};
type Title = keyof typeof SAMPLES;

let app: TestApp;
let owner: Owner;

beforeAll(async () => {
  app = await createTestApp();
  owner = await ownerWithProject(app);
});
afterAll(() => app.close());

describe.each(SCREENS)('the page of the first event on $device', ({ device, screen }) => {
  let browser: ConsoleBrowser;
  let page: Page;
  let key: string;

  beforeEach(async () => {
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    owner = await ownerWithProject(app);
    await enter(browser, `${await addressOf(app, owner)}/first-event`, owner);
    await heading(page, 'Send the first event');
    await page.getByRole('button', { name: 'Make a key' }).click();
    key = (await page.getByRole('region', { name: 'the key' }).innerText()).trim();
  });
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
    await browser.close();
  });

  /** Opens the tab and returns the code that its button copies. */
  async function copied(title: Title): Promise<string> {
    await page.getByRole('tab', { name: title, exact: true }).click();
    await page.getByRole('button', { name: `Copy ${SAMPLES[title]}` }).click();
    return page.evaluate<string>('navigator.clipboard.readText()');
  }

  it('copies every sample with the address and the key', async () => {
    for (const title of Object.keys(SAMPLES) as Title[]) {
      const code = await copied(title);
      expect(code).toContain(key);
      expect(code).toContain(app.url);
      expect((await page.getByRole('region', { name: SAMPLES[title] }).innerText()).trim()).toBe(code.trim());
      expect(await browser.lookAt(`first-event-${title.toLowerCase()}`)).toEqual([]);
      // No tab is cut off.
      const tabs = await page.getByRole('tab').all();
      const boxes = await Promise.all(tabs.map((tab) => tab.boundingBox()));
      for (const box of boxes) expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThan(screen.viewport.width);
    }
  });

  it('has variables that a shell reads, and a configuration whose exporter sends to the intake', async () => {
    const { stdout } = await run('bash', ['-c', `${await copied('OpenTelemetry')}\nenv`], { env: {} });
    expect(stdout).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${app.url}/intake/otlp\n`);
    expect(stdout).toContain(`OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}\n`);
    expect(parse(await copied('Collector'))).toMatchObject({
      exporters: { otlp_http: { endpoint: `${app.url}/intake/otlp`, headers: { 'X-API-Key': key } } },
    });
  });

  /** How a program runs code, by the title of its tab. */
  const programs: readonly [Title, string, readonly string[]][] = [
    ['curl', 'curl', ['bash', '-c']],
    ['TypeScript', process.execPath, [process.execPath, '--input-type=module', '--eval']],
    ['Python', 'python3', ['python3', '-c']],
  ];
  it.each(programs.filter(([, program]) => has(program)))(
    `shows on ${device} the event that the sample of %s sends`,
    async (title, _, [program = '', ...flags]) => {
      await run(program, [...flags, await copied(title)]);
      await page.getByText('from web').waitFor();
      await page.getByText('http.request').first().waitFor();
    },
  );
});
