/** Adds a value to those of a statement. @returns its place in the text, such as `$1` */
export type Bind = (value: unknown) => string;

/** The parameters of one statement, numbered as they are bound. */
export class Parameters {
  readonly values: unknown[] = [];
  /** May be handed on by itself. */
  readonly bind: Bind = (value) => `$${this.values.push(value)}`;
}
