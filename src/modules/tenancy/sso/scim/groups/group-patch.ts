import { namedValues } from '../filters/element-filter.js';
import type { PatchOperation } from '../patch/patch-request.js';
import { invalidFilter, invalidPath, invalidValue, mutability } from '../protocol/scim-fault.js';
import { type GroupDocument, idsOfMembers, MAX_MEMBERS, MAX_NAMED_MEMBERS } from './group-document.js';

/** A request with more operations is refused. A provider may send one operation for each changed member. */
export const MAX_GROUP_OPERATIONS = 10_000;

const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'schemas']);

/** Returns whether an operation concerns the members of the group. */
export function concernsMembers(operations: readonly PatchOperation[]): boolean {
  return operations.some(({ path }) => path.attribute === 'members' && !path.isExtension);
}

/**
 * Applies the operations of a PATCH to a copy of a group, one after another. The caller stores the copy, so a fault in
 * one operation leaves the group unchanged.
 * @throws ScimFault
 */
export function patchedGroup(group: GroupDocument, operations: readonly PatchOperation[]): GroupDocument {
  const copy: GroupDocument = { ...group, members: new Set(group.members) };
  let named = 0;
  for (const operation of operations) {
    named += apply(copy, operation);
    if (named > MAX_NAMED_MEMBERS) throw invalidValue(`A request names at most ${MAX_NAMED_MEMBERS} members`);
  }
  return copy;
}

/** @returns the number of members that the operation names */
function apply(group: GroupDocument, operation: PatchOperation): number {
  const { verb, path, value, isMember } = operation;
  const { attribute, sub, filter, isExtension } = path;
  if (isExtension) return 0;
  if (READ_ONLY.has(attribute)) {
    if (isMember) return 0;
    throw mutability(`${attribute} is read-only`);
  }
  if (attribute === 'members') return patchMembers(group, operation);
  if ((attribute !== 'displayname' && attribute !== 'externalid') || sub !== null || filter !== null) {
    if (isMember) return 0;
    throw invalidPath(`Unknown attribute: ${sub === null ? attribute : `${attribute}.${sub}`}`);
  }
  if (attribute === 'externalid') group.externalId = verb === 'remove' ? null : value;
  else if (verb === 'remove') throw mutability('displayName is required');
  else group.displayName = value;
  return 0;
}

function patchMembers(group: GroupDocument, { verb, path: { filter, sub }, value }: PatchOperation): number {
  if (sub !== null && sub !== 'value') throw invalidPath(`members.${sub} cannot be changed`);
  if (filter !== null) {
    if (verb !== 'remove') throw mutability('A member cannot be changed; remove it and add another one');
    const ids = namedValues(filter);
    if (ids === null) throw invalidFilter('Members are selected by value eq only');
    for (const id of ids) group.members.delete(id.toLowerCase());
    return ids.length;
  }
  const ids = idsOfMembers(value);
  if (verb === 'replace') group.members = new Set(ids);
  else if (verb === 'add') for (const id of ids) group.members.add(id);
  else if (value === undefined || value === null) group.members.clear();
  else for (const id of ids) group.members.delete(id);
  if (group.members.size > MAX_MEMBERS) throw invalidValue(`A group has at most ${MAX_MEMBERS} members`);
  return ids.length;
}
