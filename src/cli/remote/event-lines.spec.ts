import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { batchesOf, BATCH_LINES, type EventLine, eventLines } from './event-lines.js';

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

const read = (...chunks: string[]) => all(eventLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk)))));

describe('The reader of events', () => {
  it('keeps the numbers of lines, whatever the pieces are, and leaves blank lines out', async () => {
    expect(await read('{"a"', ':1}\r\n\n  \n{"b', '":2}')).toEqual([
      { place: 1, text: '{"a":1}\r' },
      { place: 4, text: '{"b":2}' },
    ]);
    expect(await read('')).toEqual([]);
  });

  it('reads an array over several lines, and refuses one that is cut off', async () => {
    expect(await read('\n[ {"a": 1},\n', '2 ]\n')).toEqual([
      { place: 1, text: '{"a":1}' },
      { place: 2, text: '2' },
    ]);
    await expect(read('[{"a":1},')).rejects.toThrow('The array is not valid JSON');
  });
});

describe('A batch', () => {
  it('ends at the limits of the service, and a failure of the source follows the lines before it', async () => {
    async function* source(count: number, bytes: number): AsyncGenerator<EventLine> {
      for (let place = 1; place <= count; place++) yield { place, text: 'x'.repeat(bytes) };
      throw new Error('gone');
    }
    const sizes: number[] = [];
    const collect = async (count: number, bytes: number): Promise<void> => {
      for await (const batch of batchesOf(source(count, bytes), Infinity)) sizes.push(batch.length);
    };
    await expect(collect(BATCH_LINES + 1, 1)).rejects.toThrow('gone');
    await expect(collect(5, 2_000_000)).rejects.toThrow('gone');
    expect(sizes).toEqual([BATCH_LINES, 1, 2, 2, 1]);
  });
});
