import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope, Role, UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { effectiveRole } from '../effective-role.js';

/** A member of the organization, with the role in this project and the name and address of the account. */
export interface Member {
  readonly projectId: ProjectId;
  readonly userId: UserId;
  readonly organizationRole: Role;
  /** The effective role. Null: the person belongs to the organization, but not to the project. */
  readonly role: Role | null;
  readonly createdAt: Date;
  readonly email: string;
  /** Null: the account has no name. */
  readonly name: string | null;
}

interface Row {
  user_id: UserId;
  organization_role: Role;
  project_role: Role | null;
  created_at: Date;
  email: string;
  name: string | null;
}

const SELECT = `
  SELECT om.user_id, om.role AS organization_role, pm.role AS project_role,
         coalesce(pm.created_at, om.created_at) AS created_at, u.email, u.name
  FROM organization_members om
  JOIN users u ON u.id = om.user_id
  LEFT JOIN project_members pm ON pm.project_id = $2 AND pm.user_id = om.user_id
  WHERE om.organization_id = $1`;

/** Reads and writes the members of one project. Rows of people outside the project's organization are ignored. */
@Injectable()
export class ProjectMembersRepository {
  constructor(private readonly database: Database) {}

  /** Returns the members of the project, newest first. */
  async list(scope: ProjectScope): Promise<(Member & { role: Role })[]> {
    const rows = await this.database.rows<Row>(`${SELECT} ORDER BY created_at DESC, om.user_id DESC`, [
      scope.organizationId,
      scope.projectId,
    ]);
    return rows.map((row) => member(scope, row)).filter(isInProject);
  }

  /** Returns null when the person is not a member of the organization. */
  async find(scope: ProjectScope, userId: string, db?: Db): Promise<Member | null> {
    const rows = await this.database.rows<Row>(
      `${SELECT} AND om.user_id = $3`,
      [scope.organizationId, scope.projectId, userId],
      db,
    );
    return rows[0] === undefined ? null : member(scope, rows[0]);
  }

  /** Adds a member. Returns false when the person has become a member meanwhile. */
  async insert(scope: ProjectScope, userId: UserId, role: Role, tx: Db): Promise<boolean> {
    const added = await this.database.execute(
      'INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [scope.projectId, userId, role],
      tx,
    );
    return added === 1;
  }

  async setRole(scope: ProjectScope, userId: UserId, role: Role, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE project_members SET role = $3 WHERE project_id = $1 AND user_id = $2',
      [scope.projectId, userId, role],
      tx,
    );
  }

  async remove(scope: ProjectScope, userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM project_members WHERE project_id = $1 AND user_id = $2',
      [scope.projectId, userId],
      tx,
    );
  }
}

function member({ projectId }: ProjectScope, row: Row): Member {
  return {
    projectId,
    userId: row.user_id,
    organizationRole: row.organization_role,
    role: effectiveRole(row.organization_role, row.project_role),
    createdAt: row.created_at,
    email: row.email,
    name: row.name,
  };
}

/** Returns whether a member of the organization also belongs to the project. */
export function isInProject(candidate: Member): candidate is Member & { role: Role } {
  return candidate.role !== null;
}
