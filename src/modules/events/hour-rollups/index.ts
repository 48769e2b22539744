export { HourRollupsModule } from './hour-rollups.module.js';
export { hourRollupsJob } from './hour-rollups.job.js';
