import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ownerWithProject } from '../support/actors.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { type ConsoleBrowser, openConsole } from '../support/console-browser.js';
import { addressOf, DESKTOP, faultsOf, goTo, signIn } from '../support/console-pages.js';
import { askProgram } from '../support/programs/ask.js';

const chromium = await askProgram<{ path: string }>('chromium', { fetch: false });

if ('absent' in chromium) it.skip(`the console in a browser: ${chromium.absent}`, () => undefined);
else
  describe('The console in a browser', () => {
    let app: TestApp;
    let browser: ConsoleBrowser;
    let page: Page;

    beforeAll(async () => {
      app = await createTestApp();
      browser = await openConsole(app, DESKTOP);
      ({ page } = browser);
    });
    afterAll(async () => {
      await browser.close();
      await app.close();
    });

    it('signs an owner in, shows an event on the overview and finds the event in the log', async () => {
      const owner = await ownerWithProject(app);
      const event = {
        event_type: 'http.request',
        source: 'web',
        payload: { method: 'GET', path: '/checkout', status_code: 500 },
      };
      await app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send(event).expect(200);

      await page.goto(`${app.url}/console`);
      await signIn(page, owner.email);
      await page.waitForURL(await addressOf(app, owner));
      await page.getByRole('region', { name: 'Events', exact: true }).getByText('1', { exact: true }).waitFor();
      await goTo(page, 'Logs');
      await page.getByRole('button', { name: /checkout/ }).waitFor();
      expect(await browser.lookAt('smoke-logs')).toEqual([]);
      expect(await faultsOf(browser)).toEqual([]);
    });
  });
