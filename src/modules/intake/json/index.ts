export { JsonIntakeModule } from './json-intake.module.js';
