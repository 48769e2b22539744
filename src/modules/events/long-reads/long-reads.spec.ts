import { describe, expect, it } from '@jest/globals';
import { asOrganizationId, asProjectId } from '../../access/index.js';
import { LongReads, QueryTooLong, TooManyQueries } from './long-reads.js';

const scopeOf = (name: string) => ({ organizationId: asOrganizationId(name), projectId: asProjectId(`${name}1`) });

/** Long reads, each of which runs until the test ends it. */
class Reads {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly slots: LongReads) {}

  start(organization: string): Promise<void> {
    return this.slots.run(scopeOf(organization), (milliseconds) => {
      if (milliseconds === this.slots.limits.shortMs) return Promise.reject(new QueryTooLong());
      this.begun.push(organization);
      return new Promise<void>((resolve) => this.ends.set(organization, resolve));
    });
  }

  async end(organization: string): Promise<void> {
    this.ends.get(organization)?.();
    await new Promise(setImmediate);
  }
}

describe('a slot of a long read', () => {
  it('goes first to the organization that has used least in the last minute', async () => {
    const slots = new LongReads();
    const reads = new Reads(slots);
    const spent = reads.start('spender');
    // Only the time beyond that of a short read is counted.
    await new Promise((resolve) => setTimeout(resolve, slots.limits.shortMs + 20));
    await reads.end('spender');
    await spent;
    const all = ['x', 'y', 'spender', 'other'].map((name) => reads.start(name));
    await new Promise(setImmediate);
    for (const name of ['x', 'other', 'y', 'spender']) await reads.end(name);
    await Promise.all(all);
    expect(reads.begun).toEqual(['spender', 'x', 'y', 'other', 'spender']);
  });

  it('is never taken by a short read, which has its own slots', async () => {
    const slots = new LongReads();
    const reads = new Reads(slots);
    const long = ['x', 'y', 'z'].map((name) => reads.start(name));
    await new Promise(setImmediate);
    expect(reads.begun).toEqual(['x', 'y']);
    await expect(slots.run(scopeOf('victim'), (milliseconds) => Promise.resolve(milliseconds))).resolves.toBe(
      slots.limits.shortMs,
    );
    for (const name of ['x', 'y', 'z']) await reads.end(name);
    await Promise.all(long);
  });

  it('is refused to a background read once its organization has used half of its time, but not to another read', async () => {
    const slots = new LongReads();
    slots['use'].add('x', slots.limits.budgetMs / 2);
    const long = (milliseconds: number): Promise<number> =>
      milliseconds === slots.limits.shortMs ? Promise.reject(new QueryTooLong()) : Promise.resolve(milliseconds);
    await expect(slots.run(scopeOf('x'), long, { isBackground: true })).rejects.toThrow(TooManyQueries);
    await expect(slots.run(scopeOf('y'), long, { isBackground: true })).resolves.toBe(8_000);
    await expect(slots.run(scopeOf('x'), long)).resolves.toBe(8_000);
  });

  it('is awaited for longer than a read may take', () => {
    expect(new LongReads().limits.timeoutMs).toBeGreaterThan(8_000);
  });
});
