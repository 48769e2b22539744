/* global document, requestAnimationFrame, window */
// Measures how soon the sign-in page can be used, compared with an empty page that the same tools build, and how many
// bytes of it come over the network.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { goal } from '../goal-table.mjs';
import { median } from '../processes.mjs';
import { startService } from '../service.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export async function firstPage(browser, { rounds }) {
  const empty = await emptyPage();
  const service = await startService();
  try {
    const pages = [
      { url: empty.url, shown: '#root > *' },
      { url: `${service.url}/console/login`, shown: 'input[name=password]' },
      { url: `${service.url}/console/login`, shown: '#root:not([data-drawn-by-build]) input[name=password]' },
    ];
    const times = pages.map(() => []);
    let bytes = 0;
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, page] of pages.entries()) {
        const took = await opened(browser, page);
        // The first round only fills the caches of the machine.
        if (round > 0) times[index].push(took.ms);
        if (index === 1) ({ bytes } = took);
      }
    }
    const [bare, drawn, program] = times.map(median);
    const { ratio, kilobytes } = { ratio: { most: 1.5 }, kilobytes: { most: 250 } };
    const beside = (ms) => `(${Math.round(ms)} / ${Math.round(bare)} ms)`;
    return [
      goal(`sign-in form can be used / empty page ${beside(drawn)}`, Number((drawn / bare).toFixed(2)), ratio),
      goal(`the program has taken over / empty page ${beside(program)}`, Number((program / bare).toFixed(2)), ratio),
      goal('first page, compressed, KB', Math.round(bytes / 1024), kilobytes),
    ];
  } finally {
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
