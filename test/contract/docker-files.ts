import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
      const [base = '', , alias = null] = text.split(/\s+/);
      stages.push({ base, alias, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ name: name.toUpperCase(), text });
    }
  }
  return stages;
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

/** Paths a stage takes from the build context, and those it takes from another stage. */
export function copiesOf(stage: Stage): { from: string | null; sources: string[]; target: string }[] {
  return textsOf(stage, 'COPY').map((text) => {
    const words = text.split(/\s+/);
    const from = words[0]?.startsWith('--from=') === true ? (words.shift() ?? '').slice('--from='.length) : null;
    return { from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
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
  readonly environment?: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
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
