export { ProjectHealthModule } from './project-health.module.js';
