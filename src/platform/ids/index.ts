export { isUuid, newId } from './ids.js';
