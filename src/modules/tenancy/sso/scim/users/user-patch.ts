import { demandedBy, elementMatcher } from '../filters/element-filter.js';
import type { PatchOperation } from '../patch/patch-request.js';
import { invalidPath, invalidValue, mutability, noTarget } from '../protocol/scim-fault.js';
import { type EmailDocument, MAX_EMAILS, nameOf, readEmail, readEmails, type UserDocument } from './user-document.js';

/**
 * A request with more operations is refused. Each operation may compare every address with every part of its filter.
 */
export const MAX_USER_OPERATIONS = 200;

/** Attributes of RFC 7643 that the service does not store. They are accepted and ignored. */
const IGNORED: ReadonlySet<string> = new Set(
  'nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos addresses entitlements roles x509certificates'.split(
    ' ',
  ),
);
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'groups', 'schemas']);
const NAME_PARTS = { givenname: 'givenName', familyname: 'familyName', formatted: 'formatted' } as const;
/** Members of a name that the service does not store. */
const OTHER_NAME_PARTS: ReadonlySet<string> = new Set(['middlename', 'honorificprefix', 'honorificsuffix']);
const EMAIL_PARTS: ReadonlySet<string> = new Set(['value', 'type', 'display', 'primary']);

const TEXTS = { externalid: 'externalId', displayname: 'displayName', username: 'userName', active: 'active' } as const;

/**
 * Applies the operations of a PATCH to a copy of a user, one after another. The caller stores the copy, so a fault in
 * one operation leaves the user unchanged.
 * @throws ScimFault
 */
export function patchedUser(user: UserDocument, operations: readonly PatchOperation[]): UserDocument {
  const copy = structuredClone(user);
  for (const operation of operations) apply(copy, operation);
  return copy;
}

function apply(user: UserDocument, operation: PatchOperation): void {
  const { attribute, sub, filter, isExtension } = operation.path;
  if (isExtension || IGNORED.has(attribute)) return;
  if (READ_ONLY.has(attribute)) {
    if (operation.isMember) return;
    throw mutability(`${attribute} is read-only`);
  }
  if (attribute === 'emails') {
    patchEmails(user, operation);
    return;
  }
  if (filter !== null) throw invalidPath(`${attribute} has one value`);
  if (attribute === 'name') {
    patchName(user, operation);
    return;
  }
  const known = isKnown(attribute) ? TEXTS[attribute] : undefined;
  if (known === undefined || sub !== null) {
    if (operation.isMember) return;
    throw invalidPath(`Unknown attribute: ${sub === null ? attribute : `${attribute}.${sub}`}`);
  }
  if (operation.verb !== 'remove') user[known] = operation.value;
  else if (known === 'userName') throw mutability('userName is required');
  else user[known] = known === 'active' ? false : null;
}

function isKnown(attribute: string): attribute is keyof typeof TEXTS {
  return Object.hasOwn(TEXTS, attribute);
}

function patchName(user: UserDocument, { verb, path: { sub }, value, isMember }: PatchOperation): void {
  if (sub === null) {
    if (verb === 'remove') user.name = nameOf(null);
    else {
      const given = nameOf(value);
      for (const part of Object.values(NAME_PARTS)) if (given[part] !== undefined) user.name[part] = given[part];
    }
    return;
  }
  if (OTHER_NAME_PARTS.has(sub)) return;
  if (!Object.hasOwn(NAME_PARTS, sub)) {
    if (isMember) return;
    throw invalidPath(`Unknown attribute: name.${sub}`);
  }
  user.name[NAME_PARTS[sub as keyof typeof NAME_PARTS]] = verb === 'remove' ? null : value;
}

function patchEmails(user: UserDocument, operation: PatchOperation): void {
  const { verb, path, value } = operation;
  if (path.sub !== null && !EMAIL_PARTS.has(path.sub)) throw invalidPath(`Unknown attribute: emails.${path.sub}`);
  if (path.filter === null && path.sub === null) patchAllEmails(user, verb, value);
  else patchSomeEmails(user, operation);
  if (user.emails.length > MAX_EMAILS) throw invalidValue(`At most ${MAX_EMAILS} addresses are accepted`);
}

function patchAllEmails(user: UserDocument, verb: PatchOperation['verb'], value: unknown): void {
  const given = readEmails(value);
  if (verb === 'replace') user.emails = given;
  else if (verb === 'remove') {
    const addresses = new Set(given.map((email) => folded(email.value)));
    user.emails = given.length === 0 ? [] : user.emails.filter((email) => !addresses.has(folded(email.value)));
  } else for (const email of given) addEmail(user, email);
}

function patchSomeEmails(user: UserDocument, { verb, path: { filter, sub }, value }: PatchOperation): void {
  const chosen = new Set(filter === null ? user.emails : user.emails.filter(elementMatcher(filter)));
  if (verb === 'remove') {
    if (sub === null || sub === 'value') user.emails = user.emails.filter((email) => !chosen.has(email));
    if (sub !== null) for (const email of chosen) Reflect.deleteProperty(email, sub);
    return;
  }
  const changes = readEmail(sub === null ? value : { [sub]: value });
  if (chosen.size === 0) {
    const demanded = filter === null ? {} : demandedBy(filter);
    // Entra ID expects that an `add` whose filter matches nothing creates the element that the filter describes.
    if (verb === 'replace' || demanded === null) throw noTarget('No element of emails matches the filter');
    addEmail(user, { ...readEmail(demanded), ...changes });
    return;
  }
  for (const email of chosen) {
    Object.assign(email, changes);
    if (changes.primary === true) setPrimary(user, email);
  }
}

/** Adds an address. If the user already has it with the same type, the sent members are merged into it. */
function addEmail(user: UserDocument, email: EmailDocument): void {
  const [address, kind] = [folded(email.value), folded(email.type)];
  const known = user.emails.find(({ value, type }) => folded(value) === address && folded(type) === kind);
  if (known === undefined) user.emails.push(email);
  else Object.assign(known, email);
  if (email.primary === true) setPrimary(user, known ?? email);
}

/** Makes an address the primary one. A user has at most one primary address. */
function setPrimary(user: UserDocument, primary: EmailDocument): void {
  for (const email of user.emails) if (email !== primary && 'primary' in email) email.primary = false;
}

function folded(value: string | null | undefined): string | null {
  return value?.toLowerCase() ?? null;
}
