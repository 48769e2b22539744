import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `ingest_events` adds the events of a batch up once, by all that its counters tell apart, and the counters from that: each took
 * the whole batch anew. What the function says of an event is left as it is by now, so fields that have come to it stay.
 */
export class CountedBatches1800000100000 implements MigrationInterface {
  readonly name = 'CountedBatches1800000100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(replaced(await definitionOf(q), (change) => [change.before, change.after]));
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(replaced(await definitionOf(q), (change) => [change.after, change.before]));
  }
}

async function definitionOf(q: QueryRunner): Promise<string> {
  const [found] = (await q.query(`
    SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
    WHERE proname = 'ingest_events' AND 'ingested_event[]'::regtype::oid = ANY (proargtypes)`)) as {
    definition: string;
  }[];
  if (found === undefined) throw new Error('there is no ingest_events that takes rows');
  return found.definition;
}

interface Change {
  readonly before: string;
  readonly after: string;
  /** How often it stands there: what meters and what does not, or the former alone. */
  readonly times: 1 | 2;
}

function replaced(definition: string, direction: (change: Change) => [string, string]): string {
  return CHANGES.reduce((text, change) => {
    const [from, to] = direction(change);
    const parts = text.split(from);
    if (parts.length !== change.times + 1)
      throw new Error(`ingest_events does not say "${from}" ${change.times} times`);
    return parts.join(to);
  }, definition);
}

const COUNTED = 'sum(s.events), sum(s.errors)\n          FROM counted s';

const CHANGES: readonly Change[] = [
  {
    times: 2,
    before: `date_trunc('hour', v."timestamp", 'UTC') AS hour),\n`,
    // Hours of UTC all have the same length, so nobody has to ask for the zone at each event.
    after: `date_bin('1 hour', v."timestamp", 'epoch') AS hour),
        counted AS (
          SELECT s.project_id, s.api_key_id, s.hour, s.event, s.source_id, s.severity, s.status, s.environment,
                 count(*) AS events, count(*) FILTER (WHERE s.log_status >= 500) AS errors
          FROM stored s GROUP BY 1, 2, 3, 4, 5, 6, 7, 8),
`,
  },
  {
    times: 1,
    before: 's.api_key_id, count(*) FROM stored s GROUP BY 2, 3',
    after: 's.api_key_id, sum(s.events) FROM counted s GROUP BY 2, 3',
  },
  {
    times: 2,
    before: `SELECT s.project_id, s.hour, count(*), count(*) FILTER (WHERE s.log_status >= 500)\n          FROM stored s`,
    after: `SELECT s.project_id, s.hour, ${COUNTED}`,
  },
  {
    times: 2,
    before: `SELECT s.project_id, s.hour, s.event, s.source_id, s.severity, s.status, s.environment, count(*),
                 count(*) FILTER (WHERE s.log_status >= 500)
          FROM stored s`,
    after: `SELECT s.project_id, s.hour, s.event, s.source_id, s.severity, s.status, s.environment, ${COUNTED}`,
  },
  {
    times: 2,
    before: `SELECT s.project_id, date_trunc('day', s.hour, 'UTC'), s.event, s.source_id, s.severity, s.status, s.environment,
                 count(*), count(*) FILTER (WHERE s.log_status >= 500)
          FROM stored s`,
    after: `SELECT s.project_id, date_trunc('day', s.hour, 'UTC'), s.event, s.source_id, s.severity, s.status, s.environment,
                 ${COUNTED}`,
  },
];
