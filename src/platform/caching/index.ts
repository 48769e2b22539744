export { TrustedLookups } from './trusted-lookups.js';
