import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import {
  ArrayParameter,
  RowArrayParameter,
  type RowLayout,
  RowTypeDiffers,
} from '../../src/platform/database/array-parameter.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

/** Half of a pair: no text that UTF-8 can carry. */
const LONE_SURROGATE = /\p{Cs}/u;

describe('ArrayParameter', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const roundTrip = async (type: string, array: ArrayParameter): Promise<unknown[]> => {
    const { rows } = await client.query<{ value: unknown }>(
      `SELECT value FROM unnest($1::${type}[]) WITH ORDINALITY AS a (value, n) ORDER BY n`,
      [array.toBuffer()],
    );
    return rows.map(({ value }) => value);
  };
  const text = fc
    .string({ unit: 'grapheme', maxLength: 50 })
    .filter((value) => !LONE_SURROGATE.test(value) && !value.includes('\0'));

  it('carries texts of every script, empty ones, NULL and long ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { maxLength: 30 }), async (values) => {
        const array = new ArrayParameter('text');
        for (const value of values) array.add(value);
        expect(await roundTrip('text', array)).toEqual(values);
      }),
    );
    const long = ['x'.repeat(1_000_000), '値'.repeat(400_000), ''];
    const array = new ArrayParameter('text');
    for (const value of long) array.add(value);
    expect(await roundTrip('text', array)).toEqual(long);
  });

  it('carries UUIDs and NULL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.uuid()), { maxLength: 20 }), async (values) => {
        const array = new ArrayParameter('uuid');
        for (const value of values) array.add(value);
        expect(await roundTrip('uuid', array)).toEqual(values);
      }),
    );
  });

  it('carries times from the year 1 to 9999 to the millisecond', async () => {
    const at = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(at, { minLength: 1, maxLength: 20 }), async (values) => {
        const array = new ArrayParameter('timestamptz');
        for (const value of values) array.add(value);
        const { rows } = await client.query<{ ms: number }>(
          `SELECT extract(epoch FROM value)::float8 * 1000 AS ms FROM unnest($1::timestamptz[]) WITH ORDINALITY AS a (value, n)
           ORDER BY n`,
          [array.toBuffer()],
        );
        expect(rows.map(({ ms }) => Math.round(ms))).toEqual(values.map((value) => value.getTime()));
      }),
    );
  });

  it('carries integers, booleans, bytes and JSON', async () => {
    const integers = new ArrayParameter('int4');
    for (const value of [0, -1, 2_147_483_647, -2_147_483_648]) integers.add(value);
    expect(await roundTrip('int4', integers)).toEqual([0, -1, 2_147_483_647, -2_147_483_648]);
    const booleans = new ArrayParameter('bool');
    for (const value of [true, false]) booleans.add(value);
    expect(await roundTrip('bool', booleans)).toEqual([true, false]);
    const bytes = new ArrayParameter('bytea');
    bytes.add(Buffer.from([0, 255, 1]));
    expect(await roundTrip('bytea', bytes)).toEqual([Buffer.from([0, 255, 1])]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 10 }), async (values) => {
        const given = values.map((value) => JSON.stringify({ value }).replaceAll('\\u0000', ''));
        fc.pre(given.every((json) => !LONE_SURROGATE.test(json) && !/\\ud[89a-f]/i.test(json)));
        const array = new ArrayParameter('jsonb');
        for (const json of given) array.add(json);
        expect(await roundTrip('jsonb', array)).toEqual(given.map((json) => JSON.parse(json) as unknown));
      }),
    );
  });

  it('carries nothing at all', async () => {
    expect(await roundTrip('uuid', new ArrayParameter('uuid'))).toEqual([]);
  });

  describe('a RowArrayParameter', () => {
    const COLUMNS = {
      name: 'text',
      at: 'timestamptz',
      owner: 'uuid',
      size: 'int4',
      is_new: 'bool',
      more: 'jsonb',
    } as const;
    const row = fc.record({
      name: fc.option(text),
      at: fc.option(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })),
      owner: fc.option(fc.uuid()),
      size: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      is_new: fc.option(fc.boolean()),
      more: fc.option(fc.constantFrom('{"a": [1, null]}', '[]', '"ä😀"')),
    });
    const layoutOf = async (type: string): Promise<RowLayout> => {
      const { rows } = await client.query<{ name: string; oid: number }>(
        `SELECT attname AS name, atttypid::int8::float8 AS oid FROM pg_attribute
         WHERE attrelid = (SELECT typrelid FROM pg_type WHERE oid = $1::regtype) AND NOT attisdropped ORDER BY attnum`,
        [type],
      );
      const found = await client.query<{ oid: number }>('SELECT $1::regtype::oid::int8::float8 AS oid', [type]);
      return { oid: found.rows[0]?.oid ?? 0, attributes: rows };
    };

    beforeAll(async () => {
      // In another order than the columns, with one of a later version and one that is gone.
      await client.query(`
        CREATE TYPE parcel AS (
          later text, more jsonb, gone integer, size integer, owner uuid, name text, is_new boolean, at timestamptz)`);
      await client.query('ALTER TYPE parcel DROP ATTRIBUTE gone');
    });

    it('puts each column where the type of the server has it, and null where it knows none', async () => {
      const array = new RowArrayParameter(await layoutOf('parcel'), COLUMNS);
      await fc.assert(
        fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (given) => {
          array.reset();
          for (const { owner, size, ...own } of given) array.add<'owner' | 'size'>(own, { owner, size });
          const { rows } = await client.query(
            'SELECT p.*, p.more::text AS more FROM unnest($1::parcel[]) WITH ORDINALITY AS p ORDER BY ordinality',
            [array.toBuffer()],
          );
          expect(rows).toEqual(given.map((one) => expect.objectContaining({ ...one, later: null })));
        }),
      );
    });

    it('is not created when the type lacks a column, or has another type for it', async () => {
      const layout = await layoutOf('parcel');
      expect(() => new RowArrayParameter(layout, { ...COLUMNS, colour: 'text' })).toThrow(RowTypeDiffers);
      expect(() => new RowArrayParameter(layout, { ...COLUMNS, size: 'text' })).toThrow(RowTypeDiffers);
    });
  });
});
