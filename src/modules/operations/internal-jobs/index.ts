export { InternalJobsModule } from './internal-jobs.module.js';
export { maintenanceJob } from './maintenance.job.js';
