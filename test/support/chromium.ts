import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
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

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

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
}

/** Starts Debian's Chromium with an empty profile. Rejects when Chromium is missing and cannot be installed. */
export async function launchChromium(screen?: Screen): Promise<Chromium> {
  const executablePath = await chromiumPath();
  const profile = await mkdtemp(join(tmpdir(), 'oes-chromium-'));
  const release = (): Promise<void> => rm(profile, { recursive: true, force: true });
  const context = await chromium
    .launchPersistentContext(profile, {
      executablePath,
      args: FLAGS,
      // A click on a button that still moves can miss it.
      reducedMotion: 'reduce',
      timeout: HANG_TIMEOUT_MS,
      ...(screen !== undefined && { ...screen, hasTouch: screen.isMobile }),
    })
    .catch(async (error: unknown) => {
      await release();
      throw error;
    });
  context.setDefaultTimeout(HANG_TIMEOUT_MS);
  return {
    context,
    close: async () => {
      await context.close();
      await release();
    },
  };
}

async function chromiumPath(): Promise<string> {
  const answer = await askProgram<{ path: string }>('chromium');
  if ('absent' in answer) throw new Error(answer.absent);
  return answer.path;
}
