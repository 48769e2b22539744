import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { observeSchema } from './observed-schema.js';
import { MAX_DEPTH, MAX_PATHS, PropertyScan } from './property-scan.js';
import { propertyRuns } from '../../../../test/support/property-runs.js';

const at = (ms: number): Date => new Date(1_700_000_000_000 + ms);
const event = (name: string, properties: Record<string, unknown>, ms = 0) => ({
  event: name,
  timestamp: at(ms),
  properties: JSON.stringify(properties),
});

describe('the observed schema', () => {
  it('is empty without events', async () => {
    expect(await observeSchema([])).toEqual([]);
  });

  it('tells paths, types and how often, by event type', async () => {
    const sample = [
      event('order.paid', { amount: 4, card: { last4: '1111' }, lines: [{ sku: 'a' }, { sku: null, gift: true }] }, 2),
      event('order.paid', { amount: '4', lines: [] }, 3),
      event('order.paid', { amount: 5 }, 1),
      event('page.viewed', {}),
    ];
    expect(await observeSchema(sample)).toEqual([
      {
        event: 'order.paid',
        events: 3,
        lastSeenAt: at(3),
        truncated: false,
        properties: [
          {
            path: 'amount',
            events: 3,
            types: [
              { type: 'number', events: 2 },
              { type: 'string', events: 1 },
            ],
          },
          { path: 'card', events: 1, types: [{ type: 'object', events: 1 }] },
          { path: 'card.last4', events: 1, types: [{ type: 'string', events: 1 }] },
          { path: 'lines', events: 2, types: [{ type: 'array', events: 2 }] },
          { path: 'lines[]', events: 1, types: [{ type: 'object', events: 1 }] },
          { path: 'lines[].gift', events: 1, types: [{ type: 'boolean', events: 1 }] },
          {
            path: 'lines[].sku',
            events: 1,
            types: [
              { type: 'string', events: 1 },
              { type: 'null', events: 1 },
            ],
          },
        ],
      },
      { event: 'page.viewed', events: 1, lastSeenAt: at(0), truncated: false, properties: [] },
    ]);
  });

  it('leaves out what is too wide, too deep or too long, and says so', async () => {
    const wide = Object.fromEntries(Array.from({ length: MAX_PATHS + 1 }, (_, index) => [`p${index}`, 1]));
    const [first] = await observeSchema([event('wide', wide)]);
    expect([first?.properties.length, first?.truncated]).toEqual([MAX_PATHS, true]);

    const many = Array.from({ length: MAX_PATHS + 1 }, (_, index) => event('many', { [`p${index}`]: 1 }));
    const [second] = await observeSchema(many);
    expect([second?.properties.length, second?.truncated]).toEqual([MAX_PATHS, true]);

    const nest = (levels: number): Record<string, unknown> => (levels === 1 ? { v: 1 } : { d: nest(levels - 1) });
    expect((await observeSchema([event('deep', nest(MAX_DEPTH))]))[0]?.truncated).toBe(false);
    expect((await observeSchema([event('deep', nest(MAX_DEPTH + 1))]))[0]).toMatchObject({
      truncated: true,
      properties: { length: MAX_DEPTH },
    });
    expect((await observeSchema([event('long', { ['x'.repeat(300)]: 1, y: 1 })]))[0]).toMatchObject({
      truncated: true,
      properties: [{ path: 'y' }],
    });
  });

  it('counts events and never more than there are, for any JSON', async () => {
    const sample = fc.array(
      fc.record({
        event: fc.constantFrom('a', 'b', '__proto__'),
        timestamp: fc.date({ noInvalidDate: true }),
        properties: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue()).map((of) => JSON.stringify(of)),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(sample, async (events) => {
        const types = await observeSchema(events);
        expect(types.reduce((sum, type) => sum + type.events, 0)).toBe(events.length);
        for (const type of types) {
          expect(new Set(type.properties.map(({ path }) => path)).size).toBe(type.properties.length);
          for (const property of type.properties) {
            expect(property.events).toBeLessThanOrEqual(type.events);
            for (const { events: ofType } of property.types) expect(ofType).toBeLessThanOrEqual(property.events);
            expect(property.types.reduce((sum, one) => sum + one.events, 0)).toBeGreaterThanOrEqual(property.events);
          }
        }
      }),
    );
  });

  it('reads a text in parts of any size as a whole one, with any blanks', async () => {
    // Collects every path and type of the value as an object, within the limits.
    const expected = (value: unknown, at: string, depth: number, seen: Map<string, Set<string>>): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Array.isArray(value)
        ? value.map((item) => ['', item] as const)
        : Object.entries(value)) {
        const path = Array.isArray(value) ? `${at}[]` : at === '' ? name : `${at}.${name}`;
        const type = member === null ? 'null' : Array.isArray(member) ? 'array' : typeof member;
        seen.set(path, (seen.get(path) ?? new Set()).add(type));
        if (depth < MAX_DEPTH) expected(member, path, depth + 1, seen);
      }
    };
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', ':', '{', ']', ' ', 'é', '\n'), maxLength: 4 });
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 8, depthSize: 'small' },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(text, tie('json'), { maxKeys: 3 }),
      ),
    }));
    const parts = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(text, json, { maxKeys: 4 }),
        parts,
        fc.boolean(),
        async (value, tokens, isSpaced) => {
          const seen = new Map<string, Set<string>>();
          expected(value, '', 1, seen);
          const written = JSON.stringify(value);
          // PostgreSQL prints a blank after each comma and colon outside of strings.
          const spaced = written.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) => (part.length > 1 ? part : `${part} `));
          const scan = new PropertyScan(isSpaced ? spaced : written);
          while (scan.read(tokens) === tokens);
          expect(Object.fromEntries([...scan.paths].map(([path, types]) => [path, [...types].sort()]))).toEqual(
            Object.fromEntries([...seen].map(([path, types]) => [path, [...types].sort()])),
          );
        },
      ),
      { numRuns: propertyRuns(500, 40) },
    );
  });
});
