import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MatchesReader } from '../../../../src/modules/events/event-store/index.js';
import { ExportLimits } from '../../../../src/modules/events/explorer/export-limits.js';
import { QueryTooLong, TooManyQueries } from '../../../../src/modules/events/long-reads/index.js';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import type { TestApp } from '../../../support/app.js';
import { countEvents, insertEvents } from '../../../support/event-rows.js';

const MINUTE_MS = 60_000;
const LONGEST_READ_MS = 20 * MINUTE_MS;

export function describeEventExports(service: () => TestApp): void {
  describe('An export with a condition', () => {
    let app: TestApp;
    let owner: Owner;
    const from = new Date(Date.now() - 120 * MINUTE_MS);
    const to = new Date(from.getTime() + 60 * MINUTE_MS);
    /** The events, newest first. */
    let ids: string[];

    beforeAll(async () => {
      app = service();
      owner = await ownerWithProject(app);
      const minutes = [59, 58, 41, 40, 29, 17, 2, 0];
      ids = await insertEvents(
        app,
        owner.projectId,
        minutes.map((minute) => ({ timestamp: new Date(from.getTime() + minute * MINUTE_MS), severity: 'info' })),
      );
      await countEvents(app);
    });

    const exported = (format: 'ndjson' | 'csv') =>
      app
        .request()
        .post(`/v1/projects/${owner.projectId}/events/export`)
        .set('Authorization', owner.bearer)
        .send({ from_ts: from.toISOString(), to_ts: to.toISOString(), format, where: 'severity == "info"' })
        .buffer(true)
        .parse((response, done) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.on('end', () => done(null, text));
        });

    it.each(['ndjson', 'csv'] as const)(
      'has every event once as %s when reads take too long and have to wait, and sends empty lines meanwhile',
      async (format) => {
        const matches = app.nest.get(MatchesReader, { strict: false });
        const newest = matches.newest.bind(matches);
        let [reads, halved] = [0, 0];
        jest.spyOn(matches, 'newest').mockImplementation((scope, asked, signal) => {
          const { window } = asked;
          if (window.to.getTime() - window.from.getTime() > LONGEST_READ_MS) {
            halved += 1;
            return Promise.reject(new QueryTooLong());
          }
          reads += 1;
          return reads === 2 ? Promise.reject(new TooManyQueries(1)) : newest(scope, asked, signal);
        });
        const limits = app.nest.get(ExportLimits, { strict: false });
        const { quietMs } = limits;
        limits.quietMs = 50;
        try {
          const text = (await exported(format).expect(200)).body as string;
          const lines = text.split(format === 'csv' ? '\r\n' : '\n');
          // The text after the last line end is empty, too.
          expect(lines.filter((line) => line === '').length).toBeGreaterThan(1);
          const events = lines.filter((line) => line !== '').slice(format === 'csv' ? 1 : 0);
          const idOf = (line: string): string | undefined =>
            format === 'csv' ? line.split(',')[0] : (JSON.parse(line) as { id: string }).id;
          expect(events.map(idOf)).toEqual(ids);
          expect(halved).toBe(3);
        } finally {
          limits.quietMs = quietMs;
          jest.restoreAllMocks();
        }
      },
    );

    it('returns 503 when its first read gets no slot', async () => {
      const matches = app.nest.get(MatchesReader, { strict: false });
      jest.spyOn(matches, 'newest').mockRejectedValue(new TooManyQueries(7));
      try {
        const { headers } = await exported('ndjson').expect(503);
        expect(headers['retry-after']).toBe('7');
      } finally {
        jest.restoreAllMocks();
      }
    });
  });
}
