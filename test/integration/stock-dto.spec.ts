import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { PassportModule } from '@nestjs/passport';
import { ApiProperty } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { Type } from 'class-transformer';
import { IsEmail, IsInt, IsOptional, Length, Min, ValidateBy, ValidateNested } from 'class-validator';
import request from 'supertest';
import { CONFIG, loadConfig } from '../../src/config/index.js';
import { ACCESS_PROVIDERS } from '../../src/modules/access/guards/access-guards.js';
import {
  ApiKeyAuthenticator,
  BearerAuthenticator,
  HookAuthenticator,
  MembershipReader,
  PlatformAdministrators,
  ProviderAuthenticator,
  ScimAuthenticator,
  Public,
} from '../../src/modules/access/index.js';
import { CONSTRAINT_ERRORS, ERROR_FORMS, ErrorFilter } from '../../src/platform/http/error.filter.js';
import { Body, Query } from '../../src/platform/http/inputs.js';
import { BodyBudget } from '../../src/platform/http/body-budget.js';
import { LargeBodies } from '../../src/platform/http/large-bodies.js';
import { RouteTable } from '../../src/platform/http/route-table.js';

const IsEven = (): PropertyDecorator =>
  ValidateBy({
    name: 'isEven',
    validator: {
      validate: (value: unknown) => Number(value) % 2 === 0,
      defaultMessage: () => '$property must be even',
    },
  });

class Guest {
  @Length(1, 20)
  name!: string;
}

class Reservation {
  @ApiProperty()
  @IsEmail()
  email!: string;

  @ApiProperty()
  @IsInt()
  @Min(1)
  @IsEven()
  seats!: number;

  @ApiProperty({ type: [Guest] })
  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Guest)
  guests?: Guest[];
}

class Options {
  @ApiProperty({ required: false })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  table?: number;
}

@Controller('reservations')
class Reservations {
  @Post()
  @Public('Nobody here signs in')
  make(@Query() options: Options, @Body() body: Reservation): object {
    const kinds = [options, body, ...(body.guests ?? [])].map((part) => part.constructor.name);
    return { ...body, ...options, kinds };
  }
}

const NOBODY = [
  BearerAuthenticator,
  ApiKeyAuthenticator,
  HookAuthenticator,
  MembershipReader,
  PlatformAdministrators,
  ProviderAuthenticator,
  ScimAuthenticator,
].map((provide) => ({ provide, useValue: {} }));

describe('a DTO of stock decorators alone, over HTTP', () => {
  let app: NestExpressApplication;
  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [PassportModule.register({ defaultStrategy: 'none' })],
      controllers: [Reservations],
      providers: [
        ...ACCESS_PROVIDERS,
        ...NOBODY,
        { provide: BodyBudget, useValue: new BodyBudget(1_048_576) },
        LargeBodies,
        RouteTable,
        { provide: CONFIG, useValue: loadConfig({ NODE_ENV: 'test' }) },
        { provide: CONSTRAINT_ERRORS, useValue: {} },
        { provide: ERROR_FORMS, useValue: [] },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    }).compile();
    app = module.createNestApplication<NestExpressApplication>({ bodyParser: false, logger: false });
    await app.init();
  });
  afterAll(() => app.close());

  const post = (body: string | object, query = ''): request.Test =>
    request(app.getHttpServer()).post(`/reservations${query}`).set('Content-Type', 'application/json').send(body);

  it('reaches the handler as instances, nested ones too, without what is not declared', async () => {
    const guests = [{ name: 'Ada', vip: true }];
    const answer = await post({ email: 'ada@example.com', seats: 2, guests, admin: true }, '?table=7');
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      email: 'ada@example.com',
      seats: 2,
      guests: [{ name: 'Ada' }],
      table: 7,
      kinds: ['Options', 'Reservation', 'Guest'],
    });
  });

  it('is refused with every row at once, in the form of every other refusal', async () => {
    const answer = await post({ email: 'ada', seats: 3, guests: [{ name: '' }, 'x'] }, '?table=x');
    expect(answer.status).toBe(422);
    const rule = (loc: unknown[], sentence: string, input: unknown): object => {
      return { type: 'value_error', loc, msg: `Value error, ${sentence}`, input, ctx: { error: {} } };
    };
    expect(answer.body).toEqual({
      detail: [
        rule(['query', 'table'], 'table must be an integer number', 'x'),
        rule(['body', 'email'], 'email must be an email', 'ada'),
        rule(['body', 'seats'], 'seats must be even', 3),
        rule(['body', 'guests', 0, 'name'], 'name must be longer than or equal to 1 characters', ''),
        {
          type: 'model_attributes_type',
          loc: ['body', 'guests', 1],
          msg: 'Input should be a valid dictionary or object to extract fields from',
          input: 'x',
        },
      ],
    });
  });

  it.each([
    ['no body', ''],
    ['null', 'null'],
    ['{}', '{}'],
  ])('tells what is missing from %s', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(422);
    const locs = (answer.body as { detail: { type: string; loc: unknown }[] }).detail.map(({ type, loc }) => [
      type,
      loc,
    ]);
    const whole = [['missing', ['body']]];
    expect(locs).toEqual(
      body === '{}'
        ? [
            ['missing', ['body', 'email']],
            ['missing', ['body', 'seats']],
          ]
        : whole,
    );
  });

  it('answers a member that is called constructor', async () => {
    const answer = await post(
      '{"email":"ada@example.com","seats":{"constructor":1},"guests":[{"constructor":{"a":1}}]}',
    );
    expect(answer.status).toBe(422);
  });
});
