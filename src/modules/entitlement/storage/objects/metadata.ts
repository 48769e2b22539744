import { isSafeText, type Kind, object } from '../../../../platform/http/validation/index.js';

export type Metadata = Readonly<Record<string, string>>;

const MOST_MEMBERS = 32;
const MOST_CHARACTERS = 512;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns why a value is not valid metadata, or undefined when it is valid. */
export function metadataFault(given: Readonly<Record<string, unknown>>): string | undefined {
  const members = Object.entries(given);
  if (members.length > MOST_MEMBERS) return `metadata must have at most ${MOST_MEMBERS} members`;
  for (const [name, value] of members) {
    if (!NAME.test(name)) return 'metadata must have names of 1 to 64 letters, digits, _ and -';
    if (typeof value !== 'string' || !isSafeText(value) || [...value].length > MOST_CHARACTERS)
      return `metadata must have texts of at most ${MOST_CHARACTERS} characters`;
  }
  return undefined;
}

/** The texts by name that an uploader stores with an object. */
export function metadata(): Kind<Record<string, unknown>> {
  const kind = object({ check: metadataFault });
  return {
    ...kind,
    document: {
      type: 'object',
      maxProperties: MOST_MEMBERS,
      propertyNames: { pattern: NAME.source },
      additionalProperties: { type: 'string', maxLength: MOST_CHARACTERS },
    },
  };
}
