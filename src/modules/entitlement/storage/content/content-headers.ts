import { mayBeShown } from '../objects/media-type.js';
import { fileNameOf } from '../objects/object-key.js';
import type { StoredObject } from '../objects/stored-object.entity.js';
import type { Disposition } from '../signed/url-signer.js';

/** Matches marks that change the direction of text, with which `gpj.exe` reads `exe.jpg`. */
const BIDIRECTIONAL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the headers that describe the content in every response: whole, partial or not modified. */
export function contentHeaders(
  object: Pick<StoredObject, 'key' | 'contentType' | 'etag' | 'contentAt'>,
  { requested, secondsLeft }: { readonly requested: Disposition | ''; readonly secondsLeft: number },
): Record<string, string> {
  const shown = requested === 'inline' && mayBeShown(object.contentType) ? 'inline' : 'attachment';
  return {
    'Content-Type': object.contentType,
    ETag: `"${object.etag}"`,
    'Last-Modified': object.contentAt.toUTCString(),
    'Accept-Ranges': 'bytes',
    'Content-Disposition': `${shown}; ${fileNames(fileNameOf(object.key))}`,
    'Cache-Control': `private, max-age=${secondsLeft}`,
  };
}

/** Returns the file name twice: in ASCII for old clients, and in full (RFC 6266, RFC 8187). */
function fileNames(name: string): string {
  const clean = name.replace(BIDIRECTIONAL, '').replaceAll(/["\r\n]/g, '');
  const ascii = clean.replaceAll(/[^ -~]/gu, '_').replaceAll(/[\\%]/g, '_');
  const encoded = encodeURIComponent(clean).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
