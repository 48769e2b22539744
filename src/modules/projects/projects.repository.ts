import { Injectable } from '@nestjs/common';
import {
  type OrganizationScope,
  type ProjectMembership,
  type ProjectScope,
  type Role,
  roleAtLeast,
  type UserScope,
} from '../../platform/access/index.js';
import { Database, type Db } from '../../platform/database/database.js';
import { Project } from './project.entity.js';

/** Projects and who may see them. */
@Injectable()
export class ProjectsRepository {
  constructor(private readonly database: Database) {}

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

  get(scope: Pick<ProjectScope, 'projectId'>, db?: Db): Promise<Project> {
    return this.database.repository(Project, db).findOneByOrFail({ id: scope.projectId });
  }

  countOf(scope: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<number> {
    return this.database.repository(Project, tx).countBy({ organizationId: scope.organizationId });
  }

  /** Projects the person can read, newest first. */
  async listOf(scope: Pick<UserScope, 'userId'>): Promise<Project[]> {
    return this.database
      .repository(Project)
      .createQueryBuilder('p')
      .where(
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

  /** Null: there is no such project. The organization's membership decides first. */
  async membershipOf(userId: string, projectId: string): Promise<ProjectMembership | null> {
    const [row] = await this.database.rows<{
      organization_id: string;
      organization_role: Role | null;
      project_role: Role | null;
    }>(
      `SELECT p.organization_id, om.role AS organization_role, pm.role AS project_role
       FROM projects p
       LEFT JOIN organization_members om ON om.organization_id = p.organization_id AND om.user_id = $1
       LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = $1
       WHERE p.id = $2`,
      [userId, projectId],
    );
    if (row === undefined) return null;
    return { organizationId: row.organization_id, role: effectiveRole(row.organization_role, row.project_role) };
  }
}

/** Owners and admins of the organization are that in every project; others have their project role. */
export function effectiveRole(organizationRole: Role | null, projectRole: Role | null): Role | null {
  if (organizationRole === null) return null;
  return roleAtLeast(organizationRole, 'admin') ? organizationRole : projectRole;
}
