import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { openApi30 } from './index.js';

const BYTES = { 'application/octet-stream': { schema: { type: 'string' } } };

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/schema': {
      get: {
        parameters: [{ name: 'schema', in: 'query', schema: { type: ['string', 'null'] }, example: { const: 1 } }],
        responses: { 200: { description: 'd', content: BYTES } },
      },
    },
  },
  components: {
    schemas: { Thing: { type: ['object', 'null'], example: { const: 1 } } },
    headers: { Count: { schema: { $ref: '#/components/schemas/Thing', description: 'd' } } },
    examples: { thing: { value: { schema: { const: 1 } } } },
  },
} as unknown as OpenAPIObject;

describe('a document in OpenAPI 3.0', () => {
  it('has its version and all its schemas written as 3.0 does, and its examples as they are', () => {
    expect(openApi30(DOCUMENT)).toEqual({
      openapi: '3.0.3',
      info: { title: 'Shop', version: '1' },
      paths: {
        '/schema': {
          get: {
            parameters: [
              { name: 'schema', in: 'query', schema: { type: 'string', nullable: true }, example: { const: 1 } },
            ],
            responses: {
              200: {
                description: 'd',
                content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
              },
            },
          },
        },
      },
      components: {
        schemas: { Thing: { type: 'object', nullable: true, example: { const: 1 } } },
        headers: { Count: { schema: { allOf: [{ $ref: '#/components/schemas/Thing' }], description: 'd' } } },
        examples: { thing: { value: { schema: { const: 1 } } } },
      },
    });
  });

  it('takes bytes alone where a body may be bytes or a form', () => {
    const FORM = { 'multipart/form-data': { schema: { type: 'object' } } };
    const paths = {
      '/both': { post: { requestBody: { content: { ...BYTES, ...FORM } }, responses: {} } },
      '/form': { post: { requestBody: { content: FORM }, responses: {} } },
    };
    const { paths: converted } = openApi30({ ...DOCUMENT, paths });
    expect(converted).toMatchObject({
      '/both': { post: { requestBody: { content: expect.not.objectContaining(FORM) } } },
      '/form': { post: { requestBody: { content: FORM } } },
    });
  });

  it('fails when a reference leads nowhere', () => {
    const paths = { '/a': { get: { parameters: [{ schema: { allOf: [{ $ref: '#/components/schemas/None' }] } }] } } };
    expect(() => openApi30({ ...DOCUMENT, paths } as unknown as OpenAPIObject)).toThrow('None is not in the document');
  });
});
