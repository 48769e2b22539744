/** What each program finds out, by the names of the person it is run for. */
export interface Report {
  readonly events: readonly (string | null)[];
  /** What the second project of a free plan is refused with. */
  readonly refusal: string;
  readonly faults: readonly (readonly [where: string, type: string])[];
}

/** `node program.mjs <address> <user> <password> <slug>` */
export const [url = '', username = '', password = '', slug = ''] = process.argv.slice(2);

export const EVENTS = ['event-0', 'event-1', 'event-2'] as const;

export function print(report: Report): void {
  process.stdout.write(JSON.stringify(report));
}

export function expected<T>(value: T | undefined, what: unknown): T {
  if (value === undefined) throw new Error(JSON.stringify(what));
  return value;
}
