/* global document, HTMLInputElement, requestAnimationFrame, window */
// Measures how soon the first page of the console can be used, compared with an empty page that the same tools build,
// how many bytes of the page come over the network, and how long a filter of the log takes in addition to the service's
// answer.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { launchBrowser } from '../scripts/chromium.mjs';
import { facts } from './machine.mjs';
import { median } from './processes.mjs';
import { startService, workspace } from './service.mjs';

/** This bench needs Chromium, so it runs only when it is named. */
export const onlyByName = true;

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const EVENTS = 2_000;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GOALS = { ratio: 1.5, kilobytes: 250, filterMs: 100 };

export async function run() {
  const empty = await emptyPage();
  const service = await startService();
  const browser = await launchBrowser();
  try {
    const pages = [
      { name: 'empty Vite and React', url: empty.url, shown: '#root > *' },
      { name: 'console, sign-in', url: `${service.url}/console/login`, shown: 'input[name=password]' },
      {
        name: 'console, sign-in after its program has taken over',
        url: `${service.url}/console/login`,
        shown: '#root:not([data-drawn-by-build]) input[name=password]',
      },
    ];
    const times = pages.map(() => []);
    let bytes = 0;
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, page] of pages.entries()) {
        const took = await opened(browser, page);
        // The first round only fills the caches of the machine.
        if (round > 0) times[index].push(took.ms);
        if (index === 1) ({ bytes } = took);
      }
    }
    const [bare, drawn, program] = times.map(median);
    const filter = await filterLatency(browser, service);
    console.log(`\n${facts()}, medians of ${ROUNDS} rounds\n`);
    table([
      ['what', 'measured', 'goal'],
      ['empty page shown', `${Math.round(bare)} ms`, ''],
      ['sign-in form can be filled in and sent', `${Math.round(drawn)} ms`, ''],
      ['divided by the empty page', (drawn / bare).toFixed(2), `≤ ${GOALS.ratio}`],
      ['the program of the page has taken over', `${Math.round(program)} ms`, ''],
      ['divided by the empty page', (program / bare).toFixed(2), ''],
      ['first page, compressed', `${Math.round(bytes / 1024)} KB`, `≤ ${GOALS.kilobytes} KB`],
      ['filter of the live log', `${Math.round(filter.live)} ms`, `≤ ${GOALS.filterMs} ms`],
      ['filter of past events, in addition to the answer', `${Math.round(filter.past)} ms`, `≤ ${GOALS.filterMs} ms`],
    ]);
  } finally {
    await browser.close();
    await service.stop();
    await empty.close();
  }
}

/**
 * Opens a page in a browser with an empty cache.
 * @returns milliseconds from the navigation until `shown` can be used, and the bytes that came over the network
 */
async function opened(browser, { url, shown }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.addInitScript((selector) => {
    const look = () => {
      if (document.querySelector(selector) === null) requestAnimationFrame(look);
      // The page is usable after the frame that shows the element, when the thread is free again.
      else requestAnimationFrame(() => setTimeout(() => (window.usableAfter = performance.now())));
    };
    look();
  }, shown);
  await page.goto(url);
  await page.waitForFunction(() => window.usableAfter !== undefined);
  const ms = await page.evaluate('window.usableAfter');
  await page.waitForLoadState('networkidle');
  await context.close();
  return { ms, bytes };
}

/**
 * Returns milliseconds from the last typed letter to the rows. Those of past events exclude the pause for typing and
 * the time of the service's answer.
 */
async function filterLatency(browser, service) {
  const owner = await workspace(service);
  await fill(service, owner.key);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${service.url}/console/login?next=${encodeURIComponent('/o/bench/p/bench/logs')}`);
  await page.getByLabel('E-mail address').fill(owner.email);
  await page.locator('input[name=password]').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('2,000 rows').waitFor();
  const live = [];
  const past = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    live.push(await filtered(page, `/row/${100 + round}`, 60));
  }
  await page.getByLabel('Find').fill('');
  await page.goto(`${service.url}/console/o/bench/p/bench/logs?range=1h`);
  await page.getByText('500 rows').waitFor();
  for (let round = 0; round < ROUNDS; round += 1) past.push(await filtered(page, `/row/${1200 + round}`, 600));
  await context.close();
  return { live: median(live), past: median(past) };
}

/** @param typingMs the time that the page waits for a further letter */
async function filtered(page, text, typingMs) {
  return page.evaluate(
    async ({ text, typingMs }) => {
      const input = document.querySelector('input[maxlength="200"]');
      const before = performance.getEntriesByType('resource').length;
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
      set.call(input, text);
      const begin = performance.now();
      input.dispatchEvent(new Event('input', { bubbles: true }));
      const rows = () => [...document.querySelectorAll('.row')].map((row) => row.textContent);
      const isThere = () => rows().length > 0 && rows().every((row) => row.includes(text));
      while (!isThere()) {
        if (performance.now() - begin > 20_000) throw new Error(`no row contains ${text}`);
        await new Promise(requestAnimationFrame);
      }
      const took = performance.now() - begin;
      const asked = performance.getEntriesByType('resource').slice(before);
      const answers = asked.filter(({ name }) => name.includes('/v1/logs?')).map(({ duration }) => duration);
      return Math.max(0, took - typingMs - answers.reduce((sum, each) => sum + each, 0));
    },
    { text, typingMs },
  );
}

async function fill({ url }, key) {
  const lines = Array.from({ length: EVENTS }, (_, index) => {
    const payload = { method: 'GET', path: `/row/${index}`, status_code: 200, latency_ms: index % 300 };
    const timestamp = new Date(Date.now() - (EVENTS - index) * 100).toISOString();
    return JSON.stringify({ event_type: 'http.request', source: 'bench', timestamp, payload });
  });
  for (let from = 0; from < lines.length; from += 500) {
    const answer = await fetch(`${url}/v1/events/ingest`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' },
      body: lines.slice(from, from + 500).join('\n'),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

/**
 * Builds the smallest page of `create vite` with React, by the Vite that builds the console, and serves it compressed.
 */
async function emptyPage() {
  const folder = await mkdtemp(join(tmpdir(), 'empty-page-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'src'));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en"><body><div id="root"></div><script type="module" src="/src/main.tsx"></script></body></html>',
  );
  await writeFile(
    join(folder, 'src', 'main.tsx'),
    `import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
createRoot(document.getElementById('root')!).render(createElement(StrictMode, null, createElement('h1', null, 'Hello')));`,
  );
  const built = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'],
    {
      cwd: folder,
      stdio: 'inherit',
    },
  );
  if (built.status !== 0) throw new Error('the empty page could not be built');
  const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' };
  const files = new Map();
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : request.url;
    const file = join(folder, 'dist', path);
    const send = (content) => {
      files.set(path, content);
      response.writeHead(200, { 'Content-Type': types[extname(path)] ?? '', 'Content-Encoding': 'br' }).end(content);
    };
    if (files.has(path)) send(files.get(path));
    else
      readFile(file).then(
        (content) => send(brotliCompressSync(content)),
        () => response.writeHead(404).end(),
      );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function table([head, ...rows]) {
  console.log(`| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}
