export { StrangerGate } from './stranger-gate.js';
