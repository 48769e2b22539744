import { demandedBy, matchesElement } from '../filters/element-filter.js';
import type { PatchOperation } from '../patch/patch-request.js';
import { byLowerName, isObject, listOf, truthOf } from '../protocol/members.js';
import { invalidPath, invalidValue, mutability, noTarget } from '../protocol/scim-fault.js';
import { MAX_EMAILS, nameOf, type UserDocument } from './user-document.js';

/** Attributes of RFC 7643 that the service does not keep. They are accepted, and ignored. */
const IGNORED: ReadonlySet<string> = new Set(
  'nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos addresses entitlements roles x509certificates'.split(
    ' ',
  ),
);
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'groups', 'schemas']);
const NAME_PARTS = { givenname: 'givenName', familyname: 'familyName', formatted: 'formatted' } as const;
/** Parts of a name that the service does not keep. */
const OTHER_NAME_PARTS: ReadonlySet<string> = new Set(['middlename', 'honorificprefix', 'honorificsuffix']);
const EMAIL_PARTS: ReadonlySet<string> = new Set(['value', 'type', 'display', 'primary']);

const TEXTS = { externalid: 'externalId', displayname: 'displayName', username: 'userName', active: 'active' } as const;

/**
 * Applies the operations of a PATCH to a copy of a user, one after another. The caller stores the copy, so that a fault
 * in one operation undoes all of them.
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
  const listed = listOf(value);
  if (listed.length > MAX_EMAILS) throw invalidValue(`At most ${MAX_EMAILS} addresses are accepted`);
  const given = listed.map(asEmail);
  if (verb === 'replace') user.emails = given;
  else if (verb === 'remove') {
    const addresses = given.map((email) => folded(email['value']));
    user.emails =
      given.length === 0 ? [] : user.emails.filter((email) => !addresses.includes(folded(asEmail(email)['value'])));
  } else for (const email of given) addEmail(user, email);
}

function patchSomeEmails(user: UserDocument, { verb, path: { filter, sub }, value }: PatchOperation): void {
  const isChosen = (email: unknown): boolean => filter === null || matchesElement(asEmail(email), filter);
  const chosen = user.emails.filter(isChosen).map(asEmail);
  if (verb === 'remove') {
    user.emails = sub === null || sub === 'value' ? user.emails.filter((email) => !isChosen(email)) : user.emails;
    if (sub !== null) for (const email of chosen) Reflect.deleteProperty(email, sub);
    return;
  }
  if (chosen.length === 0) {
    const demanded = filter === null ? {} : demandedBy(filter);
    // An `add` makes the element that its filter describes, as Entra ID expects.
    if (verb === 'replace' || demanded === null) throw noTarget('No element of emails matches the filter');
    addEmail(user, { ...demanded, ...(sub === null ? asEmail(value) : { [sub]: value }) });
    return;
  }
  const changes = sub === null ? asEmail(value) : { [sub]: value };
  for (const email of chosen) {
    Object.assign(email, changes);
    if (truthOf(changes['primary']) === true) setPrimary(user, email);
  }
}

/** An address that the user has already gets the members that were sent. */
function addEmail(user: UserDocument, email: Record<string, unknown>): void {
  const known = user.emails
    .map(asEmail)
    .find(({ value, type }) => folded(value) === folded(email['value']) && folded(type) === folded(email['type']));
  if (known === undefined) user.emails.push(email);
  else Object.assign(known, email);
  if (truthOf(email['primary']) === true) setPrimary(user, known ?? email);
}

/** One address at most is the primary one. */
function setPrimary(user: UserDocument, primary: object): void {
  for (const email of user.emails.map(asEmail)) if (email !== primary && 'primary' in email) email['primary'] = false;
}

/** Returns an element with its names as they are stored. An object is changed, so that changes of it are kept. */
function asEmail(email: unknown): Record<string, unknown> {
  if (typeof email === 'string') return { value: email };
  if (!isObject(email)) throw invalidValue('An element of emails must be an object');
  for (const [name, member] of byLowerName(email)) {
    if (name in email) continue;
    email[name] = member;
  }
  return email;
}

function folded(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : (value ?? null);
}
