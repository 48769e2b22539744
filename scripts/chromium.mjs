// Starts the browser for pictures and measurements: the one of TEST_CHROMIUM, or else the one on PATH.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

export function launchBrowser() {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find(existsSync);
  const executablePath = process.env.TEST_CHROMIUM ?? found;
  if (executablePath === undefined) throw new Error('chromium is not on PATH');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
