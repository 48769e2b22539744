import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notifications tell the message of the event beside that of the alert. Alert events that exist already have none. */
export class MessagesOfEvents1803000200000 implements MigrationInterface {
  readonly name = 'MessagesOfEvents1803000200000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_events ADD COLUMN event_message text');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_events DROP COLUMN event_message');
  }
}
