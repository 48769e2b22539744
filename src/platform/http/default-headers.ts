import { OutgoingMessage, type ServerResponse } from 'node:http';

export type Header = readonly [name: string, value: string];

/** Headers that many answers share, and the same headers as text of a response head. */
export interface DefaultHeaders {
  readonly headers: readonly Header[];
  readonly text: string;
}

/** Node's internal method that builds the head from a status line and headers. Node's types do not declare it. */
type StoreHeader = (this: ServerResponse, firstLine: string, headers: unknown) => void;

interface Standing {
  defaultHeaders?: string;
  _storeHeader: StoreHeader;
}

const storeHeader = (OutgoingMessage.prototype as Partial<Standing>)._storeHeader;

export function defaultHeaders(headers: readonly Header[]): DefaultHeaders {
  return { headers, text: headers.map(([name, value]) => `${name}: ${value}\r\n`).join('') };
}

/** Makes responses of this prototype write {@link DefaultHeaders} as text after the status line. */
export function takeDefaultHeaders(prototype: object): void {
  if (storeHeader === undefined) return;
  Object.assign(prototype, {
    defaultHeaders: '',
    _storeHeader(this: ServerResponse & Standing, firstLine: string, headers: unknown) {
      storeHeader.call(this, firstLine + (this.defaultHeaders ?? ''), headers);
    },
  });
}

/**
 * Sets headers that are not read, changed or removed afterwards. Setting a dozen headers one by one costs more than
 * routing the request. A response whose prototype was not prepared by {@link takeDefaultHeaders} gets them with
 * `setHeader`.
 */
export function setStandingHeaders(response: ServerResponse, { headers, text }: DefaultHeaders): void {
  if ('defaultHeaders' in response) (response as ServerResponse & Standing).defaultHeaders = text;
  else for (const [name, value] of headers) response.setHeader(name, value);
}
