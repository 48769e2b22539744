import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContext, Page, Request } from 'playwright-core';
import type { TestApp } from './app.js';
import { type BrowserProgram, launchChromium, type Screen } from './chromium.js';
import { onFailedTest } from './failed-test.js';

/** A page of the console in a real browser, and the faults that it showed. */
export interface ConsoleBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Error messages, including violations of the content security policy, and requests to other origins. */
  readonly faults: string[];
  /** Opens another tab of the same browser. */
  openTab(): Promise<Page>;
  /**
   * Returns the serious findings of axe in both colour schemes. Writes screenshots into the folder of CONSOLE_SCREENS,
   * if set.
   */
  lookAt(name: string): Promise<string[]>;
  /** Returns everything that the browser stores for the page and that scripts could read, including the address. */
  kept(): Promise<string>;
  close(): Promise<void>;
}

interface AxeResult {
  readonly violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Waits for all animations that have an end. */
const ANIMATIONS_DONE = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)).then(() => null)`;
/**
 * Returns the cells whose column has another name, or whose name phones do not show. The head of a column that sorts ends
 * with an arrow.
 */
const NAMES_OF_CELLS = `[...document.querySelectorAll('.stacked tbody td')].flatMap((cell) => {
  const head = cell.closest('table').tHead.rows[0].cells[cell.cellIndex].textContent.replace(/ [↓↕]$/, '');
  const given = cell.dataset.column ?? 'Actions';
  const shown = getComputedStyle(cell, '::before').content;
  const isShown = !matchMedia('(max-width: 36em)').matches || given === 'Actions' || shown.includes(given) ||
    shown.includes('attr(data-column)');
  return head === given && isShown ? [] : ['the column ' + head + ' has a cell of ' + given + ', shown as ' + shown];
})`;
/** Both schemes have the same content and differ only in colours, so only one scheme is checked with all rules. */
const RULES_OF_SCHEMES = { light: null, dark: ['color-contrast'] } as const;
const SCHEMES = ['light', 'dark'] as const;
/** The most characters of a page that are printed when its test fails. */
const MOST_SHOWN = 4_000;

export async function openConsole(app: TestApp, screen: Screen, program?: BrowserProgram): Promise<ConsoleBrowser> {
  const chromium = await launchChromium(screen, program);
  const { context } = chromium;
  const faults: string[] = [];
  const unanswered = new Set<string>();
  const openTab = async (): Promise<Page> => {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', ({ message }) => void faults.push(message));
    page.on('request', (request) => {
      unanswered.add(request.url());
      if (!request.url().startsWith(app.url)) faults.push(request.url());
    });
    const answered = (request: Request): void => void unanswered.delete(request.url());
    page.on('requestfinished', answered);
    page.on('requestfailed', answered);
    return page;
  };
  const page = await openTab();
  const devtools = await context.newCDPSession(page);
  const forget = onFailedTest(async () => {
    for (const tab of context.pages()) {
      const text = await tab.evaluate<string>('document.body.innerText');
      process.stdout.write(`${tab.url()} shows:\n${text.slice(0, MOST_SHOWN)}\n`);
    }
    process.stdout.write(`Requests without an end: ${[...unanswered].join(', ') || 'none'}\n`);
  });

  const findings = async (runOnly: readonly string[] | null): Promise<string[]> => {
    // The developer tools inject the script, because the policy of the page forbids other scripts. The script has half
    // a megabyte, so it is injected once per document.
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
      const cells = await page.evaluate<string[]>(NAMES_OF_CELLS);
      found.push(...cells.map((finding) => `${name}: ${finding}`));
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        // Elements that fade in are checked when they are fully visible.
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
    close: async () => {
      forget();
      await chromium.close();
    },
  };
}
