import type { ReadBody } from '../http/body-reader.js';
import { fieldsOf, parseUuid, type Schema } from '../http/fields/index.js';
import { type CheckedRequest, type InputPlan, inputPlanOf, schemaOf } from '../http/inputs.js';
import type { AccessDeclaration } from './declarations.js';

/** Where a route names its organization or project. */
type IdPlace = 'path' | 'query' | 'body';

/** What the guard does for one handler, worked out once. */
export interface RoutePlan {
  readonly access: AccessDeclaration;
  readonly inputs: InputPlan;
  readonly schemas: {
    readonly path: readonly { name: string; schema: Schema }[];
    readonly query?: Schema;
    readonly header?: Schema;
    readonly body?: Schema;
  };
  /** Null for routes whose access does not depend on such an id. */
  readonly tenantId: { readonly name: string; readonly place: IdPlace } | null;
}

/** @throws when the route's access needs an id that none of its inputs holds */
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

/** The id as validation will read it; null when it is missing or malformed. */
export function readTenantId({ tenantId }: RoutePlan, request: CheckedRequest, body: ReadBody): string | null {
  if (tenantId === null) return null;
  const { name, place } = tenantId;
  if (place === 'path') return readUuid(request.params[name]);
  if (place === 'query') return readUuid(request.query[name]);
  const value = body.value;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? readUuid((value as Record<string, unknown>)[name])
    : null;
}

/** A path parameter as validation will read it; null when it is no id. */
export function readPathId(name: string, request: CheckedRequest): string | null {
  return readUuid(request.params[name]);
}

/** Of a repeated query parameter the last value counts, as in validation. */
function readUuid(given: unknown): string | null {
  const value: unknown = Array.isArray(given) ? given.at(-1) : given;
  return typeof value === 'string' ? parseUuid(value) : null;
}

function tenantIdOf(access: AccessDeclaration, inputs: InputPlan, title: string): RoutePlan['tenantId'] {
  const name = tenantNameOf(access);
  if (name === null) return null;
  if (inputs.path.some((input) => input.name === name)) return { name, place: 'path' };
  if (inputs.query !== undefined && fieldsOf(inputs.query).some(({ wire }) => wire === name))
    return { name, place: 'query' };
  if (inputs.body?.type !== undefined && fieldsOf(inputs.body.type).some(({ wire }) => wire === name))
    return { name, place: 'body' };
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
