export { InternalJobsModule } from './internal-jobs.module.js';
export { MAINTENANCE_EVERY_MS, maintenanceJob } from './maintenance.job.js';
