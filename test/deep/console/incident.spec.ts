import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ConsoleBrowser, openConsole } from '../../support/console-browser.js';
import { addressOf, enter, faultsOf, heading, SCREENS } from '../../support/console-pages.js';
import { RULES_ENV, rulesOf } from '../../support/rules.js';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ env: RULES_ENV });
});
afterAll(() => app.close());

describe.each(SCREENS)('the work on an incident on $device', ({ screen }) => {
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Owner;
  let address: string;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    address = await addressOf(app, owner);
    browser = await openConsole(app, screen);
    ({ page } = browser);
    await enter(browser, address, owner);
    await heading(page, owner.projectName);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    expect(await faultsOf(browser)).toEqual([]);
  });

  it('begins with the runbook and the notes that the rule has for it', async () => {
    const runbook = 'https://wiki.example.com/payments-fail';
    const rule = await rulesOf(app, owner).rule();
    await page.goto(`${address}/alert-rules/${rule}`);
    await page.getByLabel('Runbook').fill(runbook);
    await page.getByLabel('Notes').fill('<b>Call</b> the provider first');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const alert = await alertEventsOf(app, owner).fire({ rule: { id: rule } });
    await page.goto(`${address}/alerts?alert=${alert}`);
    const guidance = page.getByRole('region', { name: 'Runbook and notes' });
    await guidance.getByText('<b>Call</b> the provider first').waitFor();
    const link = guidance.getByRole('link', { name: `Runbook: ${runbook}` });
    expect(await link.getAttribute('href')).toBe(runbook);
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    expect(await browser.lookAt('alert-runbook')).toEqual([]);
  });
});
