import { Inject, Injectable, type Type } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import type { OrganizationId, ProjectId } from './ids.js';
import { Database } from '../../platform/database/database.js';
import type { DomainErrorClass } from '../../platform/http/domain-error.js';
import { TenantOfResource, ThingOfProject } from './declarations.js';
import type { ProjectScope } from './scope.js';

/** An entity whose rows have an id and a tenant. */
type RowOf<Tenant extends string> = Type<ObjectLiteral & Record<'id' | Tenant, string>>;

/**
 * The members of an abstract class as concrete ones, so that another class can extend the result without implementing
 * them.
 */
type Concrete<Abstract> = { [Member in keyof Abstract]: Abstract[Member] };

/** Creates a class that finds the tenant of a row. */
type FinderOf<Tenant, Key extends string> = (
  parameter: string,
  entity: RowOf<Key>,
  notFound: DomainErrorClass,
) => Type<Concrete<TenantOfResource<Tenant>>>;

/**
 * Creates a class that finds the project of a row by the row's id, for a route's `via`: `class ProjectOfNote extends
 * projectOf('note_id', Note, NoteNotFound) {}`. The arguments are the path parameter with the id, the entity of the
 * row, and the error for a missing row and for a row of another tenant.
 */
export const projectOf: FinderOf<ProjectId, 'projectId'> = finderOf('project_id');

/** Creates a class that finds the organization of a row, like {@link projectOf}. */
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

/**
 * Creates a class that checks whether a row belongs to the project that the same route names, for a route's `thing`.
 */
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
