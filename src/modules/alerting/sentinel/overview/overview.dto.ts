import {
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { RUN_STATES, type RunState } from '../../../../platform/queue/index.js';
import { FindingResponse } from '../findings/findings.dto.js';
import { FINDING_KINDS, type FindingKind } from '../detection/finding-kinds.js';
import { HEALTH_STATES, type HealthState } from './health-score.js';

export class OpenFindingsResponse {
  @IntField({ min: 0, description: 'All of them' })
  total!: number;

  @IntField({ min: 0, description: 'Those of severity `critical`' })
  critical!: number;

  @IntField({ min: 0, description: 'Those of severity `warning`' })
  warning!: number;

  @IntField({ min: 0, description: 'Those of severity `info`' })
  info!: number;
}

export class CoverageResponse {
  @IntField({ min: 0, description: 'Series that are watched' })
  series!: number;

  @IntField({ min: 0, description: 'Of these, those that have too little history yet' })
  learning!: number;
}

export class DetectorResponse {
  @EnumField(FINDING_KINDS, { description: 'What it finds' })
  kind!: FindingKind;

  @IntField({ min: 0, description: 'Findings that began in the last 7 days' })
  findings_7d!: number;

  @IntField({ min: 0, description: 'Findings that were dismissed in the last 7 days, whenever they began' })
  dismissed_7d!: number;
}

export class SentinelOverviewResponse {
  @UuidField({})
  project_id!: string;

  @EnumField(HEALTH_STATES, {
    description:
      'healthy from 80, degraded from 50; learning until there are events of a whole day; a stray event of long ago is none',
  })
  state!: HealthState;

  @IntField({
    min: 0,
    max: 100,
    nullable: true,
    description:
      '100 less 40 a critical, 15 a warning and 3 an info finding, acknowledged ones half, rounded; null while learning',
  })
  score!: number | null;

  @NestedField(() => OpenFindingsResponse, { description: 'Open and acknowledged' })
  open_findings!: OpenFindingsResponse;

  @ListField(nested(() => FindingResponse), { description: 'The 10 worst: by severity, then newest' })
  findings!: FindingResponse[];

  @NestedField(() => CoverageResponse, { description: 'What is watched' })
  coverage!: CoverageResponse;

  @DateTimeField({ nullable: true, description: 'End of the last judged bucket; null: none yet' })
  evaluated_until!: string | null;

  @ListField(nested(() => DetectorResponse), { description: 'Each kind of findings with what it found' })
  detectors!: DetectorResponse[];
}

export class WorkerResponse {
  @TextField({ example: 'sentinel', description: 'The background job, as metrics and `/health` call it' })
  name!: string;

  @EnumField(RUN_STATES, { description: 'What its last run and its punctuality say' })
  state!: RunState;

  @DateTimeField({ nullable: true, description: 'Null: not run yet' })
  last_run_at!: string | null;

  @IntField({ min: 0, nullable: true, description: 'How long its last run took; null: not run yet' })
  last_duration_ms!: number | null;

  @IntField({ min: 0, description: 'How often it runs' })
  interval_seconds!: number;

  @IntField({ min: 0, description: 'Since the run was due; 0 when in time' })
  lag_seconds!: number;

  @IntField({ min: 0, nullable: true, description: 'What waits to be worked on; null: the queue does not tell' })
  due!: number | null;
}
