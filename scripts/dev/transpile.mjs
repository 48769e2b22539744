// What decorators need that the service is written with, and nothing about types: for tests and `npm run dev`.
import swc from '@swc/core';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

const SOURCES = ['src', 'migrations'];

/** The service as modules of JavaScript in `target`, kept in step with the sources below `root`. */
export class Transpiled {
  constructor(root, target) {
    this.root = root;
    this.target = target;
  }

  /** Whether a path below the root, with `/` between its parts, is a source of the service. */
  isSource(path) {
    return SOURCES.some((folder) => path.startsWith(`${folder}/`)) && /(?<!\.spec|\.d)\.ts$/.test(path);
  }

  /** Writes what is older than its source and removes what has none any more. Throws the compiler's message. */
  update() {
    const wanted = new Set();
    for (const path of SOURCES.flatMap((folder) => filesOf(this.root, folder)).filter((one) => this.isSource(one))) {
      const output = path.replace(/\.ts$/, '.js');
      wanted.add(output);
      this.write(join(this.root, path), join(this.target, output));
    }
    for (const path of SOURCES.flatMap((folder) => filesOf(this.target, folder))) {
      if (!wanted.has(path)) rmSync(join(this.target, path));
    }
  }

  write(source, output) {
    const made = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (made > statSync(source).mtimeMs) return;
    const { code } = swc.transformSync(readFileSync(source, 'utf8'), {
      ...SWC_OPTIONS,
      filename: source,
      swcrc: false,
    });
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, code);
  }
}

function filesOf(root, folder) {
  if (statSync(join(root, folder), { throwIfNoEntry: false }) === undefined) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ''));
}
