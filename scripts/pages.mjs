// Copies the files that /docs and /redoc need into dist/pages. The packages that bring these files are development
// dependencies, so an installation without them has the pages too.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The service reads the version of a package from its `package.json`. */
const PACKAGES = {
  'swagger-ui-dist': ['package.json', 'LICENSE', 'NOTICE', 'swagger-ui.css', 'swagger-ui-bundle.js'],
  redoc: ['package.json', 'LICENSE', 'bundles/redoc.standalone.js'],
};

const FILES = Object.entries(PACKAGES).flatMap(([name, paths]) =>
  paths.map((path) => ({
    from: join(root, 'node_modules', name, path),
    to: join(root, 'dist', 'pages', name, basename(path)),
  })),
);

export function arePagesCopied() {
  return FILES.every(({ to }) => existsSync(to));
}

export function copyPages() {
  for (const { from, to } of FILES) {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
}
