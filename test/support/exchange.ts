import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ListedOperation, operations } from './document.js';

interface Route {
  pattern: RegExp;
  listed: ListedOperation;
}

/** Those without parameters first: `/v1/projects/select` is not a project. */
const ROUTES: readonly Route[] = operations
  .map((listed) => ({ listed, pattern: new RegExp(`^${listed.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`) }))
  .sort((a, b) => parameters(a) - parameters(b));

function parameters({ listed }: Route): number {
  return listed.path.split('{').length;
}

/** The operation of the document that a request is for, if it is for any. */
export function operationOf({
  method,
  url = '',
}: Pick<IncomingMessage, 'method' | 'url'>): ListedOperation | undefined {
  const path = url.split('?', 1)[0] ?? '';
  return ROUTES.find(({ listed, pattern }) => listed.method === method && pattern.test(path))?.listed;
}

export function contentType(response: ServerResponse): string {
  return String(response.getHeader('content-type') ?? '').split(';', 1)[0] ?? '';
}

/**
 * The text of a body of this media type, told when it has come: as the parser hands it on, since a listener would set it
 * flowing. None of one that came compressed.
 */
export function sentBody(request: IncomingMessage, type: string): () => string {
  if (request.headers['content-type']?.startsWith(type) !== true || request.headers['content-encoding'] !== undefined)
    return () => '';
  const chunks: Buffer[] = [];
  const push = request.push.bind(request);
  request.push = (chunk: unknown, ...rest) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    return push(chunk, ...rest);
  };
  // Without the mark of its bytes' order, which the service leaves out as well.
  return () => new TextDecoder().decode(Buffer.concat(chunks));
}

/** The text of an answer, told when it was written: of media types that are wanted. */
export function answeredBody(response: ServerResponse, isWanted: (type: string) => boolean): () => string {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...parameters: unknown[]) => unknown;
    Object.assign(response, {
      [name]: (...parameters: unknown[]) => {
        if (isWanted(contentType(response))) keep(parameters[0]);
        return original(...parameters);
      },
    });
  }
  return () => Buffer.concat(chunks).toString('utf8');
}
