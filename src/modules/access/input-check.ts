import type { ReadBody } from '../../platform/http/body-reader.js';
import {
  brokenRule,
  type Issue,
  type Schema,
  validateJson,
  validateStrings,
  ValidationError,
} from '../../platform/http/validation/index.js';
import type { CheckedRequest, RequestInputs } from '../../platform/http/inputs.js';
import type { RoutePlan } from './route-plan.js';

/**
 * Checks path, query, header and body together.
 * @param isTenantMissing the request names no tenant and the caller has none selected
 * @throws ValidationError with the errors of all four parts, in that order
 */
export function checkInputs(
  plan: RoutePlan,
  request: CheckedRequest,
  body: ReadBody,
  isTenantMissing = false,
): RequestInputs {
  const issues: Issue[] = [];
  const take = (result: { value: object } | { issues: Issue[] }): object => {
    if ('value' in result) return result.value;
    issues.push(...result.issues);
    return {};
  };
  const demanding = isTenantMissing ? plan.tenantId?.demanding : undefined;
  const { path, header } = plan.schemas;
  const query = demanding?.place === 'query' ? demanding.schema : plan.schemas.query;
  const bodySchema = demanding?.place === 'body' ? demanding.schema : plan.schemas.body;
  const inputs: RequestInputs = {
    path: Object.assign(
      {},
      ...path.map(({ schema }) => take(validateStrings(schema, request.params, 'path'))),
    ) as object,
    query: query === undefined ? {} : take(validateStrings(query, request.query as Texts, 'query')),
    header: header === undefined ? {} : take(checkHeaders(header, request)),
    body: {},
    raw: body.raw,
  };
  if (body.issues !== undefined) issues.push(...body.issues);
  else if (body.lines !== undefined) inputs.lines = body.lines;
  else if (bodySchema !== undefined) {
    inputs.body = take(
      plan.inputs.body?.form === 'form'
        ? validateStrings(bodySchema, body.value as Texts, 'form')
        : validateJson(bodySchema, isTenantMissing ? withoutTenant(plan, body.value) : body.value, 'body', {
            isNullLeftOut: request.method !== 'PATCH',
          }),
    );
  }
  if (issues.length > 0) throw new ValidationError(issues);
  return inputs;
}

/**
 * Removes a tenant id that is null, so that the error says that the id is missing and not that it has the wrong type.
 */
function withoutTenant({ tenantId }: RoutePlan, value: unknown): unknown {
  if (tenantId === null || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { [tenantId.name]: _, ...others } = value as Record<string, unknown>;
  return others;
}

/** Rejects headers that are sent more than once. Node joins their values, and which one the client meant is unknown. */
function checkHeaders(schema: Schema, request: CheckedRequest): ReturnType<typeof validateStrings> {
  const repeated = schema.fields.filter(
    ({ header }) =>
      request.headers[header]?.includes(', ') === true && (request.headersDistinct[header]?.length ?? 0) > 1,
  );
  if (repeated.length === 0) return validateStrings(schema, request.headers, 'header');
  return {
    issues: repeated.flatMap(
      ({ header }) => brokenRule(['header', header], 'the header must not be sent more than once', null).issues,
    ),
  };
}

type Texts = Record<string, string | string[]>;
