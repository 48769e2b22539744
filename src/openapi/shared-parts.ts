import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Parameter, Response } from './operation.js';

/** A part that fewer operations have stays where it is. */
const SHARED_FROM = 2;
/** Nobody could read the name of a response of more sentences. */
const MOST_WORDS = 2;

interface Place<T> {
  readonly part: T;
  /** What people would call it. */
  readonly name: string;
  readonly replace: (reference: { $ref: string }) => void;
}

/**
 * Moves responses and parameters that several operations have to `components`, each under a name made of what it says, so
 * that generators make one type of each and the document tells everything once.
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
  // Those that most have go by the plain name.
  for (const same of shared.sort((a, b) => b.length - a.length)) {
    const [first] = same;
    if (first === undefined) continue;
    const before = taken.get(first.name) ?? 0;
    taken.set(first.name, before + 1);
    // Another part of the same name is told apart by what is in it alone, which a number would not say: it stays in place.
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

/** Refusals are called by their sentences; successes of one schema by it. */
function nameOfResponse(status: number, { description, content }: Response): string | null {
  if (status >= 400) {
    const words = description.split(' · ').map(pascal);
    return words.length > MOST_WORDS ? null : words.join('Or');
  }
  const schema = content?.['application/json']?.schema as { $ref?: string } | undefined;
  const type = schema?.$ref?.replace(/.*\//, '');
  if (type !== undefined) return type.replace(/Response$/, '');
  return content === undefined ? pascal(description.replace(/,.*/, '')) : null;
}

function parametersOf({ parameters = [] }: Operation): Place<Parameter>[] {
  return parameters.map((part, index) => ({
    part,
    name: `${pascal(part.name)}In${pascal(part.in)}`,
    replace: (reference) => void ((parameters as object[])[index] = reference),
  }));
}

/** `Event source not found` and `X-API-Key` as a name. */
function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
