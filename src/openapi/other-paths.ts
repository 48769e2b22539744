import type { OpenAPIObject } from '@nestjs/swagger';
import { usedSchemas } from './schemas/used-schemas.js';

/** The paths of the public document. The paths outside of `/v1` in it belong to operators. */
const PUBLIC = /^\/(v1\/|internal\/|health$)/;

type Parts = Record<string, object>;

/** The paths that only the document for clients describes: they follow the protocols of others, such as `/intake`. */
export interface OtherPaths {
  readonly tags: NonNullable<OpenAPIObject['tags']>;
  readonly paths: OpenAPIObject['paths'];
  /** Parts that the public document does not have. */
  readonly components: { readonly schemas: Parts; responses: Parts; parameters: Parts };
}

export const NO_OTHER_PATHS: OtherPaths = {
  tags: [],
  paths: {},
  components: { schemas: {}, responses: {}, parameters: {} },
};

/**
 * Takes the paths that are not public out of a document, with the tags and schemas that only they have.
 * @param document is changed
 */
export function takeOtherPaths(document: OpenAPIObject): OtherPaths {
  const all = Object.entries(document.paths);
  const [open, others] = [all.filter(([path]) => PUBLIC.test(path)), all.filter(([path]) => !PUBLIC.test(path))];
  document.paths = Object.fromEntries(open);
  const paths = Object.fromEntries(others);
  const schemas = (document.components?.schemas ?? {}) as Parts;
  const publicly = usedSchemas(document.paths, schemas);
  const own = [...usedSchemas(paths, schemas)].filter((name) => !publicly.has(name)).sort();
  const taken = Object.fromEntries(own.map((name) => [name, schemas[name] ?? {}]));
  for (const name of own) Reflect.deleteProperty(schemas, name);
  const used = JSON.stringify(paths);
  const isOther = ({ name }: { name: string }): boolean => used.includes(`"tags":["${name}"]`);
  const tags = document.tags ?? [];
  document.tags = tags.filter((tag) => !isOther(tag));
  return { tags: tags.filter(isOther), paths, components: { schemas: taken, responses: {}, parameters: {} } };
}

/** Adds the other paths, with their parts, to a document. */
export function addOtherPaths(document: OpenAPIObject, { tags, paths, components }: OtherPaths): void {
  const known = (document.components ??= {}) as Record<string, Parts>;
  document.tags = [...(document.tags ?? []), ...tags];
  document.paths = { ...document.paths, ...paths };
  for (const [kind, parts] of Object.entries(components)) known[kind] = { ...known[kind], ...parts };
}
