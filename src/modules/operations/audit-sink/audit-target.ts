/** An audit row as a line of JSON, without the line end. */
export interface AuditLine {
  readonly id: string;
  readonly json: string;
}

/** Where audit rows are stored. */
export interface AuditTarget {
  /** The maximum number of lines of one write. */
  readonly maxLines: number;
  /**
   * Resolves when the lines are stored, in their order. Rejects when any of them may be missing.
   * @param stopping is aborted when the process stops. A target without a time limit of its own then rejects.
   */
  write(lines: readonly AuditLine[], stopping: AbortSignal): Promise<void>;
}

export function textOf(lines: readonly AuditLine[]): string {
  return lines.map(({ json }) => `${json}\n`).join('');
}
