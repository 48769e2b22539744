import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Instruction {
  /** In capitals: `COPY`, `RUN`, ... */
  readonly name: string;
  /** The rest of the line, continuation lines joined by a space. */
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  /** Null for one that has no `AS`. */
  readonly alias: string | null;
  readonly instructions: readonly Instruction[];
}

export function readDockerfile(): readonly Stage[] {
  const lines = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name.toUpperCase() === 'FROM') {
      const [base = '', , alias = null] = text.split(/\s+/).filter((word) => !word.startsWith('--'));
      stages.push({ base, alias, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ name: name.toUpperCase(), text });
    }
  }
  return stages;
}

/** The arguments before the first stage, which bases may name, with their defaults. */
export function argumentsOfBases(): Record<string, string> {
  const [before = ''] = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8').split(/^FROM /m);
  return Object.fromEntries(
    [...before.matchAll(/^ARG (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

export function textsOf(stage: Stage, name: string): string[] {
  return stage.instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** `ENV A=1 B=2` of one stage; values with blanks are not understood. */
export function environmentOf(stage: Stage): Record<string, string> {
  const pairs = textsOf(stage, 'ENV').flatMap((text) => text.split(/\s+/));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );
}

/**
 * Replaces each `NAME_FILE` by `NAME` with the value of the secret that the file has. The last part of its path is the
 * name of the secret.
 *
 * @throws {Error} when there is no such secret
 */
export function readFiles(
  environment: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      if (!name.endsWith('_FILE')) return [name, value];
      const secret = secrets[basename(value)];
      if (secret === undefined) throw new Error(`${name} names ${value}, which is no secret`);
      return [name.slice(0, -'_FILE'.length), secret];
    }),
  );
}

/** Paths a stage takes from the build context, and those it takes from another stage. */
export function copiesOf(stage: Stage): { from: string | null; sources: string[]; target: string }[] {
  return textsOf(stage, 'COPY').map((text) => {
    const words = text.split(/\s+/);
    const paths = words.filter((word) => !word.startsWith('--'));
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? null;
    return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
  });
}

/** Whether `.dockerignore` keeps a file or folder out of the build context: the last pattern that matches decides. */
export function isIgnored(path: string): boolean {
  const patterns = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return patterns.reduce((ignored, pattern) => {
    const allows = pattern.startsWith('!');
    const expression = pattern
      .slice(allows ? 1 : 0)
      .split('/')
      .map((part) => (part === '**' ? '(.*)' : part.replace(/\./g, '\\.').replace(/\*/g, '[^/]*')))
      .join('/')
      .replace('(.*)/', '(.*/)?');
    return new RegExp(`^${expression}(/|$)`).test(path) ? !allows : ignored;
  }, false);
}

export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly entrypoint?: readonly string[];
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, string | number>> } };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export function readCompose(): Compose {
  return parse(readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8'), { merge: true }) as Compose;
}

const INTERPOLATION = /\$\{(\w+)(?::([?-])([^}]*))?\}/g;

/** Names in `${...}` without which Compose refuses to start. */
export function requiredNames(text: string): string[] {
  return [...text.matchAll(INTERPOLATION)].filter((match) => match[2] === '?').map((match) => match[1] ?? '');
}

/** What Compose makes of a value; a required name that is absent throws with its message, as it does there. */
export function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(INTERPOLATION, (_whole, name: string, kind: string | undefined, rest: string | undefined) => {
    const value = values[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name} is required: ${rest ?? ''}`);
    return rest ?? '';
  });
}
