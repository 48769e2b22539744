import { readdirSync, readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { faultsOfGenerators } from '../../scripts/contract/index.mjs';
import type { OtherPaths } from '../../src/openapi/other-paths.js';
import { clientDocument } from '../../src/openapi/client-document.js';
import { openApi30 } from '../../src/openapi/openapi-3-0/index.js';
import { document, limits, others } from '../support/document.js';

// `npm run check -- contract` calls `faultsOfGenerators` as well.

const forClients = clientDocument(document as unknown as OpenAPIObject, limits, others as unknown as OtherPaths);
const older = openApi30(forClients);

const INTAKE = new URL('../../src/modules/intake/', import.meta.url);

/** The routes of a controller, as the document writes them. */
function routesOf(source: string): string[] {
  const [, base = ''] = /@Controller\('([^']+)'\)/.exec(source) ?? [];
  return [...source.matchAll(/@(Get|Post|Put)\('([^']+)'\)/g)].map(
    ([, method = '', path = '']) => `${method.toLowerCase()} /${base}/${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
}

/** Returns the media types of a response, with their schemas. */
function contentOf(path: string, status: string): unknown {
  const response = older.paths[path]?.post?.responses[status];
  if (response === undefined || !('$ref' in response)) return response?.content;
  const shared = older.components?.responses?.[response.$ref.replace(/.*\//, '')];
  return (shared as { content?: unknown }).content;
}

interface Changed {
  components: { schemas: Record<string, object>; responses: Record<string, object> };
  paths: Record<string, Record<string, { parameters?: object[]; requestBody?: { content: object } }>>;
}

function faultsAfter(change: (changed: Changed) => void): string[] {
  const changed = structuredClone(older);
  change(changed as unknown as Changed);
  return faultsOfGenerators(changed);
}

/** The faults after a schema is added. */
const faultsWith = (schema: object): string[] =>
  faultsAfter(({ components }) => {
    components.schemas['Thing'] = schema;
  });

describe('the document for clients in OpenAPI 3.0', () => {
  it('is accepted by a strict validator', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(older) as object as Record<string, unknown>)).toEqual({
      valid: true,
    });
    expect(validator.version).toBe('3.0');
    expect(older.openapi).toBe('3.0.3');
  });

  it('has nothing that generators in other languages do not accept', () => {
    expect(faultsOfGenerators(older)).toEqual([]);
  });

  it('has the operations and names of the document in OpenAPI 3.1', () => {
    expect(Object.keys(older.paths)).toEqual(Object.keys(forClients.paths));
    for (const kind of ['responses', 'parameters', 'headers'] as const)
      expect(Object.keys(older.components?.[kind] ?? {})).toEqual(Object.keys(forClients.components?.[kind] ?? {}));
    // Only an `if` refers to this schema, which OpenAPI 3.0 does not have.
    const schemas = Object.keys(forClients.components?.schemas ?? {}).filter((name) => name !== 'CountingAggregate');
    expect(Object.keys(older.components?.schemas ?? {})).toEqual(schemas);
  });

  it('names refusals by their codes', () => {
    const names = Object.keys(forClients.components?.responses ?? {});
    expect(names).toEqual(expect.arrayContaining(['ArchiveUnavailable', 'NotAuthenticated', 'RateLimitExceeded']));
    expect(names.filter((name) => name.length > 50)).toEqual([]);
  });

  it('describes every route of the intake, which the public document does not', () => {
    const routes = readdirSync(INTAKE, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.controller.ts'))
      .flatMap((name) => routesOf(readFileSync(new URL(name, INTAKE), 'utf8')));
    const described = Object.entries(forClients.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { tags?: string[]; requestBody?: object; responses: object }>)
        .filter(([, { tags }]) => tags?.includes('intake') === true)
        .map(([method, { requestBody, responses }]) => {
          expect([path, requestBody]).toEqual([path, expect.anything()]);
          expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '413', '429', '503']));
          return `${method} ${path}`;
        }),
    );
    expect(routes.length).toBeGreaterThanOrEqual(3);
    expect(described.toSorted()).toEqual(routes.toSorted());
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/intake'))).toEqual([]);
  });

  it.each([
    [
      '/intake/cloudevents',
      ['application/cloudevents+json', 'application/cloudevents-batch+json', 'application/json', '*/*'],
    ],
    ['/intake/json', ['application/json', 'application/x-ndjson', 'application/ndjson', 'application/jsonl']],
    ['/intake/hooks/{hook_id}', ['application/json', 'application/x-www-form-urlencoded']],
    ['/intake/otlp/v1/logs', ['application/x-protobuf', 'application/json']],
  ])('lists the media types of a request to %s', (path, types) => {
    const { requestBody } = older.paths[path]?.post ?? {};
    expect(Object.keys((requestBody as { content: object }).content)).toEqual(types);
  });

  it.each(['/intake/cloudevents', '/intake/json', '/intake/hooks/{hook_id}'])(
    'describes the results of a request to %s whose events are all refused',
    (path) => {
      for (const status of ['403', '422', '429'])
        expect(contentOf(path, status)).toMatchObject({
          'application/json': {
            schema: {
              properties: {
                detail: {},
                accepted: {},
                rejected: {},
                duplicates: {},
                results: { items: { $ref: '#/components/schemas/IntakeResult' } },
              },
            },
          },
        });
    },
  );

  it.each(['logs', 'traces', 'metrics'])('describes every error of OTLP %s as a status', (signal) => {
    const path = `/intake/otlp/v1/${signal}`;
    const statuses = Object.keys(older.paths[path]?.post?.responses ?? {}).filter((status) => status !== '200');
    expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '413', '415', '429', '503']));
    for (const status of statuses)
      expect(contentOf(path, status)).toEqual({
        'application/x-protobuf': { schema: expect.objectContaining({ type: 'string', format: 'binary' }) },
        'application/json': { schema: { $ref: '#/components/schemas/OtlpStatus' } },
      });
  });

  it('takes an object as bytes, and leaves out the form', () => {
    const { requestBody } = older.paths['/v1/core/objects']?.post ?? {};
    expect(Object.keys((requestBody as { content: object }).content)).toEqual(['application/octet-stream']);
  });
});

describe('the check of what generators do not accept', () => {
  it.each([
    ['a reference with siblings', { $ref: '#/components/schemas/Plan', description: 'd' }, 'a reference has siblings.'],
    ['several types', { type: ['string', 'null'] }, 'a schema has several types, or the type null.'],
    ['a nullable schema without a type', { nullable: true }, '`nullable` has no type beside it.'],
    ['an array without items', { type: 'array' }, 'an array has no items.'],
    [
      'a discriminator that is not required',
      { discriminator: { propertyName: 'kind', mapping: { plan: '#/components/schemas/Plan' } } },
      'Plan does not require `kind`.',
    ],
  ])('reports that a schema is or has %s', (_, schema, sentence) => {
    expect(faultsWith(schema)).toEqual([`/components/schemas/Thing: ${sentence}`]);
  });

  it('reports a name that is taken, long, or not an identifier', () => {
    const faults = faultsAfter(({ components }) => {
      components.schemas['CreateProjectResponse'] = {};
      components.responses['Plan'] = {};
      components.schemas['ThingOf'.repeat(8)] = {};
      components.schemas['a-thing'] = {};
    });
    expect(faults).toEqual([
      'schemas/CreateProjectResponse: the response of createProject has the same name.',
      `schemas/${'ThingOf'.repeat(8)}: the name is longer than 50 characters.`,
      'schemas/a-thing: the name is not an identifier in Pascal case.',
      'responses/Plan: schemas/Plan has the same name.',
    ]);
  });

  it('reports an example whose schema has no type', () => {
    const faults = faultsAfter(({ paths }) => {
      const body = paths['/intake/hooks/{hook_id}']?.['post']?.requestBody?.content as Record<string, object>;
      Object.assign(body['application/json'] ?? {}, { schema: { description: 'Any JSON' } });
    });
    expect(faults).toEqual([expect.stringMatching(/^\/paths\/.*: an example has a schema without a type\.$/)]);
  });

  it('reports two parameters of one name, and a body that is bytes or a form', () => {
    const faults = faultsAfter(({ paths }) => {
      const upload = paths['/v1/core/objects']?.['post'];
      upload?.parameters?.push({ name: 'Content-Type', in: 'header' });
      Object.assign(upload?.requestBody?.content ?? {}, { 'multipart/form-data': {} });
    });
    expect(faults).toEqual([
      'uploadObject: two parameters have the same name.',
      'uploadObject: the body is bytes or a form.',
    ]);
  });
});
