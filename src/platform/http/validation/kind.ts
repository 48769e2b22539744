import type { Type } from '@nestjs/common';
import type { Check, Read } from './fault.js';

/** OpenAPI attributes of a field, in the vocabulary of ApiProperty. */
export type Document = Readonly<Record<string, unknown>>;

/** Returns the reader of a nested class. */
export type ReaderOf = (cls: Type<unknown>) => Read<object>;

/** How values of a field are read and documented. The reader is built once, when the class is compiled. */
export interface Kind<T> {
  readonly document: Document;
  /** True for a list: a repeated query parameter keeps all its values. */
  readonly repeats?: boolean;
  /** Names inside the value that look like secrets but are not. */
  readonly open?: readonly string[];
  /** Set for an object of another class. */
  readonly cls?: () => Type<unknown>;
  build(readerOf: ReaderOf): Read<T>;
}

export interface CheckOptions<T> {
  /**
   * A custom rule for the converted value. When the rule returns a sentence, the value is refused as `Value error,
   * <sentence>`.
   */
  check?: Check<T>;
}
