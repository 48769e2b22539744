import type { Filter } from '../filters/filter.js';
import { parseFilter } from '../filters/filter-parser.js';
import { byLowerName, isObject } from '../protocol/members.js';
import { invalidSyntax, invalidValue } from '../protocol/scim-fault.js';
import { type Projection, readProjection } from './projection.js';

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
/** Maximum number of resources on a page. A larger `count` is reduced to it. */
export const MAX_COUNT = 200;
const DEFAULT_COUNT = 100;
const MAX_START = 1_000_000_000;

/** One page of a list. */
export interface ListRequest {
  readonly filter: Filter | null;
  /** The number of the first resource on the page, counted from 1. */
  readonly startIndex: number;
  readonly count: number;
  readonly projection: Projection;
}

/** Reads a query of a list. @throws ScimFault */
export function readListQuery(query: {
  readonly filter?: string;
  readonly startIndex?: number;
  readonly count?: number;
  readonly attributes?: string;
  readonly excludedAttributes?: string;
}): ListRequest {
  return {
    filter: filterOf(query.filter),
    ...pageOf(query.startIndex, query.count),
    projection: readProjection(query.attributes, query.excludedAttributes),
  };
}

/** Reads the body of a search. @throws ScimFault */
export function readSearch(body: unknown): ListRequest {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const members = byLowerName(body);
  return {
    filter: filterOf(members.get('filter')),
    ...pageOf(members.get('startindex'), members.get('count')),
    projection: readProjection(members.get('attributes'), members.get('excludedattributes')),
  };
}

function filterOf(given: unknown): Filter | null {
  if (given === undefined || given === null || given === '') return null;
  if (typeof given !== 'string') throw invalidValue('filter must be a text');
  return parseFilter(given);
}

/** Reads the position and size of a page. A start below 1 means 1, and a negative count means 0. */
function pageOf(startIndex: unknown, count: unknown): { startIndex: number; count: number } {
  return {
    startIndex: Math.min(Math.max(wholeNumber(startIndex, 'startIndex') ?? 1, 1), MAX_START),
    count: Math.min(Math.max(wholeNumber(count, 'count') ?? DEFAULT_COUNT, 0), MAX_COUNT),
  };
}

function wholeNumber(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw invalidValue(`${name} must be a whole number`);
  return value;
}

/** Returns the answer to a list. */
export function listResponse(page: {
  readonly total: number;
  readonly startIndex: number;
  readonly resources: readonly object[];
}): object {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: page.total,
    startIndex: page.startIndex,
    itemsPerPage: page.resources.length,
    Resources: page.resources,
  };
}
