export { type HolderOf, StrangerGate } from './stranger-gate.js';
