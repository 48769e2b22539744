import { isSensitiveName, MASK, maskSecrets } from '../sanitize/index.js';
import { isError } from '../errors/index.js';

const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;
const MAX_TEXT = 8_192;
/**
 * The members of an error that are logged in addition to name, message, stack and cause. Other members are left out,
 * because drivers attach the parameters of statements, which must not be logged.
 */
const ERROR_FIELDS = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'hostname',
  'status',
  'statusCode',
  'responseCode',
  'command',
  'constraint',
  'schema',
  'table',
  'column',
  'severity',
  'routine',
] as const;

export type Loggable = string | number | boolean | null | Loggable[] | { [key: string]: Loggable };

/**
 * Returns a copy that is safe to log. Fields with names of credentials become `[redacted]`, credentials inside texts
 * are masked, and errors become objects with their members. Cycles and big integers are replaced, and deep or long
 * values are shortened.
 */
export function redact(value: unknown): Loggable {
  return copyOf(value, []);
}

function copyOf(value: unknown, ancestors: readonly object[]): Loggable {
  switch (typeof value) {
    case 'string':
      return redactText(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : copyOfObject(value, ancestors);
    case 'undefined':
      return null;
    default:
      return `[${typeof value}]`;
  }
}

/** Like {@link redact}, for a text. */
export function redactText(text: string): string {
  return text.length <= MAX_TEXT
    ? maskSecrets(text)
    : `${maskSecrets(text.slice(0, MAX_TEXT))}… (${text.length} characters)`;
}

function copyOfObject(value: object, ancestors: readonly object[]): Loggable {
  if (ancestors.includes(value)) return '[circular]';
  if (ancestors.length >= MAX_DEPTH) return '[too deep]';
  const path = [...ancestors, value];
  if (isError(value)) return copyOfError(value, path);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof URL || value instanceof RegExp) return redactText(String(value));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return copyOfList(value, path);
  if (value instanceof Set) return copyOfList([...value], path);
  if (value instanceof Map)
    return copyOfEntries(
      [...(value as Map<unknown, unknown>)].map(([key, entry]) => [nameOf(key), () => entry]),
      path,
    );
  const record = value as Record<string, unknown>;
  return copyOfEntries(
    Object.keys(record).map((key) => [key, () => record[key]]),
    path,
  );
}

function copyOfList(list: readonly unknown[], path: readonly object[]): Loggable {
  const copy = list.slice(0, MAX_ENTRIES).map((entry) => copyOf(entry, path));
  return list.length > MAX_ENTRIES ? [...copy, `… (${list.length} entries)`] : copy;
}

function copyOfEntries(entries: readonly (readonly [string, () => unknown])[], path: readonly object[]): Loggable {
  const copy: { [key: string]: Loggable } = {};
  for (const [key, read] of entries.slice(0, MAX_ENTRIES)) {
    const value = readSafely(read);
    // A plain assignment to a field named `__proto__` would change the prototype of the copy instead of adding a
    // member.
    if (value !== undefined)
      Object.defineProperty(copy, key, {
        value: entryOf(key, value, path),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  if (entries.length > MAX_ENTRIES) copy['…'] = `(${entries.length} fields)`;
  return copy;
}

function entryOf(key: string, value: unknown, path: readonly object[]): Loggable {
  const mayBeSecret = value !== null && value !== '' && typeof value !== 'boolean';
  return mayBeSecret && isSensitiveName(key) ? MASK : copyOf(value, path);
}

function nameOf(key: unknown): string {
  return typeof key === 'object' && key !== null ? '[object]' : String(key);
}

function readSafely(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return '[unreadable]';
  }
}

function copyOfError(error: Error, path: readonly object[]): Loggable {
  const fields = error as Error & { errors?: unknown } & Partial<Record<(typeof ERROR_FIELDS)[number], unknown>>;
  const copy: { [key: string]: Loggable } = {
    type: String(readSafely(() => error.name || error.constructor.name)),
    message: redactText(String(readSafely(() => error.message))),
  };
  if (typeof error.stack === 'string') copy['stack'] = redactText(error.stack);
  for (const name of ERROR_FIELDS) {
    const value = readSafely(() => fields[name]);
    if (['string', 'number', 'boolean'].includes(typeof value)) copy[name] = copyOf(value, path);
  }
  if (error.cause !== undefined) copy['cause'] = copyOf(error.cause, path);
  if (Array.isArray(fields.errors)) copy['errors'] = copyOfList(fields.errors, path);
  return copy;
}
