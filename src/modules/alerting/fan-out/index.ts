export type { AlertNotice } from '../destinations/index.js';
export { FanOutModule } from './fan-out.module.js';
export { FanOutService, type NoticeTargets } from './fan-out.service.js';
