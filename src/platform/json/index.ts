export { canonicalDigits, ExactNumber, parseExact, stringifyExact, withDoubles } from './exact-json.js';
export { endOfString } from './json-text.js';
