export { generateArtifacts } from './artifacts.js';
export { reportDrift } from './drift.js';
