import type { MigrationInterface, QueryRunner } from 'typeorm';

const FUNCTION = 'ingest_events';

/** What `ingest_events` does with the properties of an event, and beside it the same with their size. */
const CHANGES: readonly (readonly [before: string, after: string])[] = [
  ['e_properties jsonb[], ', 'e_properties jsonb[], e_bytes integer[], '],
  ['external_event_id, properties, log_method', 'external_event_id, properties, bytes, log_method'],
  ['e.external, e.properties, e.method', 'e.external, e.properties, e.bytes, e.method'],
  ['e_external, e_properties, e_method', 'e_external, e_properties, e_bytes, e_method'],
  ['external, properties, method', 'external, properties, bytes, method'],
];

/** The size of an event, so that whoever reads many knows where to stop before reading them. */
export class SizesOfEvents1795220000000 implements MigrationInterface {
  readonly name = 'SizesOfEvents1795220000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE events ADD COLUMN bytes integer');
    await q.query(`
      COMMENT ON COLUMN events.bytes IS
        'Bytes of properties::text, as the service worked them out; null: stored before it did, measured when read'`);
    await this.rewrite(q, CHANGES);
  }

  async down(q: QueryRunner): Promise<void> {
    await this.rewrite(
      q,
      CHANGES.map(([before, after]) => [after, before]),
    );
    await q.query('ALTER TABLE events DROP COLUMN bytes');
  }

  /** Makes the function anew from what it is, whatever else has changed in it; fails where it is not as expected. */
  private async rewrite(q: QueryRunner, changes: readonly (readonly [string, string])[]): Promise<void> {
    const [found] = (await q.query(
      'SELECT pg_get_functiondef(oid) AS definition, oid::regprocedure::text AS signature FROM pg_proc WHERE proname = $1',
      [FUNCTION],
    )) as { definition: string; signature: string }[];
    if (found === undefined) throw new Error(`there is no ${FUNCTION}`);
    let { definition } = found;
    for (const [before, after] of changes) {
      if (!definition.includes(before)) throw new Error(`${FUNCTION} does not say "${before}"`);
      definition = definition.replaceAll(before, after);
    }
    await q.query(`DROP FUNCTION ${found.signature}`);
    await q.query(definition);
  }
}
