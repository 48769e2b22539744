import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import {
  type OrganizationId,
  type OrganizationScope,
  type ProjectId,
  type ProjectMemberScope,
  type ProjectMembership,
  ProjectNotFound,
  type ProjectScope,
  type Role,
  type UserId,
  type UserScope,
} from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { ProfilesWriter } from '../../identity/users/index.js';
import { effectiveRole } from './effective-role.js';
import { Project } from './project.entity.js';

/** Projects and who may see them. */
@Injectable()
export class ProjectsRepository {
  constructor(
    private readonly database: Database,
    private readonly profiles: ProfilesWriter,
  ) {}

  /** Every member of the organization becomes a member of the project with the same role (DECISIONS 3). */
  async insert(project: Pick<Project, 'id' | 'organizationId' | 'name' | 'slug' | 'ownerId'>, tx: Db): Promise<void> {
    await this.database.repository(Project, tx).insert(project);
    await this.database.execute(
      `INSERT INTO project_members (project_id, user_id, role)
       SELECT $1, user_id, role FROM organization_members WHERE organization_id = $2`,
      [project.id, project.organizationId],
      tx,
    );
  }

  /** Holds the project's row, so that acts on it queue up; events and keys can still be written. */
  async lock(scope: Pick<ProjectScope, 'projectId'>, tx: Db): Promise<Project> {
    const project = await this.database.repository(Project, tx).findOne({
      where: { id: scope.projectId, deletedAt: IsNull() },
      lock: { mode: 'for_no_key_update' },
    });
    if (project === null) throw new ProjectNotFound();
    return project;
  }

  /** As {@link lock}, beside others who do so: acts that change the project itself wait for all of them. */
  async share(scope: Pick<ProjectScope, 'projectId'>, tx: Db): Promise<Project> {
    const project = await this.database.repository(Project, tx).findOne({
      where: { id: scope.projectId, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_read' },
    });
    if (project === null) throw new ProjectNotFound();
    return project;
  }

  /** Archived projects count until they are deleted. */
  countOf(scope: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<number> {
    return this.database.repository(Project, tx).countBy({ organizationId: scope.organizationId, deletedAt: IsNull() });
  }

  /** For an account that is deleted: to the owner of the organization, who cannot be that account. */
  async handOver(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE projects p SET owner_id = o.owner_id FROM organizations o
       WHERE o.id = p.organization_id AND p.owner_id = $1 /* every tenant: an account that is deleted */`,
      [userId],
      tx,
    );
  }

  /** Holds the living projects of all organizations of an owner. */
  async lockAllOfOwner(ownerId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `SELECT 1 FROM projects WHERE deleted_at IS NULL
         AND organization_id IN (SELECT id FROM organizations WHERE owner_id = $1) /* tenant: those of an owner */
       ORDER BY id FOR NO KEY UPDATE`,
      [ownerId],
      tx,
    );
  }

  /** Holds the rows of an organization's living projects. */
  lockAllOf({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<Project[]> {
    return this.database.repository(Project, tx).find({
      where: { organizationId, deletedAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Of an organization that is deleted: its projects wait for their removal without an owner. */
  async forgetOwners({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<void> {
    await this.database.execute('UPDATE projects SET owner_id = NULL WHERE organization_id = $1', [organizationId], tx);
  }

  async update(
    scope: Pick<ProjectScope, 'projectId'>,
    change: Partial<Pick<Project, 'name' | 'slug' | 'archivedAt'>>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(Project, tx).update({ id: scope.projectId }, change);
  }

  /** Small tables go at once; with the memberships goes everybody's selection of the project. */
  async markDeleted(scope: Pick<ProjectScope, 'projectId'>, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE projects SET deleted_at = now(), archived_at = coalesce(archived_at, now()) WHERE id = $1',
      [scope.projectId],
      tx,
    );
    for (const table of ['project_members', 'project_settings', 'saved_views']) {
      await this.database.execute(`DELETE FROM ${table} WHERE project_id = $1`, [scope.projectId], tx);
    }
  }

  /**
   * Makes the project the person's selected one. The database lets go of the selection with the membership, so
   * owners and admins who have no row of their own get one.
   */
  async select(scope: ProjectMemberScope, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO project_members (project_id, user_id, role)
       SELECT $1, user_id, role FROM organization_members
       WHERE organization_id = $2 AND user_id = $3 AND role IN ('owner', 'admin')
       ON CONFLICT DO NOTHING`,
      [scope.projectId, scope.organizationId, scope.userId],
      tx,
    );
    await this.profiles.selectProject(scope.userId, scope.projectId, tx);
  }

  /** Projects the person can read, newest first. */
  async listOf(scope: Pick<UserScope, 'userId'>): Promise<Project[]> {
    return this.database
      .repository(Project)
      .createQueryBuilder('p')
      .where('p.deletedAt IS NULL')
      .andWhere(
        `EXISTS (SELECT 1 FROM organization_members om
           LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = om.user_id
           WHERE om.organization_id = p.organization_id AND om.user_id = :userId
             AND (om.role IN ('owner', 'admin') OR pm.role IS NOT NULL))`,
        { userId: scope.userId },
      )
      .orderBy('p.createdAt', 'DESC')
      .addOrderBy('p.id', 'DESC')
      .getMany();
  }

  /** The living project that a person has selected; the database clears it with their membership. */
  async selectedBy(userId: UserId): Promise<ProjectId | null> {
    const [row] = await this.database.rows<{ id: ProjectId }>(
      'SELECT p.id FROM users u JOIN projects p ON p.id = u.selected_project_id WHERE u.id = $1 AND p.deleted_at IS NULL',
      [userId],
    );
    return row?.id ?? null;
  }

  /** Null: there is no such project. The organization's membership decides first. */
  async membershipOf(userId: string, projectId: string, db?: Db): Promise<ProjectMembership | null> {
    const [row] = await this.database.rows<{
      project_id: ProjectId;
      organization_id: OrganizationId;
      organization_role: Role | null;
      project_role: Role | null;
    }>(
      `SELECT p.id AS project_id, p.organization_id, om.role AS organization_role, pm.role AS project_role
       FROM projects p
       LEFT JOIN organization_members om ON om.organization_id = p.organization_id AND om.user_id = $1
       LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = $1
       WHERE p.id = $2 AND p.deleted_at IS NULL`,
      [userId, projectId],
      db,
    );
    if (row === undefined) return null;
    const { project_id: found, organization_id: organizationId, organization_role, project_role } = row;
    return { projectId: found, organizationId, role: effectiveRole(organization_role, project_role) };
  }
}
