import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './operation.js';

interface Media {
  readonly schema?: { readonly $ref?: string };
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}

/** Minimum length of a shared example, in characters: a shorter one is smaller than a reference to it. */
const WORTH_SHARING = 150;

/**
 * Moves examples that several operations share to `components`, each under the name of the first operation's schema.
 */
export function shareExamples(document: OpenAPIObject): void {
  const byText = new Map<string, Media[]>();
  for (const media of Object.values(document.paths).flatMap((item) => Object.values(item as object).flatMap(mediaOf))) {
    if (media.example === undefined) continue;
    const text = JSON.stringify(media.example);
    if (text.length >= WORTH_SHARING) byText.set(text, [...(byText.get(text) ?? []), media]);
  }
  const shared: Record<string, { value: unknown }> = {};
  for (const [text, [first, ...others]] of byText) {
    if (first === undefined || others.length === 0) continue;
    const name = freeName(first.schema?.$ref?.replace(/.*\//, '') ?? 'Example', shared);
    shared[name] = { value: JSON.parse(text) as unknown };
    for (const media of [first, ...others]) {
      delete media.example;
      media.examples = { recorded: { $ref: `#/components/examples/${name}` } };
    }
  }
  (document.components ??= {}).examples = shared;
}

function mediaOf({ requestBody, responses }: Operation): Media[] {
  return [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}) as Media[]);
}

function freeName(name: string, taken: object): string {
  const numbered = (nth: number): string => (nth === 1 ? name : `${name}${nth}`);
  let nth = 1;
  while (Object.hasOwn(taken, numbered(nth))) nth += 1;
  return numbered(nth);
}
