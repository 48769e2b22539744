// Copies the files that /docs and /redoc need, and the examples of the API document, into dist/pages. The packages that
// bring the files of the pages are development dependencies, so an installation without them has the pages too.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The service reads the version of a package from its `package.json`. */
const PACKAGES = {
  'swagger-ui-dist': ['package.json', 'LICENSE', 'NOTICE', 'swagger-ui.css', 'swagger-ui-bundle.js'],
  redoc: ['package.json', 'LICENSE', 'bundles/redoc.standalone.js'],
};

const EXAMPLES = join(root, 'docs', 'api', 'examples');

function files() {
  const ofPackages = Object.entries(PACKAGES).flatMap(([name, paths]) =>
    paths.map((path) => ({ from: join(root, 'node_modules', name, path), to: target(name, basename(path)) })),
  );
  const examples = readdirSync(EXAMPLES).map((name) => ({ from: join(EXAMPLES, name), to: target('examples', name) }));
  return [...ofPackages, ...examples];
}

function target(...names) {
  return join(root, 'dist', 'pages', ...names);
}

export function arePagesCopied() {
  return files().every(({ from, to }) => existsSync(to) && statSync(to).mtimeMs >= statSync(from).mtimeMs);
}

export function copyPages() {
  for (const { from, to } of files()) {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
}
