import { OPERATIONS } from '../generated/operations.js';
import type { OperationName, RawBody } from './contract.js';

type Value = string | number | boolean | null | undefined;
type Values = Readonly<Record<string, Value>>;

/** The arguments of any operation. */
export interface AnyArguments {
  readonly path?: Values;
  /** Of a list each comes by itself. */
  readonly query?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly header?: Values;
  readonly body?: unknown;
}

/** What an operation takes to let somebody in. */
export type Access = 'public' | 'bearer' | 'key' | 'either' | 'internal';

/** How an operation is asked for. */
export interface Route {
  readonly access: Access;
  readonly method: string;
  readonly template: string;
  /** Of a body that is no JSON. */
  readonly media: string | undefined;
}

const FORM = 'application/x-www-form-urlencoded';

export function routeOf(operation: OperationName): Route {
  const [access, method, template, media] = OPERATIONS[operation].split(' ') as [Access, string, string, string?];
  return { access, method, template, media };
}

export function addressOf(base: string, { template }: Route, { path = {}, query = {} }: AnyArguments): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (isGiven(one)) search.append(name, String(one));
  }
  return `${base}${filled}${search.size === 0 ? '' : `?${search.toString()}`}`;
}

export function isGiven(value: Value): boolean {
  return value !== undefined && value !== null;
}

interface SentBody {
  readonly body?: RawBody | FormData | URLSearchParams;
  /** Undefined: `fetch` says it. */
  readonly type?: string | undefined;
  /** A stream is read once. */
  readonly isSentOnce?: boolean;
}

export function bodyOf({ media }: Route, { body }: AnyArguments): SentBody {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  if (isRaw(body)) {
    const type = body instanceof Blob && body.type !== '' ? body.type : media;
    return { body, type, isSentOnce: body instanceof ReadableStream };
  }
  if (media === FORM) return { body: new URLSearchParams(Object.entries(body as Record<string, string>)) };
  return { body: JSON.stringify(body), type: 'application/json' };
}

function isRaw(body: unknown): body is RawBody {
  return (
    typeof body === 'string' ||
    body instanceof Blob ||
    body instanceof ArrayBuffer ||
    body instanceof Uint8Array ||
    body instanceof ReadableStream
  );
}
