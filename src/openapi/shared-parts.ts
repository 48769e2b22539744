import type { OpenAPIObject } from '@nestjs/swagger';
import { BodyTooLarge, ServiceOverloaded } from '../platform/http/domain-error.js';
import { pascal } from './names.js';
import type { Operation, Parameter, Response } from './operation.js';

/** A part that fewer operations have stays in its operation. */
const SHARED_FROM = 2;
/** A name that is made of more codes is unreadable. */
const MAX_CODES = 2;
/** Codes that every refusal with a status has, so that a name that has others need not repeat them. */
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
 * that generators make one type of each and the document describes everything once.
 */
export function shareParts(document: OpenAPIObject): void {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  const components = document.components ?? {};
  const [responses, parameters] = [operations.flatMap(responsesOf), operations.flatMap(parametersOf)];
  components.responses = share('responses', responses);
  components.parameters = share('parameters', parameters) as NonNullable<typeof components.parameters>;
}

function share<T extends object>(kind: string, places: readonly Place<T>[]): Record<string, T> {
  const byText = new Map<string, Place<T>[]>();
  for (const place of places) {
    const text = JSON.stringify(place.part);
    byText.set(text, [...(byText.get(text) ?? []), place]);
  }
  const shared = [...byText.values()].filter((same) => same.length >= SHARED_FROM);
  const taken = new Map<string, number>();
  const parts: [string, T][] = [];
  // The most frequent part gets the plain name.
  for (const same of shared.sort((a, b) => b.length - a.length)) {
    const [first] = same;
    if (first === undefined) continue;
    const before = taken.get(first.name) ?? 0;
    taken.set(first.name, before + 1);
    // Another part with the same name stays in its operations: a number in the name would not say how the parts differ.
    if (before > 0) continue;
    parts.push([first.name, first.part]);
    for (const { replace } of same) replace({ $ref: `#/components/${kind}/${first.name}` });
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
