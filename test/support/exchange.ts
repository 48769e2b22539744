import type { IncomingMessage, ServerResponse } from 'node:http';
import { allOperations, type ListedOperation } from './document.js';

interface Route {
  pattern: RegExp;
  listed: ListedOperation;
}

/** Routes without parameters come first, because `/v1/projects/select` is not a project. */
const ROUTES: readonly Route[] = allOperations
  .map((listed) => ({ listed, pattern: new RegExp(`^${listed.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`) }))
  .sort((a, b) => parameters(a) - parameters(b));

function parameters({ listed }: Route): number {
  return listed.path.split('{').length;
}

/** Returns the operation of the document for a request, or undefined. */
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
 * Returns a function for the text of a body of this media type, to call when the body has arrived. It copies the chunks
 * that the parser pushes, because a listener would start the stream. A compressed body gives no text.
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
  // TextDecoder removes the byte order mark, as the service does.
  return () => new TextDecoder().decode(Buffer.concat(chunks));
}

/** Returns a function for the text of an answer of a wanted media type, to call when the answer was written. */
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
