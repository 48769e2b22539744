export { UsageModule } from './usage.module.js';
export { UsageMetering } from './usage-metering.js';
