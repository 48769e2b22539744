import { EnumField, NestedField, TextField } from '../../../platform/http/validation/index.js';
import { RUN_STATES, type RunState } from '../../../platform/queue/index.js';

const CHECK_STATES = ['ok', 'degraded', 'down', 'not_configured'] as const;

export type CheckState = (typeof CHECK_STATES)[number];
export type WorkerState = RunState;

export class HealthChecks {
  @EnumField(CHECK_STATES, { description: 'Whether it can be reached' })
  database!: CheckState;

  @EnumField(CHECK_STATES, {
    description:
      'not_configured without a Redis URL, which does not degrade; degraded: of REDIS_URL and RATE_LIMIT_REDIS_URL one fails',
  })
  redis!: CheckState;

  @EnumField(CHECK_STATES, { description: 'Whether wake-ups get through' })
  queue!: CheckState;

  @EnumField(RUN_STATES, {
    description:
      'By the last run of the scheduled jobs, whichever process runs them; degraded also while the queue cannot be reached and workers go on by themselves',
  })
  workers!: WorkerState;

  @EnumField(CHECK_STATES, {
    optional: true,
    description:
      'Only where events are copied to ClickHouse. degraded: one has waited for more than a minute; nothing is lost',
  })
  event_store?: CheckState;
}

export class HealthResponse {
  @EnumField(['ok', 'degraded', 'down'] as const, { description: 'The worst of the checks that count' })
  status!: 'ok' | 'degraded' | 'down';

  @TextField({ example: '1.0.0', description: 'Of the service' })
  version!: string;

  @NestedField(() => HealthChecks, { description: 'What was looked at' })
  checks!: HealthChecks;
}
