export { EventsModule } from './events.module.js';
export { firstObject, firstText } from './log-derivation.js';
