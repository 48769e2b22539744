import { ExactNumber } from '../../json/index.js';
import { Faults, MAX_DEPTH, notFinite, tooDeep, tooManyDigits, unsafeText, type Failure } from './fault.js';
import { isSecretName } from './secret-names.js';

/** Far more than anybody counts or measures with, and far fewer than the database takes. */
const MAX_DIGITS = 1_000;

/** False for text the database cannot store: a NUL character or an unpaired surrogate. */
export function isSafeText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

type Finding =
  | { rule: 'text'; input: string; path: (string | number)[] }
  | { rule: 'number' }
  | { rule: 'digits' }
  | { rule: 'depth' };

/**
 * Looks through free-form JSON for what must not be stored. Bad text is reported where it stands (a bad key: at its
 * object), a number beyond the finite range and too deep nesting at the value itself. Reports the first find only.
 */
export function inspectJson(value: unknown): Failure | undefined {
  const finding = search(value, 1);
  if (!finding) return undefined;
  if (finding.rule === 'depth') return tooDeep(value);
  if (finding.rule === 'number') return notFinite(value);
  if (finding.rule === 'digits') return tooManyDigits(value);
  return finding.path.reduce<Failure>(
    (fault, key) => new Faults([{ key, secret: typeof key === 'string' && isSecretName(key), fault }]),
    unsafeText(finding.input),
  );
}

// Recursion is bounded by MAX_DEPTH; paths are collected innermost first while it unwinds.
function search(value: unknown, level: number): Finding | undefined {
  if (typeof value === 'string') return isSafeText(value) ? undefined : { rule: 'text', input: value, path: [] };
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { rule: 'number' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof ExactNumber) return value.digits.length > MAX_DIGITS ? { rule: 'digits' } : undefined;
  if (level > MAX_DEPTH) return { rule: 'depth' };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const finding = search(value[index], level + 1);
      if (finding) return within(index, finding);
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (!isSafeText(key)) return { rule: 'text', input: key, path: [] };
    const finding = search((value as Record<string, unknown>)[key], level + 1);
    if (finding) return within(key, finding);
  }
  return undefined;
}

function within(key: string | number, finding: Finding): Finding {
  if (finding.rule === 'text') finding.path.push(key);
  return finding;
}
