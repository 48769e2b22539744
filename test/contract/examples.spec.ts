import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { faultsOfExamples } from '../../scripts/contract/index.mjs';
import type { OtherPaths } from '../../src/openapi/other-paths.js';
import { clientDocument } from '../../src/openapi/client-document.js';
import { completeDocument, document, limits, operations, others } from '../support/document.js';

// `npm run check -- contract` calls `faultsOfExamples` as well.

interface Example {
  example?: unknown;
  examples?: unknown;
}
interface Parameter extends Example {
  in: string;
}
interface Shown {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, Example> };
  responses: Record<string, { content?: Record<string, Example> }>;
}

/** The document with its examples, as `/docs` shows it. */
const forClients = clientDocument(
  structuredClone(document) as unknown as OpenAPIObject,
  limits,
  others as unknown as OtherPaths,
);

function shownIn(changed: OpenAPIObject, method: 'get' | 'post', path: string): Shown {
  return changed.paths[path]?.[method] as unknown as Shown;
}

/** The faults after one operation of the document for clients has changed. */
function faultsAfter(change: (shown: Shown) => void, method: 'get' | 'post', path: string): string[] {
  const changed = structuredClone(forClients);
  change(shownIn(changed, method, path));
  return faultsOfExamples(completeDocument, changed);
}

const JSON_TYPE = 'application/json';
const PROJECTS = ['post', '/v1/projects'] as const;
const FILE = 'docs/api/examples/projects.json';

function withRequest(change: (example: Record<string, unknown>) => unknown): string[] {
  return faultsAfter(
    ({ requestBody }) => {
      const media = requestBody?.content[JSON_TYPE];
      if (media === undefined) throw new Error('the operation has no body');
      media.example = change(media.example as Record<string, unknown>);
    },
    ...PROJECTS,
  );
}

describe('the examples of the document', () => {
  it('are complete, fit their schemas, hold no secret and stand in the document once', () => {
    expect(faultsOfExamples(completeDocument, forClients)).toEqual([]);
  });

  it('are given for more than half of the parameters', () => {
    const shared = (forClients.components?.parameters ?? {}) as unknown as Record<string, Parameter>;
    const parameters = Object.values(forClients.paths)
      .flatMap((item) => Object.values(item) as Shown[])
      .flatMap((shown) => shown.parameters ?? [])
      .map((one) => ('$ref' in one ? shared[one.$ref.replace(/.*\//, '')] : one))
      .filter((one) => one?.in === 'path' || one?.in === 'query');
    expect(parameters.length).toBeGreaterThan(200);
    expect(parameters.filter((one) => one?.example !== undefined).length).toBeGreaterThan(parameters.length / 2);
  });

  it('are shared by at least two operations where they stand in the shared part', () => {
    const names = Object.keys(forClients.components?.examples ?? {});
    expect(names.length).toBeGreaterThan(3);
    const uses = [...JSON.stringify(forClients.paths).matchAll(/"#\/components\/examples\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    for (const name of names) expect(uses.filter((each) => each === name).length).toBeGreaterThan(1);
  });

  it('are in the document for clients only, which loses nothing of the public document', () => {
    const { components } = forClients;
    expect(Object.keys(components?.schemas ?? {})).toEqual(Object.keys(completeDocument.components.schemas));
    const references = new Set(JSON.stringify(forClients).match(/(?<="\$ref":"#\/components\/responses\/)[^"]+/g));
    expect([...references].sort()).toEqual(Object.keys(components?.responses ?? {}).sort());
    const media = operations.flatMap(({ operation: { requestBody, responses } }) => [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap(({ content }) => Object.values(content ?? {})),
    ]);
    expect(media.filter((each) => 'example' in each)).toEqual([]);
  });
});

describe('an example with a fault', () => {
  it('is reported when it is missing', () => {
    const faults = faultsAfter(
      (shown) => {
        for (const { content = {} } of [shown.requestBody ?? {}, ...Object.values(shown.responses)])
          for (const media of Object.values(content)) {
            delete media.example;
            delete media.examples;
          }
      },
      ...PROJECTS,
    );
    expect(faults).toEqual([
      `${FILE}: \`createProject\` has no example of the request. CONTRIBUTING.md says how to record one.`,
      `${FILE}: \`createProject\` has no example of the answer. CONTRIBUTING.md says how to record one.`,
    ]);
  });

  it('is reported when it does not fit its schema', () => {
    expect(withRequest((example) => ({ ...example, name: [] }))).toEqual([
      expect.stringContaining(`${FILE}: the example of \`createProject\` does not fit its schema: request /name must`),
    ]);
    const faults = faultsAfter(
      ({ responses }) => {
        const media = responses['201']?.content?.[JSON_TYPE];
        if (media !== undefined) media.example = { ...(media.example as object), nickname: 'x' };
      },
      ...PROJECTS,
    );
    expect(faults).toContainEqual(expect.stringMatching(/does not fit its schema: answer .* \(`nickname`\)\.$/));
  });

  it('is reported when it holds an address of a machine or an identifier of its recording', () => {
    expect(withRequest((example) => ({ ...example, name: 'localhost' }))).toEqual([
      `${FILE}: the example of \`createProject\` holds \`localhost\`. Record it again with scripts/choose-examples.mjs.`,
    ]);
    const id = '0199f3a1-0000-7000-8000-000000000000';
    expect(withRequest((example) => ({ ...example, name: id }))).toEqual([
      `${FILE}: the example of \`createProject\` holds \`${id}\`. Record it again with scripts/choose-examples.mjs.`,
    ]);
  });
});
