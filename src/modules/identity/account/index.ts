export { AccountAdministrationService } from './account-administration.service.js';
export { AccountModule } from './account.module.js';
