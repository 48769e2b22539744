import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far learning what is usual in a project has come, so that it can be done in pieces. */
export class LessonsOfSentinel1796000000000 implements MigrationInterface {
  readonly name = 'LessonsOfSentinel1796000000000';

  async up(q: QueryRunner): Promise<void> {
    // Until rests_until what is known is kept, whatever came since; rows_read are those of lessons begun on rows_read_on.
    await q.query(`
      ALTER TABLE sentinel_projects ADD COLUMN rests_until timestamptz, ADD COLUMN rows_read bigint NOT NULL DEFAULT 0,
        ADD COLUMN rows_read_on date`);
    // History from read_from until "until" has been read, and its first series are learned.
    await q.query(`
      CREATE TABLE sentinel_lessons (
        project_id uuid NOT NULL,
        until timestamptz NOT NULL,
        since timestamptz NOT NULL,
        read_from timestamptz NOT NULL,
        events text[] NOT NULL,
        sources uuid[] NOT NULL,
        learned integer NOT NULL DEFAULT 0,
        learning integer NOT NULL DEFAULT 0,
        failures integer NOT NULL DEFAULT 0,
        counted bigint NOT NULL,
        oldest_event_at timestamptz,
        most_event_types integer,
        most_endpoints integer,
        CONSTRAINT pk_sentinel_lessons PRIMARY KEY (project_id),
        CONSTRAINT fk_sentinel_lessons_project_id FOREIGN KEY (project_id)
          REFERENCES sentinel_projects (project_id) ON DELETE CASCADE
      )`);
    // What was read of a group of series, from "from" on, as the code writes it.
    await q.query(`
      CREATE TABLE sentinel_lesson_points (
        project_id uuid NOT NULL,
        part integer NOT NULL,
        "from" timestamptz NOT NULL,
        points bytea NOT NULL,
        CONSTRAINT pk_sentinel_lesson_points PRIMARY KEY (project_id, part, "from"),
        CONSTRAINT fk_sentinel_lesson_points_project_id FOREIGN KEY (project_id)
          REFERENCES sentinel_lessons (project_id) ON DELETE CASCADE
      )`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE sentinel_lesson_points');
    await q.query('DROP TABLE sentinel_lessons');
    await q.query(
      'ALTER TABLE sentinel_projects DROP COLUMN rests_until, DROP COLUMN rows_read, DROP COLUMN rows_read_on',
    );
  }
}
