export { NewerAlertEventIsUnresolved } from './alerts.errors.js';
export { AlertsModule } from './alerts.module.js';
export type { ToldOccurrence } from './events/alert-event.entity.js';
export { AlertRaiser, type AnyFiring, type Firing } from './engine/alert-raiser.js';
