import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

export interface Served {
  /** `http://localhost:<port>`, every one its own origin. */
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

/** A bound only, for a machine that does much else; what fails is told before the test's own bound ends it. */
const SHOWN_WITHIN_MS = 120_000;

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

/** What somebody looks through. */
export interface Screen {
  readonly viewport: { readonly width: number; readonly height: number };
  /** A phone's browser lays a page out for a desktop unless the page says otherwise. */
  readonly isMobile: boolean;
}

/** Debian's Chromium with an empty profile. */
export async function launchChromium(screen?: Screen): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'oes-chromium-'));
  const release = (): Promise<void> => rm(profile, { recursive: true, force: true });
  const context = await chromium
    .launchPersistentContext(profile, {
      executablePath: chromiumPath(),
      args: FLAGS,
      timeout: SHOWN_WITHIN_MS,
      ...(screen !== undefined && { ...screen, hasTouch: screen.isMobile }),
    })
    .catch(async (error: unknown) => {
      await release();
      throw error;
    });
  context.setDefaultTimeout(SHOWN_WITHIN_MS);
  return {
    context,
    close: async () => {
      await context.close();
      await release();
    },
  };
}

function chromiumPath(): string {
  const chosen = process.env.TEST_CHROMIUM;
  if (chosen) return chosen;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'chromium');
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  throw new Error('chromium is not on PATH: run the tests through "npm test", which installs it where it may');
}
