import { Inject, Injectable, type Type } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import type { OrganizationId, ProjectId } from './ids.js';
import { Database } from '../../platform/database/database.js';
import type { DomainErrorClass } from '../../platform/http/domain-error.js';
import { OrganizationOfResource, ProjectOfResource, ThingOfProject } from './declarations.js';
import type { ProjectScope } from './scope.js';

/** The entity of a table whose rows have an id and a tenant. */
type RowOf<Tenant extends string> = Type<ObjectLiteral & Record<'id' | Tenant, string>>;

/** What a class has to be that another may extend without more ado. */
type Concrete<Abstract> = { [Member in keyof Abstract]: Abstract[Member] };

/**
 * What finds the project of a row by its id alone, for a route's `via`:
 * `class ProjectOfNote extends projectOf('note_id', Note, NoteNotFound) {}`.
 * @param parameter the path parameter with the id
 * @param notFound answered for a missing row and for another tenant's alike
 */
export function projectOf(
  parameter: string,
  entity: RowOf<'projectId'>,
  notFound: DomainErrorClass,
): Type<Concrete<ProjectOfResource>> {
  @Injectable()
  class ProjectOfRow extends ProjectOfResource {
    readonly parameter = parameter;
    readonly notFound = notFound;

    constructor(@Inject(Database) private readonly database: Database) {
      super();
    }

    projectOf(id: string): Promise<ProjectId | null> {
      return tenantOf<ProjectId>(this.database, entity, 'project_id', id);
    }
  }
  return ProjectOfRow;
}

/** As {@link projectOf}, the organization. */
export function organizationOf(
  parameter: string,
  entity: RowOf<'organizationId'>,
  notFound: DomainErrorClass,
): Type<Concrete<OrganizationOfResource>> {
  @Injectable()
  class OrganizationOfRow extends OrganizationOfResource {
    readonly parameter = parameter;
    readonly notFound = notFound;

    constructor(@Inject(Database) private readonly database: Database) {
      super();
    }

    organizationOf(id: string): Promise<OrganizationId | null> {
      return tenantOf<OrganizationId>(this.database, entity, 'organization_id', id);
    }
  }
  return OrganizationOfRow;
}

/** What tells whether a row is of the project that the route names beside it, for a route's `thing`. */
export function thingOfProject(
  parameter: string,
  entity: RowOf<'projectId'>,
  notFound: DomainErrorClass,
): Type<Concrete<ThingOfProject>> {
  @Injectable()
  class RowOfProject extends ThingOfProject {
    readonly parameter = parameter;
    readonly notFound = notFound;

    constructor(@Inject(Database) private readonly database: Database) {
      super();
    }

    async isIn({ projectId }: ProjectScope, id: string): Promise<boolean> {
      const rows = await this.database.rows(
        `SELECT 1 FROM ${tableOf(this.database, entity)} WHERE project_id = $1 AND id = $2`,
        [projectId, id],
      );
      return rows.length === 1;
    }
  }
  return RowOfProject;
}

async function tenantOf<Id>(
  database: Database,
  entity: Type<ObjectLiteral>,
  column: 'project_id' | 'organization_id',
  id: string,
): Promise<Id | null> {
  const [row] = await database.rows<{ tenant: Id }>(
    `SELECT ${column} AS tenant FROM ${tableOf(database, entity)} WHERE id = $1 /* tenant: what is asked for */`,
    [id],
  );
  return row?.tenant ?? null;
}

function tableOf({ db }: Database, entity: Type<ObjectLiteral>): string {
  return db.dataSource.getMetadata(entity).tablePath;
}
