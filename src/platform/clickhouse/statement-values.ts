/**
 * Adds a value to a statement.
 * @param type the ClickHouse type, such as `Array(String)`
 * @returns the placeholder in the SQL, such as `{p0: String}`
 */
export type BindValue = (value: unknown, type: string) => string;

/** The values of one statement, each under its own name. */
export class StatementValues {
  readonly values: Record<string, unknown> = {};
  private bound = 0;
  /** Binds a value. The function does not depend on `this`, so it can be passed as a callback. */
  readonly bind: BindValue = (value, type) => {
    const name = `p${this.bound}`;
    this.bound += 1;
    this.values[name] = value;
    return `{${name}: ${type}}`;
  };
}
