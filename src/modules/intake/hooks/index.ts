export { HookIntakeModule } from './hook-intake.module.js';
