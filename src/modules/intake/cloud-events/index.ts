export { CloudEventsModule } from './cloud-events.module.js';
