export type { AlertNotice } from '../destinations/index.js';
export { FanOutModule } from './fan-out.module.js';
export { type EnqueuedNotice, FanOutService, type NoticeTargets, type NoticeToEnqueue } from './fan-out.service.js';
