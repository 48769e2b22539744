export { SourceMonitoringModule } from './source-monitoring.module.js';
