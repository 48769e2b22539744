import { Injectable } from '@nestjs/common';
import { newUserId, type ScimScope, type UserId } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';
import { isUuid } from '../../../../../platform/ids/index.js';
import { AuditWriter } from '../../../../identity/audit/index.js';
import { MailedTokensService } from '../../../../identity/auth/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../../../../identity/security-events/index.js';
import { SessionsService } from '../../../../identity/sessions/index.js';
import {
  CredentialsWriter,
  emailKeyOf,
  RegistrationsWriter,
  type User,
  UsersReader,
} from '../../../../identity/users/index.js';
import { type GroupOfUser, ScimGroupMembersRepository } from '../group-members/scim-group-members.repository.js';
import { ScimMembershipsService } from '../memberships/scim-memberships.service.js';
import { readPatch } from '../patch/patch-request.js';
import { mutability, ScimFault, ScimResourceNotFound, uniqueness } from '../protocol/scim-fault.js';
import { type Conditions, requireVersion } from '../protocol/version-tag.js';
import type { ListRequest } from '../queries/list-request.js';
import { type Projection, shows } from '../queries/projection.js';
import { ScimUsersRepository, type StoredScimUser } from './scim-users.repository.js';
import { accountNameOf, documentOfUser, readUser, type ScimUserInput } from './user-document.js';
import { MAX_USER_OPERATIONS, patchedUser } from './user-patch.js';
import { documentOfStored, etagOfUser } from './user-resource.js';

/** Maximum number of users of an organization, including those that the provider has deleted. */
const MAX_USERS = 100_000;
/** Maximum number of group entries on one page. A page ends before the user that would exceed it. */
const MAX_GROUPS_OF_PAGE = 20_000;

/** A user with the groups that the answer contains. */
export interface ShownUser {
  readonly user: StoredScimUser;
  readonly groups: readonly GroupOfUser[];
}

/** Work that a change leaves for the time after its commit. */
interface AfterCommit {
  readonly ended: string[];
  readonly acts: SecurityAct[];
}

/**
 * Creates, changes and deletes users for the identity provider of an organization. A user is an account whose verified
 * address has a domain of the organization. `active` decides whether the person is a member. The account itself stays
 * when the user is deleted.
 */
@Injectable()
export class ScimUsersService {
  constructor(
    private readonly database: Database,
    private readonly users: ScimUsersRepository,
    private readonly groupMembers: ScimGroupMembersRepository,
    private readonly memberships: ScimMembershipsService,
    private readonly accounts: UsersReader,
    private readonly registrations: RegistrationsWriter,
    private readonly credentials: CredentialsWriter,
    private readonly tokens: MailedTokensService,
    private readonly sessions: SessionsService,
    private readonly events: SecurityEventsWriter,
    private readonly audit: AuditWriter,
  ) {}

  async list(
    scope: ScimScope,
    request: ListRequest,
  ): Promise<{ total: number; startIndex: number; users: readonly ShownUser[] }> {
    const { users, total } = await this.users.list(scope, request);
    const rows = await this.groupsFor(scope, users, request.projection);
    // The user whose groups exceed the limit is the first one on the next page. One user never has as many groups as
    // the limit.
    const beyond = rows[MAX_GROUPS_OF_PAGE]?.userId;
    const page = beyond === undefined ? users : users.slice(0, users.map(({ id }) => id).indexOf(beyond));
    const groups = new Map<UserId, GroupOfUser[]>(page.map(({ id }) => [id, []]));
    for (const group of rows) groups.get(group.userId)?.push(group);
    const shown = page.map((user) => ({ user, groups: groups.get(user.id) ?? [] }));
    return { total, startIndex: request.startIndex, users: shown };
  }

  /** @throws ScimResourceNotFound */
  async get(scope: ScimScope, id: string, projection: Projection): Promise<ShownUser> {
    const user = isUuid(id) ? await this.users.find(scope, id) : null;
    if (user === null) throw new ScimResourceNotFound();
    return { user, groups: await this.groupsFor(scope, [user], projection) };
  }

  /** @returns the id of the new user */
  async create(scope: ScimScope, body: unknown): Promise<UserId> {
    const input = readUser(documentOfUser(body));
    const isActive = input.active ?? true;
    return this.change(scope, async (tx, after) => {
      await this.memberships.requireDomain(scope, input.userName, tx);
      await this.refuseConflict(scope, null, input, tx);
      if ((await this.users.count(scope, tx)) >= MAX_USERS)
        throw new ScimFault(409, `At most ${MAX_USERS} users are kept`);
      const { user, isMade } = await this.accountFor(scope, input, after, tx);
      const before = await this.users.findAny(scope, user.id, tx);
      if (before !== null && !before.isDeleted) throw inUse('userName');
      await this.users.insert(scope, user.id, input, isMade, tx);
      await this.record(scope, 'created', user.id, { active: isActive }, tx);
      const isMember = (await this.users.findAny(scope, user.id, tx))?.isMember === true;
      if (isActive && !isMember) await this.memberships.start(scope, user, tx);
      if (!isActive && isMember) await this.end(scope, user.id, after, tx);
      if (!isActive && !isMember) await this.memberships.keepOut(scope, user.id, tx);
      await this.users.setActive(scope, user.id, isActive, tx);
      return user.id;
    });
  }

  /**
   * Replaces all attributes. If the body has no `active`, the state stays. @throws ScimResourceNotFound or
   * ScimVersionDiffers
   */
  replace(scope: ScimScope, id: string, body: unknown, conditions: Conditions): Promise<void> {
    const document = documentOfUser(body);
    return this.update(scope, id, conditions, () => readUser(document));
  }

  /** Applies all operations, or none when one of them fails. @throws ScimResourceNotFound or ScimVersionDiffers */
  patch(scope: ScimScope, id: string, body: unknown, conditions: Conditions): Promise<void> {
    const operations = readPatch(body, MAX_USER_OPERATIONS);
    return this.update(scope, id, conditions, (user) => readUser(patchedUser(documentOfStored(user), operations)));
  }

  /** Ends the membership and marks the user as deleted. The account stays. */
  remove(scope: ScimScope, id: string, conditions: Conditions): Promise<void> {
    return this.change(scope, async (tx, after) => {
      const user = await this.require(scope, id, conditions, tx);
      await this.deactivate(scope, user, after, tx);
      await this.groupMembers.removeFromAll(scope, user.id, tx);
      await this.users.markDeleted(scope, user.id, tx);
      await this.record(scope, 'deleted', user.id, {}, tx);
    });
  }

  private update(
    scope: ScimScope,
    id: string,
    conditions: Conditions,
    inputFrom: (user: StoredScimUser) => ScimUserInput,
  ): Promise<void> {
    return this.change(scope, async (tx, after) => {
      const user = await this.require(scope, id, conditions, tx);
      const input = inputFrom(user);
      await this.refuseConflict(scope, user.id, input, tx);
      if (emailKeyOf(input.userName) !== user.userNameKey) await this.changeAddress(scope, user, input, after, tx);
      await this.users.update(scope, user.id, input, tx);
      if (input.active === false) await this.deactivate(scope, user, after, tx);
      if (input.active === true) await this.activate(scope, user, tx);
      await this.record(scope, 'updated', user.id, { active: input.active ?? user.isMember }, tx);
    });
  }

  private async activate(scope: ScimScope, user: StoredScimUser, tx: Db): Promise<void> {
    // If the person is not a member although the provider activated them, somebody else has ended the membership. A
    // provider may restore only a membership that it has ended itself.
    if (user.wasActivated) return;
    if (!user.isMember) {
      const account = await this.accounts.findById(user.id, tx);
      if (account === null) throw new ScimResourceNotFound();
      await this.memberships.start(scope, account, tx);
    }
    await this.users.setActive(scope, user.id, true, tx);
  }

  /**
   * Deactivates a user. Their sessions are ended even if they have left the organization since the provider activated
   * them.
   */
  private async deactivate(scope: ScimScope, user: StoredScimUser, after: AfterCommit, tx: Db): Promise<void> {
    if (!user.isMember && !user.wasActivated) return;
    await this.end(scope, user.id, after, tx);
    await this.users.setActive(scope, user.id, false, tx);
  }

  private async end(scope: ScimScope, id: UserId, { ended, acts }: AfterCommit, tx: Db): Promise<void> {
    ended.push(...(await this.memberships.end(scope, id, tx)));
    const act: SecurityAct = {
      userId: id,
      type: 'account_deprovisioned',
      client: null,
      detail: { organization_id: scope.organizationId },
    };
    await this.events.record(act, tx);
    acts.push(act);
  }

  /** Finds or creates the account with an address. The row of the account is locked until the transaction ends. */
  private async accountFor(
    scope: ScimScope,
    input: ScimUserInput,
    { ended, acts }: AfterCommit,
    tx: Db,
  ): Promise<{ user: User; isMade: boolean }> {
    const [email, name] = [input.userName, accountNameOf(input)];
    const registered = await this.registrations.registerConfirmed({ id: newUserId(), email, name }, tx);
    if (registered === null) throw uniqueness('The account of the address was deleted at the same time');
    const { user, isNew } = registered;
    if (user.disabledAt !== null) throw new ScimFault(409, 'An operator of the service has disabled the account');
    const isTakenOver = user.emailVerifiedAt === null;
    if (isTakenOver) {
      ended.push(...(await this.sessions.revokeAllOf(user.id, tx)));
      await this.registrations.takeOverUnverified(user.id, { email, name }, tx);
      await this.tokens.revoke(user.id, ['verify_email', 'reset_password', 'change_email'], tx);
    }
    if (isNew || isTakenOver) {
      const detail = { organization_id: scope.organizationId, replaced_unverified_registration: isTakenOver };
      const act: SecurityAct = { userId: user.id, type: 'account_provisioned', client: null, detail };
      await this.events.record(act, tx);
      acts.push(act);
    }
    return { user, isMade: isNew || isTakenOver };
  }

  /** @throws ScimFault unless SCIM has created the account and its owner has not changed the address */
  private async changeAddress(
    scope: ScimScope,
    { id, isAccountMade, userNameKey }: StoredScimUser,
    { userName }: ScimUserInput,
    { acts }: AfterCommit,
    tx: Db,
  ): Promise<void> {
    if (!isAccountMade) throw mutability('userName cannot be changed: the account was not made by provisioning');
    await this.memberships.requireDomain(scope, userName, tx);
    const account = await this.accounts.lock(id, tx);
    await this.memberships.requireDomain(scope, account.email, tx);
    if (account.emailKey !== userNameKey)
      throw mutability('userName cannot be changed: the person has chosen another address');
    if ((await this.accounts.findByEmail(userName, tx)) !== null) throw inUse('userName');
    await this.credentials.changeEmail(id, userName, tx);
    await this.tokens.revoke(id, ['verify_email', 'reset_password', 'change_email'], tx);
    const act: SecurityAct = {
      userId: id,
      type: 'email_changed',
      client: null,
      detail: { email: userName },
      noticeTo: account.email,
    };
    await this.events.record(act, tx);
    acts.push(act);
  }

  private async require(scope: ScimScope, id: string, conditions: Conditions, tx: Db): Promise<StoredScimUser> {
    const user = isUuid(id) ? await this.users.find(scope, id, tx) : null;
    if (user === null) throw new ScimResourceNotFound();
    requireVersion(conditions, etagOfUser(user));
    return user;
  }

  private async refuseConflict(scope: ScimScope, id: UserId | null, input: ScimUserInput, tx: Db): Promise<void> {
    const conflict = await this.users.conflictOf(scope, id, input, tx);
    if (conflict !== null) throw inUse(conflict);
  }

  /**
   * Runs a change in one transaction under the lock of the organization. After the commit, ended sessions stop working
   * at once.
   */
  private async change<T>(scope: ScimScope, work: (tx: Db, after: AfterCommit) => Promise<T>): Promise<T> {
    const { result, after } = await this.database.transaction(async (tx) => {
      // The work fills this object. A transaction runs its work only once.
      const begun: AfterCommit = { ended: [], acts: [] };
      await this.memberships.lock(scope, tx);
      return { result: await work(tx, begun), after: begun };
    });
    this.sessions.forget(after.ended);
    for (const act of after.acts) this.events.announce(act);
    return result;
  }

  private async groupsFor(
    scope: ScimScope,
    users: readonly StoredScimUser[],
    projection: Projection,
  ): Promise<GroupOfUser[]> {
    if (users.length === 0 || !shows(projection, 'groups')) return [];
    return this.groupMembers.groupsOf(
      scope,
      users.map(({ id }) => id),
      MAX_GROUPS_OF_PAGE + 1,
    );
  }

  private async record(
    { organizationId, tokenId }: ScimScope,
    act: string,
    id: UserId,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(
      {
        actorUserId: null,
        organizationId,
        action: `scim_user.${act}`,
        targetType: 'user',
        targetId: id,
        detail: { ...detail, scim_token_id: tokenId },
      },
      tx,
    );
  }
}

function inUse(attribute: string): ScimFault {
  return uniqueness(`Another user has this ${attribute}`);
}
