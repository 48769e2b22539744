// node scripts/count-contract.mjs [document]: counts the operations, schemas and descriptions that an API document
// offers to authors of clients. The default document is docs/api/openapi.json. `-` reads a document from standard
// input, such as that of an earlier commit.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const [path = fileURLToPath(new URL('../docs/api/openapi.json', import.meta.url))] = process.argv.slice(2);
const document = JSON.parse(readFileSync(path === '-' ? 0 : path, 'utf8'));
const { schemas = {}, responses = {}, parameters = {} } = document.components ?? {};
const shared = { schemas, responses, parameters };
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const resolved = (part) => {
  const [, , kind, name] = part.$ref?.split('/') ?? [];
  return kind === undefined ? part : resolved(shared[kind][name]);
};
const isObject = ({ type }) => [type].flat().includes('object');
const alternatives = ({ oneOf, anyOf }) => (oneOf ?? anyOf ?? []).filter(({ type }) => type !== 'null');
const isDescribed = (part) => Boolean(part.description ?? resolved(part).description);

const parts = [];
(function look(part, place) {
  if (part === null || typeof part !== 'object') return;
  if (!Array.isArray(part)) parts.push([place, part]);
  for (const [key, value] of Object.entries(part)) if (!/^examples?$/.test(key)) look(value, `${place}/${key}`);
})(document, '');

const count = (isIt) => parts.filter(([place, part]) => isIt(part, place)).length;
const isNamed = (place) => /^\/components\/schemas\/\w+$/.test(place);
const isEnumeration = (part) => Array.isArray(part.enum) && part.enum.length > 1;
const members = Object.values(schemas).flatMap(({ properties = {} }) => Object.values(properties));
const text = JSON.stringify(document);

console.table({
  operations: operations.length,
  schemas: Object.keys(schemas).length,
  'shared responses': Object.keys(responses).length,
  'shared parameters': Object.keys(parameters).length,
  'named enums': count((part, place) => isEnumeration(part) && isNamed(place)),
  'inline enums': count((part, place) => isEnumeration(part) && !isNamed(place) && !place.endsWith('/detail')),
  'refusals with sentences': count((part, place) => place.endsWith('/detail') && isEnumeration(part)),
  constants: count((part) => 'const' in part),
  unions: count((part) => alternatives(part).length > 1),
  'unions with a discriminator': count((part) => part.discriminator !== undefined),
  'free-form objects': count(
    (part) => isObject(part) && ['properties', 'allOf', 'oneOf', 'anyOf'].every((key) => part[key] === undefined),
  ),
  'undescribed operations': operations.filter(({ description }) => !description).length,
  'undescribed members': members.filter((member) => !isDescribed(member)).length,
  'undescribed parameters': operations
    .flatMap((operation) => operation.parameters ?? [])
    .filter((parameter) => !isDescribed(resolved(parameter))).length,
  'bytes, minified': text.length,
  'bytes, gzip': gzipSync(text).length,
  'bytes, brotli': brotliCompressSync(text).length,
});
