import { namedSchema } from '../../../../../platform/http/validation/index.js';
import { SCIM_TYPE } from './scim-answer.js';

const JSON_TYPE = 'application/json';

const ERROR = {
  type: 'object',
  required: ['schemas', 'status', 'detail'],
  description: 'An error of SCIM (RFC 7644, section 3.12).',
  properties: {
    schemas: { type: 'array', items: { type: 'string' }, description: 'The schema of errors' },
    status: { type: 'string', description: 'The status of HTTP, in digits', examples: ['409'] },
    scimType: { type: 'string', description: 'The reason in the words of SCIM', examples: ['uniqueness'] },
    detail: { type: 'string', description: 'The error in words' },
  },
};

/** The form of errors on all routes below `/scim/v2`. */
export const SCIM_ERRORS = {
  prefix: 'Scim',
  content: { [SCIM_TYPE]: { schema: namedSchema('ScimError', { ScimError: ERROR }) } },
};

/** Maximum size of all bodies except those of groups. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Maximum size of the body of a group. 10,000 members, each with name and address, take about 3 MB. */
export const MAX_GROUP_BYTES = 5 * 1024 * 1024;

/** Returns the options of a body in SCIM's JSON. */
export function scimBody(
  what: string,
  maxBytes: number,
): { maxBytes: number; mediaTypes: string[]; content: Record<string, object> } {
  const schema = { type: 'object', additionalProperties: true, description: what };
  return { maxBytes, mediaTypes: [SCIM_TYPE, JSON_TYPE], content: { [SCIM_TYPE]: schema, [JSON_TYPE]: schema } };
}

/** Returns the answer of a route: a resource, or a list of resources. */
export function scimAnswer(description: string): { content: Record<string, object>; description: string } {
  return { content: { [SCIM_TYPE]: { type: 'object', additionalProperties: true, description } }, description };
}
