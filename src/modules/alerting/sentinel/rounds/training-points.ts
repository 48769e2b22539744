import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Bucket } from '../baseline/buckets.js';
import type { Track } from '../baseline/track.js';

const LISTS = ['events', 'errors', 'measured', 'p95'] as const;
const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/**
 * Returns the tracks of one period, one after the other and compressed. They are mostly zeros, so the result is small.
 */
export function bytesOfTracks(tracks: readonly Track[]): Promise<Buffer> {
  const lists = tracks.flatMap((track) => LISTS.map((name) => track[name]));
  const bytes = lists.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return deflated(Buffer.concat(bytes), { level: 1 });
}

/**
 * Copies the tracks of a period, as {@link bytesOfTracks} has stored them, into the same number of longer tracks.
 * @param from the first bucket of the period
 */
export async function fillTracks(tracks: readonly Track[], from: Bucket, bytes: Buffer): Promise<void> {
  // The copy has memory of its own, because an `Int32Array` must begin at a multiple of its element size.
  const { buffer } = new Uint8Array(await inflated(bytes));
  const buckets = buffer.byteLength / Int32Array.BYTES_PER_ELEMENT / (tracks.length * LISTS.length);
  for (const [place, track] of tracks.entries()) {
    for (const [index, name] of LISTS.entries()) {
      const start = (place * LISTS.length + index) * buckets * Int32Array.BYTES_PER_ELEMENT;
      track[name].set(new Int32Array(buffer, start, buckets), from - track.first);
    }
  }
}

/** Returns a track in which nothing happened. */
export function emptyTrack(first: Bucket, buckets: number): Track {
  const list = (): Int32Array => new Int32Array(buckets);
  return { first, events: list(), errors: list(), measured: list(), p95: list().fill(-1) };
}
