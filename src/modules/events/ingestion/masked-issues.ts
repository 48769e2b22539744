import type { Issue } from '../../../platform/http/validation/index.js';
import { REDACTED, type Redaction } from '../../tenancy/projects/index.js';

/** Members of an ingestion body that hold only properties, and members that are no properties. */
const CONTAINERS: ReadonlySet<unknown> = new Set(['payload', 'properties']);
const NO_PROPERTIES: ReadonlySet<unknown> = new Set(['event_type', 'timestamp', 'project_id']);

/** Returns the validation errors of a refused event with `input` masked as the properties of the event would be. */
export function maskIssues(issues: readonly Issue[], redaction: Redaction): Issue[] {
  if (redaction.isEmpty) return [...issues];
  return issues.map((issue) => (issue.loc[0] === 'body' ? { ...issue, input: maskedInput(issue, redaction) } : issue));
}

function maskedInput({ type, loc, input }: Issue, redaction: Redaction): unknown {
  // For a missing field, `input` is the object that lacks the field.
  const [, name, ...keys] = type === 'missing' ? loc.slice(0, -1) : loc;
  if (name === undefined) return maskedBody(input, redaction);
  if (typeof name === 'number' || NO_PROPERTIES.has(name)) return input;
  if (!CONTAINERS.has(name)) return redaction.valueAt([name, ...keys], input);
  return keys.length === 0 ? maskedContainer(input, redaction) : redaction.valueAt(keys, input);
}

function maskedBody(input: unknown, redaction: Redaction): unknown {
  if (!isObject(input)) return maskedContainer(input, redaction);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, maskedInput(issueOf(name, value), redaction)]),
  );
}

/**
 * Masks a value that should be an object but is not. Such a value, for example JSON in a string, is hidden whole,
 * because its properties cannot be located.
 */
function maskedContainer(input: unknown, redaction: Redaction): unknown {
  if (input === null) return null;
  return isObject(input) ? redaction.properties(input) : REDACTED;
}

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function issueOf(name: string, input: unknown): Issue {
  return { type: 'value_error', loc: ['body', name], msg: '', input };
}
