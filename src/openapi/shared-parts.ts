import type { OpenAPIObject } from '@nestjs/swagger';
import { BodyTooLarge, ServiceOverloaded } from '../platform/http/domain-error.js';
import { pascal } from './names.js';
import type { Operation, Parameter, Response } from './operation.js';
import type { OtherPaths } from './other-paths.js';

/** A part that fewer operations have stays in its operation. */
const SHARED_FROM = 2;
/** A name with more codes would be unreadable. */
const MAX_CODES = 2;
/** Codes that every refusal with a status has. A name with further codes need not repeat them. */
const IMPLIED: Readonly<Record<number, string>> = { 413: BodyTooLarge.name, 503: ServiceOverloaded.name };
/** Names for combinations of more codes, or of codes that very many operations share. */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    AccessRefused: 'InsufficientProjectRole NotAProjectMember',
    DeliveryReadRefused: 'MissingCapability NotAProjectMember',
    ManageChannelsRefused: 'InsufficientProjectRole MissingCapability NotAProjectMember',
    ArchivedOrAccessRefused: 'InsufficientProjectRole NotAProjectMember ProjectIsArchived',
    OwnerRefused: 'AdminRoleRequired NotAnOrganizationMember OwnerRoleRequired',
    BillingOrAccessRefused:
      'BillingInactive BlockedByBilling InsufficientProjectRole NotAProjectMember ProjectIsArchived',
    StorageOrAccessRefused:
      'BillingInactive BlockedByBilling InsufficientProjectRole NotAProjectMember ProjectIsArchived StorageQuotaExceeded',
    IntakeRefused:
      'AllIntakeEventsOverQuota BillingInactive BlockedByBilling EventSourceDisabled IngestionKeyRevoked MissingWriteScope MonthlyEventsExceeded MonthlyRequestsExceeded OriginNotAllowed ProjectIsArchived',
    KeyRefused: 'ApiKeyNotActive InvalidApiKey NotAuthenticated',
    ProofRefused: 'FreshSignInRequired IncorrectPassword SecondFactorRequired',
    QueryRefused: 'ArchiveUnavailable QueryTooLong TooManyQueries',
    KeyIsPastRotation: 'ApiKeyExpired ApiKeyRevoked ApiKeyRotated',
    InvitationIsSettled: 'InvitationAccepted InvitationDeclined InvitationExpired InvitationRevoked',
    KeyOrSourceNotFound: 'ApiKeyNotFound EventSourceNotFound ProjectNotFound',
    HeaderOrChannelNotFound: 'ChannelNotFound ProjectNotFound ProtectedHeaderNotFound',
  }).map(([name, codes]) => [codes, name]),
);

interface Place<T> {
  readonly part: T;
  /** The readable name of the part. */
  readonly name: string;
  readonly replace: (reference: { $ref: string }) => void;
}

/**
 * Moves responses and parameters that several operations share to `components`. Each name is made of the content, so
 * that generators make one type of each and the document describes everything once. The other paths use the parts of
 * the document, which does not depend on them.
 */
export function shareParts(document: OpenAPIObject, others: OtherPaths): void {
  const components = (document.components ??= {});
  const [open, other] = [operationsOf(document), operationsOf(others)];
  const responses = share('responses', open.flatMap(responsesOf));
  const parameters = share('parameters', open.flatMap(parametersOf));
  components.responses = responses;
  components.parameters = parameters as unknown as NonNullable<typeof components.parameters>;
  others.components.responses = share('responses', other.flatMap(responsesOf), responses);
  others.components.parameters = share('parameters', other.flatMap(parametersOf), parameters);
}

function operationsOf({ paths }: Pick<OpenAPIObject, 'paths'>): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
}

/**
 * Replaces parts that are known or occur several times by references.
 * @returns the parts that are not known, by name
 */
function share<T extends object>(
  kind: string,
  places: readonly Place<T>[],
  known: Readonly<Record<string, T>> = {},
): Record<string, T> {
  const byText = new Map<string, Place<T>[]>();
  for (const place of places) {
    const text = JSON.stringify(place.part);
    byText.set(text, [...(byText.get(text) ?? []), place]);
  }
  const knownNames = new Map(Object.entries(known).map(([name, part]) => [JSON.stringify(part), name]));
  const taken = new Set(Object.keys(known));
  const parts: [string, T][] = [];
  // The most frequent part gets the plain name.
  for (const [text, same] of [...byText].sort(([, a], [, b]) => b.length - a.length)) {
    const [first] = same;
    let name = knownNames.get(text);
    if (name === undefined) {
      // Another part with the same name stays in its operations: a number in the name would not say how the parts differ.
      if (first === undefined || same.length < SHARED_FROM || taken.has(first.name)) continue;
      ({ name } = first);
      taken.add(name);
      parts.push([name, first.part]);
    }
    for (const { replace } of same) replace({ $ref: `#/components/${kind}/${name}` });
  }
  return Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function responsesOf({ responses }: Operation): Place<Response>[] {
  return Object.entries(responses).flatMap(([status, part]) => {
    const name = nameOfResponse(Number(status), part);
    delete part['x-codes'];
    if (name === null) return [];
    return [{ part, name, replace: (reference) => void ((responses as Record<string, object>)[status] = reference) }];
  });
}

/** Returns a name made of the codes of a refusal, or of the schema of a success. */
function nameOfResponse(status: number, response: Response): string | null {
  if (status >= 400) {
    const all = response['x-codes'] ?? [];
    const others = all.filter((code) => code !== IMPLIED[status]);
    const codes = others.length === 0 ? all : others;
    return NAMES[codes.join(' ')] ?? (codes.length === 0 || codes.length > MAX_CODES ? null : codes.join('Or'));
  }
  const { description, content } = response;
  const schema: { $ref?: string; items?: { $ref?: string } } | undefined = content?.['application/json']?.schema;
  const type = schema?.$ref ?? schema?.items?.$ref;
  if (type !== undefined)
    return type.replace(/.*\//, '').replace(/Response$/, '') + (schema?.items === undefined ? '' : 'List');
  return content === undefined ? pascal(description.replace(/,.*/, '')) : null;
}

function parametersOf({ parameters = [] }: Operation): Place<Parameter>[] {
  return parameters.map((part, index) => ({
    part,
    name: `${pascal(part.name)}In${pascal(part.in)}`,
    replace: (reference) => void ((parameters as object[])[index] = reference),
  }));
}
