/** The names of the faults that a test can inject. */
export const FAULT_NAMES = ['next-statement', 'next-commit', 'next-outbound-call'] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export interface Fault {
  readonly name: FaultName;
  /** Identifies the affected request: the X-Request-ID of a request, or the host and port of an outbound call. */
  readonly target: string;
  /** Text of the statement; empty: any. */
  readonly containing: string;
}

/** With more faults, the oldest are dropped. */
const MOST_FAULTS = 1_000;

/** Faults that tests have asked for and that have not happened yet. Each happens once. */
export class Faults {
  private waiting: Fault[] = [];

  add(fault: Fault): void {
    this.waiting = [...this.waiting.slice(1 - MOST_FAULTS), fault];
  }

  /** @returns whether this was to fail */
  take(name: FaultName, target: string | undefined, text = ''): boolean {
    const at = this.waiting.findIndex(
      (fault) => fault.name === name && fault.target === target && text.includes(fault.containing),
    );
    if (at >= 0) this.waiting.splice(at, 1);
    return at >= 0;
  }
}
