import type { Request } from 'express';
import { compile, EnumField, ValidationError, validateStrings } from '../../platform/http/validation/index.js';

const VERSIONS = ['3.0', '3.1'] as const;
type Version = (typeof VERSIONS)[number];

class DocumentQuery {
  @EnumField(VERSIONS, { optional: true, description: 'The version of OpenAPI. `3.1` when left out' })
  version?: Version;
}

/**
 * Returns the version of OpenAPI that a request names.
 * @throws {ValidationError} when it names another one
 */
export function versionOf(query: Request['query']): Version {
  const read = validateStrings(compile(DocumentQuery), query as Record<string, string | string[]>, 'query');
  if ('issues' in read) throw new ValidationError(read.issues);
  const { version = '3.1' } = read.value as DocumentQuery;
  return version;
}
