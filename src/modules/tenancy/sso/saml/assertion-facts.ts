import type { ProviderPerson } from '../../../identity/oauth/index.js';
import { emailKeyOf } from '../../../identity/users/index.js';
import { EmailField, NameField } from '../../../../platform/http/validation/index.js';
import { compile, validateJson } from '../../../../platform/http/validation/index.js';
import { ASSERTION, EMAIL_FORMAT, PERSISTENT_FORMAT, UNSPECIFIED_FORMAT } from './names.js';
import { SamlFault } from './saml-fault.js';
import type { SignedResponse } from './signed-response.js';
import { childrenOf, type XmlElement } from './xml.js';

/** The tolerated difference between the clocks of provider and service, at the beginning and the end of a period. */
export const CLOCK_SKEW_MS = 60_000;
/** Maximum age of an assertion, even if it is valid for longer. The browser delivers it within seconds. */
export const MAX_ASSERTION_AGE_MS = 10 * 60_000;
const MAX_NAME_ID_LENGTH = 512;
const MAX_SESSION_INDEX_LENGTH = 512;
const MAX_ADDRESS_LENGTH = 254;
/**
 * A person with more groups is refused, because the group that decides the role could be among those that are cut off.
 */
const MAX_GROUPS = 1_000;

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const CONDITIONS = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** The usual names of attributes, most specific first. */
const EMAIL_NAMES = [
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'email',
  'mail',
  'emailAddress',
  'Email',
];
const NAME_NAMES = [
  'http://schemas.microsoft.com/identity/claims/displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'displayName',
  'name',
];
const GIVEN_NAMES = [
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  'urn:oid:2.5.4.42',
  'givenName',
  'firstName',
];
const FAMILY_NAMES = [
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
  'urn:oid:2.5.4.4',
  'sn',
  'lastName',
];
const GROUP_NAMES = [
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  'http://schemas.xmlsoap.org/claims/Group',
  'groups',
];
/** Microsoft Entra ID sends this attribute instead of the groups when a person has too many of them. */
const GROUPS_LINK = 'http://schemas.microsoft.com/claims/groups.link';

/** The values with which a response is compared. */
export interface Expected {
  /** The entity id of the identity provider. */
  readonly issuer: string;
  readonly audience: string;
  /** The URL at which the service receives the response. */
  readonly recipient: string;
  /**
   * The id of the service's request. Null: the provider started the sign-in, and the response must not name a request.
   */
  readonly requestId: string | null;
  readonly now: Date;
}

export interface AttributeNames {
  readonly email: string | null;
  readonly groups: string | null;
}

/** A person in an assertion, without the issuer. */
export interface AssertedPerson extends Omit<ProviderPerson, 'issuer'> {
  readonly groups: readonly string[];
  /** Whether the provider has omitted the groups because there are too many. */
  readonly lacksGroups: boolean;
  readonly sessionIndex: string | null;
}

/**
 * Checks that a signed response is valid now, and is meant for this service and this sign-in.
 * @returns the time until which the assertion could be accepted
 * @throws SamlFault
 */
export function requireFor({ response, assertion }: SignedResponse, expected: Expected): Date {
  const { issuer, recipient, requestId, now } = expected;
  for (const each of [response, assertion]) {
    if (each.attributes.get('Version') !== '2.0') throw new SamlFault('the response is not of SAML 2.0');
    if (textOf(onlyChild(each, 'Issuer')) !== issuer) throw new SamlFault('the response is of another issuer');
  }
  if (response.attributes.get('Destination') !== recipient) throw new SamlFault('the response is for another address');
  requireRequest(response, requestId);
  const issued = timeIn(assertion, 'IssueInstant');
  if (issued === null || issued > now.getTime() + CLOCK_SKEW_MS) throw new SamlFault('the assertion is not yet valid');
  const ends = [
    issued + MAX_ASSERTION_AGE_MS,
    conditionsEnd(assertion, expected),
    confirmationEnd(assertion, expected),
    ...sessionEnds(assertion),
  ];
  const end = Math.min(...ends) + CLOCK_SKEW_MS;
  if (now.getTime() >= end) throw new SamlFault('the assertion has expired');
  return new Date(end);
}

function requireRequest({ attributes }: XmlElement, requestId: string | null): void {
  if ((attributes.get('InResponseTo') ?? null) !== requestId) {
    throw new SamlFault('the response answers another request');
  }
}

/** Checks the audience and the start of the conditions. @returns the end of their validity in milliseconds */
function conditionsEnd(assertion: XmlElement, { audience, now }: Expected): number {
  const conditions = onlyChild(assertion, 'Conditions');
  if (!conditions.children.every(({ namespace, name }) => namespace === ASSERTION && CONDITIONS.has(name))) {
    throw new SamlFault('the assertion has an unknown condition');
  }
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  const isForUs = restrictions.every((each) =>
    childrenOf(each, ASSERTION, 'Audience').some((name) => textOf(name) === audience),
  );
  if (restrictions.length === 0 || !isForUs) throw new SamlFault('the assertion is for another audience');
  requireBegun(conditions, now);
  const end = timeIn(conditions, 'NotOnOrAfter');
  if (end === null) throw new SamlFault('the assertion has no end');
  return end;
}

/**
 * Checks the only bearer confirmation of the assertion: it must name this recipient and request. @returns the end of
 * its validity in milliseconds
 */
function confirmationEnd(assertion: XmlElement, { recipient, requestId, now }: Expected): number {
  const confirmations = childrenOf(onlyChild(assertion, 'Subject'), ASSERTION, 'SubjectConfirmation');
  const [confirmation, second] = confirmations.filter(({ attributes }) => attributes.get('Method') === BEARER);
  if (confirmation === undefined || second !== undefined) {
    throw new SamlFault('the assertion has not exactly one confirmation for bearers');
  }
  const data = onlyChild(confirmation, 'SubjectConfirmationData');
  if (data.attributes.get('Recipient') !== recipient) throw new SamlFault('the assertion is for another recipient');
  requireRequest(data, requestId);
  requireBegun(data, now);
  const end = timeIn(data, 'NotOnOrAfter');
  if (end === null) throw new SamlFault('the assertion has no end');
  return end;
}

function sessionEnds(assertion: XmlElement): number[] {
  const statements = childrenOf(assertion, ASSERTION, 'AuthnStatement');
  if (statements.length === 0) throw new SamlFault('the assertion states no authentication');
  return statements.map((each) => timeIn(each, 'SessionNotOnOrAfter')).filter((end) => end !== null);
}

function requireBegun(element: XmlElement, now: Date): void {
  const begin = timeIn(element, 'NotBefore');
  if (begin !== null && begin > now.getTime() + CLOCK_SKEW_MS) throw new SamlFault('the assertion is not yet valid');
}

function timeIn({ attributes }: XmlElement, name: string): number | null {
  const text = attributes.get(name);
  if (text === undefined) return null;
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new SamlFault('the assertion has a malformed time');
  return time;
}

/**
 * Reads the person of a signed assertion.
 * @throws SamlFault
 */
export function personIn(assertion: XmlElement, names: AttributeNames): AssertedPerson {
  const nameId = onlyChild(onlyChild(assertion, 'Subject'), 'NameID');
  const id = textOf(nameId);
  // Some providers send no format by default. The NameID is then an identifier in a form of their own.
  const format = nameId.attributes.get('Format') ?? UNSPECIFIED_FORMAT;
  if (![EMAIL_FORMAT, PERSISTENT_FORMAT, UNSPECIFIED_FORMAT].includes(format)) {
    throw new SamlFault('the NameID names the person for one sign-in only');
  }
  if (id === '' || id.length > MAX_NAME_ID_LENGTH) {
    throw new SamlFault(`the NameID has not 1 to ${MAX_NAME_ID_LENGTH} characters`);
  }
  const attributes = attributesOf(assertion);
  const isAddress = format === EMAIL_FORMAT;
  const email = emailOf(
    attributes,
    names.email,
    isAddress || (format === UNSPECIFIED_FORMAT && id.includes('@')) ? id : null,
  );
  const groups = groupsOf(attributes, names.groups);
  return {
    // Addresses that differ only in case belong to the same person.
    subject: isAddress ? emailKeyOf(id) : id,
    verifiedEmail: email,
    name: nameOf(attributes),
    groups,
    lacksGroups: groups.length === 0 && attributes.has(GROUPS_LINK),
    sessionIndex: sessionIndexOf(assertion),
  };
}

type Attributes = ReadonlyMap<string, readonly string[]>;

function attributesOf(assertion: XmlElement): Attributes {
  const all = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, ASSERTION, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, ASSERTION, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? '';
      const values = childrenOf(attribute, ASSERTION, 'AttributeValue')
        .filter(({ children }) => children.length === 0)
        .map(({ text }) => text.trim());
      all.set(name, [...(all.get(name) ?? []), ...values]);
    }
  }
  return all;
}

/**
 * Returns the e-mail address of the person, or null when there is none. @throws SamlFault for several or malformed
 * addresses
 */
function emailOf(attributes: Attributes, name: string | null, nameId: string | null): string | null {
  const found = (name === null ? EMAIL_NAMES : [name]).find((each) => (attributes.get(each) ?? []).length > 0);
  if (found === undefined && name !== null) throw new SamlFault('the assertion has no attribute with the address');
  const [email = null, ...others] = found === undefined ? [nameId] : (attributes.get(found) ?? []);
  if (email === null) return null;
  if (others.some((other) => other !== email)) throw new SamlFault('the assertion has more than one address');
  const result = validateJson(compile(Address), { email }, 'body');
  if (email.length > MAX_ADDRESS_LENGTH || !('value' in result))
    throw new SamlFault('the assertion has a malformed address');
  return (result.value as Address).email;
}

function nameOf(attributes: Attributes): string | null {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => attributes.get(name)?.[0]).find((value) => value !== undefined && value !== '');
  const parts = [first(GIVEN_NAMES), first(FAMILY_NAMES)].filter((part) => part !== undefined);
  const name = first(NAME_NAMES) ?? parts.join(' ');
  const result = validateJson(compile(Named), { name }, 'body');
  return 'value' in result ? (result.value as Named).name : null;
}

function groupsOf(attributes: Attributes, name: string | null): readonly string[] {
  const groups = (name === null ? GROUP_NAMES : [name]).flatMap((each) => attributes.get(each) ?? []);
  if (groups.length > MAX_GROUPS) throw new SamlFault(`the person is in more than ${MAX_GROUPS} groups`);
  return groups;
}

function sessionIndexOf(assertion: XmlElement): string | null {
  const index = childrenOf(assertion, ASSERTION, 'AuthnStatement')[0]?.attributes.get('SessionIndex') ?? '';
  return index === '' || index.length > MAX_SESSION_INDEX_LENGTH ? null : index;
}

function onlyChild(element: XmlElement, name: string): XmlElement {
  const [child, second] = childrenOf(element, ASSERTION, name);
  if (child === undefined || second !== undefined) throw new SamlFault(`the response has not exactly one ${name}`);
  return child;
}

function textOf({ text, children }: XmlElement): string {
  if (children.length > 0) throw new SamlFault('the response has elements where it may only have text');
  return text.trim();
}

class Address {
  @EmailField({ description: 'An e-mail address' })
  email!: string;
}

class Named {
  @NameField({ trim: true, description: 'As people know it' })
  name!: string;
}
