import { byLowerName, isObject } from '../protocol/members.js';
import { invalidSyntax, invalidValue, noTarget, ScimFault } from '../protocol/scim-fault.js';
import { parsePath, type PatchPath } from '../filters/filter-parser.js';

/** A request with more operations is refused. */
const MAX_OPERATIONS = 10_000;

const VERBS = ['add', 'replace', 'remove'] as const;
export type PatchVerb = (typeof VERBS)[number];

/** One change of one attribute. */
export interface PatchOperation {
  readonly verb: PatchVerb;
  readonly path: PatchPath;
  readonly value: unknown;
  /** Whether the operation came as a member of an object without a path. Read-only attributes are then ignored. */
  readonly isMember: boolean;
}

/**
 * Reads the operations of a PATCH. An operation without a path becomes one operation for each member of its value, also
 * for members with dots and brackets in their names, as Entra ID sends them.
 * @throws ScimFault
 */
export function readPatch(body: unknown): PatchOperation[] {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const operations = byLowerName(body).get('operations');
  if (!Array.isArray(operations) || operations.length === 0) throw invalidSyntax('Operations must be a list');
  if (operations.length > MAX_OPERATIONS) throw invalidValue(`At most ${MAX_OPERATIONS} operations are accepted`);
  return operations.flatMap(readOperation);
}

function readOperation(operation: unknown): PatchOperation[] {
  if (!isObject(operation)) throw invalidSyntax('An operation must be an object');
  const members = byLowerName(operation);
  const verb = readVerb(members.get('op'));
  const path = members.get('path') ?? null;
  const value = members.get('value');
  if (path !== null && typeof path !== 'string') throw invalidSyntax('path must be a text');
  if (path !== null && path !== '') {
    if (verb !== 'remove' && value === undefined) throw invalidValue(`${verb} needs a value`);
    return [{ verb, path: parsePath(path), value, isMember: false }];
  }
  if (verb === 'remove') throw noTarget('remove needs a path');
  if (!isObject(value)) throw invalidValue(`${verb} without a path needs an object as its value`);
  return Object.entries(value).flatMap(([name, member]) => {
    const target = pathOfMember(name);
    return target === null ? [] : [{ verb, path: target, value: member, isMember: true }];
  });
}

function readVerb(given: unknown): PatchVerb {
  const verb = typeof given === 'string' ? VERBS.find((known) => known === given.toLowerCase()) : undefined;
  if (verb === undefined) throw invalidSyntax('op must be add, replace or remove');
  return verb;
}

/** Members that no path can name are ignored, as unknown attributes are. */
function pathOfMember(name: string): PatchPath | null {
  try {
    return parsePath(name);
  } catch (error) {
    if (error instanceof ScimFault) return null;
    throw error;
  }
}
