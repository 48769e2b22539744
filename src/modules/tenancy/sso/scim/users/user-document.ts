import {
  BooleanField,
  compile,
  EmailField,
  ListField,
  NameField,
  nested,
  TextField,
  validateJson,
  ValidationError,
} from '../../../../../platform/http/validation/index.js';
import { byLowerName, isObject, listOf, truthOf } from '../protocol/members.js';
import { invalidSyntax, invalidValue } from '../protocol/scim-fault.js';

const MAX_TEXT = 256;
/** A user with more addresses is refused. */
export const MAX_EMAILS = 20;

/** A user as a client has sent it, or after PATCH operations. Its values are not validated yet. */
export interface UserDocument {
  userName: unknown;
  externalId: unknown;
  displayName: unknown;
  active: unknown;
  name: { givenName: unknown; familyName: unknown; formatted: unknown };
  emails: EmailDocument[];
}

const EMAIL_TEXTS = ['value', 'type', 'display'] as const;

/**
 * An address with its known members. The texts are checked when the address is read, because PATCH operations compare
 * them many times.
 */
export interface EmailDocument {
  value?: string | null;
  type?: string | null;
  display?: string | null;
  primary?: boolean | null;
}

/** An address of a user. It is stored for the client. The service itself uses only the user name. */
export class ScimEmail {
  @TextField({ max: MAX_TEXT })
  value!: string;

  @TextField({ max: MAX_TEXT, optional: true })
  type?: string;

  @TextField({ max: MAX_TEXT, optional: true })
  display?: string;

  @BooleanField({ optional: true })
  primary?: boolean;
}

/** The stored attributes of a user. */
export class ScimUserInput {
  @EmailField()
  userName!: string;

  @TextField({ max: MAX_TEXT, nullable: true })
  externalId!: string | null;

  @NameField({ nullable: true })
  displayName!: string | null;

  @NameField({ nullable: true, name: 'name.givenName' })
  givenName!: string | null;

  @NameField({ nullable: true, name: 'name.familyName' })
  familyName!: string | null;

  @NameField({ nullable: true, name: 'name.formatted' })
  formattedName!: string | null;

  /** Null: the client has sent no value. */
  @BooleanField({ nullable: true })
  active!: boolean | null;

  @ListField(nested(() => ScimEmail), { max: MAX_EMAILS })
  emails!: ScimEmail[];
}

/** Reads the body of POST and PUT. Unknown attributes and extensions are ignored. @throws ScimFault */
export function documentOfUser(body: unknown): UserDocument {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const members = byLowerName(body);
  return {
    userName: members.get('username'),
    externalId: members.get('externalid'),
    displayName: members.get('displayname'),
    active: members.get('active') ?? null,
    name: nameOf(members.get('name')),
    emails: readEmails(members.get('emails')),
  };
}

/** Reads the addresses of a user. @throws ScimFault */
export function readEmails(value: unknown): EmailDocument[] {
  const listed = listOf(value);
  if (listed.length > MAX_EMAILS) throw invalidValue(`At most ${MAX_EMAILS} addresses are accepted`);
  return listed.map(readEmail);
}

/** Reads the known members of an address, which is an object or a text. @throws ScimFault */
export function readEmail(given: unknown): EmailDocument {
  if (typeof given === 'string') return { value: emailText(given, 'value') };
  if (!isObject(given)) throw invalidValue('An element of emails must be an object');
  const members = byLowerName(given);
  const email: EmailDocument = {};
  for (const part of EMAIL_TEXTS) if (members.has(part)) email[part] = emailText(members.get(part), part);
  const primary = members.get('primary') ?? null;
  if (members.has('primary')) email.primary = primary === null ? null : truthOf(primary);
  if (primary !== null && email.primary === undefined) throw invalidValue('primary must be true or false');
  return email;
}

function emailText(value: unknown, part: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalidValue(`emails.${part} must be a text`);
  // A character has up to two UTF-16 units.
  if (value.length > 2 * MAX_TEXT || [...value].length > MAX_TEXT)
    throw invalidValue(`emails.${part} has at most ${MAX_TEXT} characters`);
  return value;
}

/** Reads the name of a user. @throws ScimFault */
export function nameOf(value: unknown): UserDocument['name'] {
  if (value === undefined || value === null) return { givenName: null, familyName: null, formatted: null };
  if (!isObject(value)) throw invalidValue('name must be an object');
  const members = byLowerName(value);
  return {
    givenName: members.get('givenname'),
    familyName: members.get('familyname'),
    formatted: members.get('formatted'),
  };
}

/** Validates a user. @throws ValidationError or ScimFault */
export function readUser({ userName, externalId, displayName, active, name, emails }: UserDocument): ScimUserInput {
  const truth = active === null ? null : truthOf(active);
  if (truth === undefined) throw invalidValue('active must be true or false');
  const value = {
    userName,
    externalId: textOrNull(externalId),
    displayName: textOrNull(displayName),
    'name.givenName': textOrNull(name.givenName),
    'name.familyName': textOrNull(name.familyName),
    'name.formatted': textOrNull(name.formatted),
    active: truth,
    emails: emails.map(emailOf).filter(({ value: address }) => address !== null),
  };
  const read = validateJson(compile(ScimUserInput), value, 'body');
  if ('issues' in read) throw new ValidationError(read.issues);
  return read.value as ScimUserInput;
}

/** Returns the name for an account that a provider creates, or null when the provider has sent none. */
export function accountNameOf({ displayName, formattedName, givenName, familyName }: ScimUserInput): string | null {
  const joined = [givenName, familyName].filter((part) => part !== null).join(' ');
  const name = displayName ?? formattedName ?? joined;
  return name === '' ? null : [...name].slice(0, 200).join('');
}

/** Converts an empty text to null. Some providers send empty texts for attributes without a value. */
function textOrNull(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

function emailOf({ value, ...parts }: EmailDocument): Record<string, unknown> {
  const kept = { ...parts, type: textOrNull(parts.type), display: textOrNull(parts.display) };
  return {
    value: textOrNull(value),
    ...Object.fromEntries(Object.entries(kept).filter(([, member]) => member !== null && member !== undefined)),
  };
}
