import type { Issue } from '../../../platform/http/validation/index.js';
import { stringifyExact } from '../../../platform/json/index.js';
import { isHeaderValue } from '../../../platform/outbound-http/index.js';
import { cutText } from './bounded-text.js';
import { type ClosingRequest, isPreset, type ParameterRule, type Parameters, PRESETS } from './presets.js';
import { SecretText } from './secret-text.js';
import { isPlaceholder, type TemplateValues, valueOf } from './template-values.js';

const MAX_TEMPLATE_BYTES = 16_384;
const MAX_TEMPLATE_DEPTH = 32;
/** The maximum length of a parameter with its secrets. */
export const MAX_PARAMETER_LENGTH = 2_048;
/** The maximum length of the text of one placeholder. Longer values are cut. */
const MAX_VALUE_LENGTH = 4_000;
/**
 * The maximum number of bytes of JSON that all placeholders of a body add together. Values that exceed it are left
 * empty.
 */
const MAX_RENDERED_BYTES = 131_072;

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** A stored template has either the name of a preset, or a body with placeholders. */
export interface BodyTemplate {
  readonly preset?: string;
  readonly body?: unknown;
  readonly parameters?: Parameters;
}

/** A rendered request: its body, and the headers that a preset adds. */
export interface RenderedRequest {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The request that replaces body and address where the address allows it: see {@link addressed}. */
  readonly closing: ClosingRequest | null;
}

/**
 * A template cannot be rendered: a secret is missing or not valid in a header, or this version of the service does not
 * know the preset.
 */
export class UnbuildableTemplate extends Error {
  override readonly name = 'UnbuildableTemplate';
}

/** Returns why a template is not valid. The issues repeat no values, because parameters may be credentials. */
export function templateFaults(template: Readonly<Record<string, unknown>>, at: Issue['loc']): Issue[] {
  const issues: Issue[] = [];
  const refuse = (path: readonly (string | number)[], sentence: string): void => {
    const ctx = { error: {} };
    issues.push({
      type: 'value_error',
      loc: [...at, ...path],
      msg: `Value error, ${sentence}`,
      input: '[redacted]',
      ctx,
    });
  };
  const { preset, body, parameters } = template;
  if (Buffer.byteLength(stringifyExact(template)) > MAX_TEMPLATE_BYTES) {
    refuse([], `a template has at most ${MAX_TEMPLATE_BYTES} bytes`);
    return issues;
  }
  for (const name of Object.keys(template)) {
    if (!['preset', 'body', 'parameters'].includes(name)) refuse([name.slice(0, 80)], 'a template has no such member');
  }
  if ((preset === undefined) === (body === undefined)) {
    refuse([], 'a template has either a preset or a body');
  } else if (preset === undefined) {
    if (parameters !== undefined) refuse(['parameters'], 'only presets have parameters');
    bodyFaults(body, ['body'], refuse, 0);
  } else if (isPreset(preset)) {
    parameterFaults(PRESETS[preset].parameters, parameters, refuse);
  } else {
    refuse(['preset'], `preset should be one of ${Object.keys(PRESETS).join(', ')}`);
  }
  return issues;
}

type Refuse = (path: readonly (string | number)[], sentence: string) => void;

function bodyFaults(value: unknown, path: readonly (string | number)[], refuse: Refuse, depth: number): void {
  if (depth > MAX_TEMPLATE_DEPTH) {
    refuse(path, `a template is nested at most ${MAX_TEMPLATE_DEPTH} deep`);
  } else if (typeof value === 'string') {
    for (const [, name = ''] of value.matchAll(PLACEHOLDER)) {
      if (!isPlaceholder(name.trim())) refuse(path, `there is no placeholder ${cutText(name.trim(), 100)}`);
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) bodyFaults(item, [...path, index], refuse, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      const place = [...path, name.slice(0, 80)];
      if (name.includes('{{')) refuse(place, 'placeholders are allowed in values, not in names');
      bodyFaults(item, place, refuse, depth + 1);
    }
  }
}

function parameterFaults(known: Readonly<Record<string, ParameterRule>>, given: unknown, refuse: Refuse): void {
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    refuse(['parameters'], 'parameters should be an object');
    return;
  }
  const parameters = (given ?? {}) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(parameters)) {
    const path = ['parameters', name.slice(0, 80)];
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) refuse(path, 'the preset has no such parameter');
    else if (typeof value !== 'string' || value === '' || value.length > MAX_PARAMETER_LENGTH)
      refuse(path, `a parameter is a text of 1 to ${MAX_PARAMETER_LENGTH} characters`);
    else if (rule.isCredential && SecretText.of(value).names.length === 0)
      refuse(path, 'this parameter is a credential: write it as {{secret:NAME}}');
  }
  for (const [name, { isRequired }] of Object.entries(known)) {
    if (isRequired && !Object.hasOwn(parameters, name)) refuse(['parameters', name], 'the preset needs this parameter');
  }
}

/** Returns the names of the secrets that the parameters of a template refer to. */
export function secretNamesOf({ parameters = {} }: BodyTemplate): string[] {
  return [...new Set(Object.values(parameters).flatMap((value) => SecretText.of(value).names))];
}

/**
 * Returns the request of a template, which was validated by {@link templateFaults} when it was stored.
 * @throws UnbuildableTemplate
 * @param parameters with their secrets filled in
 */
export function renderTemplate(
  template: BodyTemplate,
  values: TemplateValues,
  parameters: Parameters,
): RenderedRequest {
  const { preset, body } = template;
  if (preset === undefined) {
    const rendering = { values, read: new Map<string, ReadPlaceholder>(), bytesLeft: MAX_RENDERED_BYTES };
    return { body: rendered(body, rendering), headers: {}, closing: null };
  }
  if (!isPreset(preset)) throw new UnbuildableTemplate();
  const form = PRESETS[preset];
  const headers = form.headersOf?.(parameters) ?? {};
  if (!Object.values(headers).every(isHeaderValue)) throw new UnbuildableTemplate();
  return { body: form.bodyOf(values, parameters), headers, closing: form.closingOf?.(values) ?? null };
}

/**
 * Returns the address and the body of a rendered request. The address is the configured one, or a closing address below
 * it.
 */
export function addressed(
  { body, closing }: Pick<RenderedRequest, 'body' | 'closing'>,
  configured: string,
): { readonly url: string; readonly body: unknown } {
  if (closing === null) return { url: configured, body };
  const url = new URL(configured);
  if (!url.pathname.endsWith(closing.below)) return { url: configured, body };
  url.pathname += closing.path;
  for (const [name, value] of Object.entries(closing.query)) url.searchParams.set(name, value);
  return { url: url.href, body: closing.body };
}

/** One rendering of a body. */
interface Rendering {
  readonly values: TemplateValues;
  /**
   * The placeholders that have been resolved. A body may repeat a placeholder hundreds of times, and its value may be
   * large.
   */
  readonly read: Map<string, ReadPlaceholder>;
  /** The bytes that further placeholders may add. */
  bytesLeft: number;
}

/** A value with its size as JSON. */
interface Sized<V> {
  readonly value: V;
  readonly bytes: number;
}

interface ReadPlaceholder {
  /** The value as text, for a placeholder among other text. */
  readonly text: Sized<string>;
  /**
   * The value with its type, for a text that is nothing but the placeholder. A value that is too long becomes a cut
   * text.
   */
  readonly whole: Sized<unknown>;
}

function rendered(value: unknown, rendering: Rendering): unknown {
  if (typeof value === 'string') return renderedText(value, rendering);
  if (Array.isArray(value)) return value.map((item) => rendered(item, rendering));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  // A member may be called __proto__, so members are defined and not assigned.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rendered(item, rendering)]));
}

function renderedText(text: string, rendering: Rendering): unknown {
  const only = /^\{\{([^{}]*)\}\}$/.exec(text);
  if (only !== null) {
    const { whole } = placeholder(only[1] ?? '', rendering);
    return spent(whole, rendering) ?? (typeof whole.value === 'string' ? '' : null);
  }
  return text.replace(PLACEHOLDER, (_, name: string) => spent(placeholder(name, rendering).text, rendering) ?? '');
}

function placeholder(inside: string, { values, read }: Rendering): ReadPlaceholder {
  const name = inside.trim();
  const known = read.get(name) ?? readPlaceholder(valueOf(name, values));
  read.set(name, known);
  return known;
}

function readPlaceholder(value: unknown): ReadPlaceholder {
  const full = typeof value === 'string' ? value : stringifyExact(value);
  const cut = value === null ? '' : cutText(full, MAX_VALUE_LENGTH);
  const text = { value: cut, bytes: Buffer.byteLength(JSON.stringify(cut)) };
  const isText = typeof value === 'string' || full.length > MAX_VALUE_LENGTH;
  return { text, whole: isText ? text : { value, bytes: Buffer.byteLength(full) } };
}

/** Returns the value; undefined when too few bytes are left for it. */
function spent<V>({ value, bytes }: Sized<V>, rendering: Rendering): V | undefined {
  if (bytes > rendering.bytesLeft) return undefined;
  rendering.bytesLeft -= bytes;
  return value;
}
