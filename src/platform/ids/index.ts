export { isUuid, newId, uuidV7At } from './ids.js';
