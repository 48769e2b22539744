import { fold } from '../../../../platform/case-folding/index.js';
import { numberIn } from './numbers.js';
import type { Value } from './value.js';

export type ArgumentType = 'text' | 'number' | 'boolean' | 'any' | 'network';

export interface Parameter {
  readonly name: string;
  readonly type: ArgumentType;
  readonly isOptional?: true;
  readonly isVariadic?: true;
}

export interface FunctionDefinition {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly returns: 'text' | 'number' | 'boolean';
  readonly hasFoldingForm: boolean;
  readonly description: string;
  /**
   * Returns the result for arguments of the right types. A missing optional argument is null. If the call ignores case,
   * the texts of `args` are folded, and `written` has the original texts. Left out when the function is computed
   * elsewhere.
   */
  readonly apply?: (args: readonly Value[], written: readonly Value[]) => Value;
}

const SOURCE: Parameter = { name: 'source', type: 'text' };
const NUMBERS: readonly Parameter[] = [
  { name: 'left', type: 'number' },
  { name: 'right', type: 'number' },
];

const calculation = (name: string, description: string): FunctionDefinition => ({
  name,
  parameters: NUMBERS,
  returns: 'number',
  hasFoldingForm: false,
  description,
});

const search = (
  name: string,
  description: string,
  test: (source: string, part: string) => boolean,
): FunctionDefinition => ({
  name,
  parameters: [SOURCE, { name: 'substring', type: 'text' }],
  returns: 'boolean',
  hasFoldingForm: true,
  description,
  apply: ([source, part]) => test(source as string, part as string),
});

const DEFINITIONS: readonly FunctionDefinition[] = [
  calculation('add', 'left + right'),
  {
    name: 'between',
    parameters: [
      SOURCE,
      { name: 'left', type: 'text' },
      { name: 'right', type: 'text' },
      { name: 'greedy', type: 'boolean', isOptional: true },
    ],
    returns: 'text',
    hasFoldingForm: true,
    description: 'The text behind the first left, up to the next right; greedy: up to the last right',
    apply: (args, written) => between(args, written),
  },
  {
    name: 'cidrMatch',
    parameters: [
      { name: 'address', type: 'text' },
      { name: 'network', type: 'network', isVariadic: true },
    ],
    returns: 'boolean',
    hasFoldingForm: false,
    description: 'Whether an IPv4 or IPv6 address lies in one of the networks',
  },
  {
    name: 'concat',
    parameters: [{ name: 'value', type: 'any', isVariadic: true }],
    returns: 'text',
    hasFoldingForm: false,
    description: 'The values as texts, one behind the other',
    apply: (args) => args.map(textOf).join(''),
  },
  calculation('divide', 'left / right'),
  search('endsWith', 'Whether the text ends with the other', (source, part) => source.endsWith(part)),
  {
    name: 'indexOf',
    parameters: [SOURCE, { name: 'substring', type: 'text' }, { name: 'start', type: 'number', isOptional: true }],
    returns: 'number',
    hasFoldingForm: true,
    description:
      'Where the other text begins for the first time at or behind start, counted from 0; null where it does not',
    apply: ([source, part, start]) => indexOf(source as string, part as string, (start as number | null) ?? 0),
  },
  {
    name: 'length',
    parameters: [SOURCE],
    returns: 'number',
    hasFoldingForm: false,
    description: 'How many characters the text has',
    apply: ([source]) => lengthOf(source as string),
  },
  calculation('modulo', 'left % right, with the sign of left'),
  calculation('multiply', 'left * right'),
  {
    name: 'number',
    parameters: [SOURCE, { name: 'base', type: 'number', isOptional: true }],
    returns: 'number',
    hasFoldingForm: false,
    description: 'The number that the text is, to a base of 2 to 36; 10 unless the text begins with 0x',
    apply: ([source, base]) => numberIn(source as string, base as number | null),
  },
  search('startsWith', 'Whether the text begins with the other', (source, part) => source.startsWith(part)),
  {
    name: 'string',
    parameters: [{ name: 'value', type: 'any' }],
    returns: 'text',
    hasFoldingForm: false,
    description: 'The value as text',
    apply: ([value]) => textOf(value),
  },
  search('stringContains', 'Whether the other text stands in the text', (source, part) => source.includes(part)),
  {
    name: 'substring',
    parameters: [
      SOURCE,
      { name: 'start', type: 'number', isOptional: true },
      { name: 'end', type: 'number', isOptional: true },
    ],
    returns: 'text',
    hasFoldingForm: false,
    description: 'The characters from start up to before end; negative places count from the end',
    apply: ([source, start, end]) => substring(source as string, start as number | null, end as number | null),
  },
  calculation('subtract', 'left - right'),
];

/** Functions by their names in lower case, since the case of the name is ignored. */
const BY_NAME: ReadonlyMap<string, FunctionDefinition> = new Map(
  DEFINITIONS.map((definition) => [definition.name.toLowerCase(), definition]),
);

export const FUNCTIONS = DEFINITIONS;

/** Functions that compute the same as an arithmetic operator. */
export const CALCULATIONS = { add: '+', divide: '/', modulo: '%', multiply: '*', subtract: '-' } as const;

export function findFunction(name: string): FunctionDefinition | undefined {
  return BY_NAME.get(name.toLowerCase());
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : String(value);
}

/** Searches the folded text and returns a part of the original text. Both texts have the same length. */
function between([source, left, right, greedy]: readonly Value[], [written]: readonly Value[]): string | null {
  const [searched, before, after] = [source as string, left as string, right as string];
  const found = searched.indexOf(before);
  if (found < 0) return null;
  const start = found + before.length;
  const end = greedy === true ? searched.lastIndexOf(after) : searched.indexOf(after, start);
  return end < start ? null : (written as string).slice(start, end);
}

function indexOf(source: string, part: string, start: number): number | null {
  const from = unitOf(source, Math.max(0, Math.trunc(start)));
  const at = source.indexOf(part, from);
  return at < 0 || from > source.length ? null : lengthOf(source.slice(0, at));
}

/**
 * Returns where the n-th character begins, in UTF-16 units. The result lies beyond the text when it has fewer
 * characters.
 */
function unitOf(text: string, count: number): number {
  let at = 0;
  for (let left = count; left > 0; left -= 1) {
    if (at >= text.length) return text.length + 1;
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit >= 0xe000) length += 1;
  }
  return length;
}

function substring(source: string, start: number | null, end: number | null): string {
  return [...source].slice(Math.trunc(start ?? 0), end === null ? undefined : Math.trunc(end)).join('');
}

/** Returns the arguments with folded texts, for functions that ignore case. */
export function foldedArguments(args: readonly Value[]): readonly Value[] {
  return args.map((arg) => (typeof arg === 'string' ? fold(arg) : arg));
}
