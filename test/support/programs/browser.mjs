// Starts the Chromium that all spec files of a run share. A start takes seconds; a new profile in it does not.
import { HANG_TIMEOUT_MS } from '../bounds.mjs';

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

/**
 * @param {string} executablePath the path of Chromium
 * @param {(() => Promise<void>)[]} stops collects what has to be stopped at the end of the run
 * @returns {Promise<{ address: string }>} the address for `chromium.connect` of Playwright
 */
export async function startBrowser(executablePath, stops) {
  // Loading Playwright takes half a second, and most runs open no browser.
  const { chromium } = await import('playwright-core');
  const server = await chromium.launchServer({
    executablePath,
    args: FLAGS,
    host: '127.0.0.1',
    timeout: HANG_TIMEOUT_MS,
    // The run stops Chromium itself. An interrupt reaches the run, which stops everything.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  stops.push(() => server.close());
  return { address: server.wsEndpoint() };
}
