export type { ListedFinding } from './findings/finding-columns.js';
export type { Finding } from './findings/finding.entity.js';
export { type FindingChange, FindingWatcher } from './findings/finding-watcher.js';
export { findingPayload } from './findings/findings.dto.js';
export { FindingsReader } from './findings/findings.reader.js';
export { SentinelModule } from './sentinel.module.js';
export { DetectionScheduler } from './rounds/detection-scheduler.js';
export { sentinelJob } from './rounds/sentinel.job.js';
