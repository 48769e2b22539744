export * from './access-errors.js';
export * from './capabilities.js';
export * from './credentials.js';
export * from './declarations.js';
export * from './ports.js';
export { RequestMemo } from './request-memo.js';
export { assertFulfilled } from './requirements.js';
export * from './roles.js';
export * from './scope.js';
