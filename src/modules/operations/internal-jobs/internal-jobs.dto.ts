import { DateTimeField, IntField, TextField } from '../../../platform/http/validation/index.js';
import type { JobState } from '../../../platform/queue/index.js';

export class JobStateResponse {
  @TextField({ example: 'maintenance', description: 'Of the job' })
  name!: string;

  @DateTimeField({ nullable: true, description: 'Null: not run yet' })
  last_run_at!: string | null;

  @IntField({ nullable: true, min: 0, description: 'How long the last round took, in milliseconds; null: none yet' })
  last_duration_ms!: number | null;

  @TextField({ nullable: true, description: 'Null after a run that succeeded' })
  last_error!: string | null;

  @IntField({
    min: 0,
    nullable: true,
    description:
      'Deliveries, rules or projects that wait to be worked on; for other jobs, runs that wait in the queue. Null while it cannot be counted',
  })
  due!: number | null;
}

export class JobRoundResponse {
  @IntField({ min: 0, description: 'How many things the round dealt with' })
  processed!: number;
}

export function jobStateResponse(state: JobState): JobStateResponse {
  return {
    name: state.name,
    last_run_at: state.last_run_at?.toISOString() ?? null,
    last_duration_ms: state.last_duration_ms,
    last_error: state.last_error,
    due: state.due,
  };
}
