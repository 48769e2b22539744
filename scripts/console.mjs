// Makes dist/console from console/ and clients/typescript. It does nothing while what the pages are made from has the content it
// had then, whatever its dates: a clone, a copy or a cache of dist/ is enough.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  await build({ configFile: join(root, 'console', 'vite.config.mjs'), logLevel: 'warn' });
  writeFileSync(stamp, content);
}
