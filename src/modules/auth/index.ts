export { AuthModule } from './auth.module.js';
export { AuthUpkeep } from './auth-upkeep.js';
