export { TrustedLookups, type TrustedLookupsOptions } from './trusted-lookups.js';
