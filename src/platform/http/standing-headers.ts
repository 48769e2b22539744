import { OutgoingMessage, type ServerResponse } from 'node:http';

export type Header = readonly [name: string, value: string];

/** Headers that are the same for many answers, with the text they make in a head. */
export interface StandingHeaders {
  readonly headers: readonly Header[];
  readonly text: string;
}

/** Node's step from status line and headers to the text of the head; its types do not tell. */
type StoreHeader = (this: ServerResponse, firstLine: string, headers: unknown) => void;

interface Standing {
  standingHeaders?: string;
  _storeHeader: StoreHeader;
}

const storeHeader = (OutgoingMessage.prototype as Partial<Standing>)._storeHeader;

export function standingHeaders(headers: readonly Header[]): StandingHeaders {
  return { headers, text: headers.map(([name, value]) => `${name}: ${value}\r\n`).join('') };
}

/** Lets responses of this prototype take {@link StandingHeaders} as text, behind the status line. */
export function takeStandingHeaders(prototype: object): void {
  if (storeHeader === undefined) return;
  Object.assign(prototype, {
    standingHeaders: '',
    _storeHeader(this: ServerResponse & Standing, firstLine: string, headers: unknown) {
      storeHeader.call(this, firstLine + (this.standingHeaders ?? ''), headers);
    },
  });
}

/**
 * Sets headers that nobody reads, changes or removes afterwards. One by one, a dozen of them cost an answer more than
 * its routing. Responses that do not {@link takeStandingHeaders take them as text} get them the usual way.
 */
export function setStandingHeaders(response: ServerResponse, { headers, text }: StandingHeaders): void {
  if ('standingHeaders' in response) (response as ServerResponse & Standing).standingHeaders = text;
  else for (const [name, value] of headers) response.setHeader(name, value);
}
