import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import type { TestApp } from './app.js';
import { launchChromium, type Screen } from './chromium.js';

/** A page of the console in a real browser, and what it did that it should not have. */
export interface ConsoleBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Messages of errors, what the page's policy refused among them, and requests to elsewhere. */
  readonly faults: string[];
  /** Another tab of the same browser. */
  openTab(): Promise<Page>;
  /** Serious findings of axe in both schemes; pictures go to the folder that CONSOLE_SCREENS names, where it names one. */
  lookAt(name: string): Promise<string[]>;
  /** Whatever the browser keeps for the page and scripts could read, with its address. */
  kept(): Promise<string>;
  close(): Promise<void>;
}

interface AxeResult {
  readonly violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Those that have an end. */
const ANIMATIONS_DONE = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)).then(() => null)`;
/** What is there is the same in both; only the colours differ, so that the whole of the rules is asked once. */
const RULES_OF_SCHEMES = { light: null, dark: ['color-contrast'] } as const;
const SCHEMES = ['light', 'dark'] as const;

export async function openConsole(app: TestApp, screen: Screen): Promise<ConsoleBrowser> {
  const chromium = await launchChromium(screen);
  const { context } = chromium;
  const faults: string[] = [];
  const openTab = async (): Promise<Page> => {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', ({ message }) => void faults.push(message));
    page.on('request', (request) => {
      if (!request.url().startsWith(app.url)) faults.push(request.url());
    });
    return page;
  };
  const page = await openTab();
  const devtools = await context.newCDPSession(page);

  const findings = async (runOnly: readonly string[] | null): Promise<string[]> => {
    // By the developer tools: the page's policy lets no script of elsewhere in. Half a megabyte, so once a document.
    if (!(await page.evaluate<boolean>(`'axe' in window`))) {
      await devtools.send('Runtime.evaluate', { expression: axe.source });
    }
    const options = { resultTypes: ['violations'], ...(runOnly !== null && { runOnly }) };
    const { violations } = await page.evaluate<AxeResult>(`axe.run(${JSON.stringify(options)})`);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('; ')}`);
  };

  return {
    page,
    context,
    faults,
    openTab,
    async lookAt(name) {
      const found: string[] = [];
      const folder = process.env.CONSOLE_SCREENS;
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        // What fades in is judged when it is there.
        await page.evaluate(ANIMATIONS_DONE);
        const inScheme = await findings(RULES_OF_SCHEMES[colorScheme]);
        found.push(...inScheme.map((finding) => `${name}, ${colorScheme}: ${finding}`));
        if (!folder) continue;
        await mkdir(folder, { recursive: true });
        await page.screenshot({ path: join(folder, `${name}-${screen.viewport.width}-${colorScheme}.png`) });
      }
      return found;
    },
    kept: async () => {
      const stores = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
      );
      return `${page.url()} ${stores}`;
    },
    close: () => chromium.close(),
  };
}
