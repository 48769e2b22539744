import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { searchHit, readWords, SEARCH_TYPES, type SearchType } from '../../tenancy/search-sources/index.js';
import { bestOf, ranked } from './ranking.js';
import { readable } from './search.service.js';

const words = readWords('pay');
const found = (type: SearchType, name: string, id: string, day = 1) =>
  ranked(
    type,
    [searchHit({ id, title: name, subtitle: null, timestamp: new Date(Date.UTC(2026, 0, day)) }, { name })],
    words,
  );

describe('the order of what is found', () => {
  it('is by score, halved for events, then by type, newer first, by id', () => {
    const all = [
      ...found('event', 'pay', 'e1'),
      ...found('secret', 'pay', 's1'),
      ...found('event_type', 'pay', 'pay'),
      ...found('api_key', 'repay', 'k1'),
      ...found('alert_rule', 'pays', 'r2', 3),
      ...found('alert_rule', 'pays', 'r1', 3),
      ...found('alert_rule', 'pays', 'r3', 4),
      ...found('object', 'none of it', 'o1'),
    ];
    expect(bestOf(all, 50).map(({ hit, score }) => [hit.id, score])).toEqual([
      ['pay', 1],
      ['s1', 1],
      ['r3', 0.8],
      ['r1', 0.8],
      ['r2', 0.8],
      ['e1', 0.5],
      ['k1', 0.4],
    ]);
  });

  it('leaves half of the places to others than events, where there are any', () => {
    const events = Array.from({ length: 9 }, (_, at) => found('event', 'pay', `e${at}`)).flat();
    expect(bestOf(events, 5)).toHaveLength(5);
    const both = [...events, ...found('secret', 'repay', 's')];
    expect(bestOf(both, 5).map(({ type }) => type)).toEqual(['event', 'event', 'secret']);
    expect(bestOf(both, 1).map(({ type }) => type)).toEqual(['secret']);
  });

  it('never shows more than is asked for, nor more events than half of it', () => {
    const one = fc.tuple(fc.constantFrom(...SEARCH_TYPES), fc.constantFrom('pay', 'pays', 'a pay', 'repay'), fc.uuid());
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (hits, limit) => {
        const all = hits.flatMap(([type, name, id]) => found(type, name, id));
        const best = bestOf(all, limit);
        const events = best.filter(({ type }) => type === 'event').length;
        const others = all.filter(({ type }) => type !== 'event').length;
        expect(best.length).toBeLessThanOrEqual(limit);
        if (others > 0) expect(events).toBeLessThanOrEqual(limit / 2);
        expect(best.length - events).toBeLessThanOrEqual(others);
        expect(best.map(({ score }) => score)).toEqual(best.map(({ score }) => score).sort((a, b) => b - a));
      }),
    );
  });
});

it('asks only what the role may read by the own route of the hit', () => {
  const sources = [
    { name: 'all', needed: { role: 'viewer' } as const },
    { name: 'keys', needed: { role: 'admin' } as const },
    { name: 'replays', needed: { capability: 'delivery:replay' } as const },
    { name: 'channels', needed: { capability: 'delivery:manage_channels' } as const },
  ];
  const of = (role: Parameters<typeof readable>[1]) => readable(sources, role).map(({ name }) => name);
  expect(of('viewer')).toEqual(['all']);
  expect(of('member')).toEqual(['all', 'channels']);
  expect(of('operator')).toEqual(['all', 'replays']);
  expect(of('owner')).toEqual(['all', 'keys', 'replays', 'channels']);
});
