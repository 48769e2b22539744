// Checks the API documents with Redocly's `recommended-strict` and Spectral's `spectral:oas`, without the network.
// Prints each error and warning and then exits with 1.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { clientDocument } from '../dist/src/openapi/client-document.js';
import { openApi30 } from '../dist/src/openapi/openapi-3-0/index.js';

/**
 * The contract of the service keeps these out of the first document, so only the second document is checked for them.
 */
const LEFT_OUT = {
  redocly: {
    // The first document has no server address.
    'no-empty-servers': 'off',
    // The first document has only the bearer scheme, so public operations and those for keys name no scheme.
    'security-defined': 'off',
    // The first document has no 429, which is the only refusal of some public operations.
    'operation-4xx-response': 'off',
  },
  spectral: { 'oas3-api-servers': 'off' },
};

/** Redocly reads `nullable` beside `allOf` as a rule that nothing fits, so it checks the examples in OpenAPI 3.1 only. */
const IN_3_0 = {
  redocly: { 'no-invalid-media-type-examples': 'off', 'no-invalid-schema-examples': 'off' },
  spectral: { 'oas3-valid-media-example': 'off', 'oas3-valid-schema-example': 'off' },
};

/**
 * By default Redocly closes each part of a schema, so that `then` and `else` reject the members of the schema that
 * contains them. test/contract/examples.spec.ts checks the examples against closed schemas.
 */
const EXAMPLES = Object.fromEntries(
  ['no-invalid-media-type-examples', 'no-invalid-schema-examples'].map((rule) => [
    rule,
    { severity: 'error', allowAdditionalProperties: true },
  ]),
);

/** The rule is checked in the second document, except where it does not apply. */
const NOT_SO = [
  { rule: 'operation-4xx-response', pointer: '#/paths/~1health/get/responses', why: 'No limit holds for `/health`.' },
  ...['~1sso~1oidc~1{provider}~1callback', '~1sso~1oidc~1{provider}~1start', '~1sso~1saml~1{connection_id}~1start'].map(
    (path) => ({
      rule: 'operation-2xx-response',
      pointer: `#/paths/${path}/get/responses`,
      why: 'The route always redirects the browser.',
    }),
  ),
];

const [first, limits, others] = ['openapi.json', 'limits.json', 'other-paths.json'].map((name) =>
  JSON.parse(readFileSync(new URL(`../docs/api/${name}`, import.meta.url), 'utf8')),
);
const second = clientDocument(first, limits, others);

const faults = [
  ...(await faultsOf('openapi.json', first, LEFT_OUT)),
  ...(await faultsOf('openapi.client.json', second, { redocly: {}, spectral: {} })),
  ...(await faultsOf('openapi.client.json?version=3.0', openApi30(second), IN_3_0)),
];
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

async function faultsOf(name, document, off) {
  return [...(await ofRedocly(name, document, off.redocly)), ...(await ofSpectral(name, document, off.spectral))];
}

async function ofRedocly(name, document, rules) {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { ...EXAMPLES, ...rules },
    telemetry: 'off',
  });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: name, config });
  return problems
    .map(({ ruleId, message, location: [{ pointer = '' } = {}] }) => ({ ruleId, message, pointer }))
    .filter(({ ruleId, pointer }) => !NOT_SO.some((one) => one.rule === ruleId && one.pointer === pointer))
    .map(({ ruleId, message, pointer }) => `${name}: redocly ${ruleId} at ${pointer}: ${message}`);
}

async function ofSpectral(name, document, rules) {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas], rules });
  const problems = await spectral.run(document);
  return problems.map(({ code, message, path }) => `${name}: spectral ${code} at ${path.join('/')}: ${message}`);
}
