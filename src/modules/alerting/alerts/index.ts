export { NewerAlertEventIsUnresolved } from './alerts.errors.js';
export { AlertsModule } from './alerts.module.js';
export { AlertEvents, type Firing } from './engine/alert-events.js';
