/* global document, requestAnimationFrame, window */
// Opens pages of the console in a signed-in browser, and measures when they are drawn.
import { setTimeout as pause } from 'node:timers/promises';

/** A page is quiet when it has had no request under way for so long. */
const QUIET_MS = 300;

/** Signs in. @returns a browser context, whose cache has the program of the console */
export async function signedInContext(browser, { url }, { email, password }, viewport) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(`${url}/console/login`);
  await page.getByLabel('E-mail address').fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.close();
  return context;
}

/**
 * Opens a page in a new tab.
 * @param isDrawn a function that runs in the page
 * @returns the page, milliseconds from the navigation until the frame after `isDrawn`, and its requests to the API
 */
export async function openedTab(context, url, isDrawn) {
  const page = await context.newPage();
  const asked = watchRequests(page);
  await page.addInitScript(`(${whenDrawn})(${isDrawn})`);
  await page.goto(url);
  await page.waitForFunction(() => window.drawnAfter !== undefined, undefined, { timeout: 120_000 });
  const ms = await page.evaluate('window.drawnAfter');
  return { page, ms, asked };
}

/** Runs in the page. */
function whenDrawn(isDrawn) {
  const look = () => {
    if (document.body === null || !isDrawn()) requestAnimationFrame(look);
    // The content is visible after this frame, when the thread is free again.
    else requestAnimationFrame(() => setTimeout(() => (window.drawnAfter = performance.now())));
  };
  requestAnimationFrame(look);
}

/**
 * Measures an act in a page.
 * @param act a function that runs in the page. It prepares the act, and returns `start` and `isDone`
 * @returns milliseconds from the start until the frame after the act is done
 */
export function timedInPage(page, act, argument) {
  return page.evaluate(`(${timed})(${act}, ${JSON.stringify(argument)})`);
}

/** Runs in the page. */
async function timed(act, argument) {
  const frame = () => new Promise(requestAnimationFrame);
  const { start, isDone } = act(argument);
  await frame();
  const begin = performance.now();
  start();
  while (!isDone()) {
    if (performance.now() - begin > 60_000) throw new Error(`the page has not drawn ${argument}`);
    await frame();
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - begin;
}

/**
 * Records the requests of a page to the API.
 * @returns the paths that were read, the statuses of the answers, and a promise that resolves when the page is quiet
 */
export function watchRequests(page) {
  const paths = [];
  const statuses = [];
  let pending = 0;
  let changedAt = performance.now();
  const change = (by) => {
    pending += by;
    changedAt = performance.now();
  };
  const isOfApi = (request) => new URL(request.url()).pathname.startsWith('/v1/');
  page.on('request', (request) => {
    if (!isOfApi(request)) return;
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET') paths.push(pathname + search);
    change(1);
  });
  page.on('response', (response) => {
    if (isOfApi(response.request())) statuses.push(response.status());
  });
  page.on('requestfinished', (request) => isOfApi(request) && change(-1));
  page.on('requestfailed', (request) => isOfApi(request) && change(-1));
  const quiet = async () => {
    while (pending > 0 || performance.now() - changedAt < QUIET_MS) await pause(20);
  };
  return { paths, statuses, quiet };
}

/** Sends the requests of a page again, one after another and without a browser. @returns their milliseconds in total */
export async function sameQuestions(ask, paths) {
  let total = 0;
  for (const path of paths) {
    const { ms, status, text } = await ask({ path });
    if (status !== 200) throw new Error(`${path} answered ${status} ${text}`);
    total += ms;
  }
  return total;
}
