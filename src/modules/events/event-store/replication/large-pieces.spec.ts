import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LargePieces } from './large-pieces.js';

const LEAST_BYTES = 262_144;

it('gives the same bytes in few pieces', async () => {
  const piece = fc.tuple(fc.integer({ min: 0, max: 255 }), fc.oneof(fc.nat(20_000), fc.nat(400_000)));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (sizes) => {
      const pieces = sizes.map(([byte, size]) => Buffer.alloc(size, byte));
      const got: Buffer[] = [];
      await pipeline(Readable.from(pieces), new LargePieces(), async (source: AsyncIterable<Buffer>) => {
        for await (const one of source) got.push(one);
      });
      expect(Buffer.concat(got).equals(Buffer.concat(pieces))).toBe(true);
      expect(got.slice(0, -1).every((one) => one.length >= LEAST_BYTES)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

it('fails as what it reads from fails', async () => {
  const source = new Readable({ read: () => undefined });
  source.push(Buffer.from('begun'));
  const pieces = new LargePieces();
  const over = pipeline(source, pieces);
  source.destroy(new Error('lost'));
  await expect(over).rejects.toThrow('lost');
  expect(pieces.destroyed).toBe(true);
});
