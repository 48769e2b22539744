import {
  compile,
  NameField,
  TextField,
  validateJson,
  ValidationError,
} from '../../../../../platform/http/validation/index.js';
import { byLowerName, isObject, listOf } from '../protocol/members.js';
import { invalidSyntax, invalidValue } from '../protocol/scim-fault.js';

const MAX_TEXT = 256;
/** A group with more members is refused. */
export const MAX_MEMBERS = 10_000;
/**
 * A request with more member ids is refused. It is larger than the limit of a group, because a request may repeat
 * members or replace all of them.
 */
export const MAX_NAMED_MEMBERS = 2 * MAX_MEMBERS;

/** A group as a client has sent it, or after PATCH operations. Its values are not validated yet. */
export interface GroupDocument {
  displayName: unknown;
  externalId: unknown;
  /** The ids of the members in lower case. */
  members: Set<string>;
}

/** The stored attributes of a group, except its members. */
export class ScimGroupInput {
  @NameField()
  displayName!: string;

  @TextField({ max: MAX_TEXT, nullable: true })
  externalId!: string | null;
}

/** Reads the body of POST and PUT. @throws ScimFault */
export function documentOfGroup(body: unknown): GroupDocument {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const members = byLowerName(body);
  const ids = new Set(idsOfMembers(members.get('members')));
  if (ids.size > MAX_MEMBERS) throw invalidValue(`A group has at most ${MAX_MEMBERS} members`);
  return { displayName: members.get('displayname'), externalId: members.get('externalid') ?? null, members: ids };
}

/** Checks the attributes of a group. @throws ValidationError */
export function readGroup({ displayName, externalId }: GroupDocument): ScimGroupInput {
  const value = { displayName, externalId: externalId === '' ? null : externalId };
  const read = validateJson(compile(ScimGroupInput), value, 'body');
  if ('issues' in read) throw new ValidationError(read.issues);
  return read.value as ScimGroupInput;
}

/** Returns the ids of members that are objects with `value`, or plain texts. @throws ScimFault */
export function idsOfMembers(value: unknown): string[] {
  const members = listOf(value);
  if (members.length > MAX_NAMED_MEMBERS) throw invalidValue(`A group has at most ${MAX_MEMBERS} members`);
  return members.map((member) => {
    const id: unknown = isObject(member) ? byLowerName(member).get('value') : member;
    if (typeof id !== 'string' || id === '') throw invalidValue('A member must have the id of a user as its value');
    return id.toLowerCase();
  });
}
