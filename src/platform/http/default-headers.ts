import { OutgoingMessage, type ServerResponse } from 'node:http';

export type Header = readonly [name: string, value: string];

/** Headers that are the same for many answers, with the text they make in a head. */
export interface DefaultHeaders {
  readonly headers: readonly Header[];
  readonly text: string;
}

/** Node's step from status line and headers to the text of the head; its types do not tell. */
type StoreHeader = (this: ServerResponse, firstLine: string, headers: unknown) => void;

interface Standing {
  defaultHeaders?: string;
  _storeHeader: StoreHeader;
}

const storeHeader = (OutgoingMessage.prototype as Partial<Standing>)._storeHeader;

export function defaultHeaders(headers: readonly Header[]): DefaultHeaders {
  return { headers, text: headers.map(([name, value]) => `${name}: ${value}\r\n`).join('') };
}

/** Lets responses of this prototype take {@link DefaultHeaders} as text, behind the status line. */
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
 * Sets headers that nobody reads, changes or removes afterwards. One by one, a dozen of them cost an answer more than
 * its routing. Responses that do not {@link takeDefaultHeaders take them as text} get them the usual way.
 */
export function setStandingHeaders(response: ServerResponse, { headers, text }: DefaultHeaders): void {
  if ('defaultHeaders' in response) (response as ServerResponse & Standing).defaultHeaders = text;
  else for (const [name, value] of headers) response.setHeader(name, value);
}
