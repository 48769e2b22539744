import { byLowerName, entriesOf, isObject } from '../protocol/members.js';
import { invalidSyntax, invalidValue, noTarget, ScimFault } from '../protocol/scim-fault.js';
import { parsePath, type PatchPath } from '../filters/filter-parser.js';

/** Maximum total length of the paths in one request. A longer request is refused, because each path must be parsed. */
const MAX_PATH_CHARACTERS = 700_000;

const VERBS = ['add', 'replace', 'remove'] as const;
export type PatchVerb = (typeof VERBS)[number];

/** One change of one attribute. */
export interface PatchOperation {
  readonly verb: PatchVerb;
  readonly path: PatchPath;
  readonly value: unknown;
  /**
   * Whether the operation is a member of an object that was sent without a path. Read-only attributes are then ignored.
   */
  readonly isMember: boolean;
}

/** An operation whose path has not been parsed. */
interface NamedOperation extends Omit<PatchOperation, 'path'> {
  readonly name: string;
}

/**
 * Reads the operations of a PATCH. An operation without a path becomes one operation for each member of its value. The
 * names of members may contain dots and brackets, as Entra ID sends them.
 * @param maxOperations a request with more operations is refused
 * @throws ScimFault
 */
export function readPatch(body: unknown, maxOperations: number): PatchOperation[] {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const operations = byLowerName(body).get('operations');
  if (!Array.isArray(operations) || operations.length === 0) throw invalidSyntax('Operations must be a list');
  const tooMany = invalidValue(`At most ${maxOperations} operations are accepted`);
  if (operations.length > maxOperations) throw tooMany;
  const named: NamedOperation[] = [];
  let characters = 0;
  for (const operation of operations) {
    for (const read of namedOperations(operation)) {
      named.push(read);
      characters += read.name.length;
    }
    if (named.length > maxOperations) throw tooMany;
  }
  if (characters > MAX_PATH_CHARACTERS) throw invalidValue(`Paths have at most ${MAX_PATH_CHARACTERS} characters`);
  return named.flatMap(({ name, ...operation }) => {
    const path = operation.isMember ? pathOfMember(name) : parsePath(name);
    return path === null ? [] : [{ ...operation, path }];
  });
}

function namedOperations(operation: unknown): NamedOperation[] {
  if (!isObject(operation)) throw invalidSyntax('An operation must be an object');
  const members = byLowerName(operation);
  const verb = readVerb(members.get('op'));
  const path = members.get('path') ?? null;
  const value = members.get('value');
  if (path !== null && typeof path !== 'string') throw invalidSyntax('path must be a text');
  if (path !== null && path !== '') {
    if (verb !== 'remove' && value === undefined) throw invalidValue(`${verb} needs a value`);
    return [{ verb, name: path, value, isMember: false }];
  }
  if (verb === 'remove') throw noTarget('remove needs a path');
  if (!isObject(value)) throw invalidValue(`${verb} without a path needs an object as its value`);
  return entriesOf(value).map(([name, member]) => ({ verb, name, value: member, isMember: true }));
}

function readVerb(given: unknown): PatchVerb {
  const verb = typeof given === 'string' ? VERBS.find((known) => known === given.toLowerCase()) : undefined;
  if (verb === undefined) throw invalidSyntax('op must be add, replace or remove');
  return verb;
}

/**
 * Returns the path of a member. Returns null for a name that is not a path, which is ignored like an unknown attribute.
 */
function pathOfMember(name: string): PatchPath | null {
  try {
    return parsePath(name);
  } catch (error) {
    if (error instanceof ScimFault) return null;
    throw error;
  }
}
