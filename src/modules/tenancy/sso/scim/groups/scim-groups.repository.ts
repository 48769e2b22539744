import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';
import { conditionOf, type FilterAttributes } from '../filters/filter-condition.js';
import type { Filter } from '../filters/filter.js';
import type { ScimGroupInput } from './group-document.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** A group as it is stored, without its members. */
export interface StoredScimGroup {
  readonly id: string;
  readonly displayName: string;
  readonly externalId: string | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A group in a list, with the number of its members. */
export interface CountedScimGroup extends StoredScimGroup {
  readonly memberCount: number;
}

const COLUMNS = `g.id, g.display_name AS "displayName", g.external_id AS "externalId", g.version,
  g.created_at AS "createdAt", g.updated_at AS "updatedAt"`;

const FILTERABLE: FilterAttributes = {
  columns: {
    id: { sql: 'g.id::text', type: 'text' },
    displayname: { sql: 'g.display_name', type: 'text' },
    externalid: { sql: 'g.external_id', type: 'exact' },
    'meta.resourcetype': { sql: `'Group'::text`, type: 'text' },
    'meta.created': { sql: 'g.created_at', type: 'time' },
    'meta.lastmodified': { sql: 'g.updated_at', type: 'time' },
  },
  lists: {
    members: {
      exists: (condition) =>
        `EXISTS (SELECT FROM scim_group_members gm JOIN scim_users s ON s.user_id = gm.user_id
                 WHERE gm.group_id = g.id AND s.organization_id = g.organization_id AND ${condition})`,
      columns: {
        value: { sql: 'gm.user_id::text', type: 'text' },
        display: { sql: 'coalesce(s.display_name, s.user_name)', type: 'text' },
        type: { sql: `'User'::text`, type: 'text' },
      },
    },
    schemas: {
      exists: (condition) =>
        `EXISTS (SELECT FROM unnest(ARRAY['urn:ietf:params:scim:schemas:core:2.0:Group']) n WHERE ${condition})`,
      columns: { value: { sql: 'n', type: 'text' } },
    },
  },
};

/** Stores groups of identity providers and their members. */
@Injectable()
export class ScimGroupsRepository {
  constructor(private readonly database: Database) {}

  /** Returns one page, oldest first, and the number of groups that match. */
  async list(
    { organizationId }: Tenant,
    { filter, startIndex, count }: { filter: Filter | null; startIndex: number; count: number },
  ): Promise<{ groups: CountedScimGroup[]; total: number }> {
    const parameters: unknown[] = [organizationId];
    const condition = filter === null ? 'TRUE' : conditionOf(filter, FILTERABLE, parameters);
    return this.database.snapshot(async (tx) => {
      const [row] = await this.database.rows<{ total: number }>(
        `SELECT count(*)::int AS total FROM scim_groups g WHERE g.organization_id = $1 AND ${condition}`,
        parameters,
        tx,
      );
      const paging = [...parameters, count, startIndex - 1];
      const groups = await this.database.rows<CountedScimGroup>(
        `SELECT ${COLUMNS}, (SELECT count(*)::int FROM scim_group_members gm WHERE gm.group_id = g.id) AS "memberCount"
         FROM scim_groups g WHERE g.organization_id = $1 AND ${condition}
         ORDER BY g.created_at, g.id LIMIT $${paging.length - 1} OFFSET $${paging.length}`,
        paging,
        tx,
      );
      return { groups, total: row?.total ?? 0 };
    });
  }

  /** Returns null when the organization has no such group. */
  async find({ organizationId }: Tenant, id: string, db?: Db): Promise<StoredScimGroup | null> {
    const [row] = await this.database.rows<StoredScimGroup>(
      `SELECT ${COLUMNS} FROM scim_groups g WHERE g.organization_id = $1 AND g.id = $2`,
      [organizationId, id],
      db,
    );
    return row ?? null;
  }

  /** Returns whether another group has the name. Case is ignored. */
  async isNameTaken({ organizationId }: Tenant, id: string | null, name: string, tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT FROM scim_groups WHERE organization_id = $1 AND lower(display_name) = lower($2) AND id IS DISTINCT FROM $3`,
      [organizationId, name, id],
      tx,
    );
    return rows.length > 0;
  }

  async count({ organizationId }: Tenant, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      'SELECT count(*)::int AS count FROM scim_groups WHERE organization_id = $1',
      [organizationId],
      tx,
    );
    return row?.count ?? 0;
  }

  async insert({ organizationId }: Tenant, id: string, input: ScimGroupInput, tx: Db): Promise<void> {
    await this.database.execute(
      'INSERT INTO scim_groups (id, organization_id, display_name, external_id) VALUES ($1, $2, $3, $4)',
      [id, organizationId, input.displayName, input.externalId],
      tx,
    );
  }

  async update({ organizationId }: Tenant, id: string, input: ScimGroupInput, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE scim_groups SET display_name = $3, external_id = $4, version = version + 1, updated_at = clock_timestamp()
       WHERE organization_id = $1 AND id = $2`,
      [organizationId, id, input.displayName, input.externalId],
      tx,
    );
  }

  async delete({ organizationId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM scim_groups WHERE organization_id = $1 AND id = $2',
      [organizationId, id],
      tx,
    );
  }
}
