import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import {
  AnyField,
  BooleanField,
  DateField,
  DateTimeField,
  DECLARED_BY,
  EmailField,
  EnumField,
  enumOf,
  IntField,
  ListField,
  list,
  nested,
  NestedField,
  NumberField,
  ObjectField,
  text,
  TextField,
  UrlField,
  UuidField,
  uuid,
} from './index.js';

class Part {
  @TextField({ max: 5 })
  a!: string;

  @ListField(nested(() => Part), { optional: true, max: 3 })
  parts?: Part[];
}

class Parent {
  @TextField({ min: 1, max: 9, pattern: /^[a-z]+$/, description: 'Lower case', example: 'abc' })
  text!: string;

  @IntField({ min: 1, nullable: true })
  redeclared!: number | null;
}

class Everything extends Parent {
  @UuidField()
  declare redeclared: never;

  @EmailField()
  email!: string;

  @UuidField({ nullable: true })
  uuid!: string | null;

  @IntField({ min: 1, max: 5, default: 2 })
  int!: number;

  @NumberField({ gt: 0, lt: 1.5, optional: true })
  number?: number;

  @BooleanField({ deprecated: true })
  boolean!: boolean;

  @EnumField(['a', 'b'], { nullable: true })
  enumeration!: 'a' | 'b' | null;

  @DateTimeField()
  moment!: Date;

  @DateField()
  date!: string;

  @UrlField()
  url!: string;

  @ObjectField({ nullable: true })
  object!: Record<string, unknown> | null;

  @AnyField()
  any!: unknown;

  @NestedField(() => Part)
  part!: Part;

  @NestedField(() => Part, { nullable: true, description: 'Perhaps' })
  perhaps!: Part | null;

  @ListField(nested(() => Part), { min: 1, nullable: true })
  many!: Part[] | null;

  @ListField(text({ max: 3 }), { min: 1, max: 2 })
  texts!: string[];

  @ListField(enumOf(['x']))
  enumerations!: string[];

  @ListField(list(uuid()))
  lists!: string[][];

  @TextField({ optional: true, name: 'wire-name' })
  renamed?: string;
}

@Controller()
class Controllers {
  @Post()
  post(@Body() body: Everything): string {
    return typeof body;
  }
}

@Module({ controllers: [Controllers] })
class App {}

describe('the document of the fields', () => {
  it('describes every kind in OpenAPI 3.1', async () => {
    const app = await NestFactory.create(App, { logger: false });
    const config = new DocumentBuilder().setOpenAPIVersion('3.1.0').build();
    const schemas = SwaggerModule.createDocument(app, config).components?.schemas;
    await app.close();
    const part = { $ref: '#/components/schemas/Part' };
    const alternatives = ['string', 'number', 'boolean', 'null'].map((type): object => ({ type }));
    expect(schemas?.['Part']).toEqual({
      type: 'object',
      properties: { a: { type: 'string', maxLength: 5 }, parts: { type: 'array', items: part, maxItems: 3 } },
      required: ['a'],
      // This extension is removed when the document is complete.
      [DECLARED_BY]: Part,
    });
    expect(schemas?.['Everything']).toEqual({
      type: 'object',
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          maxLength: 9,
          pattern: '^[a-z]+$',
          description: 'Lower case',
          example: 'abc',
        },
        redeclared: { type: 'string', format: 'uuid' },
        email: { type: 'string', format: 'email', maxLength: 254 },
        uuid: { type: ['string', 'null'], format: 'uuid' },
        int: { type: 'integer', minimum: 1, maximum: 5, description: '`2` when left out' },
        number: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1.5 },
        boolean: { type: 'boolean', deprecated: true },
        enumeration: { type: ['string', 'null'], enum: ['a', 'b', null] },
        moment: { type: 'string', format: 'date-time' },
        date: { type: 'string', format: 'date' },
        url: { type: 'string', format: 'uri', minLength: 1, maxLength: 2083 },
        object: { type: ['object', 'null'], additionalProperties: true },
        any: { anyOf: [...alternatives, { type: 'object', additionalProperties: true }, { type: 'array', items: {} }] },
        part,
        perhaps: { description: 'Perhaps', anyOf: [part, { type: 'null' }] },
        many: { type: ['array', 'null'], items: part, minItems: 1 },
        texts: { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 1, maxItems: 2 },
        enumerations: { type: 'array', items: { type: 'string', enum: ['x'] } },
        lists: { type: 'array', items: { type: 'array', items: { type: 'string', format: 'uuid' } } },
        'wire-name': { type: 'string' },
      },
      required: [
        'text',
        'redeclared',
        'email',
        'uuid',
        'boolean',
        'enumeration',
        'moment',
        'date',
        'url',
        'object',
        'any',
        'part',
        'perhaps',
        'many',
        'texts',
        'enumerations',
        'lists',
      ],
      [DECLARED_BY]: Everything,
    });
  });
});
