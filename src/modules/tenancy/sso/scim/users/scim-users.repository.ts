import { Injectable } from '@nestjs/common';
import { asUserId, type OrganizationScope, type UserId } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';
import { emailKeyOf } from '../../../../identity/users/index.js';
import { conditionOf, type FilterAttributes } from '../filters/filter-condition.js';
import type { Filter } from '../filters/filter.js';
import type { ScimEmail, ScimUserInput } from './user-document.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** A user as it is stored. */
export interface StoredScimUser {
  readonly id: UserId;
  readonly externalId: string | null;
  readonly userName: string;
  readonly userNameKey: string;
  readonly displayName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly formattedName: string | null;
  readonly emails: readonly ScimEmail[];
  readonly isAccountMade: boolean;
  /** Whether the person is a member of the organization. */
  readonly isMember: boolean;
  /** The state that the provider has set last. */
  readonly wasActivated: boolean;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly isDeleted: boolean;
}

const COLUMNS = `s.user_id AS id, s.external_id AS "externalId", s.user_name AS "userName", s.user_name_key AS "userNameKey",
  s.display_name AS "displayName", s.given_name AS "givenName", s.family_name AS "familyName",
  s.formatted_name AS "formattedName", s.emails, s.is_account_made AS "isAccountMade",
  m.user_id IS NOT NULL AS "isMember", s.active AS "wasActivated", s.version, s.created_at AS "createdAt",
  s.updated_at AS "updatedAt", s.deleted_at IS NOT NULL AS "isDeleted"`;
const FROM = `scim_users s LEFT JOIN organization_members m
  ON m.organization_id = s.organization_id AND m.user_id = s.user_id`;

const FILTERABLE: FilterAttributes = {
  columns: {
    id: { sql: 's.user_id::text', type: 'text' },
    externalid: { sql: 's.external_id', type: 'exact' },
    username: { sql: 's.user_name', type: 'text', key: { sql: 's.user_name_key', of: emailKeyOf } },
    displayname: { sql: 's.display_name', type: 'text' },
    'name.givenname': { sql: 's.given_name', type: 'text' },
    'name.familyname': { sql: 's.family_name', type: 'text' },
    'name.formatted': { sql: 's.formatted_name', type: 'text' },
    active: { sql: '(m.user_id IS NOT NULL)', type: 'boolean' },
    'meta.resourcetype': { sql: `'User'::text`, type: 'text' },
    'meta.created': { sql: 's.created_at', type: 'time' },
    'meta.lastmodified': { sql: 's.updated_at', type: 'time' },
  },
  lists: {
    emails: {
      exists: (condition) => `EXISTS (SELECT FROM jsonb_array_elements(s.emails) e WHERE ${condition})`,
      columns: {
        value: { sql: `(e->>'value')`, type: 'text' },
        type: { sql: `(e->>'type')`, type: 'text' },
        display: { sql: `(e->>'display')`, type: 'text' },
        primary: { sql: `(e->>'primary')::boolean`, type: 'boolean' },
      },
    },
    groups: {
      exists: (condition) =>
        `EXISTS (SELECT FROM scim_group_members gm JOIN scim_groups g ON g.id = gm.group_id
                 WHERE g.organization_id = s.organization_id AND gm.user_id = s.user_id AND ${condition})`,
      columns: {
        value: { sql: 'g.id::text', type: 'text' },
        display: { sql: 'g.display_name', type: 'text' },
      },
    },
    schemas: {
      exists: (condition) =>
        `EXISTS (SELECT FROM unnest(ARRAY['urn:ietf:params:scim:schemas:core:2.0:User']) n WHERE ${condition})`,
      columns: { value: { sql: 'n', type: 'text' } },
    },
  },
};

/**
 * Stores users as identity providers manage them. A user that the provider has deleted keeps its row. Only `findAny`
 * and `count` include such rows.
 */
@Injectable()
export class ScimUsersRepository {
  constructor(private readonly database: Database) {}

  /** Returns one page, oldest first, and the number of users that match. */
  async list(
    { organizationId }: Tenant,
    { filter, startIndex, count }: { filter: Filter | null; startIndex: number; count: number },
  ): Promise<{ users: StoredScimUser[]; total: number }> {
    const parameters: unknown[] = [organizationId];
    const condition = filter === null ? 'TRUE' : conditionOf(filter, FILTERABLE, parameters);
    return this.database.snapshot(async (tx) => {
      const [row] = await this.database.rows<{ total: number }>(
        `SELECT count(*)::int AS total FROM ${FROM}
         WHERE s.organization_id = $1 AND s.deleted_at IS NULL AND ${condition}`,
        parameters,
        tx,
      );
      const paging = [...parameters, count, startIndex - 1];
      const users = await this.database.rows<StoredScimUser>(
        `SELECT ${COLUMNS} FROM ${FROM}
         WHERE s.organization_id = $1 AND s.deleted_at IS NULL AND ${condition}
         ORDER BY s.created_at, s.user_id LIMIT $${paging.length - 1} OFFSET $${paging.length}`,
        paging,
        tx,
      );
      return { users, total: row?.total ?? 0 };
    });
  }

  /** Returns the number of users, including those that the provider has deleted. */
  async count({ organizationId }: Tenant, db: Db): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      'SELECT count(*)::int AS count FROM scim_users WHERE organization_id = $1',
      [organizationId],
      db,
    );
    return row?.count ?? 0;
  }

  /** Returns null when the provider has no such user. */
  async find(scope: Tenant, id: string, db?: Db): Promise<StoredScimUser | null> {
    const user = await this.findAny(scope, asUserId(id), db);
    return user === null || user.isDeleted ? null : user;
  }

  /** Returns a user, even if the provider has deleted it. */
  async findAny({ organizationId }: Tenant, id: UserId, db?: Db): Promise<StoredScimUser | null> {
    const [row] = await this.database.rows<StoredScimUser>(
      `SELECT ${COLUMNS} FROM ${FROM} WHERE s.organization_id = $1 AND s.user_id = $2`,
      [organizationId, id],
      db,
    );
    return row ?? null;
  }

  /**
   * Returns the attribute whose value another user of the organization already has, or null.
   * @param id the user that is changed, or null for a new user
   */
  async conflictOf(
    { organizationId }: Tenant,
    id: UserId | null,
    { userName, externalId }: Pick<ScimUserInput, 'userName' | 'externalId'>,
    tx: Db,
  ): Promise<'userName' | 'externalId' | null> {
    const [row] = await this.database.rows<{ isName: boolean }>(
      `SELECT user_name_key = $3 AS "isName" FROM scim_users
       WHERE organization_id = $1 AND user_id IS DISTINCT FROM $2 AND deleted_at IS NULL
         AND (user_name_key = $3 OR external_id = $4) ORDER BY 1 DESC LIMIT 1`,
      [organizationId, id, emailKeyOf(userName), externalId],
      tx,
    );
    if (row === undefined) return null;
    return row.isName ? 'userName' : 'externalId';
  }

  /** Stores a new user, or one that the provider had deleted. The user is inactive at first. */
  async insert(
    { organizationId }: Tenant,
    id: UserId,
    input: ScimUserInput,
    isAccountMade: boolean,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO scim_users (organization_id, user_id, external_id, user_name, user_name_key, display_name, given_name,
         family_name, formatted_name, emails, is_account_made, active)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, FALSE)
       ON CONFLICT (organization_id, user_id) DO UPDATE SET external_id = excluded.external_id,
         user_name = excluded.user_name, user_name_key = excluded.user_name_key, display_name = excluded.display_name,
         given_name = excluded.given_name, family_name = excluded.family_name, formatted_name = excluded.formatted_name,
         emails = excluded.emails, is_account_made = scim_users.is_account_made OR excluded.is_account_made,
         version = scim_users.version + 1, created_at = now(), updated_at = now(), deleted_at = NULL`,
      [organizationId, id, ...valuesOf(input), isAccountMade],
      tx,
    );
  }

  async update({ organizationId }: Tenant, id: UserId, input: ScimUserInput, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE scim_users SET external_id = $3, user_name = $4, user_name_key = $5, display_name = $6, given_name = $7,
         family_name = $8, formatted_name = $9, emails = $10, version = version + 1, updated_at = clock_timestamp()
       WHERE organization_id = $1 AND user_id = $2`,
      [organizationId, id, ...valuesOf(input)],
      tx,
    );
  }

  /** Stores the state that the provider has set. */
  async setActive({ organizationId }: Tenant, id: UserId, isActive: boolean, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE scim_users SET active = $3 WHERE organization_id = $1 AND user_id = $2',
      [organizationId, id, isActive],
      tx,
    );
  }

  async markDeleted({ organizationId }: Tenant, id: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE scim_users SET deleted_at = now(), external_id = NULL, version = version + 1
       WHERE organization_id = $1 AND user_id = $2`,
      [organizationId, id],
      tx,
    );
  }
}

function valuesOf(input: ScimUserInput): unknown[] {
  return [
    input.externalId,
    input.userName,
    emailKeyOf(input.userName),
    input.displayName,
    input.givenName,
    input.familyName,
    input.formattedName,
    JSON.stringify(input.emails),
  ];
}
