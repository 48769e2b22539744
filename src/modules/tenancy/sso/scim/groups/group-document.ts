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
/** A request that names more members is refused. A request can repeat members, or replace all of them. */
export const MAX_NAMED_MEMBERS = 2 * MAX_MEMBERS;

/** A group as a client sent it or as operations have changed it, with its values not checked yet. */
export interface GroupDocument {
  displayName: unknown;
  externalId: unknown;
  /** The ids of the members in lower case. */
  members: Set<string>;
}

/** The attributes of a group that are kept, except its members. */
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

/** Returns the ids of members that are sent as objects with `value`, or as texts. @throws ScimFault */
export function idsOfMembers(value: unknown): string[] {
  const members = listOf(value);
  if (members.length > MAX_NAMED_MEMBERS) throw invalidValue(`A group has at most ${MAX_MEMBERS} members`);
  return members.map((member) => {
    const id: unknown = isObject(member) ? byLowerName(member).get('value') : member;
    if (typeof id !== 'string' || id === '') throw invalidValue('A member must have the id of a user as its value');
    return id.toLowerCase();
  });
}
