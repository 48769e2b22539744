export { LookupCache } from './lookup-cache.js';
