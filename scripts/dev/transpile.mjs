// Compiles TypeScript with swc, file by file and without types, for the build, for `npm run dev` and for Jest.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export const SWC_OPTIONS = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    target: 'es2022',
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

const SOURCE_FOLDERS = ['src', 'migrations'];

/** Returns whether a path below the root, with `/` between its parts, is a source of the service. */
export function isSource(path) {
  return SOURCE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && /(?<!\.spec|\.d)\.ts$/.test(path);
}

/** The service in `target`, compiled from the sources below `root`. Each output file has a source map next to it. */
export class Transpiled {
  constructor(root, target) {
    this.root = root;
    this.target = target;
  }

  /** Returns whether `target` has the current output of every source, and no other file. */
  isUpToDate() {
    const files = this.files();
    return !files.some(isChanged) && this.orphans(files).length === 0;
  }

  /** Compiles every source. Throws the messages of the compiler. */
  compileAll() {
    return this.compile(() => true);
  }

  /** Compiles the sources that changed since they were compiled. Throws the messages of the compiler. */
  compileChanged() {
    return this.compile(isChanged);
  }

  async compile(isDue) {
    const files = this.files();
    const results = await Promise.allSettled(files.filter(isDue).map(write));
    const failures = results.filter(({ status }) => status === 'rejected');
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => withoutBacktrace(reason.message)).join('\n'));
    for (const path of this.orphans(files)) rmSync(path);
  }

  files() {
    const sources = filesBelow(this.root).filter(isSource);
    return sources.map((path) => ({
      source: join(this.root, path),
      output: join(this.target, path.replace(/\.ts$/, '.js')),
    }));
  }

  /** Returns the outputs of deleted sources. An import would still find them. */
  orphans(files) {
    const expected = new Set(files.flatMap(({ output }) => [output, `${output}.map`]));
    return filesBelow(this.target)
      .map((path) => join(this.target, path))
      .filter((path) => !expected.has(path));
  }
}

async function write({ source, output }) {
  const { default: swc } = await import('@swc/core');
  const { mtime } = statSync(source);
  const { code, map } = await swc.transform(readFileSync(source, 'utf8'), {
    ...SWC_OPTIONS,
    filename: source,
    swcrc: false,
    sourceMaps: true,
    sourceFileName: relative(dirname(output), source),
    inlineSourcesContent: false,
  });
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(`${output}.map`, map);
  writeFileSync(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
  // Equal times say that this version of the source was compiled.
  utimesSync(output, mtime, mtime);
}

/** swc appends frames of its own code to some messages. */
function withoutBacktrace(message) {
  return message.split('\n\nCaused by:')[0].trimEnd();
}

function isChanged({ source, output }) {
  return modifiedAt(source) !== modifiedAt(output);
}

/** The time in whole milliseconds, because `utimes` keeps no smaller parts. */
function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtime.getTime();
}

function filesBelow(root) {
  const folders = SOURCE_FOLDERS.filter((folder) => statSync(join(root, folder), { throwIfNoEntry: false }));
  const entries = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }),
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}
