import { stringifyExact } from '../json/index.js';

/**
 * JSON text that is sent as it is. Values that the service does not read are neither parsed nor serialized again, which
 * would take twenty times their size when they have many small members. `Shape` is the type of the value that a client
 * reads.
 */
export class WrittenJson<Shape = unknown> {
  /** Exists only for the type checker. */
  declare readonly shape?: Shape;
  /** Set for a large answer, whose bytes are counted until it is sent. */
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
 * The members of an object, some of which may be JSON text already. Undefined members are left out. Names come from
 * code and are not escaped.
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
