export { quotaNoticesJob } from './quota-notices.job.js';
export { QuotaNoticesModule } from './quota-notices.module.js';
