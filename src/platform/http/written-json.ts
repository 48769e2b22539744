import { stringifyExact } from '../json/index.js';

/**
 * JSON text that goes into an answer as it is: what nobody here has to read is neither parsed nor written again, which
 * costs twenty times its size where it holds many small things. `Shape` is what a client reads in it.
 */
export class WrittenJson<Shape = unknown> {
  /** Only told to the compiler. */
  declare readonly shape?: Shape;
  /** Of a large answer: what counts its bytes, to be told how far it has come. */
  hold: AnswerHold | undefined;

  constructor(readonly text: string) {}
}

/** What somebody keeps for an answer until it has left. */
export interface AnswerHold {
  /** The text is bytes by now, and no more needed. */
  read(): void;
  /** The client has it all, or is gone. */
  sent(): void;
}

/** The members of an object, some of which may be written already; undefined ones are left out. Their names are ours: nothing in them is escaped. */
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

/** A value as JSON text. */
export function textOf(value: unknown): string {
  return value instanceof WrittenJson ? value.text : stringifyExact(value);
}
