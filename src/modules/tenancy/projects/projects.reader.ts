import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { ProjectNotFound, type ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Project } from './project.entity.js';

/** Reads the row of a project. */
@Injectable()
export class ProjectsReader {
  constructor(private readonly database: Database) {}

  /** @throws ProjectNotFound when the project was deleted after the access check */
  async get(scope: Pick<ProjectScope, 'projectId'>, db?: Db): Promise<Project> {
    const project = await this.database.repository(Project, db).findOneBy({ id: scope.projectId, deletedAt: IsNull() });
    if (project === null) throw new ProjectNotFound();
    return project;
  }

  /**
   * Returns the name of the project. Reads nothing else, because every answer about events contains the name.
   * @throws ProjectNotFound as {@link get}
   */
  async nameOf({ projectId }: Pick<ProjectScope, 'projectId'>): Promise<string> {
    const [project] = await this.database.rows<{ name: string }>(
      'SELECT name FROM projects WHERE id = $1 AND deleted_at IS NULL',
      [projectId],
    );
    if (project === undefined) throw new ProjectNotFound();
    return project.name;
  }
}
