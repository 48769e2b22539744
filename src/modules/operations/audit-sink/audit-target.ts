/** An audit row as a line of JSON, without the line end. */
export interface AuditLine {
  readonly id: string;
  readonly json: string;
}

/** A destination that stores audit rows. */
export interface AuditTarget {
  /** The maximum number of lines of one write. */
  readonly maxLines: number;
  /**
   * Resolves when the lines are stored, in their order. Rejects when any of them may be missing.
   * @param stopping aborts when the process stops. A target without its own timeout then rejects.
   */
  write(lines: readonly AuditLine[], stopping: AbortSignal): Promise<void>;
}

export function textOf(lines: readonly AuditLine[]): string {
  return lines.map(({ json }) => `${json}\n`).join('');
}
