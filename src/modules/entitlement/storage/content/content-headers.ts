import { mayBeShown } from '../objects/media-type.js';
import { fileNameOf } from '../objects/object-key.js';
import type { StoredObject } from '../objects/stored-object.entity.js';
import type { Disposition } from '../signed/url-signer.js';

/** Marks that turn the direction of text, so that `gpj.exe` reads `exe.jpg`. */
const BIDIRECTIONAL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** What every answer with content, whole, partial or unchanged, says of it. */
export function contentHeaders(
  object: Pick<StoredObject, 'key' | 'contentType' | 'etag' | 'contentAt'>,
  { asked, secondsLeft }: { readonly asked: Disposition | ''; readonly secondsLeft: number },
): Record<string, string> {
  const shown = asked === 'inline' && mayBeShown(object.contentType) ? 'inline' : 'attachment';
  return {
    'Content-Type': object.contentType,
    ETag: `"${object.etag}"`,
    'Last-Modified': object.contentAt.toUTCString(),
    'Accept-Ranges': 'bytes',
    'Content-Disposition': `${shown}; ${fileNames(fileNameOf(object.key))}`,
    'Cache-Control': `private, max-age=${secondsLeft}`,
  };
}

/** The name for old clients in ASCII, and as it is (RFC 6266, RFC 8187). */
function fileNames(name: string): string {
  const clean = name.replace(BIDIRECTIONAL, '').replaceAll(/["\r\n]/g, '');
  const ascii = clean.replaceAll(/[^ -~]/gu, '_').replaceAll(/[\\%]/g, '_');
  const encoded = encodeURIComponent(clean).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
