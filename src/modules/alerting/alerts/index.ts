export { NewerAlertEventIsUnresolved } from './alerts.errors.js';
export { AlertsModule } from './alerts.module.js';
export { AlertRaiser, type Firing } from './engine/alert-raiser.js';
