import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { isObjectKey } from './object-key.js';
import { type ListObjectsQuery, objectResponse, type ObjectPageResponse } from './objects.dto.js';
import { type Entry, ObjectsRepository } from './objects.repository.js';

const NOT_OURS = 'after must be the next_after of an earlier answer';

/**
 * Returns pages of objects in the order of their keys. A page begins after a key, so objects that are added or removed
 * meanwhile do not shift other objects to another page.
 */
@Injectable()
export class ObjectListService {
  constructor(private readonly objects: ObjectsRepository) {}

  /** @throws ValidationError for an `after` that no page has returned */
  async page(scope: ProjectScope, query: ListObjectsQuery): Promise<ObjectPageResponse> {
    const { prefix, delimiter, limit } = query;
    const request = { prefix, limit, after: query.after === undefined ? null : placeOf(query.after, query) };
    const found =
      delimiter === undefined ? await this.objects.page(scope, request) : await this.objects.tree(scope, request);
    const entries = found.slice(0, limit);
    const last = entries.at(-1);
    return {
      items: entries.flatMap((entry) => ('object' in entry ? [objectResponse(entry.object)] : [])),
      prefixes: entries.flatMap((entry) => ('prefix' in entry ? [entry.prefix] : [])),
      next_after: found.length > limit && last !== undefined ? tokenOf(last) : null,
    };
  }
}

function tokenOf(entry: Entry): string {
  return Buffer.from('object' in entry ? entry.object.key : entry.prefix).toString('base64url');
}

/** Returns where the previous page ended: a key, or a common prefix. */
function placeOf(after: string, { prefix, delimiter }: ListObjectsQuery): string {
  const place = Buffer.from(after, 'base64url').toString();
  const isCanonical = Buffer.from(place).toString('base64url') === after;
  const key = delimiter !== undefined && place.endsWith('/') ? place.slice(0, -1) : place;
  if (!isCanonical || !isObjectKey(key) || !place.startsWith(prefix))
    throw brokenRule(['query', 'after'], NOT_OURS, after.slice(0, 200));
  return place;
}
