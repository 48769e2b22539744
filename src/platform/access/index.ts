export * from './access-errors.js';
export * from './capabilities.js';
export * from './declarations.js';
export * from './ports.js';
export * from './refusal-mask.js';
export * from './scope.js';
