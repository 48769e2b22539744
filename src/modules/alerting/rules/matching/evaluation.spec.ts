import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { asProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { filterOf, storedCondition } from '../../../events/conditions/index.js';
import type { LiveRule } from '../live-rules.repository.js';
import { CompiledRules } from './compiled-rules.js';
import { evaluate, firstEvents } from './evaluation.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';
import type { AcceptedEvent, AcceptedEventsReader, OutboxRow, OutboxSlice } from '../../../events/event-store/index.js';

const condition = storedCondition({ kind: 'match' });
const RULE: LiveRule = {
  id: 'rule',
  projectId: asProjectId('project'),
  name: 'Rule',
  severity: 'info',
  condition,
  filter: filterOf(condition),
  groupBy: ['properties.n'],
  holds: { forSeconds: 0, keepFiringSeconds: 0 },
  cooldownSeconds: 0,
  isFailing: false,
  revision: 1,
  watchedSince: new Date(0),
  lastEvaluatedAt: null,
  targets: { kind: 'project' },
};

/** An outbox in memory whose rows have the given numbers of events. */
class Memory {
  readonly rows: OutboxRow[];
  /** The largest number of events that were read at once. */
  mostRead = 0;

  constructor(counts: readonly number[]) {
    this.rows = counts.map((events, at) => ({
      position: String(at),
      events,
      acceptedAt: new Date(1),
      firstEventId: null,
      waitedSeconds: 0,
    }));
  }

  events(_project: string, outboxSlices: readonly OutboxSlice[]): Promise<AcceptedEvent[]> {
    const events = outboxSlices.flatMap(({ row: { position, acceptedAt }, first, last }) =>
      Array.from({ length: last - first + 1 }, (_, at) => {
        const id = `${position}.${first + at}`;
        return { position, ordinal: first + at, id, timestamp: '', acceptedAt, fields: { 'properties.n': id } };
      }),
    );
    this.mostRead = Math.max(this.mostRead, events.length);
    return Promise.resolve(events);
  }

  bytesOf(_project: string, outboxSlices: readonly OutboxSlice[]): Promise<number> {
    return Promise.resolve(outboxSlices.length % 2 === 0 ? 0 : 2_000_000);
  }

  /** Removes events as the repository does. */
  remove(taken: readonly OutboxSlice[]): void {
    for (const { row, last } of taken) {
      const at = this.rows.findIndex(({ position }) => position === row.position);
      if (last >= row.events) this.rows.splice(at, 1);
      else this.rows[at] = { ...row, events: row.events - last, firstEventId: null };
    }
  }
}

describe('the evaluation of a batch', () => {
  it('asks about every event, a hundred read at once at most, whatever the rows hold', async () => {
    const counts = fc.array(fc.integer({ min: 0, max: 350 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(counts, fc.integer({ min: 1, max: 600 }), async (rows, most) => {
        const outbox = new Memory(rows);
        const source = {
          events: outbox as unknown as AcceptedEventsReader,
          compiled: new CompiledRules(),
          db: {} as Db,
        };
        let asked = 0;
        for (let batches = 0; outbox.rows.length > 0; batches += 1) {
          expect(batches).toBeLessThan(3_000);
          const batch = firstEvents(outbox.rows, most);
          const { hits, taken } = await evaluate(source, 'project', [RULE], batch, () => undefined);
          const inBatch = hits.reduce((sum, { events }) => sum + events.length, 0);
          expect(inBatch).toBeLessThanOrEqual(most);
          asked += inBatch;
          outbox.remove(taken);
        }
        expect(asked).toBe(rows.reduce((sum, count) => sum + count, 0));
        expect(outbox.mostRead).toBeLessThanOrEqual(100);
      }),
      { numRuns: propertyRuns(50, 15) },
    );
  });

  it('ends a batch with the event that makes it too many series, and leaves the rest', async () => {
    const outbox = new Memory([900]);
    const rules = Array.from({ length: 20 }, (_, at) => ({ ...RULE, id: `rule ${at}` }));
    const source = {
      events: outbox as unknown as AcceptedEventsReader,
      compiled: new CompiledRules(),
      db: {} as Db,
    };
    // The clock is mocked, because a batch also ends by its duration and the machine may be slow.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const { hits, taken } = await evaluate(source, 'project', rules, firstEvents(outbox.rows, 5_000), () => undefined);
    clock.mockRestore();
    expect([hits.length, taken.map(({ last }) => last)]).toEqual([2_000, [100]]);
  });
});
