// Builds dist/console from console/ and clients/typescript. The content of these files, and not their dates, decides
// whether a build is needed, so a clone, a copy or a cache of dist/ needs none. The script runs in a process of its
// own, because Vite clears lines of a terminal.
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
  'docs/api/limits.json',
  'docs/receivers',
  'src/openapi/client-document.ts',
  'scripts/client.mjs',
  'scripts/console.mjs',
  'package-lock.json',
];

/** The generated files of the client are left out: they follow from the other inputs. */
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

export function isConsoleBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();

async function buildConsole() {
  const content = digest();
  const client = spawnSync(process.execPath, ['scripts/client.mjs', '--if-needed'], { cwd: root, stdio: 'inherit' });
  if (client.status !== 0) process.exit(1);
  const { build } = await import('vite');
  const settings = { configFile: join(root, 'console', 'vite.config.mjs'), logLevel: 'warn' };
  // The bundler works in threads of its own while this thread reads the component library for the form.
  const [form] = await Promise.all([drawForm(build, settings), build(settings)]);
  writeLoginPage(form);
  writeFileSync(stamp, content);
}

/**
 * Renders the form of the sign-in page, so that the form can be used before the program has loaded. The policy of the page allows
 * styles only in elements with the nonce of the answer, so the style of each element becomes a rule.
 */
async function drawForm(build, settings) {
  const folder = join(root, 'dist', `.drawn-${process.pid}`);
  const output = { codeSplitting: false };
  await build({ ...settings, build: { ssr: 'src/drawn-by-build.tsx', outDir: folder, rolldownOptions: { output } } });
  const { loginPage } = await import(pathToFileURL(join(folder, 'drawn-by-build.js')).href);
  rmSync(folder, { recursive: true, force: true });
  const rules = [];
  const html = loginPage('__NONCE__').replaceAll(/ style="([^"]*)"/g, (_, style) => {
    // The selector makes the rule as strong as a style of the element.
    rules.push(`#root [data-drawn="${rules.length}"]{${style.replaceAll('&quot;', '"')}}`);
    return ` data-drawn="${rules.length - 1}"`;
  });
  return `<style nonce="__NONCE__">${rules.join('')}</style>${html}`;
}

/** Adds the form, and the script that serves it until the program has loaded, to the page that Vite built. */
function writeLoginPage(form) {
  const made = join(root, 'dist', 'console');
  const parts = ['colour-scheme.js', 'before-program.js'].map((name) => join(root, 'console', 'src', name));
  const script = parts.map((path) => readFileSync(path, 'utf8')).join('');
  const name = `before-program-${createHash('sha256').update(script).digest('base64url').slice(0, 8)}.js`;
  writeFileSync(join(made, 'assets', name), script);
  const page = readFileSync(join(made, 'index.html'), 'utf8')
    .replace('<script type="module"', `<script src="/console/assets/${name}"></script>\n    $&`)
    .replace('<div id="root"></div>', () => `<div id="root" data-drawn-by-build>${form}</div>`);
  writeFileSync(join(made, 'login.html'), page);
}
