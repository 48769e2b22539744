import type { ProjectSeries } from '../../../events/event-store/index.js';
import { bucketOf } from '../baseline/buckets.js';
import type { Track } from '../baseline/track.js';
import type { SeriesName, SeriesType } from '../detection/finding-kinds.js';

/** Returns the track of one of the series that were read. */
export function trackOf(read: ProjectSeries, { type, value }: SeriesName): Track {
  const points =
    type === 'project' ? read.project : type === 'event' ? read.events.get(value ?? '') : read.sources.get(value ?? '');
  if (points === undefined) throw new Error(`The series ${type} ${value ?? ''} was not read`);
  const { events, errors, measured, p95 } = points;
  return { first: bucketOf(read.from.getTime()), events, errors, measured, p95 };
}

/** Returns what to read in addition to the whole project, so that each of these series has a track. */
export function wantedOf(names: readonly SeriesName[]): { events: string[]; sources: string[] } {
  const valuesOf = (type: SeriesType): string[] =>
    names.flatMap((name) => (name.type === type && name.value !== null ? [name.value] : []));
  return { events: valuesOf('event'), sources: valuesOf('source') };
}
