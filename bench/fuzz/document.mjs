// Reads the OpenAPI document for the bench `fuzz`.
import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

const document = JSON.parse(readFileSync(new URL('../../docs/api/openapi.json', import.meta.url), 'utf8'));

/** All operations. References to shared parameters and responses are replaced by their content. */
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation: {
      ...operation,
      parameters: (operation.parameters ?? []).map(part),
      responses: Object.fromEntries(Object.entries(operation.responses).map(([status, one]) => [status, part(one)])),
    },
  })),
);

function part(written) {
  if (written.$ref === undefined) return written;
  const [kind, name] = written.$ref.replace('#/components/', '').split('/');
  return document.components[kind][name];
}

export function resolved(schema) {
  return schema.$ref === undefined
    ? schema
    : document.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
}

/** The operations with a pattern that matches the path of a request. Paths with fewer parameters come first. */
const patterns = operations
  .map((one) => ({ ...one, pattern: new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

/** Returns the operation that documents a request, or undefined. */
export function operationOf(method, target) {
  const path = target.split('?', 1)[0];
  return patterns.find((one) => one.method === method && one.pattern.test(path));
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'document', components: JSON.parse(absolute(document.components)) });
const validators = new Map();

function absolute(value) {
  return JSON.stringify(value).replaceAll('"#/', '"document#/');
}

/** Returns how a JSON answer violates its documented schema, or null. */
export function schemaFault({ method, path, operation }, status, value) {
  const schema = operation.responses[status]?.content?.['application/json']?.schema;
  if (schema === undefined) return null;
  const name = `${method} ${path} ${status}`;
  const validate = validators.get(name) ?? ajv.compile(JSON.parse(absolute(schema)));
  validators.set(name, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}
