import { ExactNumber } from '../../json/index.js';
import { Faults, MAX_DEPTH, notFinite, tooDeep, tooManyDigits, unsafeText, type Failure } from './fault.js';
import { isSecretName } from './secret-names.js';

/** No measurement needs so many digits, and the database accepts more. */
const MAX_DIGITS = 1_000;

/** Returns false for text that the database cannot store: text with a NUL character or an unpaired surrogate. */
export function isSafeText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

type Finding =
  | { rule: 'text'; input: string; path: (string | number)[] }
  | { rule: 'number' }
  | { rule: 'digits' }
  | { rule: 'depth' };

/**
 * Searches free-form JSON for values that must not be stored, and reports only the first one. Text that cannot be
 * stored is reported with its own path, or with the path of its object if the text is a key. Numbers out of range and
 * nesting that is too deep are reported for the whole value.
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

// The recursion is limited by MAX_DEPTH. Paths are built while the recursion returns, so the innermost key comes first.
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
