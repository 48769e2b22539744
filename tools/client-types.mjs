// The types of every operation, which scripts/client.mjs writes into clients/typescript/src/generated/schema.ts.
import openapiTS, { astToString } from 'openapi-typescript';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/**
 * Leaves out `paths`, which repeat the operations, headers, which the client reads by their names, and examples, which
 * the pages of the service show.
 * @param document the OpenAPI document for clients; this function changes it
 */
export async function clientTypes(document) {
  delete document.components.headers;
  delete document.components.examples;
  const operations = Object.values(document.paths).flatMap((item) => METHODS.flatMap((method) => item[method] ?? []));
  for (const { responses, requestBody, parameters } of [...operations, document.components]) {
    for (const response of Object.values(responses)) {
      delete response.headers;
      leaveOutExamples(Object.values(response.content ?? {}));
    }
    leaveOutExamples(Object.values(requestBody?.content ?? {}));
    leaveOutExamples(Object.values(parameters ?? {}));
  }
  const nodes = await openapiTS(document, { silent: true });
  const kept = nodes.filter(({ name }) => ['components', 'operations'].includes(name?.escapedText));
  return astToString(kept)
    .replaceAll(/^ {16}headers: \{\n {20}\[name: string\]: unknown;\n {16}\};\n/gm, '')
    .replaceAll(' (enum property replaced by openapi-typescript)', '');
}

function leaveOutExamples(parts) {
  for (const part of parts) {
    delete part.example;
    delete part.examples;
  }
}
