import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_DEPTH, MAX_PATHS, observeSchema as observe, type SampledEvent } from './observed-schema.js';

const at = (ms: number): Date => new Date(1_700_000_000_000 + ms);
const event = (name: string, properties: Record<string, unknown>, ms = 0) => ({
  event: name,
  timestamp: at(ms),
  properties: JSON.stringify(properties),
});

const observeSchema = (sample: readonly SampledEvent[]) => observe(sample, () => Promise.resolve(() => undefined));

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
});
