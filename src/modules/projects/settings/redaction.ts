export const REDACTED = '[redacted]';
/** One or more names or `*` between dots. */
export const PROPERTY_PATH_PATTERN = /^[^.]+(\.[^.]+)*$/;

export type Redact = (properties: Record<string, unknown>) => Record<string, unknown>;

/** A step of the paths; `ends` means that a path reaches its value here. */
interface Step {
  ends: boolean;
  readonly next: Map<string, Step>;
}

/**
 * Compiles property paths such as `card.number` and `users.*.email`. `*` stands for any one name or index. A list
 * without an index or `*` in the path is looked through, and a dotted name (`{"card.number": …}`) counts as the
 * path it spells, so that no usual way of writing the property escapes. Names are compared exactly.
 */
export function compileRedaction(paths: readonly string[]): Redact {
  if (paths.length === 0) return (properties) => properties;
  const root: Step = { ends: false, next: new Map() };
  for (const path of paths) {
    let step = root;
    for (const name of path.split('.')) {
      const next = step.next.get(name) ?? { ends: false, next: new Map<string, Step>() };
      step.next.set(name, next);
      step = next;
    }
    step.ends = true;
  }
  return (properties) => redactMembers(properties, [root]);
}

function redactMembers(object: object, steps: readonly Step[]): Record<string, unknown> {
  // Built from entries, so that a key such as `__proto__` stays plain data.
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, redactValue(value, follow(steps, key))]),
  );
}

function redactValue(value: unknown, steps: readonly Step[]): unknown {
  if (steps.some((step) => step.ends)) return REDACTED;
  if (steps.length === 0 || typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return redactMembers(value, steps);
  return value.map((item: unknown, index) => redactValue(item, [...follow(steps, String(index)), ...steps]));
}

/** Where the steps lead by a key; a dotted key takes several at once, and one path that ends on its way is enough. */
function follow(steps: readonly Step[], key: string): Step[] {
  let reached = steps;
  for (const name of key.split('.')) {
    const next: Step[] = [];
    for (const step of reached) {
      const [exact, any] = [step.next.get(name), step.next.get('*')];
      if (exact !== undefined) next.push(exact);
      if (any !== undefined && any !== exact) next.push(any);
    }
    const ended = next.find((step) => step.ends);
    if (ended !== undefined) return [ended];
    reached = next;
  }
  return [...reached];
}
