export { Breath, BREATH_MS } from './breath.js';
export { Deadline, within } from './deadline.js';
export { FairTurns } from './fair-turns.js';
export { OverloadedError, ShareExhaustedError } from './overload.js';
export { Places } from './places.js';
