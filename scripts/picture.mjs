// Makes docs/pictures/console.png: the overview of a running shop in Chromium. Run `npm run build` first.
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from './chromium.mjs';

const MOST_BYTES = 300_000;
const path = (from) => fileURLToPath(new URL(`../${from}`, import.meta.url));
const target = path('docs/pictures/console.png');

const dataDir = await mkdtemp(join(tmpdir(), 'picture-'));
await chmod(dataDir, 0o711);
const shop = spawn(process.execPath, [path('dist/src/cli.js'), 'demo', '--live', '--data-dir', dataDir], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const told = await saidBy(shop, /Events keep coming/);
  const [, address] = /console is at (\S+)/.exec(told);
  const [, email] = /email +(\S+)/.exec(told);
  const [, password] = /password +(\S+)/.exec(told);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
    page.setDefaultTimeout(120_000);
    await page.goto(`${address}/login`);
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('img', { name: /^Events and errors/ }).waitFor();
    await page.mouse.move(0, 0);
    await mkdir(path('docs/pictures'), { recursive: true });
    await page.screenshot({ path: target, animations: 'disabled' });
  } finally {
    await browser.close();
  }
} finally {
  shop.kill('SIGINT');
  await new Promise((resolve) => shop.once('exit', resolve));
  await rm(dataDir, { recursive: true, force: true });
}
const { size } = await stat(target);
if (size > MOST_BYTES) throw new Error(`${target} has ${size} bytes, more than ${MOST_BYTES}`);

/**
 * Resolves with the output of a process once it matches the pattern. Reading continues afterwards, so that the process
 * never blocks on a full pipe.
 */
function saidBy(child, pattern) {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (pattern.test(text)) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}:\n${text}`)));
  });
}
