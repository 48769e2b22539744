import type { OpenAPIObject } from '@nestjs/swagger';
import { pascal } from './names.js';
import type { Operation, Parameter, Response } from './operation.js';
import { wordsOf } from './refusals.js';

/** A part that fewer operations have stays in its operation. */
const SHARED_FROM = 2;
/** A name that is made of more sentences is unreadable. */
const MOST_WORDS = 2;
/** Names for combinations of more sentences, or of sentences that very many operations share. */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    AccessRefused: ['Insufficient project role', 'Not a project member'],
    DeliveryReadRefused: ['Missing delivery capability: delivery:read', 'Not a project member'],
    ManageChannelsRefused: [
      'Insufficient project role',
      'Missing delivery capability: delivery:manage_channels',
      'Not a project member',
    ],
    ArchivedOrAccessRefused: ['Insufficient project role', 'Not a project member', 'Project is archived'],
    OwnerRoleRequired: ['Admin role required', 'Not an organization member', 'Owner role required'],
    BillingOrAccessRefused: [
      'Blocked by billing enforcement.',
      'Insufficient project role',
      'Not a project member',
      'Organization billing is not active.',
      'Project is archived',
    ],
    StorageOrAccessRefused: [
      'Blocked by billing enforcement.',
      'Insufficient project role',
      'Not a project member',
      'Organization billing is not active.',
      'Project is archived',
      'Storage quota exceeded',
    ],
    KeyRefused: ['API key is not active', 'Invalid API key', 'Not authenticated'],
    KeyIsPastRotation: ['API key has already been rotated', 'API key has been revoked', 'API key has expired'],
    InvitationIsSettled: [
      'Invitation already accepted',
      'Invitation already declined',
      'Invitation has been revoked',
      'Invitation has expired',
    ],
    KeyOrSourceNotFound: ['API key not found', 'Event source not found', 'Project not found'],
    ProtectedHeaderNotFound: ['Notification channel not found', 'Project not found', 'Protected header not found'],
    QueryRefused: [
      'Query took too long: choose a shorter range or a narrower filter',
      'Service overloaded',
      'Too many queries at once',
    ],
  }).map(([name, sentences]) => [JSON.stringify(sentences.sort()), name]),
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
    if (name === null) return [];
    return [{ part, name, replace: (reference) => void ((responses as Record<string, object>)[status] = reference) }];
  });
}

/** Returns a name made of the sentences of a refusal, or of the schema of a success. */
function nameOfResponse(status: number, response: Response): string | null {
  if (status >= 400) {
    const words = wordsOf(response);
    const name = NAMES[JSON.stringify([...words].sort())];
    return name ?? (words.length === 0 || words.length > MOST_WORDS ? null : words.map(pascal).join('Or'));
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
