import { describe, expect, it } from '@jest/globals';
import { causesOf } from './causes.js';
import { FINDING_KINDS, type FindingKind, SERIES_TYPES, type SeriesType } from './finding-kinds.js';
import type { Detection } from './detect-in-series.js';

/** A kind and a series, such as `rate_spike event a`. The series of the project has no name. */
type Named = `${FindingKind} ${SeriesType}` | `${FindingKind} ${SeriesType} ${string}`;

function detectionOf(named: Named): Detection {
  const [first, second, value = null] = named.split(' ');
  const kind = FINDING_KINDS.find((one) => one === first);
  const type = SERIES_TYPES.find((one) => one === second);
  if (kind === undefined || type === undefined) throw new Error(`${named} names nothing`);
  return {
    kind,
    series: { type, value },
    metric: 'events',
    bucket: 1_000,
    since: 1_000,
    assessment: { level: 'told', severity: 'warning', score: 1, actual: 0, expected: 1, lower: 1, upper: 1 },
    isTellable: true,
  };
}

function nameOf({ kind, series }: Detection): string {
  return [kind, series.type, ...(series.value === null ? [] : [series.value])].join(' ');
}

describe('the grouping of findings by cause', () => {
  it.each<[what: string, told: Named[], causes: Readonly<Record<string, Named[]>>]>([
    ['no findings have no causes', [], {}],
    ['one finding is its own cause', ['rate_spike event a'], { 'rate_spike event a': [] }],
    [
      'a project stands for its sources and types',
      ['rate_spike event a', 'silence source s', 'rate_spike project', 'error_burst event b'],
      { 'rate_spike project': ['rate_spike event a', 'silence source s', 'error_burst event b'] },
    ],
    [
      'a source stands for types',
      ['rate_drop event a', 'silence source s', 'silence event b'],
      { 'silence source s': ['rate_drop event a', 'silence event b'] },
    ],
    [
      'two equally wide findings stay two, and both name the narrower one',
      ['rate_spike project', 'error_burst project', 'rate_spike event a'],
      { 'rate_spike project': ['rate_spike event a'], 'error_burst project': ['rate_spike event a'] },
    ],
    [
      'types do not stand for each other',
      ['rate_spike event a', 'rate_spike event b'],
      { 'rate_spike event a': [], 'rate_spike event b': [] },
    ],
    ['a silence replaces the drop of its series', ['rate_drop project', 'silence project'], { 'silence project': [] }],
    [
      'a silence does not replace the drop of another series',
      ['rate_drop event a', 'silence event b'],
      { 'rate_drop event a': [], 'silence event b': [] },
    ],
    [
      'the drop of a silent type is no contributor either',
      ['rate_drop project', 'rate_drop event a', 'silence event a'],
      { 'rate_drop project': ['silence event a'] },
    ],
    [
      'latency and distinct values have causes of their own',
      ['latency_shift project', 'cardinality_explosion project', 'rate_spike event a'],
      { 'latency_shift project': [], 'cardinality_explosion project': [], 'rate_spike event a': [] },
    ],
  ])('follows its rules: %s', (_, told, causes) => {
    const found = causesOf(told.map(detectionOf)).map((cause) => [nameOf(cause.told), cause.contributors.map(nameOf)]);
    expect(Object.fromEntries(found)).toEqual(causes);
    expect(found).toHaveLength(Object.keys(causes).length);
  });
});
