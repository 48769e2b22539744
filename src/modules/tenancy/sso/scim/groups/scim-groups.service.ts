import { Injectable } from '@nestjs/common';
import type { ScimScope, UserId } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';
import { domainError } from '../../../../../platform/http/domain-error.js';
import { isUuid, newId } from '../../../../../platform/ids/index.js';
import { AuditWriter } from '../../../../identity/audit/index.js';
import { type MemberOfGroup, ScimGroupMembersRepository } from '../group-members/scim-group-members.repository.js';
import { ScimMembershipsService } from '../memberships/scim-memberships.service.js';
import { readPatch } from '../patch/patch-request.js';
import { invalidValue, ScimResourceNotFound, uniqueness } from '../protocol/scim-fault.js';
import { type Conditions, requireVersion } from '../protocol/version-tag.js';
import type { ListRequest } from '../queries/list-request.js';
import { type Projection, shows } from '../queries/projection.js';
import { documentOfGroup, type GroupDocument, readGroup, type ScimGroupInput } from './group-document.js';
import { concernsMembers, MAX_GROUP_OPERATIONS, patchedGroup } from './group-patch.js';
import { etagOfGroup } from './group-resource.js';
import { ScimGroupsRepository, type StoredScimGroup } from './scim-groups.repository.js';

/** The maximum number of groups of an organization. */
const MAX_GROUPS = 1_000;
/** Maximum number of members in one page. A page ends before the group that would exceed it. */
const MAX_MEMBERS_OF_PAGE = 20_000;

export class TooManyScimGroups extends domainError(403, 'An organization has at most 1,000 provisioned groups') {}

/** A group with the members that the answer contains. */
export interface ShownGroup {
  readonly group: StoredScimGroup;
  readonly members: readonly MemberOfGroup[];
}

/**
 * Creates, changes and deletes groups for the identity provider of an organization. Groups determine the roles of
 * members.
 */
@Injectable()
export class ScimGroupsService {
  constructor(
    private readonly database: Database,
    private readonly groups: ScimGroupsRepository,
    private readonly members: ScimGroupMembersRepository,
    private readonly memberships: ScimMembershipsService,
    private readonly audit: AuditWriter,
  ) {}

  async list(
    scope: ScimScope,
    request: ListRequest,
  ): Promise<{ total: number; startIndex: number; groups: readonly ShownGroup[] }> {
    const { groups, total } = await this.groups.list(scope, request);
    const withMembers = shows(request.projection, 'members');
    const page = withMembers ? groups.slice(0, fittingGroups(groups.map(({ memberCount }) => memberCount))) : groups;
    const members = withMembers ? await this.membersOf(scope, page) : new Map<string, MemberOfGroup[]>();
    const shown = page.map((group) => ({ group, members: members.get(group.id) ?? [] }));
    return { total, startIndex: request.startIndex, groups: shown };
  }

  /** @throws ScimResourceNotFound */
  async get(scope: ScimScope, id: string, projection: Projection): Promise<ShownGroup> {
    const group = isUuid(id) ? await this.groups.find(scope, id) : null;
    if (group === null) throw new ScimResourceNotFound();
    const members = shows(projection, 'members') ? await this.members.membersOf(scope, [group.id]) : [];
    return { group, members };
  }

  /** @returns the id of the new group */
  create(scope: ScimScope, body: unknown): Promise<string> {
    const document = documentOfGroup(body);
    const input = readGroup(document);
    return this.change(scope, async (tx) => {
      await this.refuseTakenName(scope, null, input, tx);
      if ((await this.groups.count(scope, tx)) >= MAX_GROUPS) throw new TooManyScimGroups();
      const id = newId();
      await this.groups.insert(scope, id, input, tx);
      await this.setMembers(scope, id, document, tx);
      await this.record(scope, 'created', id, { name: input.displayName }, tx);
      return id;
    });
  }

  /** Replaces all attributes. If the body has no members, the group becomes empty. */
  replace(scope: ScimScope, id: string, body: unknown, conditions: Conditions): Promise<void> {
    const document = documentOfGroup(body);
    const input = readGroup(document);
    return this.change(scope, async (tx) => {
      const group = await this.require(scope, id, conditions, tx);
      await this.store(scope, group, { input, document, isOfMembers: true }, tx);
    });
  }

  /** Applies all operations, or none when one of them fails. */
  patch(scope: ScimScope, id: string, body: unknown, conditions: Conditions): Promise<void> {
    const operations = readPatch(body, MAX_GROUP_OPERATIONS);
    return this.change(scope, async (tx) => {
      const group = await this.require(scope, id, conditions, tx);
      const isOfMembers = concernsMembers(operations);
      const members = new Set<string>(isOfMembers ? await this.members.idsOf(scope, group.id, tx) : []);
      const { displayName, externalId } = group;
      const document = patchedGroup({ displayName, externalId, members }, operations);
      await this.store(scope, group, { input: readGroup(document), document, isOfMembers }, tx);
    });
  }

  /** Deletes a group. The roles of its members then follow their other groups. */
  remove(scope: ScimScope, id: string, conditions: Conditions): Promise<void> {
    return this.change(scope, async (tx) => {
      const group = await this.require(scope, id, conditions, tx);
      const members = await this.members.idsOf(scope, group.id, tx);
      await this.groups.delete(scope, group.id, tx);
      await this.affect(scope, members, tx);
      await this.record(scope, 'deleted', group.id, { name: group.displayName }, tx);
    });
  }

  private async store(
    scope: ScimScope,
    group: StoredScimGroup,
    change: { readonly input: ScimGroupInput; readonly document: GroupDocument; readonly isOfMembers: boolean },
    tx: Db,
  ): Promise<void> {
    const { input, document, isOfMembers } = change;
    await this.refuseTakenName(scope, group.id, input, tx);
    await this.groups.update(scope, group.id, input, tx);
    if (isOfMembers) await this.setMembers(scope, group.id, document, tx);
    if (input.displayName !== group.displayName)
      await this.affect(scope, await this.members.idsOf(scope, group.id, tx), tx);
    await this.record(scope, 'updated', group.id, { name: input.displayName }, tx);
  }

  /** @throws ScimFault when a new member is not a user of the provider */
  private async setMembers(scope: ScimScope, id: string, { members }: GroupDocument, tx: Db): Promise<void> {
    const present = new Set<UserId>(await this.members.idsOf(scope, id, tx));
    const wanted = new Set<string>(members);
    const added = [...wanted].filter((member) => !present.has(member as UserId));
    const removed = [...present].filter((member) => !wanted.has(member));
    const unknown = added.find((member) => !isUuid(member));
    const known = unknown === undefined ? await this.members.usersAmong(scope, added, tx) : [];
    if (known.length < added.length) {
      const found = new Set<string>(known);
      const missing = unknown ?? added.find((member) => !found.has(member)) ?? '';
      throw invalidValue(`No user has the id ${missing.slice(0, 64)}`);
    }
    await this.members.add(scope, id, known, tx);
    await this.members.remove(scope, id, removed, tx);
    await this.affect(scope, [...known, ...removed], tx);
  }

  /** Updates the versions and the roles of users whose groups have changed. */
  private async affect(scope: ScimScope, users: readonly UserId[], tx: Db): Promise<void> {
    await this.members.touchUsers(scope, users, tx);
    await this.memberships.followGroups(scope, users, tx);
  }

  private async require(scope: ScimScope, id: string, conditions: Conditions, tx: Db): Promise<StoredScimGroup> {
    const group = isUuid(id) ? await this.groups.find(scope, id, tx) : null;
    if (group === null) throw new ScimResourceNotFound();
    requireVersion(conditions, etagOfGroup(group));
    return group;
  }

  private async refuseTakenName(
    scope: ScimScope,
    id: string | null,
    { displayName }: ScimGroupInput,
    tx: Db,
  ): Promise<void> {
    if (await this.groups.isNameTaken(scope, id, displayName, tx))
      throw uniqueness('Another group has this displayName');
  }

  private async membersOf(scope: ScimScope, groups: readonly StoredScimGroup[]): Promise<Map<string, MemberOfGroup[]>> {
    const byGroup = new Map<string, MemberOfGroup[]>(groups.map(({ id }) => [id, []]));
    for (const member of await this.members.membersOf(scope, [...byGroup.keys()]))
      byGroup.get(member.groupId)?.push(member);
    return byGroup;
  }

  /** Runs a change in one transaction under the lock of the organization. */
  private change<T>(scope: ScimScope, work: (tx: Db) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await this.memberships.lock(scope, tx);
      return work(tx);
    });
  }

  private async record(
    { organizationId, tokenId }: ScimScope,
    act: string,
    id: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(
      {
        actorUserId: null,
        organizationId,
        action: `scim_group.${act}`,
        targetType: 'scim_group',
        targetId: id,
        detail: { ...detail, scim_token_id: tokenId },
      },
      tx,
    );
  }
}

/** Returns how many groups fit on a page. A page always contains the first group. */
function fittingGroups(counts: readonly number[]): number {
  let sum = 0;
  const beyond = counts.findIndex((count, at) => {
    sum += count;
    return at > 0 && sum > MAX_MEMBERS_OF_PAGE;
  });
  return beyond < 0 ? counts.length : beyond;
}
