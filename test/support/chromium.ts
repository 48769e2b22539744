import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type BrowserContext, chromium, type Download } from 'playwright-core';
import { askProgram } from './programs/ask.js';
import { HANG_TIMEOUT_MS } from './bounds.mjs';

export interface Served {
  /** `http://localhost:<port>`. Each served page has its own origin. */
  readonly origin: string;
  close(): Promise<void>;
}

export interface Chromium {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** Serves one page on a free port. */
export async function servePage(html: string): Promise<Served> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The screen of a simulated device. */
export interface Screen {
  readonly viewport: { readonly width: number; readonly height: number };
  /** The browser of a phone lays a page out for a desktop unless the page says otherwise. */
  readonly isMobile: boolean;
  /** The IANA name of the time zone of the browser. Undefined: that of this machine. */
  readonly timezoneId?: string;
}

/** `whole-browser` also has notifications, and takes twice the processor time. */
export type BrowserProgram = 'browser' | 'whole-browser';

/**
 * Opens an empty profile in the Chromium of the run, which all spec files share. Rejects when Chromium is missing and
 * cannot be installed.
 */
export async function launchChromium(screen?: Screen, program: BrowserProgram = 'browser'): Promise<Chromium> {
  const started = await askProgram<{ address: string }>(program);
  if ('absent' in started) throw new Error(started.absent);
  const browser = await chromium.connect(started.address, { timeout: HANG_TIMEOUT_MS });
  const context = await browser.newContext({
    // A click on a button that still moves can miss it.
    reducedMotion: 'reduce',
    ...(screen !== undefined && { ...screen, hasTouch: screen.isMobile }),
  });
  context.setDefaultTimeout(HANG_TIMEOUT_MS);
  return {
    context,
    close: async () => {
      await context.close();
      await browser.close();
    },
  };
}

/** Returns the bytes of a file that a page gave. */
export async function bytesOfDownload(download: Download): Promise<Buffer> {
  return buffer(await download.createReadStream());
}
