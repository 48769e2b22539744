export { ScimModule } from './scim.module.js';
