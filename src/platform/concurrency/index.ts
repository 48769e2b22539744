export { FairTurns, type FairTurnsOptions } from './fair-turns.js';
export { OverloadedError, ShareExhaustedError } from './overload.js';
