import { Inject, Injectable, type Type } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import type { OrganizationId, ProjectId } from './ids.js';
import { Database } from '../../platform/database/database.js';
import type { DomainErrorClass } from '../../platform/http/domain-error.js';
import { TenantOfResource, ThingOfProject } from './declarations.js';
import type { ProjectScope } from './scope.js';

/** The entity of a table whose rows have an id and a tenant. */
type RowOf<Tenant extends string> = Type<ObjectLiteral & Record<'id' | Tenant, string>>;

/** What a class has to be that another may extend without more ado. */
type Concrete<Abstract> = { [Member in keyof Abstract]: Abstract[Member] };

/** What makes the class that finds whose a row is. */
type FinderOf<Tenant, Key extends string> = (
  parameter: string,
  entity: RowOf<Key>,
  notFound: DomainErrorClass,
) => Type<Concrete<TenantOfResource<Tenant>>>;

/**
 * What finds the project of a row by its id alone, for a route's `via`:
 * `class ProjectOfNote extends projectOf('note_id', Note, NoteNotFound) {}`. It takes the path parameter with the id, the
 * row's entity, and what is answered for a missing row and for another tenant's alike.
 */
export const projectOf: FinderOf<ProjectId, 'projectId'> = finderOf('project_id');

/** As {@link projectOf}, the organization. */
export const organizationOf: FinderOf<OrganizationId, 'organizationId'> = finderOf('organization_id');

function finderOf<Tenant, Key extends string>(column: 'project_id' | 'organization_id'): FinderOf<Tenant, Key> {
  return (parameter, entity, notFound) => {
    @Injectable()
    class TenantOfRow extends TenantOfResource<Tenant> {
      readonly parameter = parameter;
      readonly notFound = notFound;

      constructor(@Inject(Database) private readonly database: Database) {
        super();
      }

      async tenantOf(id: string): Promise<Tenant | null> {
        const table = tableOf(this.database, entity);
        const [row] = await this.database.rows<{ tenant: Tenant }>(
          `SELECT ${column} AS tenant FROM ${table} WHERE id = $1 /* tenant: what is asked for */`,
          [id],
        );
        return row?.tenant ?? null;
      }
    }
    return TenantOfRow;
  };
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

function tableOf({ db }: Database, entity: Type<ObjectLiteral>): string {
  return db.dataSource.getMetadata(entity).tablePath;
}
