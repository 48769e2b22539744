export { MASK } from './mask.js';
export { maskSecrets, sanitizeLongText, sanitizeText } from './sanitize-text.js';
export { isSensitiveName, kindOfName } from './sensitive-names.js';
