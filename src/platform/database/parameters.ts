/** Adds a value to a statement. @returns the placeholder in its text, such as `$1` */
export type Bind = (value: unknown) => string;

/** The parameters of one statement, numbered as they are bound. */
export class Parameters {
  readonly values: unknown[] = [];
  /** Binds a value. The function does not depend on `this`, so it can be passed as a callback. */
  readonly bind: Bind = (value) => `$${this.values.push(value)}`;
}
