import { describe, expect, it } from '@jest/globals';
import { isChanged, isOutgrown } from './profile-age.js';

const DAY = 288;
const PROJECT = '0199f3a1-0000-7000-8000-000000000000';
const grown = [{ profile: { since: 0 } }];

describe('a learned profile', () => {
  it.each<[string, string, number, number, { profile: { since: number } }[], boolean]>([
    ['for a day', PROJECT, 10 * DAY, 11 * DAY - 12, grown, false],
    ['no longer than a day', PROJECT, 10 * DAY, 11 * DAY, grown, true],
    ['some hours less in other projects', PROJECT.replace(/0$/, '5'), 10 * DAY, 11 * DAY - 5 * 12, grown, true],
    ['at most eleven hours less', PROJECT.replace(/0$/, 'b'), 10 * DAY, 10 * DAY + 12 * 12, grown, false],
    ['only until a series is three days old', PROJECT, 3 * DAY - 12, 3 * DAY, grown, true],
    ['longer than an hour while a series is young', PROJECT, 2 * DAY, 2 * DAY + 12, grown, false],
    ['no longer than an hour without series', PROJECT, DAY, DAY + 12, [], true],
    ['for an hour without series', PROJECT, DAY, DAY, [], false],
  ])('is kept for its time: %s', (_, project, made, until, profiles, expected) => {
    expect(isOutgrown(project, made, profiles, until)).toBe(expected);
  });

  it.each([
    [{ known: 1_000, now: 1_010, hours: 5 }, false],
    [{ known: 1_000, now: 1_011, hours: 5 }, true],
    [{ known: 1_000, now: 1_011, hours: 0 }, false],
    [{ known: 1_000, now: 989, hours: 1 }, true],
    [{ known: 1_000, now: 1_501, hours: 0 }, true],
    [{ known: 0, now: 1, hours: 0 }, true],
    [{ known: 0, now: 0, hours: 9 }, false],
  ])('is outdated by the late events %j: %s', (events, expected) => {
    expect(isChanged(events)).toBe(expected);
  });
});
