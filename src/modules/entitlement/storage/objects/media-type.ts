import { type Kind, text } from '../../../../platform/http/validation/index.js';

export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';
const MOST_CHARACTERS = 255;

const RULE = 'content_type must be a media type';
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

/** Returns whether a text is `type/subtype` with optional parameters, in visible ASCII. */
export function isMediaType(given: string): boolean {
  return given.length <= MOST_CHARACTERS && MEDIA_TYPE.test(given);
}

/** The media type that the uploader states. The service never inspects contents to find the type. */
export function mediaType(): Kind<string> {
  const kind = text({ check: (given) => (isMediaType(given) ? undefined : RULE) });
  return { ...kind, document: { type: 'string', maxLength: MOST_CHARACTERS, pattern: `^${TOKEN}/${TOKEN}` } };
}

export const MEDIA_TYPE_RULE = RULE;

/** The types that a browser may display in a page without running anything. All other types are downloaded. */
const SHOWN = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain$|application\/json$)/;
const ACTIVE = /(?:^|[/+])xml$|^text\/html$|svg|javascript|ecmascript|^application\/pdf$|^application\/xhtml/;

/** Returns whether content of a type may be displayed inline when the request asks for this. */
export function mayBeShown(contentType: string): boolean {
  const essence = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return SHOWN.test(essence) && !ACTIVE.test(essence);
}
