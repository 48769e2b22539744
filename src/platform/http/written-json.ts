import { stringifyExact } from '../json/index.js';

/**
 * JSON text that is sent without changes. Values that the service only passes on are not parsed and serialized again,
 * because parsed values with many small members take about twenty times the size of the text. `Shape` is the type of
 * the value that a client gets.
 */
export class WrittenJson<Shape = unknown> {
  /** Exists only for the type checker. */
  declare readonly shape?: Shape;
  /** Set for a large answer, whose bytes are counted in a budget until it is sent. */
  hold: AnswerHold | undefined;

  constructor(readonly text: string) {}
}

/** Resources that are held for an answer until it is sent. */
export interface AnswerHold {
  /** The text was copied into bytes and is no longer needed. */
  read(): void;
  /** The client has the whole answer, or has disconnected. */
  sent(): void;
}

/**
 * The members of an object, some of which may already be JSON text. Undefined members are left out. The names are
 * constants of the code and are not escaped.
 */
export type Members<Shape> = { readonly [Name in keyof Shape]: Shape[Name] | WrittenJson<Shape[Name]> };

export function writeObject<Shape extends object>(members: Members<Shape>): WrittenJson<Shape> {
  let text = '';
  for (const name of Object.keys(members)) {
    const value: unknown = members[name as keyof Shape];
    if (value !== undefined) text += `${text === '' ? '{' : ','}"${name}":${textOf(value)}`;
  }
  return new WrittenJson(text === '' ? '{}' : `${text}}`);
}

export function writeList<Item>(items: readonly WrittenJson<Item>[]): WrittenJson<Item[]> {
  return new WrittenJson(`[${items.map(({ text }) => text).join(',')}]`);
}

/** Returns a value as JSON text. */
export function textOf(value: unknown): string {
  return value instanceof WrittenJson ? value.text : stringifyExact(value);
}
