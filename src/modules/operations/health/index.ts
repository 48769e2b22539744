export { HealthModule } from './health.module.js';
export { OperationsPortUnavailable, OperationsServer } from './operations-server.js';
