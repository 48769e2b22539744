/**
 * Adds a value to those of a statement.
 * @param type of ClickHouse, such as `Array(String)`
 * @returns what stands for it in the text, such as `{p0: String}`
 */
export type BindValue = (value: unknown, type: string) => string;

/** The values of one statement, each under a name of its own. */
export class StatementValues {
  readonly values: Record<string, unknown> = {};
  private bound = 0;
  /** May be handed on by itself. */
  readonly bind: BindValue = (value, type) => {
    const name = `p${this.bound}`;
    this.bound += 1;
    this.values[name] = value;
    return `{${name}: ${type}}`;
  };
}
