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

/** Reads, writes and locks projects, and reads who may access them. */
@Injectable()
export class ProjectsRepository {
  constructor(
    private readonly database: Database,
    private readonly profiles: ProfilesWriter,
  ) {}

  /** Inserts a project. Every member of the organization becomes a member of the project with the same role. */
  async insert(project: Pick<Project, 'id' | 'organizationId' | 'name' | 'slug' | 'ownerId'>, tx: Db): Promise<void> {
    await this.database.repository(Project, tx).insert(project);
    await this.database.execute(
      `INSERT INTO project_members (project_id, user_id, role)
       SELECT $1, user_id, role FROM organization_members WHERE organization_id = $2`,
      [project.id, project.organizationId],
      tx,
    );
  }

  /**
   * Locks the project's row, so that operations on the project run one after another. Events and keys can still be
   * written.
   */
  async lock(scope: Pick<ProjectScope, 'projectId'>, tx: Db): Promise<Project> {
    const project = await this.database.repository(Project, tx).findOne({
      where: { id: scope.projectId, deletedAt: IsNull() },
      lock: { mode: 'for_no_key_update' },
    });
    if (project === null) throw new ProjectNotFound();
    return project;
  }

  /**
   * Like {@link lock}, but with a shared lock. Parallel callers do not wait for each other. Operations that change the
   * project wait for all of them.
   */
  async share(scope: Pick<ProjectScope, 'projectId'>, tx: Db): Promise<Project> {
    const project = await this.database.repository(Project, tx).findOne({
      where: { id: scope.projectId, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_read' },
    });
    if (project === null) throw new ProjectNotFound();
    return project;
  }

  /** Returns the number of projects of the organization. Archived projects are included, deleted ones are not. */
  countOf(scope: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<number> {
    return this.database.repository(Project, tx).countBy({ organizationId: scope.organizationId, deletedAt: IsNull() });
  }

  /**
   * Makes the owner of the organization the owner of the projects of a deleted account. This owner is always another
   * account.
   */
  async handOver(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE projects p SET owner_id = o.owner_id FROM organizations o
       WHERE o.id = p.organization_id AND p.owner_id = $1 /* every tenant: an account that is deleted */`,
      [userId],
      tx,
    );
  }

  /** Locks the projects that are not deleted in every organization of an owner. */
  async lockAllOfOwner(ownerId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `SELECT 1 FROM projects WHERE deleted_at IS NULL
         AND organization_id IN (SELECT id FROM organizations WHERE owner_id = $1) /* tenant: those of an owner */
       ORDER BY id FOR NO KEY UPDATE`,
      [ownerId],
      tx,
    );
  }

  /** Locks and returns the projects of an organization that are not deleted. */
  lockAllOf({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<Project[]> {
    return this.database.repository(Project, tx).find({
      where: { organizationId, deletedAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Removes the owner from the projects of a deleted organization. Their rows stay without an owner until they are
   * removed.
   */
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

  /**
   * Marks the project as deleted and deletes its rows in small tables. The database then also clears selections of the
   * project, because they refer to a membership.
   */
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
   * Makes the project the person's selected one. A selection refers to a project membership, and the database clears it
   * with the membership. Owners and admins without a project membership therefore get one here.
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

  /** Returns the projects that the person can read, newest first. */
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

  /**
   * Returns the project that a person has selected, or null. The database clears the selection when the membership
   * ends.
   */
  async selectedBy(userId: UserId): Promise<ProjectId | null> {
    const [row] = await this.database.rows<{ id: ProjectId }>(
      'SELECT p.id FROM users u JOIN projects p ON p.id = u.selected_project_id WHERE u.id = $1 AND p.deleted_at IS NULL',
      [userId],
    );
    return row?.id ?? null;
  }

  /**
   * Returns null when the project does not exist. The role is null when the person is not a member of the organization.
   */
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
