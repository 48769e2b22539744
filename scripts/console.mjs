// Makes dist/console from console/ and clients/typescript. It does nothing while what the pages are made from has the content it
// had then, whatever its dates: a clone, a copy or a cache of dist/ is enough.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', 'console', '.made-from');
const INPUTS = [
  'console',
  'clients/typescript/src',
  'docs/api/openapi.json',
  'scripts/client.mjs',
  'scripts/console.mjs',
  'package-lock.json',
];

/** What the client's types and table of routes are made into follows from the rest. */
function filesBelow(path) {
  const entries = readdirSync(join(root, path), { withFileTypes: true }).filter(({ name }) => name !== 'generated');
  return entries.flatMap((entry) => {
    const inner = `${path}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(inner) : [inner];
  });
}

function digest() {
  const hash = createHash('sha256');
  const files = INPUTS.flatMap((path) => (/\.\w+$/.test(path) ? [path] : filesBelow(path).sort()));
  for (const path of files) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

const content = digest();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== content) {
  const client = spawnSync(process.execPath, ['scripts/client.mjs', '--if-needed'], { cwd: root, stdio: 'inherit' });
  if (client.status !== 0) process.exit(1);
  const { build } = await import('vite');
  const configFile = join(root, 'console', 'vite.config.mjs');
  await build({ configFile, logLevel: 'warn' });
  await drawLoginPage(build, configFile);
  writeFileSync(stamp, content);
}

/**
 * The sign-in page with its form in it, so that it can be used before its program is there. The policy of the page takes no written
 * styles but those with the nonce of its answer: what elements have becomes rules.
 */
async function drawLoginPage(build, configFile) {
  const made = join(root, 'dist', 'console');
  const drawing = join(root, 'dist', `.drawn-${process.pid}`);
  const output = { codeSplitting: false };
  const drawn = { ssr: 'src/drawn-by-build.tsx', outDir: drawing, rolldownOptions: { output } };
  await build({ configFile, logLevel: 'warn', build: drawn });
  const { loginPage } = await import(pathToFileURL(join(drawing, 'drawn-by-build.js')).href);
  const rules = [];
  const form = loginPage('__NONCE__').replaceAll(/ style="([^"]*)"/g, (_, style) => {
    // As strong as what stands at an element itself.
    rules.push(`#root [data-drawn="${rules.length}"]{${style.replaceAll('&quot;', '"')}}`);
    return ` data-drawn="${rules.length - 1}"`;
  });

  const before = readFileSync(join(root, 'console', 'src', 'before-program.js'));
  const name = `before-program-${createHash('sha256').update(before).digest('base64url').slice(0, 8)}.js`;
  writeFileSync(join(made, 'assets', name), before);
  const page = readFileSync(join(made, 'index.html'), 'utf8')
    .replace('<script type="module"', `<script src="/console/assets/${name}"></script>\n    $&`)
    .replace(
      '<div id="root"></div>',
      () => `<div id="root" data-drawn-by-build><style nonce="__NONCE__">${rules.join('')}</style>${form}</div>`,
    );
  writeFileSync(join(made, 'login.html'), page);
  rmSync(drawing, { recursive: true, force: true });
}
