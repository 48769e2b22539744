import type { Type } from '@nestjs/common';
import type { ReadBody } from '../../platform/http/body-reader.js';
import { fieldsOf, parseUuid, type Schema, UuidField } from '../../platform/http/validation/index.js';
import { type CheckedRequest, type InputPlan, inputPlanOf, schemaOf } from '../../platform/http/inputs.js';
import type { AccessDeclaration } from './declarations.js';

/** The input in which a route names its organization or project. */
type IdPlace = 'path' | 'query' | 'body';

/** The access rule and the input schemas of one route handler. The plan is computed once per handler. */
export interface RoutePlan {
  readonly access: AccessDeclaration;
  readonly inputs: InputPlan;
  readonly schemas: {
    readonly path: readonly { name: string; schema: Schema }[];
    readonly query?: Schema;
    readonly header?: Schema;
    readonly body?: Schema;
  };
  /** Null for routes whose access does not depend on a tenant id. */
  readonly tenantId: TenantId | null;
}

interface TenantId {
  readonly name: string;
  /** The id is read from the first of these places that has a value. */
  readonly places: readonly IdPlace[];
  /**
   * The schema of the same input with the id required. It replaces the input's own schema when the caller omits an
   * optional id and has no project selected, so that the error names the missing id.
   */
  readonly demanding?: { readonly place: 'query' | 'body'; readonly schema: Schema };
}

/** Computes the plan of a route. @throws Error when the access needs an id that none of the route's inputs has */
export function planRoute(handler: object, access: AccessDeclaration, title: string): RoutePlan {
  const inputs = inputPlanOf(handler);
  return {
    access,
    inputs,
    schemas: {
      path: inputs.path.map(({ name, type }) => ({ name, schema: schemaOf(type) })),
      query: inputs.query && schemaOf(inputs.query),
      header: inputs.header && schemaOf(inputs.header),
      body: inputs.body?.type && schemaOf(inputs.body.type),
    },
    tenantId: tenantIdOf(access, inputs, title),
  };
}

/** Returns the tenant id as validation will read it, or null when the id is missing or malformed. */
export function readTenantId({ tenantId }: RoutePlan, request: CheckedRequest, body: ReadBody): string | null {
  if (tenantId === null) return null;
  return readUuid(givenTenant(tenantId, request, body));
}

/**
 * Returns whether the id is optional and the caller has left it out. A body that cannot be read may contain the id, so
 * this returns false for such a body.
 */
export function isTenantLeftOut({ tenantId }: RoutePlan, request: CheckedRequest, body: ReadBody): boolean {
  if (tenantId?.demanding === undefined || body.issues !== undefined) return false;
  return givenTenant(tenantId, request, body) === undefined;
}

function givenTenant({ name, places }: TenantId, request: CheckedRequest, { value }: ReadBody): unknown {
  const holders = { path: request.params, query: request.query, body: value };
  for (const place of places) {
    const holder: unknown = holders[place];
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) continue;
    const given = (holder as Record<string, unknown>)[name];
    // Null in a body means the same as a missing id.
    if (given !== null || place !== 'body') return given;
  }
  return undefined;
}

/** Returns a path parameter as validation will read it, or null when the parameter is no id. */
export function readPathId(name: string, request: CheckedRequest): string | null {
  return readUuid(request.params[name]);
}

/** Parses an id. For a repeated query parameter the last value is used, as in validation. */
function readUuid(given: unknown): string | null {
  const value: unknown = Array.isArray(given) ? given.at(-1) : given;
  return typeof value === 'string' ? parseUuid(value) : null;
}

function tenantIdOf(access: AccessDeclaration, inputs: InputPlan, title: string): RoutePlan['tenantId'] {
  const name = tenantNameOf(access);
  if (name === null) return null;
  const isIn = (type?: Type<unknown>): boolean =>
    type !== undefined && fieldsOf(type).some(({ wire }) => wire === name);
  const { query, body } = inputs;
  if (access.kind === 'project' && access.orSelected === true) {
    if (body?.type !== undefined && isIn(body.type)) {
      const places = isIn(query) ? (['body', 'query'] as const) : (['body'] as const);
      return { name, places, demanding: { place: 'body', schema: demanding(body.type, name) } };
    }
    if (query !== undefined && isIn(query)) {
      return { name, places: ['query'], demanding: { place: 'query', schema: demanding(query, name) } };
    }
  }
  if (inputs.path.some((input) => input.name === name)) return { name, places: ['path'] };
  if (isIn(query)) return { name, places: ['query'] };
  if (isIn(body?.type)) return { name, places: ['body'] };
  throw new Error(`${title} asks for a role in what ${name} names, but no input of it holds one`);
}

function tenantNameOf(access: AccessDeclaration): string | null {
  switch (access.kind) {
    case 'organization':
      return access.via === undefined ? 'organization_id' : null;
    case 'project':
    case 'capability':
      return access.via === undefined ? 'project_id' : null;
    case 'member-or-key':
    case 'platform-admin':
      return 'organization_id';
    default:
      return null;
  }
}

/** Returns the schema of the same inputs with the id required. */
function demanding(type: Type<unknown>, name: string): Schema {
  class Demanding extends (type as Type<object>) {}
  UuidField({})(Demanding.prototype, name);
  return schemaOf(Demanding);
}
