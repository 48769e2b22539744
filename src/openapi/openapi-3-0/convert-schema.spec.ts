import { describe, expect, it } from '@jest/globals';
import { convertSchema } from './convert-schema.js';
import type { Schema } from './schema.js';

const SCHEMAS: Readonly<Record<string, Schema>> = {
  '#/components/schemas/Plan': { type: 'string', enum: ['free', 'pro'] },
  '#/components/schemas/Actor': { type: 'object', properties: { id: { type: 'string' } } },
  '#/components/schemas/Condition': {
    oneOf: [{ $ref: '#/components/schemas/Actor' }, { $ref: '#/components/schemas/Actor' }],
  },
};
const PLAN = { $ref: '#/components/schemas/Plan' };
const ACTOR = { $ref: '#/components/schemas/Actor' };
const CONDITION = { $ref: '#/components/schemas/Condition' };

const find = (reference: string): Schema => SCHEMAS[reference] ?? {};

describe('a schema in OpenAPI 3.0', () => {
  it.each<[string, unknown, Schema]>([
    ['a type with null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'several types',
      { type: ['string', 'number', 'null'], description: 'd' },
      { anyOf: [{ type: 'string', nullable: true }, { type: 'number' }], description: 'd' },
    ],
    ['a list of one type', { type: ['integer'] }, { type: 'integer' }],
    ['null alone', { type: 'null' }, { type: 'string', nullable: true, enum: [null] }],
    [
      'a reference or null',
      { oneOf: [PLAN, { type: 'null' }], description: 'd' },
      { type: 'string', nullable: true, allOf: [PLAN], description: 'd' },
    ],
    [
      'a reference to a union, or null',
      { anyOf: [CONDITION, { type: 'null' }] },
      { type: 'object', nullable: true, allOf: [CONDITION] },
    ],
    [
      'a schema or null',
      { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }] },
      { type: 'string', maxLength: 9, nullable: true },
    ],
    [
      'a union of one type, or null',
      { oneOf: [ACTOR, CONDITION, { type: 'null' }] },
      { type: 'object', nullable: true, oneOf: [ACTOR, CONDITION] },
    ],
    [
      'a union of several types, or null',
      { anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] },
      { anyOf: [{ type: 'string', nullable: true }, { type: 'boolean' }] },
    ],
    [
      'a union within a union with null',
      { oneOf: [{ anyOf: [PLAN, { type: 'string' }] }, { type: 'null' }] },
      { type: 'string', nullable: true, anyOf: [PLAN, { type: 'string' }] },
    ],
    [
      'a union of several types within a union with null',
      { anyOf: [{ anyOf: [{ type: 'object' }, { type: 'string' }] }, { type: 'null' }] },
      { anyOf: [{ type: 'object', nullable: true }, { type: 'string' }] },
    ],
    ['a constant', { type: 'string', const: 'webhook' }, { type: 'string', enum: ['webhook'] }],
    ['a constant without a type', { const: 'webhook' }, { type: 'string', enum: ['webhook'] }],
    [
      'an exclusive bound',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', minimum: 0, exclusiveMinimum: true },
    ],
    [
      'an exclusive bound and a wider one',
      { type: 'number', exclusiveMaximum: 5, maximum: 9 },
      { type: 'number', maximum: 5, exclusiveMaximum: true },
    ],
    [
      'an exclusive bound and a narrower one',
      { type: 'number', exclusiveMinimum: 0, minimum: 3 },
      { type: 'number', minimum: 3 },
    ],
    ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
    [
      'a reference with a description',
      { ...ACTOR, description: 'd', examples: [{ id: 'x' }] },
      { type: 'object', allOf: [ACTOR], description: 'd', example: { id: 'x' } },
    ],
    ['a reference alone', ACTOR, ACTOR],
    ['an empty list of required members', { type: 'object', required: [] }, { type: 'object' }],
    ['an array of anything', { type: 'array' }, { type: 'array', items: {} }],
    ['base64', { type: 'string', contentEncoding: 'base64' }, { type: 'string', format: 'byte' }],
    ['bytes', { contentMediaType: 'application/octet-stream' }, { type: 'string', format: 'binary' }],
    [
      'members of any name',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: {} },
    ],
    [
      'members of any name besides named ones',
      { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: true },
      { type: 'object', properties: { a: { type: 'string', nullable: true } } },
    ],
    [
      'no further members',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      'keywords that 3.0 lacks',
      { type: 'object', propertyNames: { pattern: 'a' }, if: {}, then: { required: ['a'] }, else: {}, 'x-note': 1 },
      { type: 'object', 'x-note': 1 },
    ],
    ['any value', { description: 'd' }, {}],
    ['true', true, {}],
    ['false', false, { not: {} }],
    [
      'schemas inside of others',
      { type: 'array', items: { allOf: [{ not: { const: 1 } }], additionalProperties: { type: ['null', 'string'] } } },
      {
        type: 'array',
        items: {
          allOf: [{ not: { type: 'number', enum: [1] } }],
          additionalProperties: { type: 'string', nullable: true },
        },
      },
    ],
  ])('writes %s as OpenAPI 3.0 does', (_, schema, expected) => {
    expect(convertSchema(schema, find)).toEqual(expected);
  });
});
