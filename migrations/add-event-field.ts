import type { QueryRunner } from 'typeorm';

/** Before what each list of columns in `ingest_events` names the new ones, and how it names them. */
const PLACES = [
  { before: 'properties, bytes,', prefix: '' },
  { before: 'e.properties, e.bytes,', prefix: 'e.' },
] as const;

/**
 * Gives events another column that senders may fill: in the table, in the rows that batches bring, and in what
 * `ingest_events` stores of them. Processes of the version before go on, and store null there. Landed migrations call
 * this, so it does the same for ever.
 * @param type of SQL; rows that are there already have null
 */
export async function addEventField(q: QueryRunner, name: string, type: string): Promise<void> {
  await q.query(`ALTER TABLE events ADD COLUMN ${name} ${type}`);
  await q.query(`ALTER TYPE ingested_event ADD ATTRIBUTE ${name} ${type}`);
  await rewrite(q, (place) => [place.before, `${place.prefix}${name}, ${place.before}`]);
}

/** The opposite of {@link addEventField}. */
export async function dropEventField(q: QueryRunner, name: string): Promise<void> {
  await rewrite(q, (place) => [`${place.prefix}${name}, ${place.before}`, place.before]);
  await q.query(`ALTER TYPE ingested_event DROP ATTRIBUTE ${name}`);
  await q.query(`ALTER TABLE events DROP COLUMN ${name}`);
}

/** Makes the function anew from what it is, whatever else has changed in it; fails where it is not as expected. */
async function rewrite(
  q: QueryRunner,
  change: (place: (typeof PLACES)[number]) => readonly [before: string, after: string],
): Promise<void> {
  const [found] = (await q.query(`
    SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
    WHERE proname = 'ingest_events' AND 'ingested_event[]'::regtype::oid = ANY (proargtypes)`)) as {
    definition: string;
  }[];
  if (found === undefined) throw new Error('there is no ingest_events that takes rows');
  let { definition } = found;
  for (const place of PLACES) {
    const [before, after] = change(place);
    const parts = definition.split(` ${before}`);
    if (parts.length < 2) throw new Error(`ingest_events does not say "${before}"`);
    definition = parts.join(` ${after}`);
  }
  await q.query(definition);
}
