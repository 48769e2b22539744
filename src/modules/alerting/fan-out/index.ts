export type { AlertNotification } from '../destinations/index.js';
export { FanOutModule } from './fan-out.module.js';
export { FanOutService, type NotificationTargets } from './fan-out.service.js';
